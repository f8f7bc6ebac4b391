import { leftOutSentence } from "../../lib/report/left-out.ts";
import { definitions } from "../../lib/report/words.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import type {
  ApprovalAction,
  KeyIdentity,
  PendingLearning,
  ReviewFigures,
  SectionName,
} from "../protocol.ts";
import type { PageSession } from "../session.ts";
import { type DashboardView, resolvePeriod } from "../view.ts";
import { AuditLog } from "./audit.tsx";
import { Complexity } from "./complexity.tsx";
import { Headlines } from "./headlines.tsx";
import { HeatMap } from "./heat-map.tsx";
import { LearningSearch } from "./learning-search.tsx";
import { Learnings, PendingLearnings } from "./learnings.tsx";
import { Mcp } from "./mcp.tsx";
import { Nothing } from "./nothing.tsx";
import { FileDays } from "./numbers.tsx";
import { Authors, PullRequests } from "./people.tsx";
import { Progress } from "./progress.tsx";
import { Repositories } from "./repositories.tsx";
import { Seats } from "./seats.tsx";
import { Section } from "./section.tsx";
import { Security } from "./security.tsx";
import { Teams } from "./teams.tsx";
import { Toolbar } from "./toolbar.tsx";
import { Trends } from "./trends.tsx";
import { Webhooks } from "./webhooks.tsx";

type DashboardProps = {
  readonly session: PageSession;
  readonly view: DashboardView;
  onView(view: DashboardView): void;
  onReload(): void;
  onRetry(name: SectionName): void;
  onForget(): void;
  onSearch(query: string): void;
  onDecide(learning: PendingLearning, decision: ApprovalAction): void;
  onTestWebhook(id: string): void;
  onDeliveries(id: string): void;
};

export function Dashboard(props: DashboardProps) {
  const { session, view, onView, onRetry, onSearch, onDecide, onTestWebhook, onDeliveries } = props;
  const { sections } = session;
  const shared = { view, onView };
  const { start_date, end_date } = resolvePeriod(view.period, systemClock.nowMs());
  return (
    <FileDays.Provider value={`${start_date}-to-${end_date}`}>
      <button type="button" class="skip" onClick={skip}>
        Skip to the figures
      </button>
      <Toolbar
        {...props}
        repositories={sections.reviews.shown?.knownRepositories ?? []}
        teams={sections.teams.shown?.known ?? []}
      />
      <p class="unseen" role="status">
        {session.announcement}
      </p>
      <main id="figures" tabIndex={-1} aria-busy={sections.reviews.state.status === "loading"}>
        <p class="problem" role="alert">
          {session.notice}
        </p>
        <Progress session={session} />
        <LeftOut organizations={session.identity?.scope.organizations ?? []} />
        <Section title="Reviews" of={sections.reviews} onRetry={() => onRetry("reviews")} hasNoTitle>
          {(figures) =>
            figures.total.pull_requests === 0 ? (
              <Nothing {...shared} figures={figures} teams={sections.teams.state} />
            ) : (
              <Reviews
                {...shared}
                figures={figures}
                before={sections.before}
                teams={sections.teams}
                onRetry={onRetry}
              />
            )
          }
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
            {(figures) => <Seats figures={figures} uses={sections.seatUse} />}
          </Section>
          <Section title="Learnings by use" of={sections.learnings} onRetry={() => onRetry("learnings")}>
            {(figures) => <Learnings figures={figures} />}
          </Section>
        </div>
        <LearningSearch search={session.search} onSearch={onSearch} />
        <Section
          title="Learnings that wait for approval"
          of={sections.pending}
          onRetry={() => onRetry("pending")}
        >
          {(pending) => (
            <PendingLearnings pending={pending} problems={session.undecided} onDecide={onDecide} />
          )}
        </Section>
        <Section title="Webhooks" of={sections.webhooks} onRetry={() => onRetry("webhooks")}>
          {(webhooks) => (
            <Webhooks
              webhooks={webhooks}
              tests={session.webhookTests}
              deliveries={session.deliveries}
              onTest={onTestWebhook}
              onDeliveries={onDeliveries}
            />
          )}
        </Section>
        <Section title="Recent audit entries" of={sections.audit} onRetry={() => onRetry("audit")}>
          {(entries) => <AuditLog entries={entries} />}
        </Section>
        <Meanings />
        <footer class="end">
          Figures as <code>npx review-api report</code> has them · <a href="docs">API reference</a>
        </footer>
      </main>
    </FileDays.Provider>
  );
}

const LeftOut = ({ organizations }: { readonly organizations: KeyIdentity["scope"]["organizations"] }) => {
  const sentence = leftOutSentence(organizations);
  return sentence && <p class="notice">{sentence}</p>;
};

type ReviewsProps = Pick<DashboardProps, "view" | "onView" | "onRetry"> & {
  readonly figures: ReviewFigures;
  readonly before: PageSession["sections"]["before"];
  readonly teams: PageSession["sections"]["teams"];
};

const Reviews = (props: ReviewsProps) => (
  <>
    <Headlines {...props} />
    <Trends {...props} />
    <div class="row wide-narrow">
      <HeatMap {...props} />
      <Complexity {...props} />
    </div>
    <Repositories {...props} />
    <PullRequests {...props} />
    <Section title="By team" of={props.teams} onRetry={() => props.onRetry("teams")}>
      {(figures) => <Teams figures={figures} />}
    </Section>
    <Authors {...props} />
  </>
);

/** A printed page has no “?” to press. */
const Meanings = () => (
  <section class="paper-only">
    <h2>What the figures mean</h2>
    <dl class="meanings">
      <dt>Pull requests</dt>
      <dd>{definitions.pullRequests}</dd>
      <dt>Acceptance</dt>
      <dd>{definitions.acceptance}</dd>
      <dt>Time to first human review</dt>
      <dd>{definitions.timeToFirstHumanReview}</dd>
      <dt>Time to merge</dt>
      <dd>{definitions.timeToMerge}</dd>
    </dl>
  </section>
);

/** Not a link: the address contains the view, and a jump must not replace it. */
const skip = (): void => document.getElementById("figures")?.focus();
