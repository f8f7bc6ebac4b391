import { longDay } from "../days.ts";
import type { ReviewFigures } from "../protocol.ts";
import type { DashboardView } from "../view.ts";

type NothingProps = {
  readonly figures: ReviewFigures;
  readonly view: DashboardView;
  onView(view: DashboardView): void;
};

/** Without pull requests there is one sentence and what to do, instead of empty charts. */
export function Nothing({ figures: { period }, view, onView }: NothingProps) {
  const isFiltered = view.organizations.length > 0 || view.repositories.length > 0;
  const isShort = !("days" in view.period && view.period.days === 90);
  return (
    <section class="card nothing">
      <h2>Nothing to show</h2>
      <p>
        No reviewed pull request was merged from {longDay(period.start_date)} to {longDay(period.end_date)}
        {isFiltered ? " in what you chose" : ""}.
      </p>
      <div class="decide">
        {isFiltered && (
          <button
            type="button"
            class="primary"
            onClick={() => onView({ ...view, organizations: [], repositories: [], listed: null })}
          >
            Show all organizations and repositories
          </button>
        )}
        {isShort && (
          <button type="button" onClick={() => onView({ ...view, period: { days: 90 } })}>
            Show the last 90 days
          </button>
        )}
      </div>
      <p class="definition">
        Pull requests appear here after their merge, once the platform has sent them.{" "}
        <a href="docs">How data gets in</a>
      </p>
    </section>
  );
}
