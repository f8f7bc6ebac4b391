import type { Figures } from "./figures.ts";
import type { Report, Row } from "./report.ts";
import { dimensionHeads, formatCount, formatMean, formatMinutes, formatShare } from "./words.ts";

/** A report as tables of text, the same for every format. */
export type TextTable = {
  readonly heads: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
};

const figureColumns: ReadonlyArray<readonly [head: string, cell: (figures: Figures) => string]> = [
  ["Pull requests", ({ pull_requests }) => formatCount(pull_requests)],
  ["Findings", ({ findings }) => formatCount(findings.posted)],
  ["Per pull request", ({ findings_per_pull_request }) => formatMean(findings_per_pull_request)],
  ["Acceptance", ({ findings }) => formatShare(findings.acceptance)],
  ["Accepted", ({ findings }) => formatCount(findings.accepted)],
  ["Not accepted", ({ findings }) => formatCount(findings.not_accepted)],
  ["Unknown", ({ findings }) => formatCount(findings.unknown)],
  ["First review, median", ({ time_to_first_human_review: time }) => formatMinutes(time.median_minutes)],
  ["First review, 90 %", ({ time_to_first_human_review: time }) => formatMinutes(time.p90_minutes)],
  ["Merge, median", ({ time_to_merge }) => formatMinutes(time_to_merge.median_minutes)],
  ["Merge, 90 %", ({ time_to_merge }) => formatMinutes(time_to_merge.p90_minutes)],
];

/** The organization is shown only where the rows are of several. */
export function tableOf(head: string, rows: readonly Row[]): TextTable {
  const hasSeveral = new Set(rows.map(({ organization }) => organization)).size > 1;
  return {
    heads: [head, ...(hasSeveral ? ["Organization"] : []), ...figureColumns.map(([name]) => name)],
    rows: rows.map(({ name, organization, figures }) => [
      name,
      ...(hasSeveral ? [organization ?? ""] : []),
      ...figureColumns.map(([, cell]) => cell(figures)),
    ]),
  };
}

export const rowsTable = ({ by, rows }: Report): TextTable => tableOf(dimensionHeads[by], rows);

/** The figures of the whole period, a name and a sentence each. */
export function headlines({ total }: Report): ReadonlyArray<readonly [name: string, value: string]> {
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

export const titleOf = ({ period }: Report): string =>
  `Code reviews, ${period.start_date} to ${period.end_date} (${period.days} days)`;
