import { describe, expect, test } from "vitest";
import { chatReport } from "../../lib/report/chat.ts";
import { figureColumns } from "../../lib/report/columns.ts";
import { csvReport } from "../../lib/report/csv.ts";
import { htmlReport } from "../../lib/report/html.ts";
import { markdownReport } from "../../lib/report/markdown.ts";
import { comparableBefore } from "../../lib/report/read-pull-requests.ts";
import { type Dimension, dimensions, type ReviewReport, reportOf } from "../../lib/report/report.ts";
import { textReport } from "../../lib/report/text.ts";
import { definitions, formatMinutes } from "../../lib/report/words.ts";
import { collected, comments, finding, review } from "./records.ts";

const period = { start_date: "2026-03-02", end_date: "2026-03-08" };
const before = comparableBefore(
  collected(
    [1, 2].map((number) =>
      review(number, { created_at: "2026-02-24T08:00:00.000Z", merged_at: "2026-02-24T10:00:00.000Z" }),
    ),
  ),
  period,
  { nowMs: Date.parse("2026-03-20T00:00:00.000Z") },
);
const small = reportOf(
  collected(
    [review(1, { first_human_review_at: "2026-03-02T09:00:00.000Z" })],
    [comments(1, [finding(true), finding(false), finding(null)])],
  ),
  period,
  "repository",
  { before },
);

/** Without escapes and line breaks. */
const plain = (text: string): string => text.replaceAll("&#39;", "'").replaceAll(/\n {2}/g, " ");

test("a small report has exactly this text", () => {
  expect(textReport(small).split("\n").slice(0, 16)).toEqual([
    "Code reviews, 2 Mar to 8 Mar 2026 (7 days, UTC)",
    "Compared with 23 Feb to 1 Mar 2026.",
    "",
    "Pull requests reviewed      1",
    "                            ↓ 50 % fewer (before: 2)",
    "Findings posted             3 (3.0 a pull request)",
    "                            ↑ more (before: 0)",
    "Acceptance                  50 % (1 of 2 known; 1 unknown)",
    "Time to first human review  60 min (median; 90 % within 60 min; 0 without one)",
    "Time to merge               2.0 h (median; 90 % within 2.0 h)",
    "                            → about the same (before: 2.0 h)",
    "",
    "Repository  Pull requests  Findings  Acceptance  First review  Merge",
    "shop                    1         3        50 %        60 min  2.0 h",
    "",
    "Pull requests: Pull requests that were merged in the period and had an automated review.",
  ]);
});

const long = "a-name-".repeat(30);
const wideNames = reportOf(
  collected([
    review(1, { repository_name: long, organization_name: long }),
    review(2, { organization_id: "2", organization_name: "other" }),
  ]),
  period,
  "repository",
  { before },
);

test("a report as text is at most 100 characters wide, also with long names", () => {
  for (const each of [small, wideNames, ...dimensions.map((by) => reportOf([], period, by, { before }))])
    expect(
      Math.max(
        ...textReport(each)
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(100);
  expect(textReport(wideNames)).toContain("…");
});

test("a wide report has every column and whole names", () => {
  const wide = textReport(wideNames, { isWide: true });
  expect(wide).toContain(long);
  for (const { head } of figureColumns) expect(wide).toContain(head);
  expect(markdownReport(wideNames, { isWide: true })).toContain("| Per pull request |");
});

test("CSV has every row and every figure as plain numbers", () => {
  expect(csvReport(small)).toBe(
    "name,id,organization,in_part,pull_requests,findings,findings_per_pull_request,acceptance,accepted,not_accepted," +
      "unknown,first_review_median_minutes,first_review_p90_minutes,merge_median_minutes,merge_p90_minutes," +
      "before_pull_requests,before_findings,before_findings_per_pull_request,before_acceptance,before_accepted," +
      "before_not_accepted,before_unknown,before_first_review_median_minutes,before_first_review_p90_minutes," +
      "before_merge_median_minutes,before_merge_p90_minutes\r\n" +
      "shop,9001,acme,false,1,3,3,0.5,1,1,1,60,60,120,120,2,0,0,,0,0,0,,,120,120\r\n",
  );
  const cut = reportOf([], { start_date: "2026-03-04", end_date: "2026-03-15" }, "week");
  expect(csvReport(cut).split("\r\n")[1]).toBe("2026-03-02,2026-03-02,,true,0,0,,,0,0,0,,,,,,,,,,,,,,,");
});

describe("a chat message", () => {
  test("a chat message has the figures, their changes and the first rows", () => {
    expect(chatReport(small).split("\n")).toEqual([
      "Code reviews, 2 Mar to 8 Mar 2026 (7 days, UTC)",
      "Compared with 23 Feb to 1 Mar 2026.",
      "",
      "• Pull requests reviewed: 1 ↓ 50 % fewer (before: 2)",
      "• Findings posted: 3 (3.0 a pull request) ↑ more (before: 0)",
      "• Acceptance: 50 % (1 of 2 known; 1 unknown)",
      "• Time to first human review: 60 min (median; 90 % within 60 min; 0 without one)",
      "• Time to merge: 2.0 h (median; 90 % within 2.0 h) → about the same (before: 2.0 h)",
      "",
      "By repository:",
      "• `shop`: 1 pull request, acceptance 50 %, first review 60 min",
      "",
    ]);
  });

  test("a chat message has under 2,000 characters, whatever the names", () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      review(index, { repository_id: String(index), repository_name: `${index} ${long}` }),
    );
    const notes = ["One", "Two", "Three"].map((text) => ({
      text,
      names: Array.from({ length: 20 }, () => long),
    }));
    const message = chatReport(reportOf(collected(many), period, "repository", { before, notes: [] }));
    expect(chatReport(reportOf(collected(many), period, "team", { before, notes })).length).toBeLessThan(
      2_000,
    );
    expect(message.length).toBeLessThan(2_000);
    expect(message).toContain("• and 990 more");
  });

  test("a name mentions nobody and is no markup in a chat message", () => {
    const [line = ""] = chatReport(named(`${hostile} <!channel>`))
      .split("\n")
      .filter((each) => each.includes("onerror"));
    expect(line).toMatch(/^• `[^`<>@&]*`: /);
  });
});

test.each([
  ["text", textReport],
  ["chat", chatReport],
  ["Markdown", markdownReport],
  ["HTML", htmlReport],
] as const)("a report for %s says what it leaves out, and that a person counts in two teams", (_, format) => {
  const notes = [
    { text: "Without pull requests that a program opened", names: [] },
    { text: "Only authors in these teams", names: ["Checkout", "<@channel>"] },
  ];
  const shown = plain(format(reportOf([], period, "team", { notes }))).replaceAll("`", "");
  expect(shown).toContain("Without pull requests that a program opened.");
  expect(shown).toMatch(/Only authors in these teams: Checkout, /);
  expect(format === textReport || !shown.includes("<@channel>")).toBe(true);
  expect(shown).toContain(definitions.teamRows);
});

test.each([
  ["text", textReport],
  ["Markdown", markdownReport],
  ["HTML", htmlReport],
] as const)("a report in %s says what its figures mean", (_, format) => {
  const { pullRequests, acceptance, timeToFirstHumanReview, timeToMerge } = definitions;
  const shown = plain(format(small));
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
    // One piece of code, whose end no character of the name can be.
    expect(row).toMatch(/^\| `[^`<>|&\\]+` \|/);
    // Still as many cells as there are columns.
    expect(row?.match(/(?<!\\)\|/g)).toHaveLength(7);
    expect(markdownReport(named("a|b [x](y) <i> `c` R&D")).split("\n")).toContainEqual(
      expect.stringMatching(/^\| a\\\|b \\\[x\\\]\\\(y\\\) &lt;i\\> \\`c\\` R&amp;D \| 1 \|/),
    );
  });

  // GitHub's and other renderers make links of all of these, also of "ada&#64;…"; some also of an escaped "https\://…".
  test.each([
    "https://evil.example/x",
    "see http://evil.example",
    "www.evil.example",
    "WWW.evil.example",
    "ada@evil.example",
    "@everyone",
  ])("the name %s is no link and no mention in Markdown, but code", (name) => {
    const notes = [{ text: "Only authors in these teams", names: [name] }];
    const report = reportOf(collected([review(1, { repository_name: name })]), period, "repository", {
      notes,
    });
    expect(markdownReport(report)).toContain(`\n| \`${name}\` | 1 |`);
    expect(markdownReport(report)).toContain(`Only authors in these teams: \`${name}\`.`);
  });
});

test("the title names the place, and no format takes its name for markup", () => {
  const report = reportOf([], period, "week", { place: "[acme](https://acme.example) *@here*" });
  expect(textReport(report)).toContain(
    "Code reviews of [acme](https://acme.example) *@here*, 2 Mar to 8 Mar 2026",
  );
  expect(markdownReport(report)).toContain("### Code reviews of `[acme](https:");
  expect(chatReport(report)).toContain("Code reviews of `[acme](https://acme.example) *'here*`, 2 Mar");
  expect(htmlReport(report)).toContain("<title>Code reviews of [acme](https://acme.example) *@here*, 2 Mar");
});

test("no format for people writes a day as programs do, and acceptance is HTML's second column", () => {
  const pullRequests = collected([
    review(1),
    review(2, { organization_id: "2", organization_name: "other" }),
  ]);
  for (const by of ["week", "month", "repository"] as const) {
    const report = reportOf(pullRequests, period, by, { before });
    for (const write of [textReport, markdownReport, chatReport])
      expect(write(report)).not.toMatch(/\d{4}-\d{2}/);
    const tables = htmlReport(report).match(/<thead>.*?<\/thead>/gs) ?? [];
    const seconds = tables
      .filter((head) => head.includes("Acceptance"))
      .map((head) => [...head.matchAll(/<th[^>]*>([^<]+)/g)][1]?.[1]);
    expect(new Set(seconds)).toEqual(new Set(["Acceptance"]));
    expect(htmlReport(report).split("<main")[1]).not.toMatch(/\d{4}-\d{2}/);
  }
});

test("what is not stated has no row and no column if there is none of it", () => {
  const stated = review(1, { estimated_complexity: 3 });
  const pullRequests = collected([stated], [comments(1, [finding(true)])]);
  for (const by of ["severity", "category"] as const)
    expect(htmlReport(reportOf(pullRequests, period, by))).not.toContain("not stated");
});

test("Markdown has a table: names to the left, numbers to the right", () => {
  const two = [review(1), review(2, { organization_id: "2", organization_name: "other" })];
  const lines = markdownReport(reportOf(collected(two), period, "repository")).split("\n");
  const head = lines.findIndex((line) => line.startsWith("| Repository | Organization | Pull requests | "));
  // GitHub's Markdown requires one cell of dashes for each column.
  expect(lines[head + 1]).toMatch(/^\| --- \| --- (\| --: ){5}\|$/);
  expect(lines[head]?.split("|")).toHaveLength(lines[head + 1]?.split("|").length ?? 0);
});

test("Markdown of a thousand repositories stays short", () => {
  const many = Array.from({ length: 1_000 }, (_, index) =>
    review(index, { repository_id: String(index), repository_name: `repository-number-${index}` }),
  );
  const markdown = markdownReport(reportOf(collected(many), period, "repository"));
  expect(markdown.length).toBeLessThan(4_000);
  expect(markdown).toContain("985 more");
});

test("the share in a cell of the heat map is of the number beside it: findings whose outcome is known", () => {
  const outcomes = [...Array(3).fill(true), ...Array(9).fill(false), null];
  const unknown = finding(null, { severity: "critical" });
  const all = [...outcomes.map((accepted) => finding(accepted)), unknown, unknown];
  const html = htmlReport(reportOf(collected([review(1)], [comments(1, all)]), period, "repository"));
  const cells = [...html.matchAll(/<td class="heat-[^"]+">(<b>.*?)<\/td>/g)].map(([, cell]) => cell);
  expect(cells).toEqual(["<b>–</b> <small>2 unknown</small>", "<b>25 %</b> <small>of 12</small>"]);
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
      "Findings by week and outcome",
      "Acceptance by week",
      "Time to first human review by week, median and 90th percentile",
      "Time to merge by week, median and 90th percentile",
      "Findings per pull request by estimated complexity",
    ]);
    // What the report was made for comes first.
    expect([...html.matchAll(/<caption[^>]*>([^<]+)/g)].map(([, name]) => name)).toEqual([
      "By repository",
      "By week",
      "The share of accepted findings, and below it of how many whose outcome is known.",
      "By estimated complexity, 1 to 5",
    ]);
  });
});

test("a report by severity or category in HTML says what a row counts", () => {
  const saysIt = (by: Dimension) =>
    htmlReport(reportOf([], period, by)).includes(`<p class="definition">${definitions.findingRows}</p>`);
  expect(dimensions.filter(saysIt)).toEqual(["severity", "category"]);
});

test.each([
  ["text", textReport],
  ["Markdown", markdownReport],
  ["HTML", htmlReport],
])("the definition of acceptance is next to the figure in %s", (_, write) => {
  expect(plain(write(small))).toContain(definitions.acceptance);
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
