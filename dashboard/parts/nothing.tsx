import { longDays } from "../../lib/report/words.ts";
import type { PageProps } from "../pages/page.ts";
import type { ReviewFigures } from "../protocol.ts";
import { defaultView } from "../view.ts";

type NothingProps = Omit<PageProps, "ask"> & { readonly figures: ReviewFigures };

const { period: _period, sort: _sort, byAuthor: _byAuthor, ...noFilters } = defaultView;

/** Without pull requests there is one sentence and what to do, instead of empty charts. */
export function Nothing({ figures: { period }, session, view, onView }: NothingProps) {
  const { state: teams } = session.sections.teams;
  const isFiltered =
    [view.organizations, view.repositories, view.teams].some(({ length }) => length > 0) || view.withoutBots;
  const isShort = !("days" in view.period && view.period.days === 90);
  return (
    <section class="card nothing">
      <h2>Nothing to show</h2>
      <p>
        {longDays(period)}: no reviewed pull request was merged{isFiltered ? " in what you chose" : ""}.
      </p>
      {view.teams.length > 0 && "sentence" in teams && <p>The teams are not known. {teams.sentence}</p>}
      <div class="decide">
        {isFiltered && (
          <button type="button" class="primary" onClick={() => onView({ ...view, ...noFilters })}>
            Show everything
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
