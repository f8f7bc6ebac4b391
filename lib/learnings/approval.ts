import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import { systemEntry } from "../audit/system-entry.ts";
import * as kinds from "../contract/items.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { type LearningItem, parseLearning, parsePending } from "../store/items/learning.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { type Item, queryAll, queryPages, type Table, type TransactionWrite } from "../store/table.ts";
import {
  approvedLearning,
  changedLearning,
  recordWrites,
  undecided,
  type WriteContext,
  writeContext,
} from "./record.ts";
import { learningEvent } from "./writer.ts";

/** Learnings that wait for an admin, next deadline first; can be limited to one organization or one id. */
export async function* pendingLearnings(
  table: Table,
  wanted: { readonly organization?: string; readonly id?: string } = {},
): AsyncGenerator<LearningItem> {
  const { organization } = wanted;
  const pk =
    organization === undefined
      ? kinds.pending.partition()
      : kinds.organizationPending.partition({ organization });
  for await (const items of queryPages(table, { pk })) {
    const rows = items.map(parsePending).filter(({ id }) => id === (wanted.id ?? id));
    const records = await table.getMany(
      rows.map(({ organization, id }) => kinds.learning.key({ organization, learningId: id })),
    );
    for (const record of records) {
      const learning = record && parseLearning(record);
      if (learning?.state === "pending") yield learning;
    }
  }
}

export type Decision = "approved" | "disapproved";
export type DecisionOutcome = Decision | "not_pending" | "not_found";

/** An admin's decision. Only a pending Learning can be decided. The reconciler indexes approved Learnings. */
export async function decideLearning(
  deps: AuditedContext,
  organization: string,
  id: string,
  decision: Decision,
): Promise<DecisionOutcome> {
  return await retryOnConflict(deps, async () => {
    const found = await readPending(deps, organization, id);
    if (typeof found === "string") return found;
    const event = learningEvent(found.organization, `learning.${decision}`, [id]);
    await deps.table.transact([
      ...decisionWrites(found.at, found.learning, decision),
      ...auditWritesFor(deps, event),
    ]);
    return decision;
  });
}

/** As far as there is time. A Learning that fails does not block the others. */
export async function approveDue(
  store: Store,
  onFault: (id: string, error: unknown) => void,
  endsMs = Number.POSITIVE_INFINITY,
): Promise<{ readonly approved: number }> {
  let count = 0;
  const upTo = `${toTimestamp(store.clock.nowMs())}$`;
  for await (const item of queryAll(store.table, { pk: kinds.pending.partition(), upTo })) {
    if (store.clock.nowMs() >= endsMs) break;
    try {
      const { organization, id } = parsePending(item);
      if (await approveOne(store, organization, id, item)) count++;
    } catch (error) {
      onFault(item.sk.slice(item.sk.lastIndexOf("#") + 1), error);
    }
  }
  return { approved: count };
}

async function approveOne(store: Store, organization: string, id: string, row: Item): Promise<boolean> {
  return await retryOnConflict(store, async () => {
    const found = await readPending(store, organization, id);
    // Another run or an admin decided in the meantime; that decision deletes the row.
    if (typeof found === "string") return false;
    // Deleted and captured again in the meantime: it waits for its new deadline.
    const { approve_at = null } = found.learning;
    if (!row.sk.startsWith(`${approve_at}#`)) return false;
    const event = learningEvent(found.organization, "learning.approved", [id], { approve_at });
    await store.table.transact([
      ...decisionWrites(found.at, found.learning, "approved"),
      ...systemEntry(store, event, "deadline"),
    ]);
    return true;
  });
}

type LearningToDecide = {
  readonly organization: OrganizationItem;
  readonly learning: LearningItem;
  readonly at: WriteContext;
};

async function readPending(
  { table, clock, random }: Store,
  organization: string,
  id: string,
): Promise<LearningToDecide | "not_found" | "not_pending"> {
  const [owner, record] = await table.getMany([
    kinds.organization.key({ organization }),
    kinds.learning.key({ organization, learningId: id }),
  ]);
  if (!owner || !record) return "not_found";
  const learning = parseLearning(record);
  if (learning.state !== "pending") return "not_pending";
  const parsed = parseOrganization(owner);
  return {
    organization: parsed,
    learning,
    at: writeContext({ nowMs: clock.nowMs(), random }, parsed.tenant),
  };
}

/** A disapproval removes the pull requests too, so that a merge cannot publish what the admin rejected. */
const decisionWrites = (at: WriteContext, learning: LearningItem, decision: Decision): TransactionWrite[] =>
  recordWrites(
    at,
    learning,
    decision === "approved"
      ? approvedLearning(at, learning)
      : changedLearning(at, learning, { state: "disapproved", ...undecided }),
  );
