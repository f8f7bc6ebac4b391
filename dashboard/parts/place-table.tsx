import { useState } from "preact/hooks";
import { changeOf, units } from "../../lib/report/change.ts";
import { figure } from "../../lib/report/columns.ts";
import { heatOf } from "../../lib/report/report.ts";
import { formatCount, formatShare } from "../../lib/report/words.ts";
import type { PlaceRow } from "../figures/places.ts";
import type { PageProps } from "../pages/page.ts";
import type { ReviewFigures } from "../protocol.ts";
import { placeColumns, sortedPlaces } from "../sort.ts";
import type { ShownColumn } from "../tables.ts";
import { type DashboardView, type Sort, type SortColumn, sortColumns } from "../view.ts";
import { Table } from "./numbers.tsx";
import { Sparkline } from "./plot.tsx";
import { ViewLink } from "./view-link.tsx";

/** More rows are drawn on request. */
const rowsMax = 100;

export type PlaceTableProps = Pick<PageProps, "onView"> & {
  /** What a row is. */
  readonly head: "Team" | "Repository";
  readonly rows: readonly PlaceRow[];
  readonly weeks: ReviewFigures["weeks"];
  readonly sort: Sort;
  sortedBy(sort: Sort): DashboardView;
  /** Opens the pull requests of a row. */
  listOf(id: string): DashboardView;
};

/** Repositories or teams: sortable, each with its change, its weeks and a link to its pull requests. */
export function PlaceTable({ head, rows, sort, sortedBy, listOf, onView, weeks }: PlaceTableProps) {
  const [isWhole, setWhole] = useState(false);
  const sorted = sortedPlaces(rows, sort);
  const shown = isWhole ? sorted : sorted.slice(0, rowsMax);
  const onSort = (next: Sort) => onView(sortedBy(next));
  // A week in part would look like a decline.
  const whole = <Value,>(values: readonly Value[]) => values.filter((_, week) => !weeks[week]?.in_part);
  const columns: ReadonlyArray<ShownColumn<PlaceRow>> = [
    ...sortColumns.map((column) => ({
      head: <SortHead key={column} {...{ column, head, sort, onSort }} />,
      ...(column === "name"
        ? { cell: (row: PlaceRow) => <PlaceName to={listOf(row.id)} {...{ row, onView }} /> }
        : { look: "number", cell: (row: PlaceRow) => <Cell {...{ column, row }} /> }),
    })),
    {
      head: "By week",
      cell: (row) => (
        <Sparkline values={whole(row.weeks)} before={row.weeksBefore && whole(row.weeksBefore)} />
      ),
    },
  ];
  return (
    <>
      <Table label={`By ${head.toLowerCase()}`} columns={columns} rows={shown} />
      {shown.length < rows.length && (
        <>
          <p class="paper">
            And {formatCount(rows.length - shown.length)} more: the CSV of the page has all.
          </p>
          <button type="button" onClick={() => setWhole(true)}>
            Show all {formatCount(rows.length)}
          </button>
        </>
      )}
    </>
  );
}

type SortHeadProps = Pick<PlaceTableProps, "head" | "sort"> & {
  readonly column: SortColumn;
  onSort(sort: Sort): void;
};

function SortHead({ column, head, sort, onSort }: SortHeadProps) {
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
        {column === "name" ? head : placeColumns[column].head}
        <span aria-hidden="true">{isSorted ? (sort.isDescending ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

type PlaceNameProps = Pick<PageProps, "onView"> & { readonly row: PlaceRow; readonly to: DashboardView };

const PlaceName = ({ row, to, onView }: PlaceNameProps) => (
  <>
    <ViewLink to={to} onView={onView}>
      {row.name}
    </ViewLink>{" "}
    <small>{row.organization}</small>
  </>
);

type CellProps = { readonly column: keyof typeof placeColumns; readonly row: PlaceRow };

/** `↑ 5 points` beside a figure; a screen reader and the pointer get the words. */
function Cell({ column, row: { figures, before } }: CellProps) {
  const { of, unit } = placeColumns[column];
  const { value, text } = figure(of);
  const change = unit && changeOf(value(figures), before && value(before), units[unit]);
  const { acceptance, unknown } = figures.findings;
  return (
    <>
      {column === "acceptance" ? <Acceptance share={acceptance} /> : text(figures)}{" "}
      {column === "findings" && unknown > 0 && (
        <small class="small-change unknown-count">{formatCount(unknown)} unknown</small>
      )}
      {change && (
        <small class="small-change" title={change.words}>
          <span aria-hidden="true">
            {change.arrow} {change.size}
          </span>
          <span class="unseen">{change.words}</span>
        </small>
      )}
    </>
  );
}

/** Colour and number show the same value. */
export const Acceptance = ({ share }: { readonly share: number | null }) => (
  <b class={`share heat-${heatOf(share)}`}>{formatShare(share)}</b>
);
