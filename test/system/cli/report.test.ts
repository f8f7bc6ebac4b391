import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { startFakeAws } from "../../checks/fake-aws.ts";
import { callJson, callTool, event, ndjson, soloOrganization } from "../../cli/support.ts";
import { useService } from "../../support/service.ts";
import { entry } from "../../support/tool.ts";

const msPerDay = 86_400_000;
const nowMs = Date.now();
const daysAgo = (days: number): string => new Date(nowMs - days * msPerDay).toISOString();
const hoursAfter = (instant: string, hours: number): string =>
  new Date(Date.parse(instant) + hours * 3_600_000).toISOString();

const organization = { provider: "github", instance_id: null, provider_organization_id: "42" };
const repository = {
  ...organization,
  repository_id: "7",
  name: "shop",
  full_name: "acme/shop",
  private: true,
  url: "https://github.com/acme/shop",
  active: true,
};
const member = (id: string, username: string, more: object = {}) => ({
  ...organization,
  user_id: id,
  username,
  email: `${username}@acme.example`,
  role: null,
  seat_assigned: true,
  readable_repository_ids: "*",
  active: true,
  ...more,
});
/** Ready two hours before the merge, first reviewed by a person one hour before it. */
const pullRequest = (
  number: number,
  authorId: string,
  mergedAt: string,
  accepted: Array<boolean | null>,
) => ({
  ...organization,
  repository_id: "7",
  pr_url: `https://github.com/acme/shop/pull/${number}`,
  author_id: authorId,
  author_username: authorId,
  created_at: hoursAfter(mergedAt, -3),
  ready_for_review_at: hoursAfter(mergedAt, -2),
  first_human_review_at: hoursAfter(mergedAt, -1),
  last_commit_at: null,
  merged_at: mergedAt,
  closed_at: mergedAt,
  status: "merged",
  reviewed: true,
  review_iterations: 1,
  estimated_complexity: 2,
  estimated_review_minutes: 5,
  comments: accepted.map((each, index) => ({
    url: `https://github.com/acme/shop/pull/${number}#c${index}`,
    severity: "major",
    category: "security_and_privacy",
    accepted: each,
  })),
  mcp_servers: [],
});

const events = [
  event(1, "organization.saved", { ...soloOrganization("42", "acme"), seat_assignment_mode: "manual" }),
  event(2, "repository.saved", repository),
  event(3, "member.saved", member("1", "ada", { role: "cr_admin" }), daysAgo(100)),
  event(4, "member.saved", member("2", "ben"), daysAgo(100)),
  event(5, "member.saved", member("3", "cleo"), daysAgo(5)),
  event(6, "member.saved", member("4", "dan", { seat_assigned: false }), daysAgo(100)),
  event(7, "pull_request.finalized", pullRequest(1, "1", daysAgo(3), [true, false, null]), daysAgo(3)),
  event(8, "pull_request.finalized", pullRequest(2, "1", daysAgo(4), [true]), daysAgo(4)),
  event(9, "pull_request.finalized", pullRequest(3, "2", daysAgo(60), [false]), daysAgo(60)),
];

const service = useService({ events });
let folder = "";
let data = "";
let key = "";
beforeAll(async () => {
  folder = service().home;
  data = service().folder;
  const words = ["keys", "create", "--kind", "organization", "--org", "42", "--owner", "1", "--data", data];
  key = z.object({ key: z.string() }).parse(await callJson(...words)).key;
});

const figures = z.object({
  period: z.object({ days: z.number() }),
  total: z.object({ pull_requests: z.number(), findings: z.record(z.string(), z.number().nullable()) }),
  rows: z.array(z.object({ id: z.string().nullable(), figures: z.object({ pull_requests: z.number() }) })),
});

describe("report", () => {
  test("report counts the service's data, with a key and an address", async () => {
    const report = figures.parse(
      await callJson("report", "--url", service().url, "--key", key, "--by", "author"),
    );
    expect(report).toMatchObject({
      period: { days: 30 },
      total: {
        pull_requests: 2,
        findings: { posted: 4, accepted: 2, not_accepted: 1, unknown: 1, acceptance: 2 / 3 },
      },
      rows: [{ id: "1", figures: { pull_requests: 2 } }],
    });
  });

  test("report finds the local service by its data, and covers the requested number of days", async () => {
    const { code, stdout } = await callTool("report", "--data", data, "--key", key, "--days", "90");
    expect([code, stdout]).toEqual([0, expect.stringContaining("Pull requests reviewed      3\n")]);
    expect(stdout).toContain("60 min (median; 90 % within 60 min; 0 without one)");
  });

  test("report --json is one line, and compares with the period before unless it is left out", async () => {
    const compared = async (...more: string[]) => {
      const { stdout } = await callTool("report", "--data", data, "--key", key, "--json", ...more);
      expect(stdout.trimEnd().split("\n")).toHaveLength(1);
      return z
        .object({ before: z.object({ total: figures.shape.total }).nullable() })
        .parse(JSON.parse(stdout)).before;
    };
    expect((await compared("--days", "30", "--end", daysAgo(10).slice(0, 10)))?.total.pull_requests).toBe(1);
    expect(await compared("--no-compare")).toBeNull();
  });

  test("report --last-week is a whole week, in the days of a time zone", async () => {
    const { stdout } = await callTool(
      ...[
        "report",
        "--data",
        data,
        "--key",
        key,
        "--last-week",
        "--timezone",
        "Asia/Tokyo",
        "--format",
        "csv",
      ],
    );
    const [, week = "", more] = stdout.trim().split("\r\n");
    const [monday = "", , , inPart] = week.split(",");
    expect([new Date(monday).getUTCDay(), inPart, more]).toEqual([1, "false", undefined]);
    expect(nowMs - Date.parse(monday)).toBeGreaterThan(6 * msPerDay);
  });

  test("report lists the pull requests behind a figure", async () => {
    const listed = async (list: string) => {
      const words = ["--list", list, "--days", "90", "--format", "csv"];
      const { stdout } = await callTool("report", "--data", data, "--key", key, ...words);
      return [...stdout.matchAll(/pull\/(\d)/g)].map(([, number]) => number);
    };
    expect([await listed("unaccepted"), await listed("no-review")]).toEqual([["1", "3"], []]);
  });

  test("report lists pull requests with a key that reads metrics alone, and names what is left out", async () => {
    const http = ["--url", service().url, "--key", key];
    const made = await callJson("keys", "create", "--name", "v", "--only", "metrics:read", ...http);
    const { key: narrow } = z.object({ key: z.string() }).parse(made);
    const listed = (by: string) =>
      callTool("report", "--data", data, "--key", by, "--list", "unaccepted", "--days", "90");
    const { code, stdout, stderr } = await listed(narrow);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("KEY_LIMITED")]);
    expect(stdout).toContain("Without teams, which this key may not read.");
    expect(stdout).toContain("pull/1");
    expect((await listed(key)).stdout).not.toContain("Without teams");
  });

  test("report says what its filters leave out", async () => {
    const { stdout } = await callTool(
      ...["report", "--data", data, "--key", key, "--without-bots", "--repositories", "7"],
    );
    expect(stdout.split("\n").slice(1, 4)).toEqual([
      expect.stringMatching(/ompare/),
      "Without pull requests that a program opened.",
      "Only these repositories: 7.",
    ]);
  });

  test("report finds the address of a deployed stack in its outputs, and needs a key for it", async () => {
    const aws = await startFakeAws(() => ({ ApiUrl: service().url }));
    vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", aws.url);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await aws.close();
    });
    const stack = ["report", "--stack", "ReviewApi", "--region", "eu-north-1"];
    const report = figures.parse(await callJson(...stack, "--key", key, "--by", "author"));
    expect([report.total.pull_requests, report.rows.map(({ id }) => id)]).toEqual([2, ["1"]]);
  });

  test("as the operator, without a key, the report is that of a key of the organization", async () => {
    const report = async (...words: readonly string[]) => {
      const { stdout, ...rest } = await callTool(
        "report",
        "--data",
        data,
        "--json",
        "--no-compare",
        ...words,
      );
      return { ...rest, report: z.looseObject({ notes: z.array(z.unknown()) }).parse(JSON.parse(stdout)) };
    };
    for (const words of [
      ["--by", "author"],
      ["--by", "team"],
      ["--list", "unaccepted"],
      ["--days", "90"],
    ])
      expect(await report(...words)).toEqual(await report("--key", key, ...words));
    const named = await report("--org", "42");
    expect(named.report.notes).toEqual([{ text: "Only these organizations", names: ["42"] }]);
    expect(named.report.total).toEqual((await report()).report.total);
    expect((await callTool("report", "--data", data, "--org", "43")).code).toBe(1);
  });

  test("report writes a file in the format of its name, which only its owner can read", async () => {
    const file = join(folder, "report.html");
    const { code, stderr } = await callTool("report", "--data", data, "--key", key, "--output", file);
    expect([code, stderr]).toEqual([0, `Wrote the report to ${file}.`]);
    expect(await readFile(file, "utf8")).toMatch(/^<!doctype html>.*<svg .*<\/html>\n$/s);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test("a report that does not fit on the disk leaves the report of last week, and nothing beside it", async () => {
    const place = await mkdtemp(join(folder, "reports-"));
    const file = join(place, "report.html");
    await writeFile(file, "the report of last week");
    const script = 'ulimit -f 1; exec "$0" "$@"';
    const words = ["report", "--data", data, "--key", key, "--output", file, "--overwrite"];
    await expect(
      promisify(execFile)("bash", ["-c", script, process.execPath, entry, ...words]),
    ).rejects.toMatchObject({
      code: 1,
      stderr: `${file} cannot be written: the file would be larger than the system allows (ulimit -f).\n`,
    });
    expect(await readFile(file, "utf8")).toBe("the report of last week");
    expect(await readdir(place)).toEqual(["report.html"]);
  });

  test.each([
    [["--days", "7", "--start", "2026-01-01"], "--days and --start cannot be used together."],
    [["--start", "2026-02-01", "--end", "2026-01-01"], "--end must not be before --start."],
    [
      ["--by", "mood"],
      '--by takes one of week, month, organization, repository, author, team, severity, category, not "mood".',
    ],
    [["--last-week", "--days", "7"], "--last-week and --days cannot be used together."],
    [["--last-month", "--end", "2026-01-01"], "--last-month and --end cannot be used together."],
    [["--last-week", "--last-month"], "--last-week and --last-month cannot be used together."],
    [["--json", "--format", "md"], "--json and --format md cannot be used together."],
    [["--list", "slow", "--format", "html"], "--list takes the formats text, md, csv, json, not html."],
    [["--list", "slow", "--by", "week"], "--by and --list cannot be used together."],
    [["--timezone", "Mars"], '--timezone takes the name of a time zone, such as Europe/Berlin, not "Mars".'],
    [["--days", "0"], '--days takes a whole number from 1 to 3660, not "0".'],
  ])("report %j is refused: %s", async (words, sentence) => {
    const { code, stderr } = await callTool("report", "--data", data, "--key", key, ...words);
    expect([code, stderr.split("\n")[0]]).toEqual([2, sentence]);
  });

  test("report names the address that does not answer, and the service's reason for a refused key", async () => {
    const nobody = "http://127.0.0.1:9";
    const lost = await callTool("report", "--url", nobody, "--key", key);
    expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining(`${nobody} does not respond (`)]);
    const refused = await callTool("report", "--url", service().url, "--key", "rk_user_wrong");
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`${service().url} responded with 401 UNAUTHORIZED: `),
    ]);
  });
});

const idleAnswer = z.object({
  dry_run: z.boolean(),
  seats_held: z.number(),
  too_new: z.number(),
  idle: z.array(z.object({ user_ids: z.string(), username: z.string() })),
});
const idle = async (...words: readonly string[]) =>
  idleAnswer.parse(await callJson("seats", "idle", "--data", data, "--org", "42", ...words));
const ben = { user_ids: "2", username: "ben" };

/** Each test continues with the seats of the test before. */
describe("seats idle", () => {
  test("seats idle names those with a seat all the time and no finished pull request, but no new holders", async () => {
    expect(await idle()).toEqual({ dry_run: true, seats_held: 3, too_new: 1, idle: [ben] });
    // Ben's pull request is 60 days old.
    expect((await idle("--days", "90")).idle).toEqual([]);
    expect((await idle("--days", "2")).idle.map(({ username }) => username)).toEqual(["ada", "ben", "cleo"]);
  });

  /** With an admin's key of the same organization. */
  const idleOverHttp = async (...words: readonly string[]) => {
    const owner = ["--org", "42", "--owner", "1", "--role", "cr_admin"];
    const made = await callJson("keys", "create", "--kind", "organization", ...owner, "--data", data);
    const { key: adminKey } = z.object({ key: z.string() }).parse(made);
    return idleAnswer.parse(
      await callJson("seats", "idle", "--url", service().url, "--key", adminKey, ...words),
    );
  };

  test("seats idle over HTTP finds what the operator finds; new holders are left out", async () => {
    for (const days of ["30", "90", "2"])
      expect(await idleOverHttp("--days", days)).toEqual(await idle("--days", days));
  });

  test("seats idle changes nothing without --unassign, and says so", async () => {
    const { code, stdout, stderr } = await callTool("seats", "idle", "--data", data);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/acme +2 +ben +ben@acme\.example/)]);
    expect(stderr).toBe(
      "1 of 3 assigned seats idle for 30 days.\n" +
        "Too new to judge: 1 holder without a pull request.\n" +
        "Nothing was changed; --unassign takes these seats away.",
    );
    expect((await idle()).seats_held).toBe(3);
  });

  test("seats idle --unassign takes the seats away, once", async () => {
    expect(await idle("--unassign")).toEqual({ dry_run: false, seats_held: 3, too_new: 1, idle: [ben] });
    expect(await idle()).toEqual({ dry_run: true, seats_held: 2, too_new: 1, idle: [] });
  });

  test("seats idle --unassign over HTTP takes the seats away, once", async () => {
    const names = ({ idle: rows }: z.output<typeof idleAnswer>) => rows.map(({ username }) => username);
    expect(names(await idleOverHttp("--days", "2", "--unassign"))).toEqual(["ada", "cleo"]);
    expect(await idle("--days", "2")).toEqual({ dry_run: true, seats_held: 0, too_new: 0, idle: [] });
    for (const user of ["1", "3"])
      await callJson("members", "set-seat", user, "--org", "42", "--seat", "assigned", "--data", data);
  });

  test("a seat that was assigned again a moment ago is not idle", async () => {
    await callJson("members", "set-seat", "2", "--org", "42", "--seat", "assigned", "--data", data);
    expect(await idle()).toEqual({ dry_run: true, seats_held: 3, too_new: 2, idle: [] });
  });

  test("a seat that was assigned a moment ago is not idle, also if the user id looks like an address", async () => {
    const file = join(folder, "address.ndjson");
    const zoe = member("Zoe@Corp.example", "zoe", { email: null, seat_assigned: false });
    await writeFile(file, ndjson([event(10, "member.saved", zoe, daysAgo(100))]));
    await callJson("events", "send", file, "--data", data);
    const setSeat = (seat: string) =>
      callJson("members", "set-seat", zoe.user_id, "--org", "42", "--seat", seat, "--data", data);
    await setSeat("assigned");
    expect(await idleOverHttp()).toEqual({ dry_run: true, seats_held: 4, too_new: 3, idle: [] });
    expect(await idle()).toEqual({ dry_run: true, seats_held: 4, too_new: 3, idle: [] });
    await setSeat("unassigned");
  });

  test("a seat that came back with its holder is not idle", async () => {
    await callJson("members", "set-seat", "2", "--org", "42", "--seat", "unassigned", "--data", data);
    const file = join(folder, "returns.ndjson");
    const returns = [
      event(11, "member.saved", member("5", "eve"), daysAgo(100)),
      event(12, "member.saved", member("5", "eve", { active: false }), daysAgo(50)),
      event(13, "member.saved", member("5", "eve"), daysAgo(1)),
    ];
    await writeFile(file, ndjson(returns));
    await callJson("events", "send", file, "--data", data);
    expect(await idle()).toEqual({ dry_run: true, seats_held: 3, too_new: 2, idle: [] });
  });

  test("holders are not judged if their organization does not send pull requests", async () => {
    const file = join(folder, "unavailable.ndjson");
    const saved = { ...soloOrganization("42", "acme"), metrics: "unavailable" };
    await writeFile(file, ndjson([event(20, "organization.saved", saved, daysAgo(0))]));
    await callJson("events", "send", file, "--data", data);
    const answer = await callTool("seats", "idle", "--data", data, "--days", "2");
    expect([answer.stdout, answer.stderr]).toEqual([
      "",
      "0 of 3 assigned seats idle for 2 days.\n" +
        "Not judged: 3 holders. One of their organizations sends no metrics, is still preparing them, or is outside the scope of the key.",
    ]);
  });

  test("seats idle --unassign requires a choice if there are several groups of seats", async () => {
    const file = join(folder, "another.ndjson");
    await writeFile(file, ndjson([event(21, "organization.saved", soloOrganization("43", "other"))]));
    await callJson("events", "send", file, "--data", data);
    const { code, stderr } = await callTool("seats", "idle", "--data", data, "--unassign");
    expect([code, stderr.split("\n")[0]]).toEqual([
      2,
      "--unassign needs --org here: there are 2 groups of seats.",
    ]);
  });
});
