import type { TeamFigures } from "../figures/teams.ts";
import { type DashboardView, noTeam } from "../view.ts";
import { Picker } from "./picker.tsx";

type AuthorsPickerProps = {
  readonly known: TeamFigures["known"];
  readonly view: DashboardView;
  onView(view: DashboardView): void;
};

/** Whose pull requests the figures of reviews count: teams, and people without bots. */
export function AuthorsPicker({ known, view, onView }: AuthorsPickerProps) {
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
function chosenAuthorsText(
  { teams, withoutBots }: Pick<DashboardView, "teams" | "withoutBots">,
  options: ReadonlyArray<{ readonly id: string; readonly name: string }>,
): string {
  const [only] = teams;
  const named = options.find(({ id }) => id === only)?.name ?? only;
  const chosen = teams.length > 1 ? `${teams.length} teams` : (named ?? "All authors");
  if (!withoutBots) return chosen;
  return teams.length === 0 ? "No bots" : `${chosen}, no bots`;
}
