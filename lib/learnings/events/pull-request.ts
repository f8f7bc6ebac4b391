import { learningLimits } from "../../contract/limits.ts";
import { required } from "../../runtime/required.ts";
import {
  type LearningItem,
  type PullRequestLearningsItem,
  parseLearning,
  parsePullRequestLearnings,
} from "../../store/items/learning.ts";
import { type OrganizationItem, parseOrganization } from "../../store/items/organization.ts";
import { unchanged } from "../../store/items/unchanged.ts";
import { versionInstant } from "../../store/items/version.ts";
import { learningKey, organizationKey, pullRequestLearningsKey, textKey } from "../../store/layout.ts";
import { retryOnConflict, type Store } from "../../store/retry-on-conflict.ts";
import { ConditionFailed, type Item, type Key, type TransactionWrite } from "../../store/table.ts";
import { ttlAfter } from "../../store/ttl.ts";
import { pullRequestDigest } from "../identity.ts";
import { approvedLearning, changedLearning, recordWrites, removeWrites, writeContext } from "../record.ts";
import { releaseWrites } from "../text-owner.ts";

/** The end of a pull request, as `pull_request.finalized` reports it. */
export type FinalizedPullRequest = {
  /** UUID of the organization. */
  readonly organization: string;
  readonly prUrl: string;
  readonly status: "merged" | "closed";
  /** `occurred_at#event id` */
  readonly version: string;
};

/**
 * Shares or drops the private Learnings of a pull request that ended. Capturing a Learning and ending its pull request
 * write the same item, so one of the two sees the other, in either order. Safe to repeat; a repetition completes an
 * interrupted run.
 */
export async function settlePrivateLearnings(store: Store, finalized: FinalizedPullRequest): Promise<void> {
  const pullRequest = pullRequestDigest(finalized.prUrl);
  const key = pullRequestLearningsKey(finalized.organization, pullRequest);
  const ended = await markEnded(store, key, finalized);
  for (const id of Object.keys(ended.learnings)) {
    await retryOnConflict(store, () => decideLearning(store, finalized.organization, pullRequest, id));
  }
}

/** The newest end wins; a late event reads the newer end from the failed condition. */
async function markEnded(
  { table, clock }: Store,
  key: Key,
  { status, version }: FinalizedPullRequest,
): Promise<PullRequestLearningsItem> {
  const ttl = ttlAfter(clock.nowMs(), learningLimits.finalizedDays);
  const older = {
    any: [
      { absent: "version" },
      { equals: ["version", null] as const },
      { below: ["version", version] as const },
    ],
  };
  const change = {
    set: [
      ["status", status],
      ["version", version],
      ["ttl", ttl],
    ],
    setOnce: [["learnings", {}]],
  } as const;
  try {
    const item = await table.write(
      { update: key, change, when: older },
      { returning: "new", idempotent: true },
    );
    return parsePullRequestLearnings(required(item, "item although it was asked for"));
  } catch (error) {
    if (!(error instanceof ConditionFailed) || !error.item) throw error;
    return parsePullRequestLearnings(error.item);
  }
}

/** One snapshot of both: a Learning and its id in the pull request's item were written together. */
async function decideLearning(
  store: Store,
  organization: string,
  pullRequest: string,
  id: string,
): Promise<void> {
  const key = pullRequestLearningsKey(organization, pullRequest);
  const [named, record, owner] = await store.table.transactGet([
    key,
    learningKey(organization, id),
    organizationKey(organization),
  ]);
  const state = parsePullRequestLearnings(required(named, "pull request that ended"));
  const capturedAs = state.learnings[id];
  const fate = capturedAs === undefined ? "open" : effectOnLearning(state, capturedAs);
  if (fate === "open" || capturedAs === undefined) return;
  const learning = record && parseLearning(record);
  const keptByIt = learning?.pull_requests.includes(pullRequest) ? learning : undefined;
  const forget: TransactionWrite = {
    update: key,
    change: { remove: [["learnings", id]] },
    when: { all: [{ equals: [["learnings", id], capturedAs] }, { equals: ["version", state.version] }] },
  };
  const writes = keptByIt
    ? await endWrites(store, parseOrganization(required(owner, "organization")), keptByIt, {
        pullRequest,
        fate,
      })
    : [learningUnchanged(organization, id, record)];
  await store.table.transact([forget, ...writes]);
}

const learningUnchanged = (organization: string, id: string, record: Item | undefined): TransactionWrite => ({
  check: learningKey(organization, id),
  when: unchanged(record, ["revision"]),
});

/**
 * A merge is final. A Learning captured after a close belongs to a pull request that is open again.
 */
export function effectOnLearning(
  { status, version }: Pick<PullRequestLearningsItem, "status" | "version">,
  capturedAs: string,
): "shared" | "dropped" | "open" {
  if (status === "merged") return "shared";
  if (status !== "closed" || version === null) return "open";
  return versionInstant(capturedAs) <= versionInstant(version) ? "dropped" : "open";
}

async function endWrites(
  { table, clock, random }: Store,
  organization: OrganizationItem,
  learning: LearningItem,
  { pullRequest, fate }: { readonly pullRequest: string; readonly fate: "shared" | "dropped" },
): Promise<TransactionWrite[]> {
  const at = writeContext({ nowMs: clock.nowMs(), random }, organization.tenant);
  if (fate === "shared") return recordWrites(at, learning, approvedLearning(at, learning));
  const others = learning.pull_requests.filter((each) => each !== pullRequest);
  // Another open pull request keeps the Learning, or an approval that is still pending.
  if (others.length > 0 || learning.state !== "private") {
    return recordWrites(at, learning, changedLearning(at, learning, { pull_requests: others }));
  }
  const { uuid } = organization;
  const keys = [textKey(uuid, learning.digest), textKey(uuid, learning.origin.digest)];
  const [text, origin] = await table.getMany(keys);
  return [...removeWrites(learning, at.nowMs), ...releaseWrites(learning, { text, origin }, at.nowMs)];
}
