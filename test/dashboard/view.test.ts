import { describe, expect, test } from "vitest";
import { safeAddress } from "../../dashboard/parts/external-link.tsx";
import {
  addressOf,
  type DashboardView,
  defaultView,
  parseView,
  pullRequestFilter,
  resolvePeriod,
} from "../../dashboard/view.ts";
import { minuteTicks, wholeTicks } from "../../lib/report/scale.ts";

const full: DashboardView = {
  page: "quality",
  period: { start_date: "2026-02-28", end_date: "2026-03-01" },
  organizations: ["github:1001", "gitlab:a/b&c=d"],
  repositories: ["github:1001/9001"],
  teams: ["github:1001/31", "none"],
  withoutBots: true,
  byAuthor: true,
  listed: "team:github:1001/31",
  rows: 400,
  teamSort: { column: "name", isDescending: true },
  sort: { column: "acceptance", isDescending: false },
};

describe("the address of a view", () => {
  test.each([
    ["", defaultView],
    ["last=month", { ...defaultView, period: { last: "month" } }],
    ["days=7", { ...defaultView, period: { days: 7 } }],
    [
      "page=quality&from=2026-02-28&to=2026-03-01&org=github:1001&org=gitlab:a/b%26c%3Dd&repo=github:1001/9001" +
        "&team=github:1001/31&team=none&bots=no&authors=yes&list=team:github:1001/31&rows=400&sort=acceptance&team-sort=-name",
      full,
    ],
  ] as const)("the address %s becomes a view, and back", (address, view) => {
    expect(parseView(`#${address}`)).toEqual(view);
    expect(addressOf(view)).toBe(address);
  });

  test.each([
    "days=8",
    "page=keys",
    "page=__proto__",
    "days=1e1",
    "last=year",
    "from=2026-02-30&to=2026-03-01",
    "from=2026-03-02&to=2026-03-01",
    "from=2026-03-01",
    "sort=key",
    "team-sort=repository",
    "rows=150",
    "rows=1e3",
    "rows=0",
    "sort=__proto__",
    "org=&repo=&team=&bots=yes&list=",
    "key=rk_secret",
  ])("the invalid address %s gives the default view", (address) => {
    expect(parseView(`#${address}`)).toEqual(defaultView);
  });
});

test("a number of days ends today, and its days are in UTC", () => {
  const nowMs = Date.parse("2026-03-01T00:30:00.000Z");
  expect(resolvePeriod({ days: 7 }, nowMs)).toEqual({ start_date: "2026-02-23", end_date: "2026-03-01" });
});

test("the last week and the last month are whole, and move on", () => {
  const nowMs = Date.parse("2026-03-04T00:30:00.000Z");
  expect(resolvePeriod({ last: "week" }, nowMs)).toEqual({
    start_date: "2026-02-23",
    end_date: "2026-03-01",
  });
  expect(resolvePeriod({ last: "month" }, nowMs)).toEqual({
    start_date: "2026-02-01",
    end_date: "2026-02-28",
  });
});

test("a filter passes what was chosen; the same id of another provider is another organization", () => {
  const passes = pullRequestFilter({
    organizations: ["github:1"],
    repositories: ["github:1/7", "gitlab:1/7"],
  });
  const placed = (provider: string, organizationId: string, repositoryId: string) =>
    passes({ provider, organizationId, repositoryId });
  expect([placed("github", "1", "7"), placed("gitlab", "1", "7"), placed("github", "1", "8")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(pullRequestFilter(defaultView)({ provider: "x", organizationId: "y", repositoryId: "z" })).toBe(
    true,
  );
});

test.each([
  ["https://git.example/a/pull/1", "https://git.example/a/pull/1"],
  ["http://git.example", "http://git.example/"],
  ["javascript:alert(1)", null],
  [" JavaScript:alert(1)", null],
  ["data:text/html,<script>", null],
  ["file:///etc/passwd", null],
  ["//git.example/a", null],
  ["/a", null],
  ["", null],
])("%j becomes the link %j", (address, link) => {
  expect(safeAddress(address)).toBe(link);
});

test("the grid lines of a chart are at round values, the last at or above the maximum", () => {
  expect(wholeTicks(3)).toEqual([0, 1, 2, 3]);
  expect(wholeTicks(17)).toEqual([0, 5, 10, 15, 20]);
  expect(wholeTicks(90_000)).toEqual([0, 50_000, 100_000]);
  expect(minuteTicks(100)).toEqual([0, 30, 60, 90, 120]);
  expect(minuteTicks(5_000)).toEqual([0, 1440, 2880, 4320, 5760]);
});
