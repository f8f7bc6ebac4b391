import { msPerDay } from "../../contract/days.ts";
import { organizationUuid } from "../../contract/identity.ts";
import { learningLimits } from "../../contract/limits.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import {
  type LearningItem,
  type PullRequestLearningsItem,
  parseLearning,
  parsePullRequestLearnings,
} from "../../store/items/learning.ts";
import { type OrganizationItem, parseOrganization } from "../../store/items/organization.ts";
import { parseRepository, type RepositoryItem } from "../../store/items/repository.ts";
import { unchanged } from "../../store/items/unchanged.ts";
import { occurredAtOf } from "../../store/items/version.ts";
import {
  learningKey,
  organizationKey,
  pullRequestLearningsKey,
  repositoryKey,
  textKey,
} from "../../store/layout.ts";
import { retryOnConflict, type Store } from "../../store/retry-on-conflict.ts";
import { ConditionFailed, type Item, type Key, type TransactionWrite } from "../../store/table.ts";
import type { LearningContent } from "../content.ts";
import { pullRequestDigest } from "../identity.ts";
import {
  approvedLearning,
  changedLearning,
  newLearning,
  recordWrites,
  type WriteContext,
  writeContext,
} from "../record.ts";
import { freeGeneration, textOwner, textWrite } from "../text-owner.ts";
import { appliedKey, appliedOnce } from "./applied-event.ts";
import { effectOnLearning } from "./pull-request.ts";
import type { LearningCaptured } from "./schemas.ts";

/**
 * Applies `learning.captured`: a Learning from a chat or a pull request. It counts once per event, so that a late
 * second delivery does not restore a Learning that was deleted since. The reconciler indexes it. Returns the reason if
 * the event cannot be applied.
 */
export async function captureLearning(
  store: Store,
  data: LearningCaptured,
  version: string,
): Promise<string | undefined> {
  // Imported when the first Learning arrives: most batches of events hold none.
  const { redactContent } = await import("../content.ts");
  const content = redactContent({
    repositoryId: data.repository_id,
    text: data.learning,
    file: data.file,
    sourceUrl: data.source_url,
  });
  return await retryOnConflict(store, async () => {
    const known = await readKnown(store, data, content, version);
    if (known.isApplied) return undefined;
    const at = writeContext({ nowMs: store.clock.nowMs(), random: store.random }, known.organization.tenant);
    const request = captureRequestOf(data, known, at.nowMs);
    const problem = fullItem(known, request);
    if (problem) return problem;
    const writes = known.learning
      ? mergeWrites(at, known, known.learning, request)
      : creationWrites(at, known, request, { content, authorId: data.author_id });
    await store.table.transact([appliedOnce(version, at.nowMs), ...writes]);
    return undefined;
  });
}

/** The reason if an item that the event would extend is full. */
function fullItem({ learning, text, pullRequest }: Known, request: CaptureRequest): string | undefined {
  const { generationsMax, perPullRequestMax, pullRequestsMax } = learningLimits;
  if (request.state === "dropped") return undefined;
  if (!learning && textOwner(text).generations.length >= generationsMax)
    return `learning: ${generationsMax} Learnings that began with this text exist already`;
  if (request.state !== "private") return undefined;
  const named = pullRequest ? parsePullRequestLearnings(pullRequest).learnings : {};
  const isNamed = learning !== undefined && Object.hasOwn(named, learning.id);
  if (!isNamed && Object.keys(named).length >= perPullRequestMax)
    return `pr_url: the pull request has ${perPullRequestMax} Learnings already`;
  const keepers = learning?.pull_requests ?? [];
  return !keepers.includes(request.pullRequest) && keepers.length >= pullRequestsMax
    ? `learning: ${pullRequestsMax} open pull requests have this Learning already`
    : undefined;
}

/** What the event alone asks for. */
type CaptureRequest =
  | { readonly state: "approved"; readonly because: "chat" | "merged" }
  | { readonly state: "pending"; readonly approveAt: string }
  | { readonly state: "private"; readonly pullRequest: string }
  | { readonly state: "dropped" };

type Known = {
  /** Of the event. */
  readonly version: string;
  readonly isApplied: boolean;
  readonly organization: OrganizationItem;
  readonly repository: RepositoryItem;
  readonly text: Item | undefined;
  readonly learning: LearningItem | undefined;
  readonly pullRequestKey: Key;
  readonly pullRequest: Item | undefined;
};

async function readKnown(
  { table }: Store,
  data: LearningCaptured,
  { digest, repositoryId }: LearningContent,
  version: string,
): Promise<Known> {
  const uuid = organizationUuid(data);
  const pullRequestKey = pullRequestLearningsKey(uuid, pullRequestDigest(data.pr_url ?? ""));
  const [applied, organization, repository, text, pullRequest] = await table.getMany([
    appliedKey(version),
    organizationKey(uuid),
    repositoryKey(uuid, repositoryId),
    textKey(uuid, digest),
    pullRequestKey,
  ]);
  // The list of event types has already checked both.
  if (!organization || !repository) throw new TypeError("The repository of a captured Learning is unknown.");
  const { learningId } = textOwner(text);
  const record = learningId === null ? undefined : await table.get(learningKey(uuid, learningId));
  const learning = record && parseLearning(record);
  // The text got another owner between the two reads.
  if (learningId !== null && learning?.digest !== digest) throw new ConditionFailed(record);
  return {
    version,
    isApplied: applied !== undefined,
    organization: parseOrganization(organization),
    repository: parseRepository(repository),
    text,
    learning,
    pullRequestKey,
    pullRequest,
  };
}

function captureRequestOf(data: LearningCaptured, known: Known, nowMs: number): CaptureRequest {
  if (data.source === "chat") {
    const days = known.repository.approval_delay_days ?? known.organization.approval_delay_days;
    if (days === 0) return { state: "approved", because: "chat" };
    // A sender's clock may be ahead of ours; no Learning waits longer than the delay.
    const approveAtMs = Math.min(Date.parse(occurredAtOf(known.version)), nowMs) + days * msPerDay;
    return { state: "pending", approveAt: toTimestamp(approveAtMs) };
  }
  const ended = known.pullRequest && parsePullRequestLearnings(known.pullRequest);
  const fate = ended ? effectOnLearning(ended, known.version) : "open";
  if (fate === "shared") return { state: "approved", because: "merged" };
  return fate === "dropped"
    ? { state: "dropped" }
    : { state: "private", pullRequest: known.pullRequestKey.sk };
}

function creationWrites(
  at: WriteContext,
  known: Known,
  request: CaptureRequest,
  { content, authorId }: { readonly content: LearningContent; readonly authorId: string },
): TransactionWrite[] {
  if (request.state === "dropped") return [];
  const { uuid } = known.organization;
  const owner = textOwner(known.text);
  const generation = freeGeneration(owner);
  const learning = newLearning(at, uuid, content, {
    generation,
    removedPlace: owner.removedPlace,
    state: request.state,
    pull_requests: request.state === "private" ? [request.pullRequest] : [],
    approve_at: request.state === "pending" ? request.approveAt : null,
    author_id: authorId,
    created_at: occurredAtOf(known.version),
  });
  return [
    ...recordWrites(at, undefined, learning),
    textWrite(uuid, content.digest, known.text, { learningId: learning.id, takes: generation }),
    ...(request.state === "private" ? [nameInPullRequest(known, learning.id)] : []),
  ];
}

/**
 * The text already exists. A reason to share it wins over a reason to hold it back; an admin's rejection is not
 * overruled.
 */
function mergeWrites(
  at: WriteContext,
  known: Known,
  learning: LearningItem,
  request: CaptureRequest,
): TransactionWrite[] {
  const { state } = learning;
  if (request.state === "dropped" || state === "approved" || state === "disapproved") return [];
  if (request.state === "approved") {
    // A chat without delay does not decide about a pending Learning; a merged pull request does.
    const overrules = state === "private" || request.because === "merged";
    return overrules ? recordWrites(at, learning, approvedLearning(at, learning)) : [];
  }
  if (request.state === "pending") {
    const waits = { state: "pending", approve_at: request.approveAt } as const;
    return state === "private" ? recordWrites(at, learning, changedLearning(at, learning, waits)) : [];
  }
  const pull_requests = [...new Set([...learning.pull_requests, request.pullRequest])];
  return [
    ...recordWrites(at, learning, changedLearning(at, learning, { pull_requests })),
    nameInPullRequest(known, learning.id),
  ];
}

/** On condition that the end of the pull request has not changed since we decided. */
function nameInPullRequest({ pullRequestKey, pullRequest, version }: Known, id: string): TransactionWrite {
  if (!pullRequest) {
    const open: PullRequestLearningsItem = {
      ...pullRequestKey,
      status: "open",
      version: null,
      learnings: { [id]: version },
    };
    return { put: open, when: { absent: "pk" } };
  }
  return {
    update: pullRequestKey,
    // The item must live until the pull request ends again.
    change: { set: [[["learnings", id], version]], remove: ["ttl"] },
    when: unchanged(pullRequest, ["version"]),
  };
}
