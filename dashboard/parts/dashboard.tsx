import { useEffect } from "preact/hooks";
import { noteText } from "../../lib/report/left-out.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { filterNotes, scopeOf } from "../notes.ts";
import { Administration } from "../pages/administration.tsx";
import { Overview } from "../pages/overview.tsx";
import type { PageProps } from "../pages/page.ts";
import { Quality } from "../pages/quality.tsx";
import { TeamsAndRepositories } from "../pages/teams.tsx";
import { pages } from "../pages.ts";
import { resolvePeriod } from "../view.ts";
import { Filters } from "./filters.tsx";
import { Header, type HeaderProps } from "./header.tsx";
import { KeyShows, LeftOutOrganizations, LeftOutParts } from "./left-out.tsx";
import { ListPanel } from "./list-panel.tsx";
import { FileDays } from "./numbers.tsx";
import { Progress } from "./progress.tsx";

const contents = {
  overview: Overview,
  teams: TeamsAndRepositories,
  quality: Quality,
  administration: Administration,
};

export function Dashboard(props: PageProps & HeaderProps) {
  const { session, view } = props;
  const { sections, identity } = session;
  const organizations = identity?.scope.organizations ?? [];
  const period = resolvePeriod(view.period, systemClock.nowMs());
  const isBusy = [sections.reviews, sections.before].some(({ state }) => state.status === "loading");
  const Content = contents[view.page];
  useEffect(() => {
    document.title = `${pages[view.page].title} · Review dashboard`;
    scrollTo(0, 0);
  }, [view.page]);
  return (
    <FileDays.Provider value={`${period.start_date}-to-${period.end_date}`}>
      <Header {...props} />
      <Filters {...props} />
      <p class="unseen" role="status">
        {session.announcement}
      </p>
      <main id="figures" tabIndex={-1} aria-busy={isBusy}>
        <p class="problem" role="alert">
          {session.notice}
        </p>
        <h1 class="paper">
          {pages[view.page].title} of {scopeOf(session)?.place}
        </h1>
        <h2 class="unseen">{pages[view.page].title}</h2>
        <Progress {...{ session, period }} />
        {filterNotes(session, view).map((note) => (
          <p key={note.text} class="paper">
            {noteText(note)}
          </p>
        ))}
        <LeftOutOrganizations organizations={organizations} />
        <KeyShows only={identity?.key.only ?? null} />
        <Content {...props} />
        <ListPanel {...props} listed={sections.reviews.shown?.listed ?? null} />
        <LeftOutParts page={view.page} sections={sections} />
        <footer class="end">
          Figures as <code>npx --no-install review-api report</code> has them ·{" "}
          <a href="docs">API reference</a>
        </footer>
      </main>
    </FileDays.Provider>
  );
}
