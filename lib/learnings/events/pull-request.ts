import * as kinds from "../../contract/items.ts";
import { learningLimits } from "../../contract/limits.ts";
import { required } from "../../runtime/required.ts";
import {
  type LearningItem,
  type PullRequestLearningsItem,
  parseLearning,
  parsePullRequestLearnings,
} from "../../store/items/learning.ts";
import { type OrganizationItem, parseOrganization } from "../../store/items/organization.ts";
import { versionInstant } from "../../store/items/version.ts";
import { retryOnConflict, type Store } from "../../store/retry-on-conflict.ts";
import {
  type Condition,
  ConditionFailed,
  type Key,
  type Table,
  type TransactionWrite,
} from "../../store/table.ts";
import { ttlAfter } from "../../store/ttl.ts";
import { pullRequestDigest } from "../identity.ts";
import { approvedLearning, changedLearning, recordWrites, removeWrites, writeContext } from "../record.ts";
import { releaseWrites, textOwner, textWrite } from "../text-owner.ts";
import { droppedLearning, revivedLearning } from "./dropped.ts";

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
 * Shares or drops the private Learnings of a pull request that ended. A dropped Learning comes back if its pull request
 * is reopened and merges. Capturing a Learning and ending its pull request
 * write the same item, so one of the two sees the other, in either order. Safe to repeat; a repetition completes an
 * interrupted run.
 */
export async function closePrivateLearnings(
  store: Store,
  finalized: FinalizedPullRequest,
  merged?: PullRequestLearningsItem,
): Promise<void> {
  const pullRequest = pullRequestDigest(finalized.prUrl);
  const ended = merged ?? (await markEnded(store, endKey(finalized), finalized));
  for (const id of Object.keys(ended.learnings)) {
    await retryOnConflict(store, () => decideLearning(store, finalized.organization, pullRequest, id));
  }
}

const endKey = ({ organization, prUrl }: Pick<FinalizedPullRequest, "organization" | "prUrl">): Key =>
  kinds.pullRequestLearnings.key({ organization, digest: pullRequestDigest(prUrl) });

/** A merge is final, and a Learning that is captured later sees it: a mark would only cost a write. */
export async function mergedBefore<PullRequest extends Pick<FinalizedPullRequest, "organization" | "prUrl">>(
  table: Table,
  pullRequests: readonly PullRequest[],
): Promise<Map<PullRequest, PullRequestLearningsItem>> {
  const items = await table.getMany(pullRequests.map(endKey));
  const marked = pullRequests.flatMap((pullRequest, index) => {
    const item = items[index];
    return item ? [[pullRequest, parsePullRequestLearnings(item)] as const] : [];
  });
  return new Map(marked.filter(([, { status }]) => status === "merged"));
}

/** A merge is final. Otherwise the newest end wins; a late event reads the newer end from the failed condition. */
async function markEnded(
  { table, clock }: Store,
  key: Key,
  { status, version }: FinalizedPullRequest,
): Promise<PullRequestLearningsItem> {
  const ttl = ttlAfter(clock.nowMs(), learningLimits.finalizedDays);
  const isOlder = {
    any: [
      { absent: "version" },
      { equals: ["version", null] as const },
      { below: ["version", version] as const },
    ],
  };
  const isNotMerged = { any: [{ absent: "status" }, { differs: ["status", "merged"] as const }] };
  const change = {
    set: [
      ["status", status],
      ["version", version],
      ["ttl", ttl],
    ],
    setOnce: [
      ["learnings", {}],
      ["dropped", {}],
    ],
  } as const;
  const when = status === "merged" ? isNotMerged : { all: [isNotMerged, isOlder] };
  try {
    const item = await table.write({ update: key, change, when }, { returning: "new", idempotent: true });
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
  const key = kinds.pullRequestLearnings.key({ organization, digest: pullRequest });
  const [named, record, owner] = await store.table.transactGet([
    key,
    kinds.learning.key({ organization, learningId: id }),
    kinds.organization.key({ organization }),
  ]);
  const state = parsePullRequestLearnings(required(named, "pull request that ended"));
  const capturedAs = state.learnings[id];
  if (capturedAs === undefined) return;
  const learning = record && parseLearning(record);
  const deciding: Deciding = {
    id,
    organization: parseOrganization(required(owner, "organization")),
    pullRequest,
    learning,
    // A Learning that was rejected, or deleted and created again, is none of this pull request's.
    isKept: learning !== undefined && keepersOf(learning).includes(pullRequest),
    when: { equals: ["status", state.status] },
  };
  const fate = effectOnLearning(state, capturedAs);
  const forget: TransactionWrite = {
    update: key,
    change: {
      remove: [
        ["learnings", id],
        ["dropped", id],
      ],
    },
    when: deciding.when,
  };
  if (fate === "shared")
    await store.table.transact([forget, ...(await shareWrites(store, deciding, state.dropped[id]))]);
  if (fate === "dropped" && learning?.pull_requests.includes(pullRequest))
    await store.table.transact(await dropWrites(store, deciding, learning, key));
}

type Deciding = {
  readonly id: string;
  readonly organization: OrganizationItem;
  readonly pullRequest: string;
  readonly learning: LearningItem | undefined;
  readonly isKept: boolean;
  /** The pull request ended in the same way. A new capture changes the Learning's revision too. */
  readonly when: Condition;
};

/** Open or closed: each of them shares the Learning if it merges. */
const keepersOf = ({
  pull_requests,
  closed_pull_requests = [],
}: Pick<LearningItem, "pull_requests" | "closed_pull_requests">): string[] => [
  ...pull_requests,
  ...closed_pull_requests,
];

/** A merge is final. What was captured after the newest close belongs to a pull request that is open again. */
export function effectOnLearning(
  { status, version }: Pick<PullRequestLearningsItem, "status" | "version">,
  capturedAs: string,
): "shared" | "dropped" | "open" {
  if (status === "merged") return "shared";
  if (status !== "closed" || version === null) return "open";
  return versionInstant(capturedAs) <= versionInstant(version) ? "dropped" : "open";
}

async function shareWrites(
  { table, clock, random }: Store,
  { id, organization: { uuid, tenant }, pullRequest, learning, isKept }: Deciding,
  droppedDigest: string | undefined,
): Promise<TransactionWrite[]> {
  const at = writeContext({ nowMs: clock.nowMs(), random }, tenant);
  if (learning) return isKept ? recordWrites(at, learning, approvedLearning(at, learning)) : [];
  const text =
    droppedDigest === undefined
      ? undefined
      : await table.get(kinds.text.key({ organization: uuid, digest: droppedDigest }));
  const owner = textOwner(text);
  const { dropped } = owner;
  // Somebody else has the text now, or the text was dropped too long ago; or another pull request captures it again.
  if (droppedDigest === undefined || !dropped?.pull_requests.includes(pullRequest))
    return [{ check: kinds.learning.key({ organization: uuid, learningId: id }), when: { absent: "pk" } }];
  const revived = revivedLearning(at, uuid, dropped, { digest: droppedDigest, owner });
  const takes = revived.origin.generation;
  return [
    ...recordWrites(at, undefined, revived),
    textWrite(uuid, droppedDigest, text, { learningId: revived.id, takes }),
  ];
}

async function dropWrites(
  { table, clock, random }: Store,
  { organization, pullRequest, when }: Deciding,
  learning: LearningItem,
  pullRequestKey: Key,
): Promise<TransactionWrite[]> {
  const at = writeContext({ nowMs: clock.nowMs(), random }, organization.tenant);
  const pull_requests = learning.pull_requests.filter((each) => each !== pullRequest);
  const closed_pull_requests = [...(learning.closed_pull_requests ?? []), pullRequest].slice(
    -learningLimits.pullRequestsMax,
  );
  // Another open pull request keeps the Learning, or an approval that is still pending.
  if (pull_requests.length > 0 || learning.state !== "private") {
    const after = changedLearning(at, learning, { pull_requests, closed_pull_requests });
    return [{ check: pullRequestKey, when }, ...recordWrites(at, learning, after)];
  }
  const { id, digest } = learning;
  const dropped = droppedLearning(learning, learning, closed_pull_requests, at.nowMs);
  const drops = { learning: dropped, revision: at.revision };
  return [
    { update: pullRequestKey, change: { set: [[["dropped", id], digest]] }, when },
    ...removeWrites(learning, at.nowMs),
    ...(await releaseWrites(table, learning, at.nowMs, drops)),
  ];
}
