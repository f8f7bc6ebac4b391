import { htmlPage } from "../lib/report/html-page.ts";
import { daysOf, utc } from "../lib/report/period.ts";
import { notesOf, scopeOf } from "./notes.ts";
import { sectionsRead } from "./pages.ts";
import type { PageSession } from "./session.ts";
import { sortedPlaces } from "./sort.ts";
import type { DashboardView, PageName } from "./view.ts";

/** The figures of the view as one file that needs no key; null until they are read. It names teams, and no people. */
export function reportFile(session: PageSession, view: DashboardView): string | null {
  const { reviews, teams, before } = session.sections;
  if (!isSettled(session) || !reviews.shown) return null;
  const { period, total, weeks, complexity, heatMap, repositories } = reviews.shown;
  const hasTeams = teams.shown !== null && teams.shown.known.length > 0;
  const rows = hasTeams
    ? sortedPlaces(teams.shown?.rows ?? [], view.teamSort)
    : sortedPlaces(repositories, view.sort);
  const report = {
    place: scopeOf(session)?.place ?? null,
    period: { ...period, days: daysOf(period), time_zone: utc },
    notes: notesOf(session, view),
    total,
    weeks,
    complexity,
    heat_map: heatMap,
    before: before.shown,
    by: hasTeams ? ("team" as const) : ("repository" as const),
    rows,
  };
  return htmlPage(report, pageStyle());
}

/** The figures of this view are read, with those of the period before. */
const isSettled = ({ sections: { reviews, before } }: PageSession): boolean =>
  reviews.state.status === "ready" && before.state.status !== "loading" && before.state.status !== "unread";

/** Nothing of the page is still being read. */
export const isRead = ({ sections }: PageSession, page: PageName): boolean =>
  [...sectionsRead(page, (name) => sections[name].state.status !== "left-out")].every(
    (name) => !["loading", "unread"].includes(sections[name].state.status),
  );

/** The style that the page has loaded: it contains that of reports. */
const pageStyle = (): string =>
  [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText)).join("\n");
