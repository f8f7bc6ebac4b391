import { systemClock } from "../../lib/runtime/clock.ts";
import { longDay } from "../days.ts";
import type { TeamFigures } from "../figures/teams.ts";
import type { KeyIdentity, ReviewFigures } from "../protocol.ts";
import { type DashboardView, noTeam, organizationName, resolvePeriod } from "../view.ts";
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
  const { start_date, end_date } = resolvePeriod(view.period, systemClock.nowMs());
  return (
    <section class="filters" aria-label="What is shown">
      <PeriodPicker view={view} onView={onView} />
      <p class="days">
        {longDay(start_date)} to {longDay(end_date)}
        <span class="on-paper">{chosenOf({ organizations, repositories, teams, view })}</span>
      </p>
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

/** A printed page has no pickers, so the chosen filters are shown as text. */
function chosenOf({ organizations, repositories, teams, view }: Omit<FiltersProps, "onView">): string {
  const names = new Map([
    ...organizations.map(
      (each) => [organizationName(each.provider, each.provider_organization_id), each.name] as const,
    ),
    ...[...repositories, ...teams].map(({ id, name }) => [id, name] as const),
    [noTeam, "no team"] as const,
  ]);
  const listOf = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? id).join(", ");
  return [
    view.organizations.length > 0 ? ` · only organizations: ${listOf(view.organizations)}` : "",
    view.repositories.length > 0 ? ` · only repositories: ${listOf(view.repositories)}` : "",
    view.teams.length > 0 ? ` · only teams: ${listOf(view.teams)}` : "",
    view.withoutBots ? " · without bots" : "",
  ].join("");
}
