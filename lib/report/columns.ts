import type { Figures } from "./figures.ts";
import type { ReportRow, ReviewReport } from "./report.ts";
import { dimensionHeads, formatCount, formatMean, formatMinutes, formatShare, noValue } from "./words.ts";

/** A report as tables of text, the same for every format. */
export type TextTable = {
  /** The number of columns with names, which are aligned left. The other columns are numbers, aligned right. */
  readonly nameColumns: number;
  readonly heads: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
};

export type FigureColumn = {
  /** The name with its unit, for files that a program reads. */
  readonly name: string;
  readonly head: string;
  readonly value: (figures: Figures) => number | null;
  readonly format: (value: number | null) => string;
};

const countText = (count: number | null): string => (count === null ? noValue : formatCount(count));

export const figureColumns = [
  {
    name: "pull_requests",
    head: "Pull requests",
    value: ({ pull_requests }) => pull_requests,
    format: countText,
  },
  { name: "findings", head: "Findings", value: ({ findings }) => findings.posted, format: countText },
  {
    name: "findings_per_pull_request",
    head: "Per pull request",
    value: ({ findings_per_pull_request }) => findings_per_pull_request,
    format: formatMean,
  },
  {
    name: "acceptance",
    head: "Acceptance",
    value: ({ findings }) => findings.acceptance,
    format: formatShare,
  },
  { name: "accepted", head: "Accepted", value: ({ findings }) => findings.accepted, format: countText },
  {
    name: "not_accepted",
    head: "Not accepted",
    value: ({ findings }) => findings.not_accepted,
    format: countText,
  },
  { name: "unknown", head: "Unknown", value: ({ findings }) => findings.unknown, format: countText },
  {
    name: "first_review_median_minutes",
    head: "First review, median",
    value: ({ time_to_first_human_review: time }) => time.median_minutes,
    format: formatMinutes,
  },
  {
    name: "first_review_p90_minutes",
    head: "First review, 90 %",
    value: ({ time_to_first_human_review: time }) => time.p90_minutes,
    format: formatMinutes,
  },
  {
    name: "merge_median_minutes",
    head: "Merge, median",
    value: ({ time_to_merge }) => time_to_merge.median_minutes,
    format: formatMinutes,
  },
  {
    name: "merge_p90_minutes",
    head: "Merge, 90 %",
    value: ({ time_to_merge }) => time_to_merge.p90_minutes,
    format: formatMinutes,
  },
] as const satisfies readonly FigureColumn[];

/** The organization is shown only if the rows belong to several. */
export function textTableOf(head: string, rows: readonly ReportRow[]): TextTable {
  const hasSeveral = new Set(rows.map(({ organization }) => organization)).size > 1;
  return {
    nameColumns: hasSeveral ? 2 : 1,
    heads: [head, ...(hasSeveral ? ["Organization"] : []), ...figureColumns.map((column) => column.head)],
    rows: rows.map(({ name, organization, figures }) => [
      name,
      ...(hasSeveral ? [organization ?? ""] : []),
      ...figureColumns.map(({ value, format }) => format(value(figures))),
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
