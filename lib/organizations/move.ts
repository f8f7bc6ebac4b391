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
import { isPassing } from "../store/retry.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { queryAll, TransactionRefused } from "../store/table.ts";
import { moveOrganization } from "../stream/move.ts";
import { StreamBusy } from "../stream/stream.ts";
import { hasEpochs, settledEpochs } from "./visibility.ts";

/**
 * Takes one kind of an organization's data from the tenant it left to the one it is in. It is begun again
 * after a crash, so it must find by itself what is already there.
 */
type Mover = (store: Store, organization: OrganizationItem, from: TenantKey) => Promise<void>;

/** Everything that hangs on the tenant and not on the organization alone: what is not here stays behind. */
const movers: readonly Mover[] = [movePeople, moveLearnings, moveMetrics];

/** Until it is done the organization's metrics read as `preparing`: see `isMoving`. */
async function moveMetrics(store: Store, { uuid, tenant }: OrganizationItem, from: TenantKey): Promise<void> {
  const { isComplete } = await moveOrganization(store, { organization: uuid, from: [from], to: tenant });
  if (!isComplete) throw new StreamBusy("The organization moved on before its metrics had arrived.");
}

/** Finishes a change of tenant; nothing to do where none is under way. */
export async function completeMove(store: Store, organization: OrganizationItem): Promise<void> {
  const { uuid, tenant, leaving, version } = organization;
  if (leaving === undefined) return;
  // Whoever wrote the move may have been cut off before its readers could learn of it.
  if (hasEpochs(leaving)) await settledEpochs(store.table, leaving);
  for (const move of movers) await move(store, organization, leaving);
  // The version too: one that comes back late must not end another move between the same two tenants.
  const stillThisMove = {
    all: [
      { equals: ["leaving", leaving] as const },
      { equals: ["tenant", tenant] as const },
      { equals: ["version", version] as const },
    ],
  };
  const change = { remove: ["leaving"] };
  try {
    await store.table.transact([
      { update: organizationKey(uuid), change, when: stillThisMove },
      { update: tenantOrganizationKey(tenant, uuid), change, when: { present: "pk" } },
      { delete: movingKey(uuid) },
    ]);
  } catch (error) {
    // Somebody else has ended it.
    if (!(error instanceof TransactionRefused)) throw error;
  }
}

/** An earlier move is not over, so another cannot begin. The event that asks for it waits; it is not to blame. */
export class MoveUnderWay extends Error {
  override readonly name = "MoveUnderWay";
  constructor(organization: string) {
    super(`The organization ${organization} is still moving to the tenant that an earlier event named.`);
  }
}

/**
 * The event's part of a move. A fault that passes ends the event, which comes again soon; a long move, or one that
 * meets a fault of its own, is left to the clock's worker, which finds its note and reports what is wrong with it.
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
    if (isPassing(error) && !isLong) throw error;
    log("warn", "A move to another tenant goes on behind the clock.", {
      organization: organization.uuid,
      cause: describeError(error),
    });
  }
}

/**
 * Goes on with moves that were cut off: a large organization takes longer than one delivery of its event may.
 * What has moved is found in its new place, so every run begins where the last one ended.
 */
export async function resumeMoves(store: Store): Promise<number> {
  let finished = 0;
  const moves = new ErrorCollector();
  for await (const { sk: uuid } of queryAll(store.table, { pk: movingPartition })) {
    await moves.run(async () => {
      const item = await store.table.get(organizationKey(uuid));
      if (!item) return;
      await completeMove(store, parseOrganization(item));
      log("info", "An organization arrived at its new tenant.", { organization: uuid });
      finished++;
    });
  }
  moves.end();
  return finished;
}
