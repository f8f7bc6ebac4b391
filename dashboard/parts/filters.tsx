import type { PageProps } from "../pages/page.ts";
import { noTeam, organizationName } from "../view.ts";
import { PeriodPicker } from "./period-picker.tsx";
import { Picker } from "./picker.tsx";

type FiltersProps = Omit<PageProps, "ask">;

/** The administration belongs to organizations, whatever their repositories and authors. */
export function Filters({ session: { identity, sections }, view, onView }: FiltersProps) {
  const organizations = identity?.scope.organizations ?? [];
  const repositories = sections.reviews.shown?.knownRepositories ?? [];
  const teams = sections.teams.shown?.known ?? [];
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
            options={repositories.map((each) => ({ ...each, detail: each.organization ?? "" }))}
            chosen={view.repositories}
            onChange={(chosen) => onView({ ...view, repositories: chosen })}
          />
          {(teams.length > 0 || view.teams.length > 0) && (
            <Picker
              name="Teams"
              options={[...teams, { id: noTeam, name: "No team" }]}
              chosen={view.teams}
              onChange={(chosen) => onView({ ...view, teams: chosen })}
            />
          )}
          <label class="check">
            <input
              type="checkbox"
              checked={view.withoutBots}
              onChange={({ currentTarget }) => onView({ ...view, withoutBots: currentTarget.checked })}
            />
            Leave out bots
          </label>
        </>
      )}
    </section>
  );
}
