import { systemClock } from "../../lib/runtime/clock.ts";
import { longDay } from "../days.ts";
import type { TeamFigures } from "../figures/teams.ts";
import type { KeyIdentity, ReviewFigures } from "../protocol.ts";
import type { PageSession } from "../session.ts";
import { type DashboardView, noTeam, organizationName, resolvePeriod } from "../view.ts";
import { AuthorsPicker } from "./authors-picker.tsx";
import { Links } from "./links.tsx";
import { Mark } from "./mark.tsx";
import { PeriodPicker } from "./period-picker.tsx";
import { Picker } from "./picker.tsx";

type ToolbarProps = {
  readonly session: PageSession;
  readonly view: DashboardView;
  onView(view: DashboardView): void;
  onReload(): void;
  onForget(): void;
  readonly repositories: ReviewFigures["knownRepositories"];
  readonly teams: TeamFigures["known"];
};

export function Toolbar({ session, view, onView, onReload, onForget, repositories, teams }: ToolbarProps) {
  const { identity } = session;
  const organizations = identity?.scope.organizations ?? [];
  const period = resolvePeriod(view.period, systemClock.nowMs());
  return (
    <header class="bar-top">
      <div class="title">
        <Mark />
        <div>
          <h1>Review dashboard</h1>
          <p>
            {longDay(period.start_date)} to {longDay(period.end_date)}
            {identity && <span class="scope"> · {scopeOf(identity)}</span>}
            <span class="on-paper">{chosenOf(view, organizations, repositories, teams)}</span>
          </p>
        </div>
      </div>
      <div class="filters">
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
        <Picker
          name="Repositories"
          options={repositories.map(({ id, name, organization }) => ({ id, name, detail: organization }))}
          chosen={view.repositories}
          onChange={(chosen) => onView({ ...view, repositories: chosen })}
        />
        <AuthorsPicker known={teams} {...{ view, onView }} />
        <div class="actions">
          <button type="button" onClick={onReload}>
            Refresh
          </button>
          <Links view={view} />
          <button type="button" onClick={() => print()}>
            Print
          </button>
          <button type="button" onClick={onForget}>
            Forget key
          </button>
        </div>
      </div>
    </header>
  );
}

function scopeOf({ key, scope }: KeyIdentity): string {
  const [only] = scope.organizations;
  const where =
    scope.tenant === "organization" ? (only?.name ?? scope.tenant_id) : `${scope.tenant} ${scope.tenant_id}`;
  return `${where}, ${key.kind} key${key.name === null ? "" : ` “${key.name}”`}`;
}

/** A printed page has no pickers, so the chosen filters are shown as text. */
function chosenOf(
  view: ToolbarProps["view"],
  organizations: KeyIdentity["scope"]["organizations"],
  repositories: ToolbarProps["repositories"],
  teams: ToolbarProps["teams"],
): string {
  const names = new Map([
    ...organizations.map(
      (each) => [organizationName(each.provider, each.provider_organization_id), each.name] as const,
    ),
    ...[...repositories, ...teams].map(({ id, name }) => [id, name] as const),
    [noTeam, "no team"] as const,
  ]);
  const listOf = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? id).join(", ");
  const { organizations: chosen, repositories: chosenRepositories } = view;
  return [
    chosen.length > 0 ? ` · only organizations: ${listOf(chosen)}` : "",
    chosenRepositories.length > 0 ? ` · only repositories: ${listOf(chosenRepositories)}` : "",
    view.teams.length > 0 ? ` · only teams: ${listOf(view.teams)}` : "",
    view.withoutBots ? " · without bots" : "",
  ].join("");
}
