import type { TeamFigures } from "../figures/teams.ts";
import type { KeyIdentity, ReviewFigures } from "../protocol.ts";
import { type DashboardView, organizationName } from "../view.ts";
import { AuthorsPicker } from "./authors-picker.tsx";
import { PeriodPicker } from "./period-picker.tsx";
import { Picker } from "./picker.tsx";

type FiltersProps = {
  readonly organizations: KeyIdentity["scope"]["organizations"];
  readonly repositories: ReviewFigures["knownRepositories"];
  readonly teams: TeamFigures["known"];
  readonly view: DashboardView;
  onView(view: DashboardView): void;
};

/** The administration belongs to organizations, whatever their repositories and authors. */
export function Filters({ organizations, repositories, teams, view, onView }: FiltersProps) {
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
          <AuthorsPicker known={teams} {...{ view, onView }} />
        </>
      )}
    </section>
  );
}
