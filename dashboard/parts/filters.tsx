import type { TeamFigures } from "../figures/teams.ts";
import type { PageProps } from "../pages/page.ts";
import { type DashboardView, noTeam, organizationName } from "../view.ts";
import { PeriodPicker } from "./period-picker.tsx";
import { Picker } from "./picker.tsx";

type FiltersProps = Omit<PageProps, "ask">;

/** The administration belongs to organizations, whatever their repositories and authors. */
export function Filters({ session: { identity, sections }, view, onView }: FiltersProps) {
  const organizations = identity?.scope.organizations ?? [];
  const repositories = sections.reviews.shown?.knownRepositories ?? [];
  return (
    <section class="filters" aria-label="What is shown">
      <PeriodPicker view={view} onView={onView} />
      {organizations.length > 1 && (
        <Picker
          name="Organizations"
          options={organizations.map(({ provider, provider_organization_id, name }) => ({
            id: organizationName(provider, provider_organization_id),
            name,
          }))}
          chosen={view.organizations}
          onChange={(chosen) =>
            onView({ ...view, organizations: chosen, repositories: [], teams: [], listed: null })
          }
        />
      )}
      {view.page !== "administration" && (
        <>
          <Picker
            name="Repositories"
            options={repositories.map(({ id, name, organization }) => ({
              id,
              name,
              detail: organization ?? "",
            }))}
            chosen={view.repositories}
            onChange={(chosen) => onView({ ...view, repositories: chosen })}
          />
          <AuthorsPicker known={sections.teams.shown?.known ?? []} {...{ view, onView }} />
        </>
      )}
    </section>
  );
}

type AuthorsPickerProps = Pick<PageProps, "view" | "onView"> & { readonly known: TeamFigures["known"] };

/** Whose pull requests the figures of reviews count: teams, and people without bots. */
function AuthorsPicker({ known, view, onView }: AuthorsPickerProps) {
  const { teams, withoutBots } = view;
  const options = known.length > 0 ? [...known, { id: noTeam, name: "No team" }] : [];
  return (
    <Picker
      name="Authors"
      options={options}
      chosen={teams}
      onChange={(chosen) => onView({ ...view, teams: chosen })}
      summary={chosenAuthorsText(view, options)}
    >
      <label class="check apart">
        <input
          type="checkbox"
          checked={withoutBots}
          onChange={({ currentTarget }) => onView({ ...view, withoutBots: currentTarget.checked })}
        />
        Leave out bots
      </label>
      <small>For the figures of pull requests. Teams are as they are now.</small>
    </Picker>
  );
}

/** `Checkout, no bots`. */
function chosenAuthorsText({ teams, withoutBots }: DashboardView, options: TeamFigures["known"]): string {
  const [only] = teams;
  const named = options.find(({ id }) => id === only)?.name ?? only;
  const chosen = teams.length > 1 ? `${teams.length} teams` : (named ?? "All authors");
  if (!withoutBots) return chosen;
  return teams.length === 0 ? "No bots" : `${chosen}, no bots`;
}
