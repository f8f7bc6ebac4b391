import * as kinds from "../../../lib/contract/items.ts";
import { MoveProgress, newMove } from "../../../lib/organizations/move-progress.ts";
import {
  hasEpochs,
  planScopeChange,
  publishEpoch,
  publishedEpochs,
} from "../../../lib/organizations/visibility.ts";
import { ReadAhead } from "../../../lib/store/read-ahead.ts";
import { ConditionFailed, StoreUnavailable, TransactionRefused } from "../../../lib/store/table.ts";
import { appendBatch, keysToAppend } from "../../../lib/stream/append.ts";
import { moveOrganization } from "../../../lib/stream/move.ts";
import { StreamBusy } from "../../../lib/stream/stream.ts";
import { sweepParts } from "../../../lib/stream/sweep.ts";
import { checkAcknowledged } from "./checker.ts";
import type { HistoryEvent } from "./history.ts";
import {
  lookAtOrganizations,
  type OrganizationState,
  organizationItem,
  Process,
  parseOrganizationState,
  rowsOf,
  scopeNowMs,
  tenantsFor,
  type World,
} from "./world.ts";

/** Errors of the store are expected; any other error is a finding. */
const isExpected = (error: unknown): boolean =>
  error instanceof StoreUnavailable ||
  error instanceof StreamBusy ||
  error instanceof ConditionFailed ||
  error instanceof TransactionRefused;

/** Runs work in a process; a process that dies or gives up is replaced while there is work. */
function employ(world: World, work: (process: Process) => Promise<void>): void {
  const again = async () => {
    await world.sleep(world.dice.below(40));
    employ(world, work);
  };
  const process = new Process(again);
  work(process).catch((error: unknown) => {
    if (!isExpected(error)) world.fail(error);
    else if (process.isAlive) again();
  });
}

export const isAcknowledged = (event: HistoryEvent): boolean => event.acknowledged < Infinity;

/** Delivers events like a queue: at least once, sometimes twice at a time, out of order under stress. */
export function startWriter(world: World): void {
  employ(world, async (process) => {
    while (!world.events.every(isAcknowledged)) {
      await world.sleep(world.dice.below(world.isClosing ? 2 : 12));
      const batch = pickBatch(world);
      if (batch.length === 0) continue;
      try {
        await deliver(world, process, batch);
      } catch (error) {
        if (!isExpected(error)) throw error;
      }
    }
  });
}

/** Mostly the oldest events first; sometimes one that is early, or one that was acknowledged long ago. */
function pickBatch({ dice, events }: World): HistoryEvent[] {
  const open = events.filter((event) => !isAcknowledged(event));
  const again = dice.chance(0.1) ? events.filter(isAcknowledged) : [];
  const pool = again.length > 0 ? again : open.slice(0, dice.chance(0.7) ? 4 : 12);
  if (pool.length === 0) return [];
  return Array.from({ length: 1 + dice.below(4) }, () => dice.pick(pool));
}

/** Before the organization, and from the head of a tenant that it may have left: a worker remembers it. */
async function readAhead(
  world: World,
  process: Process,
  batch: readonly HistoryEvent[],
): Promise<ReadAhead | undefined> {
  const [first] = batch;
  if (!first) return undefined;
  const remembered = world.dice.pick(tenantsFor(first.change.organization));
  const keys = keysToAppend(
    remembered,
    batch.map(({ change }) => change),
  );
  return await new ReadAhead().read(world.connect(process), keys);
}

async function deliver(world: World, process: Process, batch: readonly HistoryEvent[]): Promise<void> {
  const states = new Map<string, ReturnType<typeof parseOrganizationState>>();
  const ahead = world.dice.chance(0.7) ? await readAhead(world, process, batch) : undefined;
  for (const { change } of batch) {
    const item = await world
      .connect(process)
      .get(kinds.organization.key({ organization: change.organization }));
    states.set(change.organization, parseOrganizationState(item));
  }
  // One batch belongs to one tenant; its members were looked up at some time before.
  const [tenant] = [...states.values()].map((state) => state.tenant);
  if (!tenant) return;
  const ours = batch.filter(({ change }) => states.get(change.organization)?.tenant === tenant);
  for (const event of ours) event.firstDelivered = Math.min(event.firstDelivered, world.now());
  const changes = ours.map(({ change }) => change);
  const outcomes = await appendBatch(world.deps(process, "writer"), tenant, changes, ahead);
  for (const [index, event] of ours.entries()) {
    if (outcomes[index] === "elsewhere") continue;
    await checkAcknowledged(world, event, tenant);
    event.acknowledged = Math.min(event.acknowledged, world.now());
  }
}

const usedOrganizations = ({ events }: World): string[] => [
  ...new Set(events.map(({ change }) => change.organization)),
];

/** Organizations change tenant, also back again, even while the last change is unfinished. */
export function startMover(world: World, changes: number): void {
  let left = changes;
  employ(world, async (process) => {
    while (left > 0 && !world.isClosing) {
      await world.someTime(150);
      const states = await lookAtOrganizations(world);
      const preparing = [...states].filter(([, { isReady }]) => !isReady).map(([name]) => name);
      if (preparing.length > 0 && world.dice.chance(0.6)) {
        await finishMove(world, process, world.dice.pick(preparing));
        continue;
      }
      left--;
      // Where moves note their position, many are overtaken by the next one.
      const isOvertaken = world.notesMoves && preparing.length > 0 && world.dice.chance(0.7);
      await changeTenant(world, process, world.dice.pick(isOvertaken ? preparing : usedOrganizations(world)));
    }
  });
}

async function changeTenant(world: World, process: Process, organization: string): Promise<void> {
  const table = world.connect(process);
  const before = parseOrganizationState(await table.get(kinds.organization.key({ organization })));
  const tenant = world.dice.pick(tenantsFor(organization));
  if (tenant !== before.tenant) {
    await publishDepartures(world, process, before);
    const from = [...new Set([...(before.isReady ? [] : before.from), before.tenant])];
    const arrivals = before.arrivals + 1;
    const after = { ...before, tenant, arrivals, isReady: false, from };
    await changeScope(world, process, organization, before, after);
  }
  await finishMove(world, process, organization);
}

/** Like the service: before anything else of a move, and so before the next move, the tenants that were left learn it. */
async function publishDepartures(
  world: World,
  process: Process,
  { from }: Pick<OrganizationState, "from">,
): Promise<void> {
  for (const left of from) if (hasEpochs(left)) await publishedEpochs(world.connect(process), left);
}

/** Organizations become invisible and visible again: another plan, deactivated, and back. */
export function startFlipper(world: World, flips: number): void {
  let left = flips;
  employ(world, async (process) => {
    while (left > 0 && !world.isClosing) {
      await world.someTime(60);
      const organization = world.dice.pick(usedOrganizations(world));
      const before = parseOrganizationState(
        await world.connect(process).get(kinds.organization.key({ organization })),
      );
      left--;
      await changeScope(world, process, organization, before, { ...before, isVisible: !before.isVisible });
    }
  });
}

/** The rows belong to the harness; the changes of the scope use the service's own code. */
async function changeScope(
  world: World,
  process: Process,
  organization: string,
  before: OrganizationState,
  wanted: Omit<OrganizationState, "changes" | "visible_epoch">,
): Promise<void> {
  const { table } = world.deps(process, "flipper");
  const { tenant } = wanted;
  const identity = { uuid: organization, provider: "github", provider_organization_id: "1" } as const;
  const scoped = (state: Pick<OrganizationState, "tenant" | "isVisible">) => ({
    ...identity,
    tenant: state.tenant,
    active: state.isVisible,
    plan: "enterprise" as const,
  });
  const change = await planScopeChange(
    { table, clock: { nowMs: () => scopeNowMs(world) } },
    scoped(before),
    scoped(wanted),
  );
  const after = {
    ...wanted,
    changes: before.changes + 1,
    visible_epoch: change.visibleEpoch ?? (tenant === before.tenant ? before.visible_epoch : 0),
  };
  await table.transact([
    { put: organizationItem(organization, after), when: { equals: ["changes", before.changes] } },
    ...rowsOf(organization, after).map((put) => ({ put })),
    ...(before.tenant !== tenant && world.notesMoves
      ? [{ put: newMove(moveOf(organization, after), 0) }]
      : []),
    ...(before.tenant !== tenant && hasEpochs(before.tenant)
      ? [{ delete: kinds.tenantOrganization.key({ tenant: before.tenant, organization }) }]
      : []),
    ...change.writes,
  ]);
  for (const { tenant, epoch } of change.epochs) await publishEpoch(table, tenant, epoch);
  world.scopeKnown.set(organization, { changes: after.changes, at: world.now() });
}

const moveOf = (uuid: string, { arrivals }: Pick<OrganizationState, "arrivals">) => ({
  uuid,
  arrived: String(arrivals),
});

/** Finishes a running change; any process may do this, any number of times. */
export async function finishMove(world: World, process: Process, organization: string): Promise<void> {
  const table = world.connect(process);
  const state = parseOrganizationState(await table.get(kinds.organization.key({ organization })));
  if (state.isReady) return;
  await publishDepartures(world, process, state);
  const deps = world.deps(process, "mover");
  const progress = world.notesMoves
    ? await MoveProgress.read(deps.table, moveOf(organization, state))
    : undefined;
  const move = { organization, from: state.from, to: state.tenant, ...(progress && { progress }) };
  const { isComplete } = await moveOrganization(deps, move);
  if (!isComplete) return;
  const after = { ...state, isReady: true, from: [] };
  const when = { equals: ["changes", state.changes] } as const;
  await table.transact([
    { put: organizationItem(organization, after), when },
    ...rowsOf(organization, after).map((put) => ({ put })),
    ...(world.notesMoves ? [{ delete: kinds.moving.key({ organization }) }] : []),
  ]);
}

export function startSweeper(world: World, rounds: number): void {
  let left = rounds;
  employ(world, async (process) => {
    while (left > 0 && !world.isClosing) {
      await world.someTime(60);
      left--;
      await sweepParts(world.deps(process, "sweeper"), world.dice.pick(usedOrganizations(world)));
    }
  });
}
