import { eventLimits } from "../contract/limits.ts";
import { moveLearnings } from "../learnings/move-learnings.ts";
import { movePeople } from "../people/move-people.ts";
import { ErrorCollector } from "../runtime/error-collector.ts";
import { describeError, log } from "../runtime/log.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { boundedTable } from "../store/bounded.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import {
  movingKey,
  movingPartition,
  organizationKey,
  type TenantKey,
  tenantOrganizationKey,
} from "../store/layout.ts";
import { isTemporaryStoreError } from "../store/retry.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { queryAll, transactIf } from "../store/table.ts";
import { moveOrganization } from "../stream/move.ts";
import { StreamBusy } from "../stream/stream.ts";
import { hasEpochs, settledEpochs } from "./visibility.ts";

/**
 * Moves one kind of an organization's data from the tenant it left to its current tenant. It runs again after a crash,
 * so it must detect what has already been moved.
 */
type Mover = (store: Store, organization: OrganizationItem, from: TenantKey) => Promise<void>;

/** Everything that is stored by tenant and not by organization alone: data without a mover here is not moved. */
const movers: readonly Mover[] = [movePeople, moveLearnings, moveMetrics];

/** Until this is done, the organization's metrics are reported as `preparing`: see `isMoving`. */
async function moveMetrics(store: Store, { uuid, tenant }: OrganizationItem, from: TenantKey): Promise<void> {
  const { isComplete } = await moveOrganization(store, { organization: uuid, from: [from], to: tenant });
  if (!isComplete) throw new StreamBusy("The organization moved on before its metrics had arrived.");
}

/**
 * Finishes a change of tenant. Returns whether this call ended the move: another run may have done so, or no move is in
 * progress.
 */
export async function completeMove(store: Store, organization: OrganizationItem): Promise<boolean> {
  const { uuid, tenant, leaving, arrived } = organization;
  if (leaving === undefined) return false;
  // The writer of the move may have been interrupted before it published the epoch, so readers may not know of the move
  // yet.
  if (hasEpochs(leaving)) await settledEpochs(store.table, leaving);
  for (const move of movers) await move(store, organization, leaving);
  // The event that began the move identifies it: a delayed run must not end another move between the same two tenants.
  // The organization's version may change meanwhile, by a rename for example.
  const stillThisMove = {
    all: [
      { equals: ["leaving", leaving] as const },
      { equals: ["tenant", tenant] as const },
      arrived === undefined ? { absent: "arrived" } : { equals: ["arrived", arrived] as const },
    ],
  };
  const change = { remove: ["leaving"] };
  return await transactIf(store.table, [
    { update: organizationKey(uuid), change, when: stillThisMove },
    { update: tenantOrganizationKey(tenant, uuid), change, when: { present: "pk" } },
    { delete: movingKey(uuid) },
  ]);
}

/**
 * An earlier move is not finished, so another cannot start. The event that asks for it waits; the event itself is
 * valid.
 */
export class MoveUnderWay extends Error {
  override readonly name = "MoveUnderWay";
  constructor(organization: string) {
    super(`The organization ${organization} is still moving to the tenant that an earlier event named.`);
  }
}

/**
 * The event's part of a move. A transient error fails the event, which is delivered again soon. A long move, or a move
 * that fails for another reason, is left to the scheduled worker, which finds the note of the move and reports the
 * error.
 */
export async function beginMove(store: Store, organization: OrganizationItem): Promise<void> {
  if (organization.leaving === undefined) return;
  const notAfterMs = store.clock.nowMs() + eventLimits.moveMsMax;
  const isOver = () => store.clock.nowMs() > notAfterMs;
  const table = boundedTable(store.table, { isOver, signal: new AbortController().signal });
  try {
    await completeMove({ ...store, table }, organization);
  } catch (error) {
    const isLong = error instanceof TimeUp && isOver();
    if (isTemporaryStoreError(error) && !isLong) throw error;
    log("warn", "A move to another tenant is not finished. The scheduled worker continues it.", {
      organization: organization.uuid,
      cause: describeError(error),
    });
  }
}

/**
 * Continues interrupted moves: a large organization takes longer than one delivery of its event allows. Data that has
 * moved is found in its new place, so every run starts where the last one ended.
 */
export async function resumeMoves(store: Store): Promise<number> {
  let finished = 0;
  const moves = new ErrorCollector();
  for await (const { sk: uuid } of queryAll(store.table, { pk: movingPartition })) {
    await moves.run(async () => {
      const item = await store.table.get(organizationKey(uuid));
      if (!item) return;
      if (!(await completeMove(store, parseOrganization(item)))) return;
      log("info", "An organization arrived at its new tenant.", { organization: uuid });
      finished++;
    });
  }
  moves.end();
  return finished;
}
