import { useState } from "preact/hooks";
import { changeOf, units } from "../../lib/report/change.ts";
import type { Figures } from "../../lib/report/figures.ts";
import { formatCount, formatMean, formatMinutes, formatShare } from "../../lib/report/words.ts";
import type { PlaceRow } from "../figures/places.ts";
import { sortedPlaces } from "../sort.ts";
import type { DashboardView, Sort, SortColumn } from "../view.ts";
import { heatOf } from "./heat-map.tsx";
import { Scroll } from "./numbers.tsx";
import { Sparkline } from "./plot.tsx";
import { ViewLink } from "./view-link.tsx";

/** More rows are drawn on request. */
const rowsMax = 100;

type PlaceTableProps = {
  /** What a row is: `Team`. */
  readonly head: string;
  readonly label: string;
  readonly rows: readonly PlaceRow[];
  readonly sort: Sort;
  onSort(sort: Sort): void;
  /** A week in part would look like a decline. */
  readonly wholeWeeks: readonly boolean[];
  /** Opens the pull requests of a row. */
  listOf(id: string): DashboardView;
  onView(view: DashboardView): void;
};

/** Repositories or teams: sortable, each with its change, its weeks and a link to its pull requests. */
export function PlaceTable({ head, label, rows, sort, onSort, ...line }: PlaceTableProps) {
  const [isWhole, setWhole] = useState(false);
  const sorted = sortedPlaces(rows, sort);
  const shown = isWhole ? sorted : sorted.slice(0, rowsMax);
  return (
    <>
      <Scroll label={label}>
        <table>
          <thead>
            <tr>
              {headsOf(head).map(([column, text]) => (
                <SortHead key={column} {...{ column, text, sort, onSort }} />
              ))}
              <th scope="col">By week</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <PlaceLine key={row.id} row={row} {...line} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {shown.length < rows.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {formatCount(rows.length)}
        </button>
      )}
    </>
  );
}

const headsOf = (head: string): ReadonlyArray<readonly [SortColumn, string]> => [
  ["name", head],
  ["acceptance", "Acceptance"],
  ["pull_requests", "Pull requests"],
  ["findings", "Findings"],
  ["per_pull_request", "Per pull request"],
  ["first_review", "First review"],
  ["merge", "Merge"],
];

type SortHeadProps = Pick<PlaceTableProps, "sort" | "onSort"> & {
  readonly column: SortColumn;
  readonly text: string;
};

function SortHead({ column, text, sort, onSort }: SortHeadProps) {
  const isSorted = sort.column === column;
  // Numbers start in descending order, names in ascending order.
  const isDescending = isSorted ? !sort.isDescending : column !== "name";
  return (
    <th
      scope="col"
      class={column === "name" ? undefined : "number"}
      aria-sort={isSorted ? (sort.isDescending ? "descending" : "ascending") : "none"}
    >
      <button type="button" class="sort" onClick={() => onSort({ column, isDescending })}>
        {text}
        <span aria-hidden="true">{isSorted ? (sort.isDescending ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

type LineProps = Pick<PlaceTableProps, "listOf" | "onView" | "wholeWeeks"> & { readonly row: PlaceRow };

function PlaceLine({ row, listOf, onView, wholeWeeks }: LineProps) {
  const { figures, before } = row;
  const { acceptance, posted, unknown } = figures.findings;
  const change = (value: (figures: Figures) => number | null, unit: keyof typeof units) => (
    <SmallChange now={value(figures)} before={before && value(before)} unit={unit} />
  );
  const whole = <Value,>(weeks: readonly Value[]) => weeks.filter((_, week) => wholeWeeks[week]);
  return (
    <tr>
      <th scope="row">
        <ViewLink to={listOf(row.id)} onView={onView}>
          {row.name}
        </ViewLink>{" "}
        <small>{row.organization}</small>
      </th>
      <td class="number">
        <Acceptance share={acceptance} /> {change(({ findings }) => findings.acceptance, "share")}
      </td>
      <td class="number">
        {formatCount(figures.pull_requests)} {change(({ pull_requests }) => pull_requests, "count")}
      </td>
      <td class="number">
        {formatCount(posted)}{" "}
        {unknown > 0 && <small class="small-change unknown-count">{formatCount(unknown)} unknown</small>}
      </td>
      <td class="number">{formatMean(figures.findings_per_pull_request)}</td>
      <td class="number">
        {formatMinutes(figures.time_to_first_human_review.median_minutes)}{" "}
        {change(({ time_to_first_human_review: time }) => time.median_minutes, "minutes")}
      </td>
      <td class="number">
        {formatMinutes(figures.time_to_merge.median_minutes)}{" "}
        {change(({ time_to_merge: time }) => time.median_minutes, "minutes")}
      </td>
      <td>
        <Sparkline values={whole(row.weeks)} before={row.weeksBefore && whole(row.weeksBefore)} />
      </td>
    </tr>
  );
}

/** Colour and number show the same value. */
export const Acceptance = ({ share }: { readonly share: number | null }) => (
  <b class={`share heat-${heatOf(share)}`}>{formatShare(share)}</b>
);

type SmallChangeProps = {
  readonly now: number | null;
  readonly before: number | null;
  readonly unit: keyof typeof units;
};

/** `↑ 5 points`; a screen reader and the pointer get the words. */
function SmallChange({ now, before, unit }: SmallChangeProps) {
  const change = changeOf(now, before, units[unit]);
  return (
    change && (
      <small class="small-change" title={change.words}>
        <span aria-hidden="true">
          {change.arrow} {change.size}
        </span>
        <span class="unseen">{change.words}</span>
      </small>
    )
  );
}
