import { describe, expect, test } from "vitest";
import {
  dayIn,
  daysOf,
  isTimeZone,
  lastDays,
  lastMonth,
  lastWeek,
  mondayOf,
  monthsOf,
  periodBefore,
  weeksOf,
} from "../../lib/report/period.ts";
import { type Dimension, reportOf } from "../../lib/report/report.ts";
import { teamsByAuthor, teamsNamed } from "../../lib/report/teams.ts";
import { collected, comments, finding, review } from "./records.ts";

/** Monday the 2nd to Sunday the 15th of March 2026. */
const period = { start_date: "2026-03-02", end_date: "2026-03-15" };
const shop = { repository_id: "9001", repository_name: "shop" };
const site = { repository_id: "9002", repository_name: "site" };
const second = "2026-03-12T10:00:00.000Z";

const pullRequests = collected(
  [
    review(1, { ...shop, estimated_complexity: 1 }),
    review(2, {
      ...site,
      author_id: "502",
      author_username: "Zoe",
      estimated_complexity: 5,
      merged_at: second,
    }),
    review(3, { ...site, author_id: "503", author_username: "ben", merged_at: second }),
    review(4, { ...site, author_id: null, author_username: "bot", merged_at: second }),
  ],
  [
    comments(1, [finding(true, { severity: "critical" }), finding(false, { severity: "critical" })]),
    comments(2, [finding(true), finding(null, { severity: null, category: null })]),
  ],
);
const by = (dimension: Dimension) =>
  reportOf(pullRequests, period, dimension).rows.map(({ name, figures }) => [
    name,
    figures.pull_requests,
    figures.findings.posted,
    figures.findings.acceptance,
  ]);

describe("rows", () => {
  test("weeks are consecutive, including weeks without pull requests", () => {
    const longer = { start_date: "2026-02-23", end_date: "2026-03-15" };
    const { rows } = reportOf(pullRequests, longer, "week");
    expect(rows.map(({ id, figures }) => [id, figures.pull_requests])).toEqual([
      ["2026-02-23", 0],
      ["2026-03-02", 1],
      ["2026-03-09", 3],
    ]);
  });

  test("a person in two teams counts in both, and authors without a team have their own row", () => {
    const team = (team_id: string, name: string, ...user_ids: string[]) =>
      ({ provider: "github", organization_id: "1", team_id, name, user_ids }) as const;
    const [{ organizationId = "", provider = "github" } = {}] = pullRequests;
    const teams = [team("t2", "web", "502", "503"), team("t1", "api", "502"), team("t3", "idle", "9")].map(
      (each) => ({ ...each, provider, organization_id: organizationId }),
    );
    const { rows } = reportOf(pullRequests, period, "team", { teamsOf: teamsByAuthor(teams) });
    expect(rows.map(({ id, name, figures }) => [id, name, figures.pull_requests])).toEqual([
      ["t1", "api", 1],
      ["t2", "web", 2],
      [null, "no team", 2],
    ]);
    expect(teamsNamed(teams, "WEB")?.map(({ team_id }) => team_id)).toEqual(["t2"]);
    expect(teamsNamed(teams, "t3")?.map(({ name }) => name)).toEqual(["idle"]);
    expect(teamsNamed(teams, "nobody")).toBeUndefined();
  });

  test("a week that the period cuts is marked", () => {
    const cut = { start_date: "2026-03-04", end_date: "2026-03-15" };
    expect(reportOf([], cut, "week").rows.map(({ name }) => name)).toEqual([
      "2026-03-02 (in part)",
      "2026-03-09",
    ]);
  });

  test("months count the pull requests of their days", () => {
    const quarter = { start_date: "2026-01-15", end_date: "2026-03-31" };
    expect(
      reportOf(pullRequests, quarter, "month").rows.map(({ id, in_part, figures }) => [
        ...[id, in_part, figures.pull_requests],
      ]),
    ).toEqual([
      ["2026-01", true, 0],
      ["2026-02", false, 0],
      ["2026-03", false, 4],
    ]);
  });

  test("organizations are sorted by their pull requests; the same id of another provider is another one", () => {
    const read = collected([
      review(1, { organization_name: "one" }),
      review(2, { organization_name: "one" }),
      review(3, { provider: "gitlab", organization_name: "two" }),
    ]);
    expect(
      reportOf(read, period, "organization").rows.map(({ id, name, figures }) => [
        ...[id, name, figures.pull_requests],
      ]),
    ).toEqual([
      ["1001", "one", 2],
      ["1001", "two", 1],
    ]);
  });

  test("repositories are sorted by their pull requests, busiest first", () => {
    expect(by("repository")).toEqual([
      ["site", 3, 2, 1],
      ["shop", 1, 2, 0.5],
    ]);
  });

  test("authors are in alphabetical order, whatever their numbers; an author without an id is shown by name", () => {
    expect(by("author").map(([name]) => name)).toEqual(["ada", "ben", "bot", "Zoe"]);
  });

  test("an author without a user name is shown by id", () => {
    const { rows } = reportOf(collected([review(1, { author_username: null })]), period, "author");
    expect(rows.map(({ id, name }) => [id, name])).toEqual([["501", "501"]]);
  });

  test("each severity counts only its own findings and the pull requests that have one", () => {
    expect(by("severity")).toEqual([
      ["critical", 1, 2, 0.5],
      ["major", 0, 0, null],
      ["minor", 1, 1, 1],
      ["trivial", 0, 0, null],
      ["info", 0, 0, null],
      ["not stated", 1, 1, null],
    ]);
  });

  test("category names are written as words", () => {
    expect(by("category").filter(([, count]) => count !== 0)).toEqual([
      ["functional correctness", 2, 3, 2 / 3],
      ["not stated", 1, 1, null],
    ]);
  });

  test("complexity rows go from 1 to 5, then not stated", () => {
    expect(
      reportOf(pullRequests, period, "week").complexity.map(({ name, figures }) => [
        name,
        figures.findings_per_pull_request,
      ]),
    ).toEqual([
      ["1", 2],
      ["2", null],
      ["3", null],
      ["4", null],
      ["5", 2],
      ["not stated", 0],
    ]);
  });

  test("the heat map has every severity with every category", () => {
    const { heat_map } = reportOf(pullRequests, period, "week");
    expect(heat_map).toHaveLength(6 * 7);
    expect(
      heat_map.filter(({ findings }) => findings.posted > 0).map((cell) => [cell.severity, cell.category]),
    ).toEqual([
      ["critical", "functional_correctness"],
      ["minor", "functional_correctness"],
      [null, null],
    ]);
  });
});

describe("periods", () => {
  test("the last 7 days end today", () => {
    expect(lastDays(7, Date.parse("2026-03-15T23:59:59.999Z"))).toEqual({
      start_date: "2026-03-09",
      end_date: "2026-03-15",
    });
    expect(daysOf(lastDays(30, Date.parse("2026-03-15T00:00:00.000Z")))).toBe(30);
  });

  test("a week begins on Monday, also before 1970", () => {
    expect(mondayOf("2026-03-08")).toBe("2026-03-02");
    expect(mondayOf("2026-03-09")).toBe("2026-03-09");
    expect(mondayOf("1969-12-28")).toBe("1969-12-22");
  });

  test("a period of one day has one week", () => {
    expect(weeksOf({ start_date: "2026-03-02", end_date: "2026-03-02" })).toEqual([
      { id: "2026-03-02", is_whole: false },
    ]);
  });

  test("the last week is whole, Monday to Sunday, also on a Monday and on a Sunday", () => {
    const week = { start_date: "2026-03-02", end_date: "2026-03-08" };
    expect([lastWeek("2026-03-09"), lastWeek("2026-03-15")]).toEqual([week, week]);
  });

  test.each([
    ["2026-03-01", "2026-02-01", "2026-02-28"],
    ["2026-03-31", "2026-02-01", "2026-02-28"],
    ["2024-03-15", "2024-02-01", "2024-02-29"],
    ["2026-01-01", "2025-12-01", "2025-12-31"],
  ])("on %s the last month is %s to %s", (today, start_date, end_date) => {
    expect(lastMonth(today)).toEqual({ start_date, end_date });
  });

  test.each([
    ["as many days", "2026-03-02", "2026-03-08", "2026-02-23", "2026-03-01"],
    ["the month before a whole month", "2026-03-01", "2026-03-31", "2026-02-01", "2026-02-28"],
    ["28 days before 28 days that are no month", "2026-03-01", "2026-03-28", "2026-02-01", "2026-02-28"],
    ["one day before one day", "2026-03-01", "2026-03-01", "2026-02-28", "2026-02-28"],
  ])("the period before is %s", (_, start_date, end_date, start, end) => {
    expect(periodBefore({ start_date, end_date })).toEqual({ start_date: start, end_date: end });
  });

  test("months are consecutive, and a month that the period cuts is marked", () => {
    expect(monthsOf({ start_date: "2025-12-31", end_date: "2026-02-28" })).toEqual([
      { id: "2025-12", is_whole: false },
      { id: "2026-01", is_whole: true },
      { id: "2026-02", is_whole: true },
    ]);
  });

  test("days are those of the time zone, on both sides of UTC and when clocks change", () => {
    const day = (zone: string, instant: string) => dayIn(zone)(Date.parse(instant));
    expect(day("Europe/Berlin", "2026-03-01T22:59:59.999Z")).toBe("2026-03-01");
    expect(day("Europe/Berlin", "2026-03-01T23:00:00.000Z")).toBe("2026-03-02");
    // Summer time began on 29 March.
    expect(day("Europe/Berlin", "2026-03-29T22:00:00.000Z")).toBe("2026-03-30");
    expect(day("America/Los_Angeles", "2026-03-02T07:59:59.999Z")).toBe("2026-03-01");
    expect(day("Asia/Kathmandu", "2026-03-01T18:14:59.999Z")).toBe("2026-03-01");
    expect(day("Asia/Kathmandu", "2026-03-01T18:15:00.000Z")).toBe("2026-03-02");
    expect(["Europe/Berlin", "UTC", "Mars/Olympus", ""].map(isTimeZone)).toEqual([true, true, false, false]);
  });
});
