import type { PlaceRow } from "./figures/places.ts";
import type { Sort, SortColumn } from "./view.ts";

const values: Readonly<Record<Exclude<SortColumn, "name">, (row: PlaceRow) => number | null>> = {
  acceptance: ({ figures }) => figures.findings.acceptance,
  pull_requests: ({ figures }) => figures.pull_requests,
  findings: ({ figures }) => figures.findings.posted,
  per_pull_request: ({ figures }) => figures.findings_per_pull_request,
  first_review: ({ figures }) => figures.time_to_first_human_review.median_minutes,
  merge: ({ figures }) => figures.time_to_merge.median_minutes,
};

const compareTexts = new Intl.Collator("en").compare;

/** Rows without a value come last in both directions; equal rows stay in alphabetical order. */
export function sortedPlaces(rows: readonly PlaceRow[], { column, isDescending }: Sort): PlaceRow[] {
  const sign = isDescending ? -1 : 1;
  if (column === "name") return rows.toSorted((one, other) => sign * compareTexts(one.name, other.name));
  const value = values[column];
  return rows.toSorted((one, other) => {
    const [left, right] = [value(one), value(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (left - right);
  });
}
