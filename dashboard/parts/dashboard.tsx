import type { ApprovalAction, PendingLearning, SectionName } from "../protocol.ts";
import type { PageSession } from "../session.ts";
import type { DashboardView } from "../view.ts";
import { AuditLog } from "./audit.tsx";
import { Complexity } from "./complexity.tsx";
import { Headlines } from "./headlines.tsx";
import { HeatMap } from "./heat-map.tsx";
import { Learnings, PendingLearnings } from "./learnings.tsx";
import { Mcp } from "./mcp.tsx";
import { Authors, PullRequests } from "./people.tsx";
import { Progress } from "./progress.tsx";
import { Repositories } from "./repositories.tsx";
import { Seats } from "./seats.tsx";
import { Section } from "./section.tsx";
import { Security } from "./security.tsx";
import { Toolbar } from "./toolbar.tsx";
import { Trends } from "./trends.tsx";

type DashboardProps = {
  readonly session: PageSession;
  readonly view: DashboardView;
  onView(view: DashboardView): void;
  onReload(): void;
  onRetry(name: SectionName): void;
  onForget(): void;
  onDecide(learning: PendingLearning, decision: ApprovalAction): void;
};

export function Dashboard(props: DashboardProps) {
  const { session, view, onView, onRetry, onDecide } = props;
  const { sections } = session;
  const shared = { view, onView };
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the figures
      </button>
      <Toolbar {...props} repositories={sections.reviews.shown?.knownRepositories ?? []} />
      <p class="unseen" role="status">
        {session.announcement}
      </p>
      <main id="figures" tabIndex={-1} aria-busy={sections.reviews.state.status === "loading"}>
        <p class="problem" role="alert">
          {session.notice}
        </p>
        <Progress session={session} />
        <Section title="Reviews" of={sections.reviews} onRetry={() => onRetry("reviews")} hasNoTitle>
          {(figures) => (
            <>
              <Headlines figures={figures} />
              <Trends figures={figures} />
              <div class="row wide-narrow">
                <HeatMap figures={figures} />
                <Complexity figures={figures} />
              </div>
              <Repositories {...shared} figures={figures} />
              <PullRequests {...shared} figures={figures} />
              <Authors {...shared} figures={figures} />
            </>
          )}
        </Section>
        <div class="row">
          <Section title="MCP use" of={sections.mcp} onRetry={() => onRetry("mcp")}>
            {(figures) => <Mcp figures={figures} />}
          </Section>
          <Section title="Open security findings" of={sections.security} onRetry={() => onRetry("security")}>
            {(figures) => <Security figures={figures} />}
          </Section>
        </div>
        <div class="row narrow-wide">
          <Section title="Seats" of={sections.seats} onRetry={() => onRetry("seats")}>
            {(figures) => <Seats figures={figures} />}
          </Section>
          <Section title="Learnings by use" of={sections.learnings} onRetry={() => onRetry("learnings")}>
            {(figures) => <Learnings figures={figures} />}
          </Section>
        </div>
        <Section
          title="Learnings that wait for approval"
          of={sections.pending}
          onRetry={() => onRetry("pending")}
        >
          {(pending) => (
            <PendingLearnings pending={pending} problems={session.undecided} onDecide={onDecide} />
          )}
        </Section>
        <Section title="Recent audit entries" of={sections.audit} onRetry={() => onRetry("audit")}>
          {(entries) => <AuditLog entries={entries} />}
        </Section>
        <footer class="end">
          Figures as <code>npx review-api report</code> has them · <a href="docs">API reference</a>
        </footer>
      </main>
    </>
  );
}

/** Not a link: the address contains the view, and a jump must not replace it. */
const skip = (): void => document.getElementById("figures")?.focus();
