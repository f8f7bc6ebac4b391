import { describe, expect, test } from "vitest";
import { learningFigures } from "../../dashboard/figures/learnings.ts";
import { mcpFigures } from "../../dashboard/figures/mcp.ts";
import { reviewFigures } from "../../dashboard/figures/reviews.ts";
import { seatFigures } from "../../dashboard/figures/seats.ts";
import { securityFigures } from "../../dashboard/figures/security.ts";
import { teamFigures } from "../../dashboard/figures/teams.ts";
import { sortedPlaces } from "../../dashboard/sort.ts";
import { csvOf, figureColumnsOf, textColumn } from "../../dashboard/tables.ts";
import { defaultView } from "../../dashboard/view.ts";
import type { ResponseOf } from "../../lib/client/client.ts";
import { comparableBefore } from "../../lib/report/read-pull-requests.ts";
import { reportOf } from "../../lib/report/report.ts";
import { authorName, type Home, judgeHolders, membershipsOf, newHoldersOf } from "../../lib/report/seats.ts";
import { collected, comments, finding, review } from "../report/records.ts";

const nowMs = Date.parse("2026-03-10T12:00:00.000Z");
const period = { start_date: "2026-03-02", end_date: "2026-03-15" };
const view = { ...defaultView, period };

const read = collected(
  [
    review(1),
    review(2, { merged_at: "2026-03-09T10:00:00.000Z" }),
    review(3, { repository_id: "9002", repository_name: "api", author_username: "ben", author_id: "502" }),
  ],
  [comments(1, [finding(true), finding(null)]), comments(3, [finding(false)])],
);

describe("figures of reviews", () => {
  test("figures of reviews are those of lib/report, for the records that pass the filters", () => {
    const all = reviewFigures(read, view);
    const report = reportOf(read, period, "week");
    expect([all.total, all.weeks, all.heatMap]).toEqual([report.total, report.weeks, report.heat_map]);
    const some = reviewFigures(read, { ...view, repositories: ["github:1001/9002"] });
    expect([some.total.pull_requests, some.total.findings.not_accepted]).toEqual([1, 1]);
    // The choices stay the same, whatever is chosen.
    expect(some.knownRepositories.map(({ name }) => name)).toEqual(["api", "shop"]);
  });

  test("a repository has its pull requests of every week, empty weeks included", () => {
    const { repositories } = reviewFigures(read, view);
    expect(repositories.map(({ id, name, weeks }) => [id, name, weeks])).toEqual([
      ["github:1001/9002", "api", [1, 0]],
      ["github:1001/9001", "shop", [1, 1]],
    ]);
  });

  test("authors are counted only if chosen, in alphabetical order", () => {
    expect(reviewFigures(read, view).authors).toBeNull();
    const { authors } = reviewFigures(read, { ...view, byAuthor: true });
    expect(authors?.map(({ name, figures }) => [name, figures.pull_requests])).toEqual([
      ["ada", 2],
      ["ben", 1],
    ]);
  });

  test("a chosen team, authors without a team, and people without bots count as lib/report counts them", () => {
    const of = { provider: "github" as const, organization_id: "1001" };
    const teams = [
      { ...of, team_id: "1", name: "web", user_ids: ["501", "502"] },
      { ...of, team_id: "2", name: "api", user_ids: ["502"] },
    ];
    const authored = collected([
      review(1, { author_id: "501" }),
      review(2, { author_id: "502", repository_id: "9002", repository_name: "api" }),
      review(3, { author_id: null, author_username: "updates", author_type: "bot" }),
    ]);
    const shown = (more: Partial<typeof view>) => {
      const chosen = { ...view, ...more };
      const { rows, known } = teamFigures(teams, authored, chosen);
      const { total, listed } = reviewFigures(authored, chosen, { teams });
      return {
        total: total.pull_requests,
        rows: rows?.map(({ name, figures }) => [name, figures.pull_requests]),
        known: known.map(({ id }) => id),
        listed: listed?.count,
      };
    };
    const known = ["github:1001/2", "github:1001/1"];
    const all = [
      ["api", 1],
      ["no team", 1],
      ["web", 2],
    ];
    expect(shown({})).toEqual({ total: 3, rows: all, known, listed: undefined });
    expect(shown({ withoutBots: true, listed: "github:1001/9001" })).toEqual({
      total: 2,
      rows: all.filter(([name]) => name !== "no team"),
      known,
      listed: 1,
    });
    // Who is in both teams counts here, and does not show the other team in part.
    expect(shown({ teams: ["github:1001/1"] })).toMatchObject({ total: 2, rows: [["web", 2]] });
    expect(shown({ teams: ["none"] })).toMatchObject({ total: 1, rows: [["no team", 1]] });
    expect(shown({ teams: ["github:1001/gone"] })).toMatchObject({ total: 0, rows: [] });
    expect(teamFigures(teams, undefined, view).rows).toBeNull();
  });

  test("a team has its weeks, its period before and its list, whose rows name author and team", () => {
    const teams = [
      { provider: "github" as const, organization_id: "1001", team_id: "1", name: "web", user_ids: ["501"] },
    ];
    const earlier = collected([review(9, { merged_at: "2026-02-20T10:00:00.000Z" })]);
    const before = comparableBefore(earlier, period, { nowMs: Date.parse("2026-04-01T00:00:00.000Z") });
    const rows = teamFigures(teams, read, view, before).rows ?? [];
    expect(
      rows.map(({ id, weeks, weeksBefore, before: was }) => [id, weeks, weeksBefore, was?.pull_requests]),
    ).toEqual([
      ["none", [1, 0], [0, 0], 0],
      ["github:1001/1", [1, 1], [1, 0], 1],
    ]);
    const { listed } = reviewFigures(read, { ...view, listed: "team:github:1001/1" }, { teams });
    expect([listed?.title, listed?.count]).toEqual(["Pull requests of web", 2]);
    expect(listed?.pullRequests.map(({ author, teams: of }) => [author, of])).toEqual([
      ["ada", ["web"]],
      ["ada", ["web"]],
    ]);
    const gone = { ...view, listed: "team:github:1001/gone" };
    expect(reviewFigures(read, gone, { teams }).listed).toBeNull();
  });

  test("the listed repository's pull requests come newest first; an unknown repository lists none", () => {
    const { listed } = reviewFigures(read, { ...view, listed: "github:1001/9001" });
    expect(listed?.pullRequests.map(({ merged_at }) => merged_at.slice(0, 10))).toEqual([
      "2026-03-09",
      "2026-03-02",
    ]);
    expect(reviewFigures(read, { ...view, listed: "github:1001/none" }).listed).toBeNull();
  });

  test("the pull requests behind a figure are listed, of what was chosen", () => {
    const listed = (repositories: string[]) =>
      reviewFigures(read, { ...view, repositories, listed: "unaccepted" }).listed;
    expect(listed([])).toMatchObject({ list: "unaccepted", count: 1, pullRequests: [{ repository: "api" }] });
    expect(listed(["github:1001/9001"])).toMatchObject({ count: 0, pullRequests: [] });
  });
});

test("repositories without a value come last, in either sort direction", () => {
  const { repositories } = reviewFigures(
    collected(
      [review(1), review(3, { repository_id: "2", repository_name: "a" })],
      [comments(1, [finding(true)])],
    ),
    view,
  );
  for (const isDescending of [true, false])
    expect(
      sortedPlaces(repositories, { column: "acceptance", isDescending }).map(({ name }) => name),
    ).toEqual(["shop", "a"]);
});

test("MCP use is summed by server; if a pull request comes again, the last record counts", () => {
  const record = (number: number, calls: number) => ({
    pr_url: `https://git.example/${number}`,
    organization_id: "1",
    repository_id: "9",
    author_id: null,
    merged_at: null,
    provider: "github" as const,
    servers: [{ name: "issues", calls, tools: [{ name: "find", calls, failures: 1 }] }],
  });
  const other = {
    ...record(2, 5),
    servers: [...record(2, 5).servers, { name: "docs", calls: 2, tools: [] }],
  };
  expect(mcpFigures([record(1, 100), other, record(1, 3)])).toEqual({
    pullRequests: 2,
    calls: 10,
    servers: [
      {
        name: "issues",
        pullRequests: 2,
        calls: 8,
        failures: 2,
        tools: [{ name: "find", calls: 8, failures: 2 }],
      },
      { name: "docs", pullRequests: 1, calls: 2, failures: 0, tools: [] },
    ],
  });
});

test("findings are counted by severity and age, and the worst and oldest come first", () => {
  const open = (severity: "critical" | "low", detected: string) => ({
    id: detected,
    title: detected,
    severity,
    detected_at: `${detected}T12:00:00.000Z`,
    description: "",
    organization_id: "1",
    organization_name: "o",
    repository_id: "2",
    repository_name: "o/r",
    state: "open" as const,
    cwe: null,
    file_path: "a.ts",
    start_line: 1,
    end_line: 1,
    evidence: [],
    scan_id: "s",
    commit_sha: "c",
    updated_at: "",
    provider: "github" as const,
    repository_short_name: "r",
  });
  const figures = securityFigures(
    // 90, 89, 7 and 6 days before now.
    [
      open("low", "2025-12-10"),
      open("low", "2025-12-11"),
      open("critical", "2026-03-03"),
      open("critical", "2026-03-04"),
    ],
    nowMs,
  );
  expect(figures.open).toBe(4);
  expect(figures.counts).toEqual([
    { severity: "critical", ages: [1, 1, 0, 0], open: 2 },
    { severity: "high", ages: [0, 0, 0, 0], open: 0 },
    { severity: "medium", ages: [0, 0, 0, 0], open: 0 },
    { severity: "low", ages: [0, 0, 1, 1], open: 2 },
  ]);
  expect(figures.first.map(({ severity, days }) => [severity, days])).toEqual([
    ["critical", 7],
    ["critical", 6],
    ["low", 90],
    ["low", 89],
  ]);
});

test("Learnings are counted by use; active ones were used in the last 30 days", () => {
  const learning = (id: string, usage_count: number, last_used_at: string | null) => ({
    id,
    usage_count,
    last_used_at,
    learning: id,
    organization_id: "1",
    organization_name: "o",
    repository_id: "2",
    repository_name: "o/r",
    author_id: "3",
    author_username: null,
    file: null,
    source_url: null,
    created_at: "",
    updated_at: "",
    provider: "github" as const,
    repository_short_name: "r",
  });
  const { mostUsed, ...counts } = learningFigures(
    [
      learning("old", 9, "2026-01-01T00:00:00.000Z"),
      learning("never", 0, null),
      learning("new", 4, "2026-03-01T00:00:00.000Z"),
    ],
    nowMs,
  );
  expect(counts).toEqual({ total: 3, active: 1, usedEarlier: 1, neverUsed: 1, uses: 13 });
  expect(mostUsed.map(({ id }) => id)).toEqual(["old", "new"]);
});

describe("seats", () => {
  type User = ResponseOf<"listUsers">["users"][number];
  const person = (name: string, seat_assigned = true): User => ({
    email: `${name}@example.com`,
    username: name,
    seat_assigned,
    organizations: [{ provider: "github", org_id: "1", user_id: name, role: "cr_member" }],
  });
  const seats = { seats_purchased: 10, seats_assigned: 5 };
  const users = [person("zoe"), person("ada"), person("ben"), person("eve"), person("dan", false)];
  const authors = new Set([authorName("github", "1", "ben")]);
  const organizationOf = (id: string, name: string, metrics: "ready" | "preparing" = "ready") =>
    ({ provider: "github", provider_organization_id: id, name, plan: "enterprise", metrics }) as const;
  const acme = organizationOf("1", "acme");

  test("a holder is idle who finished nothing and has had the seat all the time", () => {
    const entry = { provider: null, organization_id: null, metadata: { ids: ["eve@example.com"] } };
    const newHolders = new Set(newHoldersOf([entry], "2026-01-01"));
    const { holders, ...counts } = seatFigures({
      seats,
      users,
      authors,
      home: null,
      newHolders,
      organizations: [acme],
    });
    expect(counts).toEqual({
      purchased: 10,
      used: 5,
      free: 5,
      unseen: 1,
      judged: { active: 1, idle: 2, tooNew: 1, notJudged: 1 },
      withoutAdmin: ["acme"],
    });
    expect(
      holders.map(({ name, email, organizations, userIds, judgement }) => [
        ...[name, email, organizations, userIds, judgement],
      ]),
    ).toEqual([
      ["ada", "ada@example.com", ["acme"], ["ada"], "idle"],
      ["ben", "ben@example.com", ["acme"], ["ben"], "active"],
      ["eve", "eve@example.com", ["acme"], ["eve"], "too new"],
      ["zoe", "zoe@example.com", ["acme"], ["zoe"], "idle"],
    ]);
  });

  test("a holder in an organization without metrics is not judged, unless a pull request elsewhere was read", () => {
    const inBoth = (name: string): User => ({
      ...person(name),
      organizations: ["1", "2"].map((org_id) => ({
        provider: "github",
        org_id,
        user_id: name,
        role: "cr_member",
      })),
    });
    const { judged, holders } = seatFigures({
      seats,
      users: [inBoth("ada"), inBoth("ben"), person("zoe")],
      authors,
      home: null,
      newHolders: new Set(),
      organizations: [acme, organizationOf("2", "beta", "preparing")],
    });
    // Two of the five are not visible.
    expect(judged).toEqual({ active: 1, idle: 1, tooNew: 0, notJudged: 3 });
    expect(holders.map(({ name, judgement }) => [name, judgement])).toEqual([
      ["ada", "not judged"],
      ["ben", "active"],
      ["zoe", "idle"],
    ]);
  });

  test("somebody with the same id in two organizations has it once, and both organizations by name", () => {
    const both: User = {
      ...person("ada"),
      organizations: ["1", "2"].map((org_id) => ({
        provider: "github",
        org_id,
        user_id: "501",
        role: "cr_member",
      })),
    };
    const { holders } = seatFigures({
      seats,
      users: [both],
      authors,
      home: null,
      newHolders: new Set<string>(),
      organizations: [organizationOf("1", "web"), organizationOf("2", "mobile")],
    });
    expect(holders).toMatchObject([{ userIds: ["501"], organizations: ["web", "mobile"] }]);
  });

  test("a holder whose organizations the key cannot see is not judged, and counts as unseen", () => {
    const elsewhere: User = { ...person("emeka"), organizations: [] };
    const question = { seats, authors, home: null, newHolders: new Set<string>(), organizations: [] };
    expect(seatFigures({ ...question, users: [...users, elsewhere] })).toEqual(
      seatFigures({ ...question, users }),
    );
  });

  test("an organization is named when its members are listed and none of them is an admin", () => {
    const organizations = ["1", "2", "3"].map((id) => organizationOf(id, `Organization ${id}`));
    const inBoth = (name: string, role: string): User => ({
      ...person(name),
      organizations: [
        { provider: "github", org_id: "1", user_id: name, role: "cr_member" },
        { provider: "github", org_id: "2", user_id: name, role },
      ],
    });
    const namesOf = (listed: readonly User[], home: Home | null = null) =>
      seatFigures({ seats, users: listed, authors, home, newHolders: new Set(), organizations }).withoutAdmin;
    // Nothing is known about the third: no member of it is listed.
    expect(namesOf([inBoth("ada", "cr_admin")])).toEqual(["Organization 1"]);
    expect(namesOf([inBoth("ada", "cr_billing_admin")])).toEqual(["Organization 1", "Organization 2"]);
    const alone = (role: string): User => ({
      user_id: "ben",
      username: null,
      email: null,
      seat_assigned: true,
      role,
      role_name: role,
      role_type: "system",
    });
    const [home] = organizations;
    expect([namesOf([alone("cr_member")], home), namesOf([alone("cr_admin")], home)]).toEqual([
      ["Organization 1"],
      [],
    ]);
  });

  test("no holder is idle unless all pull requests were read", () => {
    const question = { seats, users, authors: null, home: null, newHolders: new Set<string>() };
    expect(seatFigures({ ...question, organizations: [acme] }).judged).toBeNull();
  });

  test("members of one organization are found by its name", () => {
    const member: User = {
      user_id: "ben",
      username: null,
      email: null,
      seat_assigned: true,
      role: "cr_member",
      role_name: "Member",
      role_type: "system",
    };
    const home = { provider: "github", provider_organization_id: "1" };
    const ask = (names: readonly string[]) =>
      seatFigures({
        seats,
        users: [member],
        authors: new Set(names),
        home,
        newHolders: new Set(),
        organizations: [acme],
      }).judged?.idle;
    expect([ask([authorName("github", "1", "ben")]), ask([authorName("github", "2", "ben")])]).toEqual([
      0, 1,
    ]);
  });

  test("an audit entry names people by address, or by their id in its organization", () => {
    const members = ["Ben", "Eve@Example.com", "501"].map(
      (user_id): User => ({
        email: user_id === "Ben" ? "bEN@example.com" : null,
        username: null,
        seat_assigned: true,
        organizations: [{ provider: "github", org_id: "1", user_id, role: "cr_member" }],
      }),
    );
    const idleAfter = (ids: readonly string[], organization_id: string | null) => {
      const entry = {
        provider: organization_id === null ? null : ("github" as const),
        organization_id,
        metadata: { ids },
      };
      const newHolders = new Set(newHoldersOf([entry], "2026-01-01"));
      const evidence = { seats, users: members, home: null, authors: new Set<string>(), newHolders };
      return judgeHolders({ ...evidence, readable: [acme] }).idle.map(
        (user) => membershipsOf(user, null)[0]?.user_id,
      );
    };
    const everybody = ["Ben", "Eve@Example.com", "501"];
    expect(idleAfter(["Ben@Example.com"], null)).toEqual(["Eve@Example.com", "501"]);
    expect(idleAfter(["Ben@Example.com"], "1")).toEqual(["Eve@Example.com", "501"]);
    // A user id may look like an address, and its letter case counts.
    expect(idleAfter(["Eve@Example.com", "501"], "1")).toEqual(["Ben"]);
    expect(idleAfter(["Eve@Example.com", "501"], null)).toEqual(["Ben"]);
    expect(idleAfter(["eve@example.com"], "1")).toEqual(everybody);
    // The same id of another organization is another person.
    expect(idleAfter(["Eve@Example.com", "501"], "2")).toEqual(everybody);
    expect(newHoldersOf([{ provider: null, organization_id: null, metadata: {} }], "2026-01-01")).toEqual([]);
  });

  test("a late entry about a seat from before the period makes no holder new", () => {
    const holdersSince = (occurred_at: string) => {
      const metadata = { ids: ["501"], reason: "member saved", occurred_at };
      return newHoldersOf([{ provider: "github", organization_id: "1", metadata }], "2026-01-02").length > 0;
    };
    expect(holdersSince("2026-01-01T23:59:59.999Z")).toBe(false);
    expect(holdersSince("2026-01-02T00:00:00.000Z")).toBe(true);
  });
});

test("a file has plain numbers with their units, and no formulas", () => {
  const { repositories } = reviewFigures(collected([review(1, { repository_name: "=cmd()" })]), view);
  const columns = [
    textColumn("repository", "Repository", ({ name }: (typeof repositories)[number]) => name),
    ...figureColumnsOf<(typeof repositories)[number]>("acceptance", "merge_median_minutes"),
  ];
  expect(csvOf({ name: "x", caption: "x", columns, rows: repositories })).toBe(
    "repository,acceptance,merge_median_minutes\r\n'=cmd(),,120\r\n",
  );
});
