import { scopeOf } from "../notes.ts";
import type { PageProps } from "../pages/page.ts";
import { pages } from "../pages.ts";
import { isRead } from "../report-file.ts";
import type { SectionViews } from "../session.ts";
import { type DashboardView, pageNames } from "../view.ts";
import { Share } from "./share.tsx";
import { ViewLink } from "./view-link.tsx";

export type HeaderProps = Omit<PageProps, "ask"> & { onReload(): void; onForget(): void };

/** Whose figures these are, the pages, and what a person can do with all of them. */
export function Header({ session, view, onView, onReload, onForget }: HeaderProps) {
  const { sections } = session;
  const scope = scopeOf(session);
  return (
    <header class="bar-top">
      <button type="button" class="skip" onClick={skip}>
        Skip to the figures
      </button>
      <div class="title">
        <img class="mark" src="dashboard/icon.svg" alt="" />
        <div>
          <h1>
            <span class="unseen">Review dashboard: </span>
            {scope?.place}
          </h1>
          <p>{scope?.key}</p>
        </div>
      </div>
      <nav aria-label="Pages" class="pages">
        {pageNames
          .filter((page) => isOffered(page, sections))
          .map((page) => (
            <ViewLink
              key={page}
              to={{ ...view, page, listed: null }}
              onView={onView}
              isCurrent={page === view.page}
            >
              {pages[page].title}
            </ViewLink>
          ))}
      </nav>
      <div class="actions">
        <button type="button" onClick={onReload}>
          Refresh
        </button>
        <Share session={session} view={view} />
        <button type="button" disabled={!isRead(session, view.page)} onClick={() => print()}>
          Print
        </button>
        <button type="button" onClick={onForget}>
          Forget key
        </button>
      </div>
    </header>
  );
}

/** Not a link: the address contains the view, and a jump must not replace it. */
const skip = (): void => document.getElementById("figures")?.focus();

/** The key may read something of this page. */
export const isOffered = (page: DashboardView["page"], sections: SectionViews): boolean =>
  pages[page].shows.some((name) => sections[name].state.status !== "left-out");
