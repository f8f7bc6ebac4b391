import * as kinds from "../contract/items.ts";
import type { Mover } from "../contract/kind.ts";
import type { KindsThat } from "../contract/kind-names.ts";
import { eventLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { moveLearnings } from "../learnings/move-learnings.ts";
import { movePeople } from "../people/move-people.ts";
import { describeError, log } from "../runtime/log.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { boundedTable } from "../store/bounded.ts";
import { parseMoving } from "../store/items/moving.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { isTemporaryStoreError } from "../store/retry.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { transactIf } from "../store/table.ts";
import { moveOrganization } from "../stream/move.ts";
import { StreamBusy } from "../stream/stream.ts";
import { moveNews } from "./move-news.ts";
import { MoveProgress } from "./move-progress.ts";
import { takeTurns } from "./turns.ts";
import { hasEpochs, publishedEpochs } from "./visibility.ts";

/** It runs again after a crash, so it must detect what has already been moved. */
type Move = (
  store: Store,
  organization: OrganizationItem,
  from: TenantKey,
  progress: MoveProgress,
) => Promise<void>;

/** In this order. A kind whose row names a mover (lib/contract/items.ts) does not compile until the mover names it too. */
const movers: { readonly [Name in Mover]: { readonly move: Move; readonly kinds: Moved<Name> } } = {
  people: { move: movePeople, kinds: { people: true, member: true, person: true } },
  learnings: {
    move: moveLearnings,
    kinds: { learning: true, listedLearning: true, learningRemoval: true, relist: true },
  },
  news: { move: moveNews, kinds: { news: true } },
  metrics: {
    move: moveMetrics,
    kinds: { pointer: true, entry: true, organizationEntry: true, removal: true, organizationRemoval: true },
  },
};
type Moved<Name extends Mover> = Readonly<Record<KindsThat<{ moves: Name }>, true>>;

/** Until this is done, the organization's metrics are reported as `preparing`: see `isMoving`. */
async function moveMetrics(
  store: Store,
  { uuid, tenant }: OrganizationItem,
  from: TenantKey,
  progress: MoveProgress,
): Promise<void> {
  const { isComplete } = await moveOrganization(store, {
    organization: uuid,
    from: [from],
    to: tenant,
    progress,
  });
  if (!isComplete) throw new StreamBusy("The organization moved on before its metrics had arrived.");
}

/** Whether this call ended the move: another run may have done so, or no move is in progress. */
export async function completeMove(store: Store, organization: OrganizationItem): Promise<boolean> {
  const { uuid, tenant, leaving, arrived } = organization;
  if (leaving === undefined) return false;
  // The move's writer may have been interrupted before it published the epoch: readers may not know of the move.
  if (hasEpochs(leaving)) await publishedEpochs(store.table, leaving);
  const progress = await MoveProgress.read(store.table, organization);
  for (const [name, { move }] of Object.entries(movers)) {
    if (progress.isDone(name)) continue;
    await move(store, organization, leaving, progress);
    await progress.finish(name);
  }
  // The event that began the move identifies it: a delayed run must not end another move between the same two tenants.
  // The organization's version may change meanwhile, by a rename for example.
  const stillThisMove = {
    all: [
      { equals: ["leaving", leaving] as const },
      arrived === undefined ? { absent: "arrived" } : { equals: ["arrived", arrived] as const },
    ],
  };
  const change = { remove: ["leaving"] };
  return await transactIf(store.table, [
    { update: kinds.organization.key({ organization: uuid }), change, when: stillThisMove },
    { update: kinds.tenantOrganization.key({ tenant, organization: uuid }), change, when: { present: "pk" } },
    { delete: kinds.moving.key({ organization: uuid }) },
  ]);
}

/** An earlier move is not finished: the event that asks for another one waits, and is valid. */
export class MoveUnderWay extends Error {
  override readonly name = "MoveUnderWay";
  constructor(organization: string) {
    super(`The organization ${organization} is still moving to the tenant that an earlier event named.`);
  }
}

/**
 * The event's part of a move: most moves end here. A transient error fails the event, which is delivered again soon. A
 * long move, or a move that fails for another reason, is left to the scheduled worker, which finds the note of the move
 * and reports the error.
 */
export async function beginMove(store: Store, organization: OrganizationItem): Promise<void> {
  if (organization.leaving === undefined) return;
  const notAfterMs = store.clock.nowMs() + eventLimits.moveMsMax;
  const isOver = () => store.clock.nowMs() > notAfterMs;
  const table = boundedTable(store.table, { isOver, signal: new AbortController().signal });
  try {
    await completeMove({ ...store, table }, organization);
  } catch (error) {
    if (isTemporaryStoreError(error) && !(error instanceof TimeUp)) throw error;
    log("warn", "A move to another tenant is not finished. The scheduled worker continues it.", {
      organization: organization.uuid,
      cause: describeError(error),
    });
    await endTurn(store, organization);
  }
}

/** The scheduled worker may continue at once. If this fails, it waits until the turn is over by itself. */
async function endTurn({ table, clock }: Store, organization: OrganizationItem): Promise<void> {
  try {
    await (await MoveProgress.read(table, organization)).takeTurn(clock.nowMs());
  } catch (error) {
    log("warn", "The turn of a move could not be ended early.", { cause: describeError(error) });
  }
}

/** Continues moves that their events could not end. Returns how many moves ended. */
export async function resumeMoves(
  store: Store,
  { timeBudgetMs = Number.POSITIVE_INFINITY }: { readonly timeBudgetMs?: number } = {},
): Promise<number> {
  return await takeTurns(store, {
    pk: kinds.moving.partition(),
    timeBudgetMs,
    waitingOf(item) {
      const { sk: uuid, busy_until_ms: busyUntilMs = 0 } = parseMoving(item);
      return { uuid, sinceMs: busyUntilMs, busyUntilMs };
    },
    async turn(bounded, uuid, turnEndsMs) {
      const item = await bounded.table.get(kinds.organization.key({ organization: uuid }));
      if (!item) return false;
      const organization = parseOrganization(item);
      await (await MoveProgress.read(bounded.table, organization)).takeTurn(turnEndsMs);
      if (!(await completeMove(bounded, organization))) return false;
      log("info", "An organization arrived at its new tenant.", { organization: uuid });
      return true;
    },
  });
}
