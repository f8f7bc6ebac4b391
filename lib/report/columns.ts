import { plural } from "../contract/plural.ts";
import { required } from "../runtime/required.ts";
import { type Change, changeOf, isComparable, units } from "./change.ts";
import type { DurationFigures, Figures } from "./figures.ts";
import { type ReportRow, type ReviewReport, statedRows } from "./report.ts";
import {
  dimensionHeads,
  formatCount,
  formatMean,
  formatMinutes,
  formatShare,
  longDays,
  rowName,
} from "./words.ts";

/** A report as tables of text, the same for every format. */
export type TextTable = {
  readonly heads: readonly TableHead[];
  readonly rows: ReadonlyArray<readonly string[]>;
};
/** Numbers are aligned right. Only an address may be a link. */
export type TableHead = { readonly text: string; readonly isNumber: boolean; readonly isAddress?: true };
export const nameHead = (text: string): TableHead => ({ text, isNumber: false });
export const addressHead = (text: string): TableHead => ({ text, isNumber: false, isAddress: true });
export const numberHead = (text: string): TableHead => ({ text, isNumber: true });

export type FigureColumn<Name extends string = string> = {
  /** The name with its unit, for files that a program reads. */
  readonly name: Name;
  readonly head: string;
  /** The heading in a narrow table; null for a column that only wide tables have. */
  readonly brief: string | null;
  readonly value: (figures: Figures) => number | null;
  readonly text: (figures: Figures) => string;
};

/** Only the format of a figure that can be missing accepts null. */
const figureColumn = <Name extends string, Value extends number | null>(
  name: Name,
  head: string,
  value: (figures: Figures) => Value,
  format: (value: Value) => string,
  brief: string | null = null,
): FigureColumn<Name> => ({ name, head, brief, value, text: (figures) => format(value(figures)) });

const first = ({ time_to_first_human_review: time }: Figures) => time;
const merge = ({ time_to_merge: time }: Figures) => time;

export const figureColumns = [
  figureColumn("pull_requests", "Pull requests", (each) => each.pull_requests, formatCount, "Pull requests"),
  figureColumn("findings", "Findings", ({ findings }) => findings.posted, formatCount, "Findings"),
  figureColumn(
    "findings_per_pull_request",
    "Per pull request",
    (each) => each.findings_per_pull_request,
    formatMean,
  ),
  figureColumn("acceptance", "Acceptance", ({ findings }) => findings.acceptance, formatShare, "Acceptance"),
  figureColumn("accepted", "Accepted", ({ findings }) => findings.accepted, formatCount),
  figureColumn("not_accepted", "Not accepted", ({ findings }) => findings.not_accepted, formatCount),
  figureColumn("unknown", "Unknown", ({ findings }) => findings.unknown, formatCount),
  figureColumn(
    ...(["first_review_median_minutes", "First review, median"] as const),
    ...([(each: Figures) => first(each).median_minutes, formatMinutes, "First review"] as const),
  ),
  figureColumn(
    "first_review_p90_minutes",
    "First review, 90 %",
    (each) => first(each).p90_minutes,
    formatMinutes,
  ),
  figureColumn(
    "merge_median_minutes",
    "Merge, median",
    (each) => merge(each).median_minutes,
    formatMinutes,
    "Merge",
  ),
  figureColumn("merge_p90_minutes", "Merge, 90 %", (each) => merge(each).p90_minutes, formatMinutes),
] as const;

/** Acceptance first: a phone shows two columns. */
export const acceptanceFirst = (columns: readonly FigureColumn[]): FigureColumn[] =>
  columns.toSorted((one, other) => Number(other.name === "acceptance") - Number(one.name === "acceptance"));

export type FigureName = (typeof figureColumns)[number]["name"];

export const figure = (name: FigureName): FigureColumn =>
  required(
    figureColumns.find((each) => each.name === name),
    "column of a figure",
  );

/** In the order of a figure, or of time without one; rows that do not know the figure come last. */
export function sortedRows(
  rows: readonly ReportRow[],
  by: FigureName | null,
  order: "asc" | "desc" | null,
): readonly ReportRow[] {
  if (by === null) return order === "desc" ? rows.toReversed() : rows;
  const column = figure(by);
  const weights = new Map(
    rows.map((row) => {
      const value = column.value(row.figures);
      return [row, value === null ? Number.MAX_VALUE : order === "asc" ? value : -value];
    }),
  );
  const weightOf = (row: ReportRow) => weights.get(row) ?? 0;
  return rows.toSorted((one, other) => weightOf(one) - weightOf(other));
}

/** The columns of narrow tables; their times are medians. */
export const briefColumns: readonly FigureColumn[] = figureColumns.flatMap((column) =>
  column.brief === null ? [] : [{ ...column, head: column.brief }],
);

/** The organization is shown only if the rows belong to several. */
export function textTableOf(
  head: string,
  rows: readonly ReportRow[],
  columns: readonly FigureColumn[] = figureColumns,
  { hasChange = false } = {},
): TextTable {
  const hasSeveral = new Set(rows.map(({ organization }) => organization)).size > 1;
  const isCompared = hasChange && rows.some((row) => acceptanceChange(row) !== "");
  const changes = ({ name }: FigureColumn) => isCompared && name === "acceptance";
  return {
    heads: [
      nameHead(head),
      ...(hasSeveral ? [nameHead("Organization")] : []),
      ...columns.flatMap((column) => [
        numberHead(column.head),
        ...(changes(column) ? [numberHead("Change")] : []),
      ]),
    ],
    rows: statedRows(rows).map((row) => [
      rowName(row),
      ...(hasSeveral ? [row.organization ?? ""] : []),
      ...columns.flatMap((column) => [
        column.text(row.figures),
        ...(changes(column) ? [acceptanceChange(row)] : []),
      ]),
    ]),
  };
}

/** `↑ 5 points`; empty if there is nothing to compare with. */
export function acceptanceChange({ figures, before }: Pick<ReportRow, "figures" | "before">): string {
  const change = changeOf(figures.findings.acceptance, before?.findings.acceptance ?? null, units.share);
  return change ? `${change.arrow} ${change.size}`.trim() : "";
}

/** Weeks and months follow each other: they show a change without a column of their own. */
export const rowsTable = ({ by, rows }: ReviewReport, columns?: readonly FigureColumn[]): TextTable =>
  textTableOf(dimensionHeads[by], rows, columns, { hasChange: by !== "week" && by !== "month" });

/** A figure of the whole period. */
export type Headline = {
  readonly name: string;
  readonly of: FigureName;
  readonly value: string;
  readonly detail: string;
  /** Null if there is nothing to compare with. */
  readonly change: Change | null;
};

export type Headlines = readonly [
  pullRequests: Headline,
  findings: Headline,
  acceptance: Headline,
  firstReview: Headline,
  merge: Headline,
];

export function headlines({ total, before }: Pick<ReviewReport, "total" | "before">): Headlines {
  const { findings, time_to_first_human_review: review } = total;
  const known = findings.accepted + findings.not_accepted;
  const headline = (name: string, of: FigureName, unit: keyof typeof units, detail: string): Headline => {
    const { value, text } = figure(of);
    const isCompared = before && isComparable(before);
    const change = isCompared ? changeOf(value(total), value(before.total), units[unit]) : null;
    return { name, of, value: text(total), detail, change };
  };
  const within = (time: DurationFigures) => `median; 90 % within ${formatMinutes(time.p90_minutes)}`;
  return [
    headline("Pull requests reviewed", "pull_requests", "count", ""),
    headline(
      ...(["Findings posted", "findings", "count"] as const),
      `${formatMean(total.findings_per_pull_request)} a pull request`,
    ),
    headline(
      ...(["Acceptance", "acceptance", "share"] as const),
      `${formatCount(findings.accepted)} of ${formatCount(known)} known; ${formatCount(findings.unknown)} unknown`,
    ),
    headline(
      ...(["Time to first human review", "first_review_median_minutes", "minutes"] as const),
      `${within(review)}; ${formatCount(review.missing)} without one`,
    ),
    headline("Time to merge", "merge_median_minutes", "minutes", within(total.time_to_merge)),
  ];
}

/** `48 (2.1 a pull request)`. */
export const figureText = ({ value, detail }: Headline): string =>
  detail === "" ? value : `${value} (${detail})`;

/** The name comes from outside: each format quotes it. */
export const reportTitle = (
  { place, period }: Pick<ReviewReport, "place" | "period">,
  quote = (name: string) => name,
): string =>
  `Code reviews${place === null ? "" : ` of ${quote(place)}`}, ${longDays(period)} (${plural(period.days, "day")}, ${period.time_zone})`;
