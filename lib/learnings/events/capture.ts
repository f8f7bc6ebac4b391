import { organizationUuid } from "../../contract/identity.ts";
import * as kinds from "../../contract/items.ts";
import { learningLimits } from "../../contract/limits.ts";
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
import { newsPuts } from "../../store/news.ts";
import { retryOnConflict, type Store } from "../../store/retry-on-conflict.ts";
import { ConditionFailed, type Item, type Key, type TransactionWrite } from "../../store/table.ts";
import type { LearningContent } from "../content.ts";
import { learningUuid, pullRequestDigest } from "../identity.ts";
import {
  changedLearning,
  newLearning,
  recordWrites,
  undecided,
  type WriteContext,
  writeContext,
} from "../record.ts";
import { freeGeneration, textOwner, textWrite } from "../text-owner.ts";
import { appliedKey, appliedOnce } from "./applied-event.ts";
import { deadlineOf } from "./delay.ts";
import { droppedLearning, earlierOf, type FirstCapture } from "./dropped.ts";
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
  hasWaited = false,
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
    const known: Known = { ...(await readKnown(store, data, content, version)), hasWaited };
    if (known.isApplied) return undefined;
    const at = writeContext({ nowMs: store.clock.nowMs(), random: store.random }, known.organization.tenant);
    const request = captureRequestOf(data, known, at.nowMs);
    const problem = fullItem(known, request);
    if (problem) return problem;
    const capture: FirstCapture = {
      author_id: data.author_id,
      file: content.file,
      source_url: content.sourceUrl,
      created_at: occurredAtOf(version),
      captured_as: version,
    };
    const writes = known.learning
      ? mergeWrites(at, known, known.learning, request, capture)
      : creationWrites(at, known, request, capture, content);
    await store.table.transact([appliedOnce(version, at.nowMs), ...writes]);
    return undefined;
  });
}

/** The reason if an item that the event would extend is full. */
function fullItem({ id, learning, text, pullRequest }: Known, request: CaptureRequest): string | undefined {
  const { generationsMax, perPullRequestMax, pullRequestsMax } = learningLimits;
  if (!learning && textOwner(text).generations.length >= generationsMax)
    return `learning: ${generationsMax} Learnings that began with this text exist already`;
  if (!("pullRequest" in request)) return undefined;
  const named = pullRequest ? parsePullRequestLearnings(pullRequest).learnings : {};
  if (!Object.hasOwn(named, id) && Object.keys(named).length >= perPullRequestMax)
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
  | { readonly state: "private" | "dropped"; readonly pullRequest: string };

type Known = {
  /** Of the event. */
  readonly version: string;
  readonly isApplied: boolean;
  readonly hasWaited: boolean;
  readonly organization: OrganizationItem;
  readonly repository: RepositoryItem;
  readonly text: Item | undefined;
  readonly learning: LearningItem | undefined;
  /** Of the Learning that has the text, or that would get it. */
  readonly id: string;
  readonly pullRequestKey: Key;
  readonly pullRequest: Item | undefined;
};

async function readKnown(
  { table }: Store,
  data: LearningCaptured,
  { digest, repositoryId, text: content }: LearningContent,
  version: string,
): Promise<Omit<Known, "hasWaited">> {
  const uuid = organizationUuid(data);
  const pullRequestKey = kinds.pullRequestLearnings.key({
    organization: uuid,
    digest: pullRequestDigest(data.pr_url ?? ""),
  });
  const [applied, organization, repository, text, pullRequest] = await table.getMany([
    appliedKey(version),
    kinds.organization.key({ organization: uuid }),
    kinds.repository.key({ organization: uuid, repositoryId }),
    kinds.text.key({ organization: uuid, digest }),
    pullRequestKey,
  ]);
  // The list of event types has already checked both.
  if (!organization || !repository) throw new TypeError("The repository of a captured Learning is unknown.");
  const owner = textOwner(text);
  const { learningId } = owner;
  const record =
    learningId === null ? undefined : await table.get(kinds.learning.key({ organization: uuid, learningId }));
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
    id: learning?.id ?? learningUuid(uuid, repositoryId, content, freeGeneration(owner)),
    pullRequestKey,
    pullRequest,
  };
}

function captureRequestOf(data: LearningCaptured, known: Known, nowMs: number): CaptureRequest {
  if (data.source === "chat") {
    const days = known.repository.approval_delay_days ?? known.organization.approval_delay_days;
    // An event that waited used the first settings that arrived: on schedule, earlier ones that follow still count.
    if (days === 0 && !known.hasWaited) return { state: "approved", because: "chat" };
    return { state: "pending", approveAt: deadlineOf(known.version, days, nowMs) };
  }
  const pullRequest = known.pullRequestKey.sk;
  const ended = known.pullRequest && parsePullRequestLearnings(known.pullRequest);
  const fate = ended ? effectOnLearning(ended, newestCapture(known)) : "open";
  if (fate === "shared") return { state: "approved", because: "merged" };
  return { state: fate === "dropped" ? "dropped" : "private", pullRequest };
}

/** A text may be captured again after its pull request was reopened. */
function newestCapture({ id, pullRequest, version }: Known): string {
  const before = pullRequest && parsePullRequestLearnings(pullRequest).learnings[id];
  return before !== undefined && before > version ? before : version;
}

function creationWrites(
  at: WriteContext,
  known: Known,
  request: CaptureRequest,
  capture: FirstCapture,
  content: LearningContent,
): TransactionWrite[] {
  const { uuid } = known.organization;
  const owner = textOwner(known.text);
  const { dropped } = owner;
  const first = earlierOf(dropped, capture) ?? dropped ?? capture;
  const closed = dropped?.pull_requests ?? [];
  if (request.state === "dropped") {
    const record = { repository_id: content.repositoryId, text: content.text };
    const learning = droppedLearning(first, record, [...closed, request.pullRequest], at.nowMs);
    const drops = { learning, revision: at.revision };
    return [
      textWrite(uuid, content.digest, known.text, { learningId: null, drops }),
      nameInPullRequest(known, { drops: content.digest }),
    ];
  }
  const generation = freeGeneration(owner);
  const { file, source_url: sourceUrl, author_id, created_at, captured_as } = first;
  const others = "pullRequest" in request ? closed.filter((each) => each !== request.pullRequest) : closed;
  const learning = newLearning(
    at,
    uuid,
    { ...content, file, sourceUrl },
    {
      generation,
      removedPlace: owner.removedPlace,
      state: request.state,
      pull_requests: "pullRequest" in request ? [request.pullRequest] : [],
      approve_at: request.state === "pending" ? request.approveAt : null,
      author_id,
      created_at,
      captured_as,
      ...(request.state === "pending" && { waits_since: known.version }),
      ...(request.state !== "approved" && others.length > 0 && { closed_pull_requests: others }),
    },
  );
  return [
    ...recordWrites(at, undefined, learning),
    textWrite(uuid, content.digest, known.text, { learningId: learning.id, takes: generation }),
    ...("pullRequest" in request ? [nameInPullRequest(known)] : []),
    ...(request.state === "pending" ? pendingNews(at, learning) : []),
  ];
}

/** The text already exists. The earliest capture names its author; what it waits for follows from all captures. */
function mergeWrites(
  at: WriteContext,
  known: Known,
  learning: LearningItem,
  request: CaptureRequest,
  capture: FirstCapture,
): TransactionWrite[] {
  const first = earlierOf(learning, capture);
  const change = decisionAbout(learning, request, known.version);
  if (!first && !change) return [];
  const after = changedLearning(at, learning, { ...first, ...change });
  return [
    ...recordWrites(at, learning, after),
    ...(change && "pullRequest" in request
      ? [nameInPullRequest(known, request.state === "dropped" ? { drops: learning.digest } : {})]
      : []),
    ...(after.state === "pending" && learning.state !== "pending" ? pendingNews(at, after) : []),
  ];
}

const pendingNews = ({ tenant, nowMs }: WriteContext, { organization, id }: LearningItem) =>
  newsPuts({ tenant, organization }, { type: "learning.pending", id, nowMs });

/** Sharing wins over holding back; an admin's rejection is not overruled. Undefined if nothing changes. */
function decisionAbout(
  learning: LearningItem,
  request: CaptureRequest,
  version: string,
): Partial<LearningItem> | undefined {
  const { state, waits_since, pull_requests, closed_pull_requests: closed = [] } = learning;
  if (state === "approved" || state === "disapproved") return undefined;
  if (request.state === "approved") {
    // A chat without delay does not decide about a pending Learning; a merged pull request does.
    const overrules = state === "private" || request.because === "merged";
    return overrules ? { state: "approved", ...undecided } : undefined;
  }
  if (request.state === "pending") {
    const isFirst = state === "private" || (waits_since !== undefined && version < waits_since);
    return isFirst ? { state: "pending", approve_at: request.approveAt, waits_since: version } : undefined;
  }
  const { pullRequest } = request;
  const without = (list: readonly string[]) => list.filter((each) => each !== pullRequest);
  return request.state === "private"
    ? { pull_requests: [...without(pull_requests), pullRequest], closed_pull_requests: without(closed) }
    : { pull_requests: without(pull_requests), closed_pull_requests: [...without(closed), pullRequest] };
}

/** On condition that the end of the pull request has not changed since we decided. */
function nameInPullRequest(known: Known, { drops }: { readonly drops?: string } = {}): TransactionWrite {
  const { pullRequestKey, pullRequest, id } = known;
  const version = newestCapture(known);
  if (!pullRequest) {
    const open: PullRequestLearningsItem = {
      ...pullRequestKey,
      status: "open",
      version: null,
      learnings: { [id]: version },
      dropped: {},
    };
    return { put: open, when: { absent: "pk" } };
  }
  const named = [["learnings", id], version] as const;
  return {
    update: pullRequestKey,
    change:
      drops === undefined
        ? // The item must live until the pull request ends again.
          { set: [named], remove: ["ttl", ["dropped", id]] }
        : { set: [named, [["dropped", id], drops]] },
    when: unchanged(pullRequest, ["version", "status"]),
  };
}
