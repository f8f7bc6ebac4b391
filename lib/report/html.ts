import { categories, severities } from "../contract/metrics-words.ts";
import { required } from "../runtime/required.ts";
import { barChart, lineChart } from "./charts.ts";
import { headlines, reportTitle, rowsTable, type TextTable, textTableOf } from "./columns.ts";
import type { Figures } from "./figures.ts";
import { type Markup, markup } from "./markup.ts";
import { type ReportRow, type ReviewReport, wordsOf } from "./report.ts";
import { style } from "./style.ts";
import { definitions, dimensionHeads, formatCount, formatMean, formatMinutes, formatShare } from "./words.ts";

/** One file: it contains the charts and the style, loads nothing and runs no script. */
export const htmlReport = (report: ReviewReport): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${reportTitle(report)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${reportTitle(report)}</h1>
<dl class="headlines">
${headlines(report).map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
</dl>
<p class="note">${definitions.pullRequests}</p>
<p class="note"><b>Acceptance:</b> ${definitions.acceptance}</p>
<h2>By week</h2>
${trends(report.weeks)}
${tableMarkup(textTableOf(dimensionHeads.week, report.weeks), "By week")}
<p class="note">${definitions.week} <b>Time to first human review:</b> ${definitions.timeToFirstHumanReview} <b>Time to merge:</b> ${definitions.timeToMerge}</p>
<h2>Acceptance by severity and category</h2>
${heatMapTable(report)}
<h2>By estimated complexity</h2>
${complexityChart(report)}
${tableMarkup(textTableOf("Complexity, 1 to 5", report.complexity), "By estimated complexity")}
${report.by === "week" ? [] : [breakdown(report)]}
</main>
</body>
</html>
`.text;

const breakdown = (report: ReviewReport): Markup => {
  const title = `By ${report.by}`;
  const isOfFindings = report.by === "severity" || report.by === "category";
  return markup`<h2>${title}</h2>
${isOfFindings ? [markup`<p class="note">${definitions.findingRows}</p>`] : []}
${tableMarkup(rowsTable(report), title)}`;
};

const pointsOf = (rows: readonly ReportRow[], value: (figures: Figures) => number | null) =>
  rows.map(({ id, name, figures }) => ({ label: id ?? name, value: value(figures) }));

const trends = (weeks: readonly ReportRow[]): Markup => markup`<div class="charts">
<figure><figcaption>Pull requests reviewed</figcaption>
${barChart(
  pointsOf(weeks, ({ pull_requests }) => pull_requests),
  { title: "Pull requests reviewed by week", format: (value) => formatCount(Math.round(value)) },
)}</figure>
<figure><figcaption>Acceptance</figcaption>
${lineChart([{ name: "Acceptance", points: pointsOf(weeks, ({ findings }) => findings.acceptance) }], {
  title: "Acceptance by week",
  format: formatShare,
  most: 1,
})}</figure>
<figure><figcaption>Median times</figcaption>
${lineChart(
  [
    {
      name: "First human review",
      points: pointsOf(weeks, ({ time_to_first_human_review: time }) => time.median_minutes),
    },
    { name: "Merge", points: pointsOf(weeks, ({ time_to_merge }) => time_to_merge.median_minutes) },
  ],
  { title: "Median time to first human review and to merge by week", format: formatMinutes },
)}</figure>
</div>`;

const complexityChart = ({ complexity }: ReviewReport): Markup => markup`<div class="charts">
<figure><figcaption>Findings per pull request</figcaption>
${barChart(
  pointsOf(complexity, ({ findings_per_pull_request }) => findings_per_pull_request),
  { title: "Findings per pull request by estimated complexity", format: formatMean },
)}</figure>
</div>`;

/** Each cell shows the same value as a colour and as a number. */
const heatSteps = 10;

function heatMapTable({ heat_map }: ReviewReport): Markup {
  const cell = (severity: string | null, category: string | null): Markup => {
    const found = heat_map.find((each) => each.severity === severity && each.category === category);
    const { acceptance, posted } = required(found, "cell of the heat map").findings;
    const heat = acceptance === null ? "none" : Math.round(acceptance * heatSteps);
    return markup`<td class="heat-${heat}">${formatShare(acceptance)} <small>of ${formatCount(posted)}</small></td>`;
  };
  const columns = [...severities, null];
  return markup`<div class="scroll"><table>
<caption>Acceptance, and how many findings were posted</caption>
<thead><tr><th scope="col">Category</th>${columns.map((severity) => markup`<th scope="col">${wordsOf(severity)}</th>`)}</tr></thead>
<tbody>
${[...categories, null].map(
  (category) =>
    markup`<tr><th scope="row">${wordsOf(category)}</th>${columns.map((severity) => cell(severity, category))}</tr>`,
)}
</tbody></table></div>`;
}

const tableMarkup = ({ heads, rows }: TextTable, caption: string): Markup =>
  markup`<div class="scroll"><table>
<caption>${caption}</caption>
<thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([first = "", ...cells]) =>
    markup`<tr><th scope="row">${first}</th>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`,
)}
</tbody></table></div>`;
