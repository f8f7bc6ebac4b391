import * as kinds from "../contract/items.ts";
import { streamLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { backOffMs } from "../runtime/back-off.ts";
import { required } from "../runtime/required.ts";
import { getUnlessAhead, type ReadAhead } from "../store/read-ahead.ts";
import { type Key, TransactionRefused, writeIf } from "../store/table.ts";
import { isSettled, parseHead, type StreamHead } from "./head.ts";
import { type ChangePlan, classifyChange, compareEvents, planChange, staysInPlace } from "./plan.ts";
import { type Pointer, parsePointer, pointerIdOf, pointerUnchanged, type SpillRef } from "./pointer.ts";
import { acknowledge, recoverAppend, settleAppend } from "./settle.ts";
import { sizeOf } from "./size.ts";
import { writeSpill } from "./spill.ts";
import {
  type AppendOutcome,
  datasets,
  type EntryDraft,
  type PullRequestChange,
  StreamBusy,
  type StreamDeps,
} from "./stream.ts";
import { buildAppend, packPlans } from "./transaction.ts";

/** One job per pull request across the attempts, because a transaction may touch an item only once. */
type Job = {
  /** The newest change of the pull request: the only one that is applied. */
  change: PullRequestChange;
  readonly pointerId: string;
  /** Parts already written for a draft; a retry of the transaction uses them again. */
  readonly spills: Map<EntryDraft, SpillRef>;
  outcome: AppendOutcome | undefined;
};

/** A job that gets a number, and its pointer as it was read. */
type AppendJob = { readonly job: Job; readonly before: Pointer | undefined };

/** Outcomes are in the order of the events. When it throws, send all again: nothing is applied twice. */
export async function appendBatch(
  deps: StreamDeps,
  tenant: TenantKey,
  changes: readonly PullRequestChange[],
  ahead?: ReadAhead,
): Promise<AppendOutcome[]> {
  const received = withJobs(changes);
  const open = new Set(received.map(({ job }) => job));
  const settled = new Map<TenantKey, number>();
  for (let attempt = 0; open.size > 0; attempt++) {
    await pauseBefore(deps, attempt);
    for (const { tenant: found, number } of await applyOpen(
      deps,
      tenant,
      [...open],
      attempt === 0 ? ahead : undefined,
    )) {
      settled.set(found, Math.max(settled.get(found) ?? 0, number));
    }
    for (const job of open) if (job.outcome) open.delete(job);
  }
  for (const [found, number] of settled) await acknowledge(deps, found, number);
  return received.map(({ change, job }) => outcomeOf(change, job));
}

/** What `appendBatch` reads first, for a caller that reads ahead. The transaction checks that it is still so. */
export const keysToAppend = (
  tenant: TenantKey,
  changes: ReadonlyArray<Pick<PullRequestChange, "organization" | "pullRequest">>,
): Key[] => [
  kinds.streamHead.key({ tenant }),
  ...changes.map(({ organization, pullRequest }) =>
    kinds.pointer.key({ organization, pointerId: pointerIdOf(pullRequest) }),
  ),
];

/** Changes of one pull request share its job. */
function withJobs(changes: readonly PullRequestChange[]): Array<{ change: PullRequestChange; job: Job }> {
  const jobs = new Map<string, Job>();
  return changes.map((change) => {
    const pointerId = pointerIdOf(change.pullRequest);
    const key = `${change.organization} ${pointerId}`;
    const job = jobs.get(key) ?? { change, pointerId, spills: new Map(), outcome: undefined };
    if (compareEvents(change, job.change) > 0) job.change = change;
    jobs.set(key, job);
    return { change, job };
  });
}

function outcomeOf(change: PullRequestChange, job: Job): AppendOutcome {
  const outcome = required(job.outcome, "outcome of a change");
  if (job.change === change || outcome === "elsewhere") return outcome;
  return job.change.eventId === change.eventId ? "duplicate" : "older";
}

/** One attempt at all open jobs. Returns the pointers of the jobs whose state was already stored. */
async function applyOpen(
  deps: StreamDeps,
  tenant: TenantKey,
  open: readonly Job[],
  ahead: ReadAhead | undefined,
): Promise<Pointer[]> {
  const keys = open.map(({ change, pointerId }) =>
    kinds.pointer.key({ organization: change.organization, pointerId }),
  );
  const [headItem, ...items] = await getUnlessAhead(
    deps.table,
    [kinds.streamHead.key({ tenant }), ...keys],
    ahead,
  );
  const head = parseHead(headItem);
  const found: Pointer[] = [];
  const appends: AppendJob[] = [];
  const touches: Array<{ job: Job; before: Pointer }> = [];
  open.forEach((job, index) => {
    const item = items[index];
    const before = item && parsePointer(item, job.change.organization);
    const verdict = before && classifyChange(job.change, before, tenant);
    if (!before || verdict === "append") appends.push({ job, before });
    else if (verdict === "touch") touches.push({ job, before });
    else {
      job.outcome = verdict;
      found.push(before);
    }
  });
  await Promise.all(touches.map(({ job, before }) => updatePointerTime(deps, job, before, found)));
  if (isSettled(head)) await appendJobs(deps, tenant, head, appends);
  else if (appends.length > 0) await recoverAppend(deps, tenant);
  return found;
}

/** The event is newer and its content equal: only the time changes, and only if the pointer is as it was read. */
async function updatePointerTime(
  { table }: StreamDeps,
  job: Job,
  before: Pointer,
  found: Pointer[],
): Promise<void> {
  const { organization, occurredAtMs, occurredAtFiner: finer, eventId } = job.change;
  const change = {
    set: [["o", occurredAtMs] as const, ["e", eventId] as const, ...(finer ? [["f", finer] as const] : [])],
    ...(!finer && { remove: ["f"] }),
  };
  const update = kinds.pointer.key({ organization, pointerId: job.pointerId });
  if (!(await writeIf(table, { update, change, when: pointerUnchanged(before) }))) return;
  job.outcome = "unchanged";
  found.push(before);
}

async function appendJobs(
  deps: StreamDeps,
  tenant: TenantKey,
  head: StreamHead,
  appends: readonly AppendJob[],
): Promise<void> {
  const jobs = new Map<ChangePlan, Job>();
  for (const { job, before } of appends) {
    await spillLarge(deps, tenant, job, before);
    const { change, pointerId, spills } = job;
    const plan = planChange({ change, pointerId, before, tenant, spillOf: (draft) => spills.get(draft) });
    jobs.set(plan, job);
  }
  const result = await appendPlans(deps, tenant, head, [...jobs.keys()]);
  for (const [plan, job] of jobs) {
    if (result.appended.has(plan)) job.outcome = "appended";
    else if (result.organizationsElsewhere.has(plan.organization)) job.outcome = "elsewhere";
    for (const [draft, { id }] of job.spills) if (result.spillsMarked.has(id)) job.spills.delete(draft);
  }
}

/** Parts are written before the append that refers to them. */
async function spillLarge(
  deps: StreamDeps,
  tenant: TenantKey,
  job: Job,
  before: Pointer | undefined,
): Promise<void> {
  const { inlineBytesMax } = deps.limits ?? streamLimits;
  for (const dataset of datasets) {
    const draft = job.change.datasets[dataset];
    if (!draft || job.spills.has(draft) || sizeOf(draft.payload) <= inlineBytesMax) continue;
    if (staysInPlace(before, tenant, dataset, draft)) continue;
    if (!(draft.payload instanceof Uint8Array))
      throw new RangeError("A payload that large must come as bytes.");
    const { organization, eventId } = job.change;
    const cause = `${eventId} ${dataset}`;
    job.spills.set(draft, await writeSpill(deps, organization, job.pointerId, draft.payload, cause));
  }
}

export type AppendResult = {
  readonly appended: ReadonlySet<ChangePlan>;
  readonly organizationsElsewhere: ReadonlySet<string>;
  readonly spillsMarked: ReadonlySet<string>;
};

/**
 * Appends plans to a settled stream, one transaction at a time; each is published and retired before the next. A
 * refused transaction ends the run: the caller reads again and decides again about the remaining plans.
 */
export async function appendPlans(
  deps: StreamDeps,
  tenant: TenantKey,
  settledHead: StreamHead,
  plans: readonly ChangePlan[],
): Promise<AppendResult> {
  const appended = new Set<ChangePlan>();
  let head = settledHead;
  while (appended.size < plans.length) {
    const pack = packPlans(tenant, plans.slice(appended.size), deps.limits ?? streamLimits);
    const append = buildAppend(tenant, head, pack, deps.clock.nowMs());
    try {
      await deps.table.transact(append.writes);
    } catch (error) {
      if (!(error instanceof TransactionRefused)) throw error;
      const refused = (checks: ReadonlyMap<number, string>) =>
        new Set([...checks].filter(([index]) => error.refusals[index]?.refused).map(([, name]) => name));
      return {
        appended,
        organizationsElsewhere: refused(append.tenantChecks),
        spillsMarked: refused(append.spillChecks),
      };
    }
    await settleAppend(deps, tenant, append.after);
    head = { ...append.after, published: append.after.next - 1, pending: undefined };
    for (const plan of pack) appended.add(plan);
  }
  return { appended, organizationsElsewhere: new Set(), spillsMarked: new Set() };
}

export async function pauseBefore(deps: StreamDeps, attempt: number): Promise<void> {
  const { attemptsMax, retryDelayMsBase, retryDelayMsMax } = deps.limits ?? streamLimits;
  if (attempt >= attemptsMax) throw new StreamBusy("Others kept changing the stream.");
  const policy = { baseDelayMs: retryDelayMsBase, delayMsMax: retryDelayMsMax };
  // Many organizations of one workspace write to the same head.
  if (attempt > 0) await deps.clock.sleep(backOffMs(deps.random, policy, attempt));
}
