import { definitions } from "../../lib/report/words.ts";
import type { PlaceRow } from "../figures/places.ts";
import type { TeamFigures } from "../figures/teams.ts";
import type { ReviewFigures } from "../protocol.ts";
import { countColumn, figureColumnsOf, textColumn } from "../tables.ts";
import { type DashboardView, teamListId } from "../view.ts";
import { Card } from "./numbers.tsx";
import { PlaceTable } from "./place-table.tsx";

type PlacesProps = {
  readonly weeks: ReviewFigures["weeks"];
  readonly view: DashboardView;
  onView(view: DashboardView): void;
};

const numbersOf = (
  name: string,
  caption: string,
  rows: readonly PlaceRow[],
  weeks: PlacesProps["weeks"],
) => ({
  name,
  caption,
  columns: [
    textColumn("name", "Name", (row: PlaceRow) => row.name),
    ...figureColumnsOf<PlaceRow>(),
    textColumn("organization", "Organization", ({ organization }: PlaceRow) => organization),
    countColumn("before_pull_requests", "Before", ({ before }: PlaceRow) => before?.pull_requests ?? null),
    countColumn("before_acceptance", "Before", ({ before }: PlaceRow) => before?.findings.acceptance ?? null),
    ...weeks.map(({ id }, week) =>
      countColumn(`week_of_${id}`, `Week of ${id}`, ({ weeks: counts }: PlaceRow) => counts[week] ?? 0),
    ),
  ],
  rows,
});

const common =
  "Times are medians. An arrow is the change from the period before. The line has pull requests by whole week, the pale line those of the period before. A name opens its pull requests.";

export function Repositories({ figures, view, onView }: PlacesProps & { readonly figures: ReviewFigures }) {
  const { repositories, weeks } = figures;
  return (
    <Card
      title="By repository"
      definition={common}
      help={definitions.acceptance}
      numbers={numbersOf("repositories", "By repository", repositories, weeks)}
      isTable
      class="table"
    >
      <PlaceTable
        {...{ head: "Repository", label: "By repository", rows: repositories, onView }}
        sort={view.sort}
        onSort={(sort) => onView({ ...view, sort })}
        wholeWeeks={weeks.map(({ in_part }) => !in_part)}
        listOf={(listed) => ({ ...view, listed })}
      />
    </Card>
  );
}

export function Teams({ figures, weeks, view, onView }: PlacesProps & { readonly figures: TeamFigures }) {
  const { known, rows } = figures;
  if (known.length === 0)
    return (
      <section class="card offer">
        <h3>By team</h3>
        <p class="definition">The platform has sent no teams of these organizations.</p>
      </section>
    );
  if (rows === null) return null;
  return (
    <Card
      title="By team"
      definition={`Where the fewest findings are accepted comes first, unless you sort. ${common} ${definitions.teamRows}`}
      help={definitions.acceptance}
      numbers={numbersOf("teams", "By team", rows, weeks)}
      isTable
      class="table"
    >
      <PlaceTable
        {...{ head: "Team", label: "By team", rows, onView }}
        sort={view.teamSort}
        onSort={(teamSort) => onView({ ...view, teamSort })}
        wholeWeeks={weeks.map(({ in_part }) => !in_part)}
        listOf={(id) => ({ ...view, listed: teamListId(id) })}
      />
    </Card>
  );
}
