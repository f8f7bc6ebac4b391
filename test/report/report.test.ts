import { describe, expect, test } from "vitest";
import { daysOf, lastDays, mondayOf, weeksOf } from "../../lib/report/period.ts";
import { type Dimension, reportOf } from "../../lib/report/report.ts";
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

  test("a week that the period cuts is marked", () => {
    const cut = { start_date: "2026-03-04", end_date: "2026-03-15" };
    expect(reportOf([], cut, "week").rows.map(({ name }) => name)).toEqual([
      "2026-03-02 (in part)",
      "2026-03-09",
    ]);
  });

  test("repositories are sorted by their pull requests, busiest first", () => {
    expect(by("repository")).toEqual([
      ["site", 3, 2, 1],
      ["shop", 1, 2, 0.5],
    ]);
  });

  test("authors are in alphabetical order, whatever their numbers; an author without an id is not stated", () => {
    expect(by("author").map(([name]) => name)).toEqual(["ada", "ben", "not stated", "Zoe"]);
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

  test("a week begins on Monday, UTC, also before 1970", () => {
    expect(mondayOf(Date.parse("2026-03-08T23:59:59.999Z"))).toBe("2026-03-02");
    expect(mondayOf(Date.parse("2026-03-09T00:00:00.000Z"))).toBe("2026-03-09");
    expect(mondayOf(Date.parse("1969-12-28T12:00:00.000Z"))).toBe("1969-12-22");
  });

  test("a period of one day has one week", () => {
    expect(weeksOf({ start_date: "2026-03-02", end_date: "2026-03-02" })).toEqual([
      { monday: "2026-03-02", is_whole: false },
    ]);
  });
});
