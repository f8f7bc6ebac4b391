import { useState } from "preact/hooks";
import { definitions, formatCount, formatMean, formatMinutes, formatShare } from "../../lib/report/words.ts";
import type { RepositoryRow } from "../figures/repositories.ts";
import type { ReviewFigures } from "../protocol.ts";
import { sortedRepositories } from "../sort.ts";
import { countColumn, figureColumnsOf, textColumn } from "../tables.ts";
import type { DashboardView, SortColumn } from "../view.ts";
import { Card, Scroll } from "./numbers.tsx";
import { Sparkline } from "./plot.tsx";
import { ViewLink } from "./view-link.tsx";

/** More rows are drawn on request. */
const rowsMax = 100;

type RepositoriesProps = {
  readonly figures: ReviewFigures;
  readonly view: DashboardView;
  onView(view: DashboardView): void;
};

const heads: ReadonlyArray<readonly [SortColumn, string]> = [
  ["repository", "Repository"],
  ["pull_requests", "Pull requests"],
  ["findings", "Findings"],
  ["per_pull_request", "Per pull request"],
  ["acceptance", "Acceptance"],
  ["first_review", "First review"],
  ["merge", "Merge"],
];

export function Repositories({ figures, view, onView }: RepositoriesProps) {
  const [isWhole, setWhole] = useState(false);
  const rows = sortedRepositories(figures.repositories, view.sort);
  const wholeWeeks = figures.weeks.map(({ in_part }) => !in_part);
  const shown = isWhole ? rows : rows.slice(0, rowsMax);
  const numbers = {
    name: "repositories",
    caption: "By repository",
    columns: [
      textColumn("repository", "Repository", ({ name }: RepositoryRow) => name),
      textColumn("organization", "Organization", ({ organization }: RepositoryRow) => organization),
      ...figureColumnsOf<RepositoryRow>(),
      ...figures.weeks.map(({ id }, week) =>
        countColumn(`week_of_${id}`, `Week of ${id}`, ({ weeks }: RepositoryRow) => weeks[week] ?? 0),
      ),
    ],
    rows,
  };
  return (
    <Card
      title="By repository"
      definition="Times are medians. The line shows pull requests by whole week. A repository's name opens its pull requests."
      help={definitions.acceptance}
      numbers={numbers}
      isTable
      class="table"
    >
      <Scroll label="By repository">
        <table>
          <thead>
            <tr>
              {heads.map(([column, head]) => (
                <SortHead key={column} {...{ column, head, view, onView }} />
              ))}
              <th scope="col">By week</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <RepositoryLine key={row.id} {...{ row, view, onView, wholeWeeks }} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {shown.length < rows.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {formatCount(rows.length)} repositories
        </button>
      )}
      {rows.length === 0 && <p class="empty">No pull request was merged in this period.</p>}
    </Card>
  );
}

type SortHeadProps = Pick<RepositoriesProps, "view" | "onView"> & {
  readonly column: SortColumn;
  readonly head: string;
};

function SortHead({ column, head, view, onView }: SortHeadProps) {
  const { sort } = view;
  const isSorted = sort.column === column;
  // Numbers start in descending order, names in ascending order.
  const isDescending = isSorted ? !sort.isDescending : column !== "repository";
  return (
    <th
      scope="col"
      class={column === "repository" ? undefined : "number"}
      aria-sort={isSorted ? (sort.isDescending ? "descending" : "ascending") : "none"}
    >
      <button type="button" class="sort" onClick={() => onView({ ...view, sort: { column, isDescending } })}>
        {head}
        <span aria-hidden="true">{isSorted ? (sort.isDescending ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

type LineProps = Pick<RepositoriesProps, "view" | "onView"> & {
  readonly row: RepositoryRow;
  /** A week in part would look like a decline. */
  readonly wholeWeeks: readonly boolean[];
};

function RepositoryLine({ row, view, onView, wholeWeeks }: LineProps) {
  const { figures } = row;
  return (
    <tr>
      <th scope="row">
        <ViewLink to={{ ...view, listed: row.id }} onView={onView}>
          {row.name}
        </ViewLink>{" "}
        <small>{row.organization}</small>
      </th>
      <td class="number">{formatCount(figures.pull_requests)}</td>
      <td class="number">{formatCount(figures.findings.posted)}</td>
      <td class="number">{formatMean(figures.findings_per_pull_request)}</td>
      <td class="number">
        {formatShare(figures.findings.acceptance)}{" "}
        <small>
          {figures.findings.unknown > 0 ? `${formatCount(figures.findings.unknown)} unknown` : ""}
        </small>
      </td>
      <td class="number">{formatMinutes(figures.time_to_first_human_review.median_minutes)}</td>
      <td class="number">{formatMinutes(figures.time_to_merge.median_minutes)}</td>
      <td>
        <Sparkline values={row.weeks.filter((_, week) => wholeWeeks[week])} />
      </td>
    </tr>
  );
}
