import { definitions } from "../../lib/report/words.ts";
import type { PlaceRow } from "../figures/places.ts";
import type { TeamFigures } from "../figures/teams.ts";
import type { PageProps } from "../pages/page.ts";
import type { ReviewFigures } from "../protocol.ts";
import { countColumn, figureColumnsOf, textColumn } from "../tables.ts";
import { teamListId } from "../view.ts";
import { Card } from "./numbers.tsx";
import { PlaceTable, type PlaceTableProps } from "./place-table.tsx";

type PlacesProps = Pick<PageProps, "view" | "onView"> & { readonly weeks: ReviewFigures["weeks"] };

const columnsOf = (weeks: PlacesProps["weeks"]) => [
  textColumn("name", "Name", (row: PlaceRow) => row.name),
  ...figureColumnsOf<PlaceRow>(),
  textColumn("organization", "Organization", ({ organization }: PlaceRow) => organization),
  countColumn("before_pull_requests", "Before", ({ before }: PlaceRow) => before?.pull_requests ?? null),
  countColumn("before_acceptance", "Before", ({ before }: PlaceRow) => before?.findings.acceptance ?? null),
  ...weeks.map(({ id }, week) =>
    countColumn(`week_of_${id}`, `Week of ${id}`, ({ weeks: counts }: PlaceRow) => counts[week] ?? 0),
  ),
];

const common =
  "Times are medians. An arrow is the change from the period before. The line has pull requests by whole week, the pale line those of the period before.";

type PlacesCardProps = PlaceTableProps & {
  readonly file: string;
  readonly definition: string;
  readonly help?: string;
};

const PlacesCard = ({ file, definition, help = "", ...table }: PlacesCardProps) => {
  const title = `By ${table.head.toLowerCase()}`;
  return (
    <Card
      {...{ title, definition }}
      help={`${help}${common} Acceptance: ${definitions.acceptance}`}
      numbers={{ name: file, caption: title, columns: columnsOf(table.weeks), rows: table.rows }}
      isTable
      class="table"
    >
      <PlaceTable {...table} />
    </Card>
  );
};

export const Repositories = ({ rows, weeks, view, onView }: PlacesProps & { rows: readonly PlaceRow[] }) => (
  <PlacesCard
    {...{
      file: "repositories",
      head: "Repository",
      definition: "A name opens its pull requests.",
      rows,
      weeks,
      onView,
    }}
    sort={view.sort}
    sortedBy={(sort) => ({ ...view, sort })}
    listOf={(listed) => ({ ...view, listed })}
  />
);

export function Teams({ figures, weeks, view, onView }: PlacesProps & { readonly figures: TeamFigures }) {
  const { known, rows } = figures;
  if (known.length === 0)
    return (
      <section class="card offer">
        <h3>By team</h3>
        <p class="definition">The platform has sent no teams of these organizations.</p>
      </section>
    );
  return (
    rows && (
      <PlacesCard
        {...{ file: "teams", head: "Team", rows, weeks, onView }}
        definition="Least accepted first, unless you sort. A name opens its pull requests."
        help={`${definitions.teamRows} `}
        sort={view.teamSort}
        sortedBy={(teamSort) => ({ ...view, teamSort })}
        listOf={(id) => ({ ...view, listed: teamListId(id) })}
      />
    )
  );
}
