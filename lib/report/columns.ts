import { required } from "../runtime/required.ts";
import type { Figures } from "./figures.ts";
import type { ReportRow, ReviewReport } from "./report.ts";
import { dimensionHeads, formatCount, formatMean, formatMinutes, formatShare } from "./words.ts";

/** A report as tables of text, the same for every format. */
export type TextTable = {
  /** The number of columns with names, which are aligned left. The other columns are numbers, aligned right. */
  readonly nameColumns: number;
  readonly heads: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
};

export type FigureColumn<Name extends string = string> = {
  /** The name with its unit, for files that a program reads. */
  readonly name: Name;
  readonly head: string;
  readonly value: (figures: Figures) => number | null;
  readonly text: (figures: Figures) => string;
};

/** Only the format of a figure that can be missing accepts null. */
const figureColumn = <Name extends string, Value extends number | null>(
  name: Name,
  head: string,
  value: (figures: Figures) => Value,
  format: (value: Value) => string,
): FigureColumn<Name> => ({ name, head, value, text: (figures) => format(value(figures)) });

export const figureColumns = [
  figureColumn("pull_requests", "Pull requests", (figures) => figures.pull_requests, formatCount),
  figureColumn("findings", "Findings", ({ findings }) => findings.posted, formatCount),
  figureColumn(
    "findings_per_pull_request",
    "Per pull request",
    (figures) => figures.findings_per_pull_request,
    formatMean,
  ),
  figureColumn("acceptance", "Acceptance", ({ findings }) => findings.acceptance, formatShare),
  figureColumn("accepted", "Accepted", ({ findings }) => findings.accepted, formatCount),
  figureColumn("not_accepted", "Not accepted", ({ findings }) => findings.not_accepted, formatCount),
  figureColumn("unknown", "Unknown", ({ findings }) => findings.unknown, formatCount),
  figureColumn(
    "first_review_median_minutes",
    "First review, median",
    (figures) => figures.time_to_first_human_review.median_minutes,
    formatMinutes,
  ),
  figureColumn(
    "first_review_p90_minutes",
    "First review, 90 %",
    (figures) => figures.time_to_first_human_review.p90_minutes,
    formatMinutes,
  ),
  figureColumn(
    "merge_median_minutes",
    "Merge, median",
    (figures) => figures.time_to_merge.median_minutes,
    formatMinutes,
  ),
  figureColumn(
    "merge_p90_minutes",
    "Merge, 90 %",
    (figures) => figures.time_to_merge.p90_minutes,
    formatMinutes,
  ),
] as const;

/** The organization is shown only if the rows belong to several. */
export function textTableOf(head: string, rows: readonly ReportRow[]): TextTable {
  const hasSeveral = new Set(rows.map(({ organization }) => organization)).size > 1;
  return {
    nameColumns: hasSeveral ? 2 : 1,
    heads: [head, ...(hasSeveral ? ["Organization"] : []), ...figureColumns.map((column) => column.head)],
    rows: rows.map(({ name, organization, figures }) => [
      name,
      ...(hasSeveral ? [required(organization, "organization of a row")] : []),
      ...figureColumns.map(({ text }) => text(figures)),
    ]),
  };
}

export const rowsTable = ({ by, rows }: ReviewReport): TextTable => textTableOf(dimensionHeads[by], rows);

/** The figures of the whole period, each with a name and a text. */
export function headlines({ total }: ReviewReport): ReadonlyArray<readonly [name: string, value: string]> {
  const { findings, time_to_first_human_review: review, time_to_merge: merge } = total;
  const known = findings.accepted + findings.not_accepted;
  return [
    ["Pull requests reviewed", formatCount(total.pull_requests)],
    [
      "Findings posted",
      `${formatCount(findings.posted)} (${formatMean(total.findings_per_pull_request)} a pull request)`,
    ],
    [
      "Acceptance",
      `${formatShare(findings.acceptance)} (${formatCount(findings.accepted)} of ${formatCount(known)} known; ` +
        `${formatCount(findings.unknown)} unknown)`,
    ],
    [
      "Time to first human review",
      `median ${formatMinutes(review.median_minutes)}, 90 % within ${formatMinutes(review.p90_minutes)} ` +
        `(${formatCount(review.missing)} without one)`,
    ],
    [
      "Time to merge",
      `median ${formatMinutes(merge.median_minutes)}, 90 % within ${formatMinutes(merge.p90_minutes)}`,
    ],
  ];
}

export const reportTitle = ({ period }: ReviewReport): string =>
  `Code reviews, ${period.start_date} to ${period.end_date} (${period.days} days)`;
