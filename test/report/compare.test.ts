import { describe, expect, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { changeOf, changeText, comparedWith, units } from "../../lib/report/change.ts";
import { chatReport } from "../../lib/report/chat.ts";
import { headlines } from "../../lib/report/columns.ts";
import { lastMonth, lastWeek } from "../../lib/report/period.ts";
import { comparableBefore, readWithBefore } from "../../lib/report/read-pull-requests.ts";
import { type Dimension, figuresBefore, reportOf } from "../../lib/report/report.ts";
import { teamsByAuthor } from "../../lib/report/teams.ts";
import { textReport } from "../../lib/report/text.ts";
import { required } from "../../lib/runtime/required.ts";
import { collected, comments, finding, review } from "./records.ts";

describe("a change is an arrow and words", () => {
  test.each([
    [units.count, 48, 40, "↑ 20 % more (before: 40)"],
    [units.count, 30, 40, "↓ 25 % fewer (before: 40)"],
    [units.count, 1_000, 1_001, "→ about the same (before: 1,001)"],
    [units.count, 0, 0, "→ about the same (before: 0)"],
    [units.count, 3, 0, "↑ more (before: 0)"],
    [units.share, 0.62, 0.57, "↑ 5 points higher (before: 57 %)"],
    [units.share, 0.56, 0.57, "↓ 1 point lower (before: 57 %)"],
    [units.share, 0.574, 0.571, "→ about the same (before: 57 %)"],
    [units.minutes, 90, 120, "↓ 25 % shorter (before: 2.0 h)"],
    [units.minutes, 5_760, 2_880, "↑ 100 % longer (before: 2.0 d)"],
  ])("%o: %d after %d is %s", (unit, now, before, text) => {
    expect(changeText(required(changeOf(now, before, unit), "change"))).toBe(text);
  });

  test("there is no change if one of the two figures is unknown", () => {
    expect([changeOf(null, 1, units.share), changeOf(1, null, units.minutes)]).toEqual([null, null]);
  });
});

const week = { start_date: "2026-03-09", end_date: "2026-03-15" };
const mergedAt = (number: number, merged_at: string) => review(number, { merged_at });

describe("the period before", () => {
  const inBefore = collected([
    mergedAt(1, "2026-03-08T11:59:59.999Z"),
    mergedAt(2, "2026-03-08T12:00:00.001Z"),
  ]);

  test("is counted whole when the period is over", () => {
    const nowMs = Date.parse("2026-03-16T00:00:00.000Z");
    const before = comparableBefore(inBefore, week, { nowMs });
    expect([before.endsAtMs, before.pullRequests.length]).toEqual([null, 2]);
    expect(comparedWith(figuresBefore(before))).toBe("Compared with 2 Mar to 8 Mar 2026.");
  });

  test("is counted up to the same time while the period is under way", () => {
    const nowMs = Date.parse("2026-03-15T12:00:00.000Z");
    const before = comparableBefore(inBefore, week, { nowMs });
    expect(before.pullRequests.map(({ url }) => url)).toEqual([review(1).pr_url]);
    expect(comparedWith(figuresBefore(before))).toBe(
      "Compared with 2 Mar to 8 Mar 2026; today counts up to now.",
    );
  });

  test("has no changes if it has no pull requests", () => {
    const before = comparableBefore([], week, { nowMs: Date.parse("2026-03-16T00:00:00.000Z") });
    const report = reportOf(inBefore, week, "week", { before });
    expect(headlines(report).map(({ change }) => change)).toEqual([null, null, null, null, null]);
    expect(comparedWith(figuresBefore(before))).toBe(
      "Nothing to compare with: 2 Mar to 8 Mar 2026 has no pull request.",
    );
  });

  test("is whole or cut by the days of the report's time zone", () => {
    // Sunday 23:30 in UTC is Monday in Berlin.
    const nowMs = Date.parse("2026-03-15T23:30:00.000Z");
    const endsAt = (timeZone: string) => comparableBefore([], week, { nowMs, timeZone }).endsAtMs;
    expect([endsAt("Europe/Berlin"), endsAt("UTC") === null]).toEqual([null, false]);
  });
});

describe("a period under way compares with the same time of the period before, by the clocks of its zone", () => {
  // At these hours no clock of these zones changes.
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Pacific/Auckland"];
  const hours = ["05:00", "17:00"];
  const years = [2024, 2025];
  const months = Array.from({ length: 12 }, (_, index) => index + 1);
  const days = [1, 2, 15, 28, 29, 30, 31];
  const two = (number: number) => String(number).padStart(2, "0");
  const lengthOf = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate();
  const instants = years.flatMap((year) =>
    months.flatMap((month) =>
      days
        .filter((day) => day <= lengthOf(year, month))
        .map((day) => Date.parse(`${year}-${two(month)}-${two(day)}T${hours[day % 2]}:00Z`)),
    ),
  );

  const formats = new Map(
    zones.map((timeZone) => [
      timeZone,
      new Intl.DateTimeFormat("en-GB", {
        timeZone,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
      }),
    ]),
  );
  /** What clocks show, field by field: another way than the code's. */
  function shown(ms: number, timeZone: string) {
    const parts = required(formats.get(timeZone), timeZone).formatToParts(ms);
    const field = (type: string) => required(parts.find((part) => part.type === type)?.value, type);
    const [year, month, day] = [Number(field("year")), Number(field("month")), Number(field("day"))];
    const date = `${year}-${two(month)}-${two(day)}`;
    return { year, month, day, date, time: `${field("hour")}:${field("minute")}:${field("second")}` };
  }
  const laterBy = (date: string, count: number) =>
    new Date(Date.parse(date) + count * 86_400_000).toISOString().slice(0, 10);
  const endOf = (period: { start_date: string; end_date: string }, nowMs: number, timeZone: string) => {
    const { endsAtMs } = comparableBefore([], period, { nowMs, timeZone });
    if (endsAtMs === null) return "whole";
    const { date, time } = shown(endsAtMs, timeZone);
    return `${date} ${time}`;
  };
  const everywhere = (check: (nowMs: number, timeZone: string) => readonly [unknown, unknown]) => {
    const pairs = zones.flatMap((timeZone) => instants.map((nowMs) => check(nowMs, timeZone)));
    expect(pairs.length).toBe(zones.length * instants.length);
    expect(pairs.map(([got]) => got)).toEqual(pairs.map(([, expected]) => expected));
  };

  test("a month: the same day of the month before, or all of it if it has no such day", () => {
    everywhere((nowMs, timeZone) => {
      const { year, month, day, time } = shown(nowMs, timeZone);
      const period = {
        start_date: `${year}-${two(month)}-01`,
        end_date: `${year}-${two(month)}-${lengthOf(year, month)}`,
      };
      const [beforeYear, beforeMonth] = month === 1 ? [year - 1, 12] : [year, month - 1];
      const expected =
        day > lengthOf(beforeYear, beforeMonth)
          ? "whole"
          : `${beforeYear}-${two(beforeMonth)}-${two(day)} ${time}`;
      return [
        `${period.start_date} ${day} ${timeZone}: ${endOf(period, nowMs, timeZone)}`,
        `${period.start_date} ${day} ${timeZone}: ${expected}`,
      ];
    });
  });

  test.each([1, 7, 90, 366])("the last %d days: as many days before", (count) => {
    everywhere((nowMs, timeZone) => {
      const { date, time } = shown(nowMs, timeZone);
      const period = { start_date: laterBy(date, 1 - count), end_date: date };
      return [endOf(period, nowMs, timeZone), `${laterBy(date, -count)} ${time}`];
    });
  });

  test.each([
    [-2, 7],
    [-40, 200],
  ])("chosen days that begin %d days and end %d days from now: as many days before", (first, last) => {
    everywhere((nowMs, timeZone) => {
      const { date, time } = shown(nowMs, timeZone);
      const period = { start_date: laterBy(date, first), end_date: laterBy(date, last) };
      return [endOf(period, nowMs, timeZone), `${laterBy(date, first - last - 1)} ${time}`];
    });
  });

  test("the last week and the last month are over, so they compare with the whole period before", () => {
    everywhere((nowMs, timeZone) => {
      const { date } = shown(nowMs, timeZone);
      return [
        [lastWeek(date), lastMonth(date)].map((period) => endOf(period, nowMs, timeZone)),
        ["whole", "whole"],
      ];
    });
  });
});

test("on 2 March the sentence names February up to the same time, in the report's time zone", () => {
  const march = { start_date: "2026-03-01", end_date: "2026-03-31" };
  const nowMs = Date.parse("2026-03-01T12:00:00.000Z");
  const inBefore = collected([mergedAt(1, "2026-01-31T11:30:00.000Z")]);
  const timeZone = "Pacific/Auckland";
  const sentence = (pullRequests: typeof inBefore) =>
    comparedWith(figuresBefore(comparableBefore(pullRequests, march, { nowMs, timeZone })), timeZone);
  expect([sentence(inBefore), sentence([])]).toEqual([
    "Compared with 1 Feb to 2 Feb 2026; today counts up to now.",
    "Nothing to compare with: 1 Feb to 2 Feb 2026 has no pull request.",
  ]);
});

test("a day compares with one day", () => {
  const day = { start_date: "2026-03-09", end_date: "2026-03-09" };
  const nowMs = Date.parse("2026-03-20T00:00:00.000Z");
  const before = comparableBefore(collected([mergedAt(1, "2026-03-08T10:00:00.000Z")]), day, { nowMs });
  expect(comparedWith(figuresBefore(before))).toBe("Compared with 8 Mar 2026.");
});

/** The service's answers to a walk, and what it asked for. */
function serving(reviews: ReturnType<typeof review>[]) {
  const asked: string[] = [];
  const fetch = async (target: string | URL | Request) => {
    const { pathname, searchParams } = new URL(String(target));
    asked.push(
      `${pathname.split("/").at(-1)} ${searchParams.get("start_date")} ${searchParams.get("end_date")}`,
    );
    const data = pathname.endsWith("review-comments") ? [comments(2, [finding(true)])] : reviews;
    return Response.json({ data, next_cursor: null });
  };
  return { asked, client: createClient({ baseUrl: "http://service", key: "k", fetch }) };
}

test("the period and the period before are read in one walk, and every headline has its change", async () => {
  const { asked, client } = serving([
    mergedAt(1, "2026-03-08T10:00:00.000Z"),
    mergedAt(2, "2026-03-09T10:00:00.000Z"),
    mergedAt(3, "2026-03-15T10:00:00.000Z"),
  ]);
  const nowMs = Date.parse("2026-03-20T00:00:00.000Z");
  const { pullRequests, before } = await readWithBefore(client, week, { pageSizeMax: 1000, nowMs });
  expect(asked).toEqual(["reviews 2026-03-02 2026-03-15", "review-comments 2026-03-02 2026-03-15"]);
  const report = reportOf(pullRequests, week, "week", { before });
  expect([report.total.pull_requests, report.before?.total.pull_requests]).toEqual([2, 1]);
  expect(headlines(report).map(({ name, change }) => [name, change && changeText(change)])).toEqual([
    ["Pull requests reviewed", "↑ 100 % more (before: 1)"],
    ["Findings posted", "↑ more (before: 0)"],
    ["Acceptance", null],
    ["Time to first human review", null],
    ["Time to merge", "↑ 66 % longer (before: 6.1 d)"],
  ]);
});

test("in another time zone the walk covers its days, and only these count", async () => {
  const { asked, client } = serving([
    // Sunday and Monday in Berlin.
    mergedAt(1, "2026-03-08T22:59:59.999Z"),
    mergedAt(2, "2026-03-08T23:00:00.000Z"),
    mergedAt(3, "2026-03-15T23:00:00.000Z"),
  ]);
  const nowMs = Date.parse("2026-03-20T00:00:00.000Z");
  const options = { pageSizeMax: 1000, nowMs, timeZone: "Europe/Berlin" };
  const { pullRequests, before } = await readWithBefore(client, week, options);
  expect(asked[0]).toBe("reviews 2026-03-01 2026-03-16");
  expect([pullRequests, before.pullRequests].map((each) => each.map(({ url }) => url))).toEqual([
    [review(2).pr_url],
    [review(1).pr_url],
  ]);
});

describe("every row has its figures of the period before", () => {
  const period = { start_date: "2026-03-09", end_date: "2026-03-22" };
  const nowMs = Date.parse("2026-04-01T00:00:00.000Z");
  const of = { provider: "github" as const, organization_id: "1001" };
  const teamsOf = teamsByAuthor([{ ...of, team_id: "t1", name: "web", user_ids: ["501"] }]);
  const now = collected(
    [
      review(1, { merged_at: "2026-03-10T10:00:00.000Z" }),
      review(2, {
        ...mergedAt(2, "2026-03-20T10:00:00.000Z"),
        author_id: "9",
        repository_id: "9002",
        repository_name: "api",
      }),
    ],
    [comments(1, [finding(true), finding(false)]), comments(2, [finding(true)])],
  );
  const earlier = collected(
    [mergedAt(3, "2026-02-24T10:00:00.000Z"), mergedAt(4, "2026-03-08T10:00:00.000Z")],
    [comments(3, [finding(true)]), comments(4, [finding(false), finding(false), finding(false)])],
  );
  const report = (by: Dimension, pullRequests = earlier) =>
    reportOf(now, period, by, { teamsOf, before: comparableBefore(pullRequests, period, { nowMs }) });
  const counts = ({ rows }: ReturnType<typeof report>) =>
    rows.map(({ name, before }) => [name, before?.pull_requests ?? null]);

  test("a team, a repository and a severity: those of their own", () => {
    expect(counts(report("team"))).toEqual([
      ["web", 2],
      ["no team", 0],
    ]);
    expect(counts(report("repository"))).toEqual([
      ["api", 0],
      ["shop", 2],
    ]);
    expect(counts(report("severity"))).toContainEqual(["minor", 2]);
    expect(textReport(report("team"))).toMatch(/web\s+acme\s+1\s+2\s+50 %\s+↑ 25 points/);
    expect(chatReport(report("team"))).toContain("`web`: 1 pull request, acceptance 50 % ↑ 25 points,");
  });

  test("a week: its days counted from the beginning of the period", () => {
    expect(counts(report("week"))).toEqual([
      ["2026-03-09", 1],
      ["2026-03-16", 1],
    ]);
    expect(report("week").weeks.map(({ before }) => before?.findings.posted)).toEqual([1, 3]);
  });

  test("a longer month before loses no day", () => {
    const april = { start_date: "2026-04-01", end_date: "2026-04-30" };
    const before = comparableBefore(collected([mergedAt(1, "2026-03-31T10:00:00.000Z")]), april, {
      nowMs: nowMs * 2,
    });
    const { weeks } = reportOf([], april, "week", { before });
    expect(weeks.map((week) => week.before?.pull_requests)).toEqual([0, 0, 0, 0, 1]);
  });

  test("nothing for people, and nothing if the period before is empty", () => {
    expect(counts(report("author"))).toEqual([
      ["ada", null],
      ["ada", null],
    ]);
    expect(counts(report("team", []))).toEqual([
      ["web", null],
      ["no team", null],
    ]);
  });
});
