import { useState } from "preact/hooks";
import { changeOf, units } from "../../lib/report/change.ts";
import { figure } from "../../lib/report/columns.ts";
import { heatOf } from "../../lib/report/report.ts";
import { formatCount, formatShare } from "../../lib/report/words.ts";
import type { PlaceRow } from "../figures/places.ts";
import type { PageProps } from "../pages/page.ts";
import type { ReviewFigures } from "../protocol.ts";
import { placeColumns, sortedPlaces } from "../sort.ts";
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
export function PlaceTable({ head, rows, sort, sortedBy, ...line }: PlaceTableProps) {
  const [isWhole, setWhole] = useState(false);
  const sorted = sortedPlaces(rows, sort);
  const shown = isWhole ? sorted : sorted.slice(0, rowsMax);
  const onSort = (next: Sort) => line.onView(sortedBy(next));
  return (
    <>
      <Table
        label={`By ${head.toLowerCase()}`}
        heads={[
          ...sortColumns.map((column) => <SortHead key={column} {...{ column, head, sort, onSort }} />),
          "By week",
        ]}
      >
        {shown.map((row) => (
          <PlaceLine key={row.id} row={row} {...line} />
        ))}
      </Table>
      {shown.length < rows.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {formatCount(rows.length)}
        </button>
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

type LineProps = Pick<PlaceTableProps, "listOf" | "onView" | "weeks"> & { readonly row: PlaceRow };

function PlaceLine({ row, listOf, onView, weeks }: LineProps) {
  // A week in part would look like a decline.
  const whole = <Value,>(values: readonly Value[]) => values.filter((_, week) => !weeks[week]?.in_part);
  return (
    <tr>
      <th scope="row">
        <ViewLink to={listOf(row.id)} onView={onView}>
          {row.name}
        </ViewLink>{" "}
        <small>{row.organization}</small>
      </th>
      {sortColumns.map((column) => column !== "name" && <Cell key={column} {...{ column, row }} />)}
      <td>
        <Sparkline values={whole(row.weeks)} before={row.weeksBefore && whole(row.weeksBefore)} />
      </td>
    </tr>
  );
}

type CellProps = { readonly column: keyof typeof placeColumns; readonly row: PlaceRow };

/** `↑ 5 points` beside a figure; a screen reader and the pointer get the words. */
function Cell({ column, row: { figures, before } }: CellProps) {
  const { of, unit } = placeColumns[column];
  const { value, text } = figure(of);
  const change = unit && changeOf(value(figures), before && value(before), units[unit]);
  const { acceptance, unknown } = figures.findings;
  return (
    <td class="number">
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
    </td>
  );
}

/** Colour and number show the same value. */
export const Acceptance = ({ share }: { readonly share: number | null }) => (
  <b class={`share heat-${heatOf(share)}`}>{formatShare(share)}</b>
);
