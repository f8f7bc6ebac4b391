import { streamLimits } from "../contract/limits.ts";
import { backOffMs } from "../runtime/back-off.ts";
import { required } from "../runtime/required.ts";
import { pointerKey, type TenantKey } from "../store/layout.ts";
import { TransactionRefused, writeIf } from "../store/table.ts";
import { parseEntry } from "./entry.ts";
import { type Head, isSettled, readHead } from "./head.ts";
import { entryKeys } from "./pending.ts";
import { classifyChange, compareEvents, type Plan, planChange, staysInPlace } from "./plan.ts";
import { type Pointer, parsePointer, pointerIdOf, pointerUnchanged, type SpillRef } from "./pointer.ts";
import { dayOf, type Facets, unknownStatus } from "./removal.ts";
import { acknowledge, recover, settle } from "./settle.ts";
import { sizeOf } from "./size.ts";
import { writeSpill } from "./spill.ts";
import {
  datasets,
  type EntryDraft,
  letterOf,
  type Outcome,
  type PullRequestChange,
  StreamBusy,
  type StreamDeps,
} from "./stream.ts";
import { buildAppend, packPlans } from "./transaction.ts";

/** One pull request on its way through the attempts: a transaction touches an item once. */
type Job = {
  /** The newest of its changes: the only one that goes in. */
  change: PullRequestChange;
  readonly pointerId: string;
  /** Parts already written for a draft; used again when the transaction is tried again. */
  readonly spills: Map<EntryDraft, SpillRef>;
  outcome: Outcome | undefined;
};

/** A job that takes a number, and its pointer as it was read. */
type Append = { readonly job: Job; readonly before: Pointer | undefined };

/**
 * Applies events to a tenant's stream; answers in their order. When it throws, some may be applied: send all of
 * them again, which changes nothing twice.
 */
export async function appendBatch(
  deps: StreamDeps,
  tenant: TenantKey,
  changes: readonly PullRequestChange[],
): Promise<Outcome[]> {
  const told = withJobs(changes);
  const open = new Set(told.map(({ job }) => job));
  const settled = new Map<TenantKey, number>();
  for (let attempt = 0; open.size > 0; attempt++) {
    await pauseBefore(deps, attempt);
    for (const { tenant: found, number } of await applyOpen(deps, tenant, [...open])) {
      settled.set(found, Math.max(settled.get(found) ?? 0, number));
    }
    for (const job of open) if (job.outcome) open.delete(job);
  }
  for (const [found, number] of settled) await acknowledge(deps, found, number);
  return told.map(({ change, job }) => outcomeOf(change, job));
}

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

function outcomeOf(change: PullRequestChange, job: Job): Outcome {
  const outcome = required(job.outcome, "outcome of a change");
  if (job.change === change || outcome === "elsewhere") return outcome;
  return job.change.eventId === change.eventId ? "duplicate" : "older";
}

/** One attempt at all open jobs. Answers the pointers of those that found their state already there. */
async function applyOpen(deps: StreamDeps, tenant: TenantKey, open: readonly Job[]): Promise<Pointer[]> {
  const keys = open.map(({ change, pointerId }) => pointerKey(change.organization, pointerId));
  const [head, items] = await Promise.all([readHead(deps.table, tenant), deps.table.getMany(keys)]);
  const nowMs = deps.clock.nowMs();
  const found: Pointer[] = [];
  const appends: Append[] = [];
  const touches: Array<{ job: Job; before: Pointer }> = [];
  open.forEach((job, index) => {
    const item = items[index];
    const before = item && parsePointer(item, job.change.organization);
    const verdict = before && classifyChange(job.change, before, tenant, nowMs);
    if (!before || verdict === "append") appends.push({ job, before });
    else if (verdict === "touch") touches.push({ job, before });
    else {
      job.outcome = verdict;
      found.push(before);
    }
  });
  await Promise.all(touches.map(({ job, before }) => updatePointerTime(deps, job, before, found)));
  if (isSettled(head)) await appendJobs(deps, tenant, head, appends);
  else if (appends.length > 0) await recover(deps, tenant);
  return found;
}

/** Newer but equal: only the pointer's time moves, still on condition that it is what was read. */
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
  const update = pointerKey(organization, job.pointerId);
  if (!(await writeIf(table, { update, change, when: pointerUnchanged(before) }))) return;
  job.outcome = "unchanged";
  found.push(before);
}

async function appendJobs(
  deps: StreamDeps,
  tenant: TenantKey,
  head: Head,
  appends: readonly Append[],
): Promise<void> {
  const jobs = new Map<Plan, Job>();
  for (const { job, before } of await withFacets(deps, tenant, appends)) {
    await spillLarge(deps, tenant, job, before);
    const plan = planChange(job.change, job.pointerId, before, tenant, (draft) => job.spills.get(draft));
    jobs.set(plan, job);
  }
  const result = await appendPlans(deps, tenant, head, [...jobs.keys()]);
  for (const [plan, job] of jobs) {
    if (result.appended.has(plan)) job.outcome = "appended";
    else if (result.organizationsElsewhere.has(plan.organization)) job.outcome = "elsewhere";
    for (const [draft, { id }] of job.spills) if (result.spillsCondemned.has(id)) job.spills.delete(draft);
  }
}

/**
 * A pointer of release 1 does not tell what its entries are filtered by: one of them does, but for the status. One batched
 * read for all of them, and none for a pull request of which a dataset stays as it is: its draft tells the same.
 */
async function withFacets(
  { table }: StreamDeps,
  tenant: TenantKey,
  appends: readonly Append[],
): Promise<Append[]> {
  const asked = appends.flatMap(({ job, before }) => {
    const key = before && !draftThatStays(job.change, before, tenant) && entryToRead(before, tenant);
    return before && key ? [{ before, key }] : [];
  });
  const items = asked.length === 0 ? [] : await table.getMany(asked.map(({ key }) => key));
  const found = new Map(asked.map(({ before }, index) => [before, items[index]]));
  return appends.map(({ job, before }) => {
    if (!before || before.facets) return { job, before };
    const item = found.get(before);
    const shown = item
      ? parseEntry(item, before.organization).entry
      : draftThatStays(job.change, before, tenant);
    return { job, before: shown ? { ...before, facets: facetsOfRelease1(shown) } : before };
  });
}

const draftThatStays = ({ datasets: drafts }: PullRequestChange, before: Pointer, tenant: TenantKey) =>
  datasets
    .map((name) => ({ name, draft: drafts[name] }))
    .find(({ name, draft }) => draft && staysInPlace(before, tenant, name, draft))?.draft;

function entryToRead({ organization, places, facets, tenant: home }: Pointer, tenant: TenantKey) {
  const dataset = datasets.find((name) => places[name]);
  const place = dataset && places[dataset];
  if (facets || !place || home !== tenant) return undefined;
  return entryKeys({ tenant, organization, dataset: letterOf(dataset), ...place })[0];
}

const facetsOfRelease1 = ({
  atMs,
  repositoryId,
  authorId,
}: Pick<EntryDraft, "atMs" | "repositoryId" | "authorId">): Facets => ({
  day: dayOf(atMs),
  repositoryId,
  authorId,
  status: unknownStatus,
});

/** Parts are written before the append that names them. */
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
    job.spills.set(draft, await writeSpill(deps, job.change.organization, job.pointerId, draft.payload));
  }
}

export type AppendResult = {
  readonly appended: ReadonlySet<Plan>;
  readonly organizationsElsewhere: ReadonlySet<string>;
  readonly spillsCondemned: ReadonlySet<string>;
};

/**
 * Appends plans to a settled stream, a transaction at a time, each published and retired before the next.
 * A refusal ends it: what is left is to be read and decided anew.
 */
export async function appendPlans(
  deps: StreamDeps,
  tenant: TenantKey,
  settledHead: Head,
  plans: readonly Plan[],
): Promise<AppendResult> {
  const appended = new Set<Plan>();
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
        spillsCondemned: refused(append.spillChecks),
      };
    }
    await settle(deps, tenant, append.after);
    head = { ...append.after, published: append.after.next - 1, pending: undefined };
    for (const plan of pack) appended.add(plan);
  }
  return { appended, organizationsElsewhere: new Set(), spillsCondemned: new Set() };
}

export async function pauseBefore(deps: StreamDeps, attempt: number): Promise<void> {
  const { attemptsMax, retryDelayMsBase, retryDelayMsMax } = deps.limits ?? streamLimits;
  if (attempt >= attemptsMax) throw new StreamBusy("Others kept changing the stream.");
  const policy = { baseDelayMs: retryDelayMsBase, delayMsMax: retryDelayMsMax };
  // Many organizations of one workspace write to the same head.
  if (attempt > 0) await deps.clock.sleep(backOffMs(deps.random, policy, attempt));
}
