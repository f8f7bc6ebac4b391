import type { OperationName } from "../../lib/client/client.ts";
import { pageLimits } from "../../lib/contract/limits.ts";
import type { PullRequest } from "../../lib/report/pull-request.ts";
import { comparableBefore } from "../../lib/report/read-pull-requests.ts";
import { figuresBefore, type PeriodBefore } from "../../lib/report/report.ts";
import { type FetchedSeats, fetchSeats, fetchSeatUse } from "../../lib/report/seats.ts";
import { readTeams, type Team } from "../../lib/report/teams.ts";
import type { Clock } from "../../lib/runtime/clock.ts";
import { learningFigures } from "../figures/learnings.ts";
import { mcpFigures } from "../figures/mcp.ts";
import { reviewFigures } from "../figures/reviews.ts";
import { judgedUsers, type SeatInput, seatFigures, seatUses } from "../figures/seats.ts";
import { securityFigures } from "../figures/security.ts";
import { chosenAuthors, teamFigures } from "../figures/teams.ts";
import type {
  AuditEntry,
  KeyIdentity,
  SectionMessage,
  SectionName,
  SectionState,
  Sections,
  ShownView,
} from "../protocol.ts";
import { organizationName, pullRequestFilter } from "../view.ts";
import {
  type FetchedReviews,
  fetchAudit,
  fetchBefore,
  fetchFindings,
  fetchKeys,
  fetchLearnings,
  fetchMcp,
  fetchPending,
  fetchReviews,
  fetchWebhooks,
} from "./read.ts";
import { refusalOf } from "./refusal.ts";
import { type Context, SectionSource, type SourceDeps, type SourceOptions } from "./source.ts";

const byPeriod = ({ narrowing, view }: Context) => [narrowing, view.period];

type InRepository = {
  readonly provider: string;
  readonly organization_id: string;
  readonly repository_id: string;
};
/** The records of the chosen organizations and repositories. */
const chosen = <Record extends InRepository>(records: readonly Record[], view: ShownView): Record[] => {
  const passes = pullRequestFilter(view);
  return records.filter(({ provider, organization_id: organizationId, repository_id: repositoryId }) =>
    passes({ provider, organizationId, repositoryId }),
  );
};

/** For requests that are limited to the chosen organizations. */
const refusalHere =
  (name: OperationName, parameter?: string) =>
  ({ identity, narrowing }: Context): string | null =>
    refusalOf(identity, name, parameter, narrowing.organizations);

const homeOf = ({ scope }: KeyIdentity) => scope.home ?? scope.organizations[0] ?? null;

/** In the order of their updates: reviews wait for the teams that are read then. */
export const sectionNames = [
  ...["teams", "reviews", "mcp", "before", "security", "seats", "seatUse", "keys"],
  ...["learnings", "pending", "webhooks", "audit"],
] as const;

/** Ten people need a request: `npx review-api seats idle` has all. */
const seatUsesMax = 100;

type MakeSource = <Name extends SectionName, Records>(
  name: Name,
  options: Omit<SourceOptions<Records, Sections[Name]>, "message">,
) => SectionSource<Records, Sections[Name]>;

/** The source of each section of the page. */
export function createSources(surroundings: SourceDeps, clock: Clock) {
  const make: MakeSource = (name, options) =>
    new SectionSource({ ...options, message: (state) => messageOf(name, state) }, surroundings);
  const ofReviews = reviewSources(make, clock, () => ofSeats.seats.sendAgain());
  const ofSeats = seatSources(make, clock, ofReviews);
  return { ...ofReviews, ...ofSeats, ...listSources(make, clock) };
}

/** The name decides the type of the figures, which TypeScript does not follow into the union of all messages. */
const messageOf = <Name extends SectionName>(
  name: Name,
  state: SectionState<Sections[Name]>,
): SectionMessage => ({ type: "section", name, state }) as SectionMessage;

/** `onReviews`: others depend on the pull requests too. */
function reviewSources(make: MakeSource, clock: Clock, onReviews: () => void) {
  const teams: SectionSource<Team[], Sections["teams"]> = make("teams", {
    refusal: refusalHere("listTeams"),
    read: ({ client, signal, narrowing }) =>
      readTeams(client, narrowing.filter, { pageSizeMax: pageLimits.teams.max, signal }),
    onRead: () => [reviews, before].map((source) => source.sendAgain()),
    figures: (records, context) =>
      teamFigures(records, reviews.records()?.pullRequests, context.view, beforeIn(context)),
  });
  const reviews: SectionSource<FetchedReviews, Sections["reviews"]> = make("reviews", {
    refusal: refusalHere("listReviewMetrics"),
    keyOf: byPeriod,
    read: async (reading, { view }) => {
      const read = await fetchReviews(reading, view.period);
      // Without the teams, a chosen team would have no pull requests.
      await teams.settled();
      return read;
    },
    // Idle seats and the figures of teams can be computed only now.
    onRead: () => {
      onReviews();
      teams.sendAgain();
    },
    figures: ({ pullRequests }, context) =>
      reviewFigures(pullRequests, context.view, { teams: teams.records(), before: beforeIn(context) }),
  });
  const mcp = make("mcp", {
    refusal: refusalHere("listMcpMetrics"),
    keyOf: byPeriod,
    read: async (reading, { view }) => {
      // They share a rate limit, and the figures of reviews have priority.
      await reviews.settled();
      reading.signal.throwIfAborted();
      return await fetchMcp(reading, view.period);
    },
    figures: (records, { view }) => mcpFigures(chosen(records, view)),
  });
  const before: SectionSource<PullRequest[], Sections["before"]> = make("before", {
    refusal: refusalHere("listReviewMetrics"),
    keyOf: byPeriod,
    read: async (reading, { view }) => {
      // The period itself has priority.
      await Promise.all([reviews.settled(), mcp.settled()]);
      reading.signal.throwIfAborted();
      return await fetchBefore(reading, view.period);
    },
    // Every row and every chart compares with it.
    onRead: () => [reviews, teams].map((source) => source.sendAgain()),
    figures: (pullRequests, { view }) => figuresBefore(comparable(pullRequests, view)),
  });
  const comparable = (read: readonly PullRequest[], view: ShownView) =>
    comparableIn(read, teams.records() ?? [], view, clock.nowMs());
  const beforeIn = (context: Context): PeriodBefore | undefined => {
    const read = before.recordsFor(context);
    return read && comparable(read, context.view);
  };
  return { teams, reviews, mcp, before };
}

/** Of the period before, what the view shows, up to the same time. */
function comparableIn(read: readonly PullRequest[], teams: readonly Team[], view: ShownView, nowMs: number) {
  const shown = read.filter(pullRequestFilter(view)).filter(chosenAuthors(teams, view).isWanted);
  return comparableBefore(shown, view.period, { nowMs });
}

type ReviewSources = ReturnType<typeof reviewSources>;

function seatSources(make: MakeSource, clock: Clock, { reviews, before }: ReviewSources) {
  const seatInput = (read: FetchedSeats, { identity, narrowing }: Context): SeatInput => ({
    ...read,
    authors: narrowing.isWhole ? (reviews.records()?.authors ?? null) : null,
    home: homeOf(identity),
    organizations: identity.scope.organizations,
  });
  const seats = make("seats", {
    refusal: ({ identity }) => refusalOf(identity, "listUsers"),
    keyOf: ({ view }) => view.period.start_date,
    read: ({ client, signal, onProgress }, { view }) =>
      fetchSeats(client, view.period.start_date, { signal, onProgress }),
    figures: (read: FetchedSeats, context) => seatFigures(seatInput(read, context)),
  });
  const seatUse = make("seatUse", {
    refusal: ({ identity }) => refusalOf(identity, "listUsers") ?? refusalOf(identity, "listReviewMetrics"),
    keyOf: byPeriod,
    read: async ({ client, signal, metrics: filters }, context) => {
      // It shares their limits, and it is only about those who turn out to be idle.
      await Promise.all([reviews.settled(), before.settled(), seats.settled()]);
      signal.throwIfAborted();
      const read = seats.records();
      const judged = read && judgedUsers(seatInput(read, context));
      const some = (judged?.idle ?? []).slice(0, seatUsesMax);
      return await fetchSeatUse(client, some, homeOf(context.identity), {
        signal,
        filters,
        nowMs: clock.nowMs(),
      });
    },
    figures: (uses, { identity }) => seatUses(uses, homeOf(identity)),
  });
  return { seats, seatUse };
}

const listSources = (make: MakeSource, clock: Clock) => ({
  security: make("security", {
    refusal: refusalHere("listSecurityFindings"),
    read: fetchFindings,
    figures: (findings, { view }) => securityFigures(chosen(findings, view), clock.nowMs()),
  }),
  learnings: make("learnings", {
    refusal: refusalHere("listLearnings"),
    read: fetchLearnings,
    figures: (records, { view }) => learningFigures(chosen(records, view), clock.nowMs()),
  }),
  pending: make("pending", {
    refusal: refusalHere("listLearnings", "state=pending"),
    read: fetchPending,
    figures: (records, { view }) => chosen(records, view),
  }),
  keys: make("keys", { refusal: refusalHere("listKeys"), read: fetchKeys, figures: (keys) => keys }),
  webhooks: make("webhooks", {
    refusal: refusalHere("listWebhooks"),
    read: fetchWebhooks,
    figures: (webhooks) => webhooks,
  }),
  audit: make("audit", {
    refusal: refusalHere("listAuditLogs"),
    read: fetchAudit,
    figures: (entries, { view }) => entries.filter((entry) => isOfOrganizations(entry, view)),
  }),
});

const isOfOrganizations = ({ provider, organization_id }: AuditEntry, { organizations }: ShownView) =>
  organizations.length === 0 ||
  organizations.includes(organizationName(provider ?? "", organization_id ?? ""));
