import type { units } from "../lib/report/change.ts";
import { type FigureName, figure } from "../lib/report/columns.ts";
import type { PlaceRow } from "./figures/places.ts";
import type { Sort, SortColumn } from "./view.ts";

type PlaceColumn = {
  readonly head: string;
  readonly of: FigureName;
  /** Set if the column shows its change. */
  readonly unit?: keyof typeof units;
};

/** The columns of the tables of repositories and teams, by their name in an address. */
export const placeColumns: Readonly<Record<Exclude<SortColumn, "name">, PlaceColumn>> = {
  acceptance: { head: "Acceptance", of: "acceptance", unit: "share" },
  pull_requests: { head: "Pull requests", of: "pull_requests", unit: "count" },
  findings: { head: "Findings", of: "findings" },
  per_pull_request: { head: "Per pull request", of: "findings_per_pull_request" },
  first_review: { head: "First review", of: "first_review_median_minutes", unit: "minutes" },
  merge: { head: "Merge", of: "merge_median_minutes", unit: "minutes" },
};

const compareTexts = new Intl.Collator("en").compare;

/** Rows without a value come last in both directions; equal rows stay in alphabetical order. */
export function sortedPlaces(rows: readonly PlaceRow[], { column, isDescending }: Sort): PlaceRow[] {
  const sign = isDescending ? -1 : 1;
  if (column === "name") return rows.toSorted((one, other) => sign * compareTexts(one.name, other.name));
  const { value } = figure(placeColumns[column].of);
  return rows.toSorted((one, other) => {
    const [left, right] = [value(one.figures), value(other.figures)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (left - right);
  });
}
