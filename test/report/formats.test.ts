import { describe, expect, test } from "vitest";
import { barChart, lineChart } from "../../lib/report/charts.ts";
import { htmlReport } from "../../lib/report/html.ts";
import { markdownReport } from "../../lib/report/markdown.ts";
import { type Dimension, dimensions, type ReviewReport, reportOf } from "../../lib/report/report.ts";
import { textReport } from "../../lib/report/text.ts";
import { definitions, formatMinutes } from "../../lib/report/words.ts";
import { collected, comments, finding, review } from "./records.ts";

const period = { start_date: "2026-03-02", end_date: "2026-03-08" };
const small = reportOf(
  collected(
    [review(1, { first_human_review_at: "2026-03-02T09:00:00.000Z" })],
    [comments(1, [finding(true), finding(false), finding(null)])],
  ),
  period,
  "repository",
);

test("a small report has exactly this text", () => {
  expect(textReport(small).split("\n").slice(0, 10)).toEqual([
    "Code reviews, 2026-03-02 to 2026-03-08 (7 days)",
    "",
    "Pull requests reviewed      1",
    "Findings posted             3 (3.0 a pull request)",
    "Acceptance                  50 % (1 of 2 known; 1 unknown)",
    "Time to first human review  median 60 min, 90 % within 60 min (0 without one)",
    "Time to merge               median 2.0 h, 90 % within 2.0 h",
    "",
    "Repository  Pull requests  Findings  Per pull request  Acceptance  Accepted  Not accepted  Unknown  First review, median  First review, 90 %  Merge, median  Merge, 90 %",
    "shop                    1         3               3.0        50 %         1             1        1                60 min              60 min          2.0 h        2.0 h",
  ]);
});

test.each([
  ["text", textReport],
  ["Markdown", markdownReport],
  ["HTML", htmlReport],
] as const)("a report in %s says what its figures mean", (_, format) => {
  const { pullRequests, acceptance, timeToFirstHumanReview, timeToMerge } = definitions;
  const shown = format(small).replaceAll("&#39;", "'");
  for (const definition of [pullRequests, acceptance, timeToFirstHumanReview, timeToMerge])
    expect(shown).toContain(definition);
});

/** Names that a Git provider allows. */
const hostile = `<img src=x onerror=alert(1)> | [x](javascript:alert(1)) @everyone & "q" \`code\``;
const named = (repository: string): ReviewReport =>
  reportOf(collected([review(1, { repository_name: repository })]), period, "repository");

describe("names that are markup stay text", () => {
  test("names that are markup stay text in HTML", () => {
    const html = htmlReport(named(hostile));
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;");
  });

  test("names that are markup stay text in Markdown", () => {
    const row = markdownReport(named(hostile))
      .split("\n")
      .find((line) => line.includes("onerror"));
    expect(row).not.toMatch(/<img|(?<!\\)\[x|@everyone|(?<!\\)`/);
    // Still as many cells as there are columns.
    expect(row?.match(/(?<!\\)\|/g)).toHaveLength(13);
  });
});

test("Markdown has a table: names to the left, numbers to the right", () => {
  const two = [review(1), review(2, { organization_id: "2", organization_name: "other" })];
  const lines = markdownReport(reportOf(collected(two), period, "repository")).split("\n");
  const head = lines.findIndex((line) => line.startsWith("| Repository | Organization | Pull requests | "));
  // GitHub's Markdown requires one cell of dashes for each column.
  expect(lines[head + 1]).toMatch(/^\| --- \| --- (\| --: ){11}\|$/);
  expect(lines[head]?.split("|")).toHaveLength(lines[head + 1]?.split("|").length ?? 0);
});

test("Markdown of a thousand repositories fits a chat message", () => {
  const many = Array.from({ length: 1_000 }, (_, index) =>
    review(index, { repository_id: String(index), repository_name: `repository-number-${index}` }),
  );
  const markdown = markdownReport(reportOf(collected(many), period, "repository"));
  expect(markdown.length).toBeLessThan(4_000);
  expect(markdown).toContain("985 more");
});

describe("HTML", () => {
  const html = htmlReport(small);

  test("HTML is one file that loads nothing and runs nothing", () => {
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(html).not.toMatch(/<script|<link|\bsrc=|href=|url\(|@import/);
  });

  test("every chart in HTML has a name for screen readers and its numbers as a table", () => {
    const charts = [...html.matchAll(/<svg [^>]*role="img" aria-label="([^"]+)"/g)].map(([, name]) => name);
    expect(charts).toEqual([
      "Pull requests reviewed by week",
      "Acceptance by week",
      "Median time to first human review and to merge by week",
      "Findings per pull request by estimated complexity",
    ]);
    expect([...html.matchAll(/<caption>([^<]+)/g)].map(([, name]) => name)).toEqual([
      "By week",
      "Acceptance, and how many findings were posted",
      "By estimated complexity",
      "By repository",
    ]);
  });
});

test("a report by severity or category in HTML says what a row counts", () => {
  const saysIt = (by: Dimension) =>
    htmlReport(reportOf([], period, by)).includes(`<p class="note">${definitions.findingRows}</p>`);
  expect(dimensions.filter(saysIt)).toEqual(["severity", "category"]);
});

test.each([
  ["text", textReport],
  ["Markdown", markdownReport],
  ["HTML", htmlReport],
])("the definition of acceptance is next to the figure in %s", (_, write) => {
  expect(write(small).replaceAll("&#39;", "'")).toContain(definitions.acceptance);
});

describe("charts", () => {
  const format = String;

  test("a missing value is a gap in the line, not a zero", () => {
    const points = [1, null, 3, 4].map((value, index) => ({ label: `w${index}`, value }));
    const { text } = lineChart([{ name: "one", points }], { title: "t", format });
    expect(/ d="([^"]*)"/.exec(text)?.[1]?.replaceAll(/[\d. ]+/g, "")).toBe("MML");
    expect(text.match(/<circle/g)).toHaveLength(3);
  });

  test("the tallest bar fills the plot, half of it is half as high", () => {
    const points = [
      { label: "a", value: 10 },
      { label: "b", value: 5 },
    ];
    const heights = [...barChart(points, { title: "t", format }).text.matchAll(/ height="([\d.]+)"/g)];
    expect(heights.map(([, height]) => Number(height))).toEqual([168, 84]);
  });

  test("a chart of many weeks labels at most eight of them", () => {
    const labelsOf = (weeks: number) => {
      const points = Array.from({ length: weeks }, (_, index) => ({ label: `w${index}`, value: 1 }));
      const { text } = barChart(points, { title: "t", format });
      return [...text.matchAll(/<text class="axis middle"[^>]*>([^<]*)/g)].map(([, label]) => label);
    };
    expect(labelsOf(8)).toEqual(["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7"]);
    expect(labelsOf(9)).toEqual(["w0", "w2", "w4", "w6", "w8"]);
  });

  test("a chart without points is an empty frame", () => {
    expect(barChart([], { title: "t", format }).text).not.toContain("NaN");
  });
});

test.each([
  [null, "–"],
  [0, "0 min"],
  [119, "119 min"],
  [120, "2.0 h"],
  [2_879, "48.0 h"],
  [2_880, "2.0 d"],
])("%s minutes are written as %s", (minutes, written) => {
  expect(formatMinutes(minutes)).toBe(written);
});
