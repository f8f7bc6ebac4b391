import { msPerDay } from "../../../lib/contract/days.ts";
import type { AttributeValue } from "../../../lib/store/table.ts";
import type { Dataset, EntryDraft, PullRequestChange } from "../../../lib/stream/stream.ts";
import { datasets } from "../../../lib/stream/stream.ts";
import { weekStartMs } from "../../../lib/stream/weeks.ts";
import type { Dice } from "./model/scheduler.ts";

export type PullRequest = { readonly organization: string; readonly url: string };

/** One platform event and the times of its deliveries. */
export type HistoryEvent = {
  readonly change: PullRequestChange;
  readonly pullRequest: PullRequest;
  /** In steps of the scheduler; infinite until it happens. */
  firstDelivered: number;
  acknowledged: number;
};

export const firstWeek = 1400;
export const weeksCount = 4;

/** The state of one pull request in its events. */
type State = {
  readonly week: number;
  readonly day: number;
  readonly content: number;
  readonly isLarge: boolean;
  readonly has: readonly Dataset[];
  readonly repositoryId: string;
  readonly authorId: string | null;
  readonly status: "m" | "c";
};

/** Random events of a few pull requests, in the order in which they occurred; deliveries have another order. */
export function makeHistory(dice: Dice, organizations: readonly string[]): HistoryEvent[] {
  const pullRequests = makePullRequests(dice, organizations);
  const states = new Map<PullRequest, State[]>();
  const largeShare = dice.pick([0, 0.3, 0.8]);
  const removedShare = dice.pick([0.05, 0.05, 0.35]);
  return Array.from({ length: 8 + dice.below(32) }, (_, index) => {
    const pullRequest = dice.pick(pullRequests);
    const past = states.get(pullRequest) ?? [];
    const state = nextState(dice, past, index, largeShare, removedShare);
    states.set(pullRequest, [...past, state]);
    return {
      change: toChange(pullRequest, state, index),
      pullRequest,
      firstDelivered: Infinity,
      acknowledged: Infinity,
    };
  });
}

function makePullRequests(dice: Dice, organizations: readonly string[]): PullRequest[] {
  // Few pull requests, so that each is rewritten often: then the order of events matters.
  const pullRequestsMax = dice.pick([1, 1, 2, 3, 6]);
  const used = organizations.filter(() => dice.chance(0.6));
  return (used.length > 0 ? used : organizations).flatMap((organization) =>
    Array.from({ length: 1 + dice.below(pullRequestsMax) }, (_, index) => ({
      organization,
      // Unique only within an organization, as on the platform.
      url: `https://git.example/${index}`,
    })),
  );
}

function nextState(
  dice: Dice,
  past: readonly State[],
  index: number,
  largeShare: number,
  removedShare: number,
): State {
  const isLarge = dice.chance(largeShare);
  const last = past.at(-1);
  if (!last) {
    const week = firstWeek + dice.below(weeksCount);
    return {
      week,
      day: dice.below(7),
      content: index,
      isLarge,
      has: dice.chance(0.9) ? datasets : ["reviews"],
      ...someFacets(dice),
    };
  }
  if (dice.chance(removedShare)) return { ...last, has: [] };
  const roll = dice.below(100);
  if (roll < 15) return last; // newer, equal
  if (roll < 40) return { ...last, week: firstWeek + dice.below(weeksCount), day: dice.below(7) };
  if (roll < 60) return { ...last, content: index, isLarge, has: ["reviews", "mcp"] }; // lost its comments
  if (roll < 70) return dice.pick(past); // back to what it was
  if (roll < 80) return { ...last, ...someFacets(dice) };
  return { ...last, content: index, isLarge, has: datasets };
}

/** The fields that readers filter by, besides the day. A closed pull request is in `reviews` only. */
const someFacets = (dice: Dice): Pick<State, "repositoryId" | "authorId" | "status"> => ({
  repositoryId: `repository-${dice.below(2)}`,
  authorId: dice.chance(0.2) ? null : `author-${dice.below(2)}`,
  status: dice.chance(0.2) ? "c" : "m",
});

function toChange(pullRequest: PullRequest, state: State, index: number): PullRequestChange {
  const { organization, url } = pullRequest;
  const { repositoryId, authorId, status } = state;
  const drafts: { [Name in Dataset]?: EntryDraft } = {};
  for (const dataset of state.has) {
    if (status === "c" && dataset !== "reviews") continue;
    // Review counts change less often than comments do.
    const content = dataset === "reviews" ? state.content - (state.content % 2) : state.content;
    drafts[dataset] = {
      atMs: weekStartMs(state.week) + state.day * msPerDay,
      repositoryId,
      authorId,
      digest: `${status} ${content}`,
      ...(dataset === "reviews" && { status }),
      payload: payloadOf(
        `${status} ${organization} ${url} ${content};`,
        state.isLarge && dataset === "review-comments",
      ),
      renderedBytes: 100,
    };
  }
  const occurredAtMs = 1_000_000_000_000 + Math.floor(index / 2) * 1000; // ties: the greater event id wins
  const eventId = `event-${String(index).padStart(4, "0")}`;
  return { organization, pullRequest: url, occurredAtMs, eventId, datasets: drafts };
}

/** Two or three parts if it is large; each part names its pull request. */
const payloadOf = (text: string, isLarge: boolean): AttributeValue =>
  isLarge ? new TextEncoder().encode(text.repeat(4)) : { text };

/** Everything that a reader sees of an entry, as text for comparison. */
export const visibleText = (
  visible: Pick<EntryDraft, "atMs" | "repositoryId" | "authorId"> & { payload: AttributeValue | undefined },
): string => {
  const { atMs, repositoryId, authorId, payload } = visible;
  const shown = payload instanceof Uint8Array ? Buffer.from(payload).toString() : payload;
  return JSON.stringify([atMs, repositoryId, authorId, shown]);
};

/** The pull request of an entry, read from its payload. */
export function pullRequestOf(payload: AttributeValue | undefined): string {
  const text = payload instanceof Uint8Array ? Buffer.from(payload).toString() : JSON.stringify(payload);
  return /org-\w+ https:\/\/git\.example\/\d+/.exec(text)?.[0] ?? `nobody's: ${text}`;
}

export const nameOf = ({ organization, url }: PullRequest): string => `${organization} ${url}`;

/** The first letter of every payload. Payloads of `reviews`, the only dataset filtered by it, are never in parts. */
export const statusOf = (payload: AttributeValue | undefined): string | undefined =>
  typeof payload === "object" && payload !== null && "text" in payload ? String(payload.text)[0] : undefined;
