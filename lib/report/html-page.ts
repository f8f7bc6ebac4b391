import { required } from "../runtime/required.ts";
import { changeText, comparedWith } from "./change.ts";
import { chart } from "./charts.ts";
import {
  acceptanceFirst,
  figureColumns,
  type Headline,
  headlines,
  reportTitle,
  rowsTable,
  type TextTable,
  textTableOf,
} from "./columns.ts";
import { noteText } from "./left-out.ts";
import { Markup, markup } from "./markup.ts";
import { heatAxes, heatLegend, heatOf, type ReportRow, type ReviewReport, withSpaces } from "./report.ts";
import { byComplexity, drawnComplexity, drawnTrend, rowLook, trendRows, widthOf } from "./trends.ts";
import { definitions, dimensionHeads, formatShare, knownWords, meanings, weekDefinition } from "./words.ts";

/** One file: it contains the charts and the style of the dashboard, loads nothing and runs no script. */
export const htmlPage = (report: ReviewReport, style: string): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${reportTitle(report)}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main class="report">
<h1>${reportTitle(report)}</h1>
${report.before ? [markup`<p class="definition">${comparedWith(report.before, report.period.time_zone)}</p>`] : []}
${report.notes.map((note) => markup`<p class="definition">${noteText(note)}</p>`)}
<h2 class="unseen">Headlines</h2>
<section class="headlines" aria-label="Headlines">
${headlines(report).map(headlineCard)}
</section>
${askedFor(report)}
<h2>By week <small>${weekDefinition(report.period.time_zone)}</small></h2>
${trendCards(report.weeks)}
${report.by === "week" ? [] : [tableCard("By week", textTableOf(dimensionHeads.week, report.weeks, columns))]}
<div class="row wide-narrow">
${card("Acceptance by severity and category", [heatMapTable(report)])}
${complexityCard(report)}
</div>
${tableCard("By estimated complexity, 1 to 5", textTableOf("Complexity", report.complexity, columns))}
<h2>What the figures mean</h2>
<dl class="meanings">
${meanings.map(([name, text]) => markup`<dt>${name}</dt><dd>${text}</dd>`)}
</dl>
</main>
</body>
</html>
`.text;

const columns = acceptanceFirst(figureColumns);

/** A figure and its unit stay on one line. */
const unbroken = (text: string): string => text.replaceAll(/(?<=\d) (?=%|min|h|d|points?\b)/g, "\u00a0");

const headlineCard = ({ name, value, detail, change }: Headline): Markup =>
  markup`<section class="card headline"><h3>${name}</h3><div class="figure"><strong>${value}</strong></div>
${change ? [markup`<p class="change">${unbroken(changeText(change))}</p>`] : []}
${detail === "" ? [] : [markup`<p class="detail">${unbroken(detail)}</p>`]}</section>`;

const card = (title: string, content: readonly Markup[], more = ""): Markup =>
  markup`<section class="card ${more}"><h3>${title}</h3>
${content}</section>`;

const tableCard = (title: string, table: TextTable, note: readonly Markup[] = []): Markup =>
  card(title, [...note, tableMarkup(organizationLast(table), title)], "table");

/** A phone shows two columns: the name and the acceptance. */
function organizationLast({ heads, rows }: TextTable): TextTable {
  const moved = <Cell>(cells: readonly Cell[]) => [
    ...cells.slice(0, 1),
    ...cells.slice(2),
    ...cells.slice(1, 2),
  ];
  return heads[1]?.isNumber ? { heads, rows } : { heads: moved(heads), rows: rows.map(moved) };
}

/** What the report was made for comes before everything else. */
const askedFor = (report: ReviewReport): Markup => {
  const isOfFindings = report.by === "severity" || report.by === "category";
  const words = isOfFindings ? definitions.findingRows : report.by === "team" ? definitions.teamRows : null;
  const note = words === null ? [] : [markup`<p class="definition">${words}</p>`];
  return tableCard(`By ${report.by}`, rowsTable(report, columns), note);
};

const trendCards = (weeks: readonly ReportRow[]): Markup =>
  markup`${trendRows.map(
    (trends) => markup`<div class="${rowLook(trends)}">
${trends.map((trend) => card(trend.title, [chart({ ...drawnTrend(trend, weeks), width: widthOf(trends) })], "trend"))}
</div>`,
  )}`;

const complexityCard = ({ complexity }: ReviewReport): Markup =>
  card(byComplexity.title, [chart({ ...drawnComplexity(complexity), width: 420, height: 280 })]);

function heatMapTable({ heat_map }: ReviewReport): Markup {
  const cell = (severity: string | null, category: string | null): Markup => {
    const found = heat_map.find((each) => each.severity === severity && each.category === category);
    const { findings } = required(found, "cell of the heat map");
    const { acceptance } = findings;
    if (findings.posted === 0) return markup`<td class="heat-none"></td>`;
    return markup`<td class="heat-${heatOf(acceptance)}"><b>${formatShare(acceptance)}</b> <small>${knownWords(findings)}</small></td>`;
  };
  const { columns: severities, rows: categories } = heatAxes(heat_map);
  return markup`<p class="legend">${heatLegend.map(({ look, name }) => markup`<span><i class="swatch ${look}"></i> ${name}</span>`)}</p>
<div class="scroll"><table class="heat">
<caption>${definitions.heatMap}</caption>
<thead><tr><th scope="col">Category</th>${severities.map((severity) => markup`<th scope="col">${withSpaces(severity)}</th>`)}</tr></thead>
<tbody>
${categories.map(
  (category) =>
    markup`<tr><th scope="row">${withSpaces(category)}</th>${severities.map((severity) => cell(severity, category))}</tr>`,
)}
</tbody></table></div>`;
}

const tableMarkup = ({ heads, rows }: TextTable, caption: string): Markup => {
  const look = (column: number) => (heads[column]?.isNumber ? "number" : "name");
  return markup`<div class="scroll"><table>
<caption class="unseen">${caption}</caption>
<thead><tr>${heads.map(({ text }, column) => markup`<th scope="col" class="${look(column)}">${unbroken(text)}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([first = "", ...cells]) =>
    markup`<tr><th scope="row">${first}</th>${cells.map((cell, index) => markup`<td class="${look(index + 1)}">${cell}</td>`)}</tr>`,
)}
</tbody></table></div>`;
};
