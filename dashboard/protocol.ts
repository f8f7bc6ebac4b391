import type { ResponseOf } from "../lib/client/client.ts";
import type { Figures } from "../lib/report/figures.ts";
import type { ListedPullRequest, ListName } from "../lib/report/lists.ts";
import type { Period } from "../lib/report/period.ts";
import type { FiguresBefore, HeatCell, ReportRow } from "../lib/report/report.ts";
import type { LearningFigures } from "./figures/learnings.ts";
import type { McpFigures } from "./figures/mcp.ts";
import type { PlaceRow } from "./figures/places.ts";
import type { SeatFigures, SeatUses } from "./figures/seats.ts";
import type { SecurityFigures } from "./figures/security.ts";
import type { TeamFigures } from "./figures/teams.ts";
import type { DashboardView } from "./view.ts";

/** The messages between the page and its worker. */

export type KeyIdentity = ResponseOf<"whoami">;
export type AuditEntry = ResponseOf<"listAuditLogs">["data"][number];
export type PendingLearning = ResponseOf<"listLearnings">["data"][number];
export type Webhook = ResponseOf<"listWebhooks">["data"][number];
export type KeyRecord = ResponseOf<"listKeys">["keys"][number];

/** The page fixes the days: its "today" may end while the worker reads. */
export type ShownView = Omit<DashboardView, "period" | "sort" | "teamSort"> & {
  readonly period: Period;
};

/** The pull requests of a repository or of a team, or those behind a figure. */
export type ListedPullRequests = {
  readonly id: string;
  readonly list: ListName | null;
  readonly title: string;
  readonly definition: string;
  /** The first ones. */
  readonly pullRequests: readonly ListedPullRequest[];
  readonly count: number;
};

export type ReviewFigures = {
  readonly period: Period;
  readonly total: Figures;
  readonly weeks: readonly ReportRow[];
  readonly complexity: readonly ReportRow[];
  readonly heatMap: readonly HeatCell[];
  readonly repositories: readonly PlaceRow[];
  /** Every repository with pull requests in the period, regardless of the chosen filters. */
  readonly knownRepositories: ReadonlyArray<Pick<PlaceRow, "id" | "name" | "organization">>;
  /** In alphabetical order; null unless the user chose it. */
  readonly authors: readonly ReportRow[] | null;
  readonly listed: ListedPullRequests | null;
};

/** Each section is read and refused independently. */
export type Sections = {
  readonly reviews: ReviewFigures;
  /** The period before, for the changes of the headlines. */
  readonly before: FiguresBefore;
  readonly teams: TeamFigures;
  readonly mcp: McpFigures;
  readonly security: SecurityFigures;
  readonly seats: SeatFigures;
  readonly seatUse: SeatUses;
  readonly keys: readonly KeyRecord[];
  readonly learnings: LearningFigures;
  readonly pending: readonly PendingLearning[];
  readonly webhooks: readonly Webhook[];
  readonly audit: readonly AuditEntry[];
};
export type SectionName = keyof Sections;

export type SectionState<Data> =
  /** Its page was not opened yet. */
  | { readonly status: "unread" }
  | { readonly status: "loading"; readonly records: number; readonly recordsMax: number | null }
  | { readonly status: "ready"; readonly data: Data }
  | SectionFault;

/**
 * `left-out`: the key may not read this section; without a sentence the page does not mention the section. `failed`: a
 * later attempt may succeed.
 */
export type SectionFault = { readonly status: "left-out" | "failed"; readonly sentence: string };

export type FoundLearning = ResponseOf<"searchLearnings">["data"][number];

/** The last search of a person, and what became of it. */
export type LearningSearchState =
  | { readonly status: "searching" }
  | { readonly status: "found"; readonly results: readonly FoundLearning[] }
  | { readonly status: "failed"; readonly sentence: string };

/** What a receiver answered to a ring that a person sent. */
export type WebhookTest = { readonly sentence: string; readonly isDelivered: boolean };

/** A ring that was sent to a webhook. */
export type WebhookDelivery = {
  readonly at: string;
  readonly type: string;
  readonly attempts: number;
  readonly sentence: string;
};

export type ApprovalAction = "approve" | "disapprove";

/** What a person can do here besides reading figures: the page offers only what the key may do. */
export const actions = ["searchLearnings", "decideLearning", "testWebhook", "listWebhookDeliveries"] as const;
export type Action = (typeof actions)[number];

export type ToWorker =
  | { readonly type: "begin"; readonly baseUrl: string; readonly key: string; readonly view: ShownView }
  | Asked;

export type Asked =
  /** `reload` reads everything again. */
  | { readonly type: "show" | "reload"; readonly view: ShownView }
  /** Reads a failed section again. */
  | { readonly type: "retry"; readonly name: SectionName }
  | { readonly type: "search"; readonly query: string }
  | { readonly type: "decide"; readonly learning: PendingLearning; readonly decision: ApprovalAction }
  | { readonly type: "test-webhook" | "list-deliveries"; readonly id: string };

export type SectionMessage = {
  [Name in SectionName]: {
    readonly type: "section";
    readonly name: Name;
    readonly state: SectionState<Sections[Name]>;
  };
}[SectionName];

/** Why nothing arrives at the moment. */
export type WaitingNotice = {
  /** `half`: the page has used its half of the rate limit. `asked`: the service asked to wait. */
  readonly reason: "half" | "asked";
  readonly seconds: number;
};

export type FromWorker =
  | { readonly type: "identity"; readonly identity: KeyIdentity; readonly allowed: readonly Action[] }
  /** The key does not work, or no longer works. */
  | { readonly type: "refused"; readonly sentence: string }
  /** Nothing is known about the key: the service did not answer. */
  | { readonly type: "unreachable"; readonly sentence: string }
  /** The same in an open session: the earlier figures stay. */
  | { readonly type: "not-refreshed"; readonly sentence: string }
  | SectionMessage
  | { readonly type: "waiting"; readonly waiting: WaitingNotice | null }
  | { readonly type: "searched"; readonly search: LearningSearchState }
  | { readonly type: "decided"; readonly id: string; readonly sentence: string; readonly isDone: boolean }
  | { readonly type: "webhook-tested"; readonly id: string; readonly test: WebhookTest }
  /** The last deliveries of a webhook, or why they are not there. */
  | {
      readonly type: "deliveries-listed";
      readonly id: string;
      readonly deliveries: readonly WebhookDelivery[] | string;
    };
