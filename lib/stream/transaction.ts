import * as kinds from "../contract/items.ts";
import { storeLimits, streamLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import type { ConditionCheck, TransactionWrite } from "../store/table.ts";
import { entryPuts } from "./entry.ts";
import { advanceHead, type StreamHead } from "./head.ts";
import { type Added, copiesOf } from "./pending.ts";
import type { ChangePlan } from "./plan.ts";
import { type PlaceRecord, type Pointer, pointerItemOf, pointerUnchanged } from "./pointer.ts";
import { removalPuts } from "./removal.ts";
import { sizeOf } from "./size.ts";
import { spillIsUsable } from "./spill.ts";
import { type Dataset, letterOf, type StreamLimits } from "./stream.ts";
import { noteWeeks } from "./weeks.ts";

/** An append: the transaction, the head after the commit, and the meaning of a refusal. */
export type AppendTransaction = {
  readonly plans: readonly ChangePlan[];
  readonly writes: readonly TransactionWrite[];
  readonly after: StreamHead;
  /** Maps the index of an action to the organization that must still belong to the tenant. */
  readonly tenantChecks: ReadonlyMap<number, string>;
  /** Maps the index of an action to the spill that must not be marked for removal. */
  readonly spillChecks: ReadonlyMap<number, string>;
};

const belongsTo = (tenant: TenantKey, organization: string): ConditionCheck => ({
  check: kinds.organization.key({ organization }),
  when: { equals: ["tenant", tenant] },
});

export function buildAppend(
  tenant: TenantKey,
  before: StreamHead,
  plans: readonly ChangePlan[],
  nowMs: number,
): AppendTransaction {
  const numbered = plans.map((plan, index) => ({ plan, number: before.next + index }));
  const next = before.next + plans.length;
  if (next > streamLimits.numberMax) throw new RangeError("The stream has no numbers left.");
  const pending = {
    added: numbered.map(({ plan, number }) => addedBy(plan, number)),
    dropped: plans.flatMap((plan) => plan.dropped),
    spills: plans.flatMap((plan) => plan.spills),
  };
  const weeks = noteWeeks(
    before.weeks,
    numbered.flatMap(({ plan, number }) => plan.entries.map(({ week }) => ({ week, number }))),
  );
  const after: StreamHead = { next, published: before.published, pending, weeks };

  const writes: TransactionWrite[] = [advanceHead(tenant, before, after)];
  const tenantChecks = new Map<number, string>();
  const spillChecks = new Map<number, string>();
  for (const organization of new Set(plans.map((plan) => plan.organization))) {
    tenantChecks.set(writes.push(belongsTo(tenant, organization)) - 1, organization);
  }
  for (const { plan, number } of numbered) {
    const { organization } = plan;
    for (const { dataset, week, body, spill } of plan.entries) {
      writes.push(...entryPuts({ tenant, organization, dataset: letterOf(dataset), week, number }, body));
      if (spill) spillChecks.set(writes.push(spillIsUsable(organization, spill)) - 1, spill.id);
    }
    for (const { dataset, ...removal } of plan.removals) {
      const { pointerId } = plan;
      writes.push(
        ...removalPuts(
          { tenant, organization, dataset, number },
          { pointerId, removedAtMs: nowMs, ...removal },
        ),
      );
    }
    writes.push({
      put: pointerItemOf(pointerAfter(tenant, plan, number)),
      when: pointerUnchanged(plan.before),
    });
  }
  return { plans, writes, after, tenantChecks, spillChecks };
}

const addedBy = ({ organization, pointerId, entries, removals }: ChangePlan, number: number): Added => ({
  organization,
  pointerId,
  number,
  weeks: entries.map(({ dataset, week }) => [letterOf(dataset), week] as const),
  ...(removals.length > 0 && { removals: removals.map(({ dataset }) => letterOf(dataset)) }),
});

function pointerAfter(tenant: TenantKey, plan: ChangePlan, number: number): Pointer {
  const { pointerId: id, organization, occurredAtMs, occurredAtFiner, eventId, facets } = plan;
  const places: { -readonly [Name in Dataset]?: PlaceRecord } = Object.fromEntries(plan.kept);
  for (const { dataset, week, fingerprint, spill } of plan.entries) {
    places[dataset] = { number, week, fingerprint, spill };
  }
  return { id, organization, tenant, number, occurredAtMs, occurredAtFiner, eventId, places, facets };
}

/** Generous estimates: an entry's keys, and a pointer with its share of the head. */
const keyBytes = 200;
const pointerBytes = 1000;
/** A URL and two ids of maximum length, with up to four bytes per character. */
const removalBytes = 10_000;

/** The first plans, in order, that fit one transaction. */
export function packPlans(
  tenant: TenantKey,
  plans: readonly ChangePlan[],
  limits: StreamLimits,
): ChangePlan[] {
  const packed: ChangePlan[] = [];
  const organizations = new Set<string>();
  let actions = 1;
  let bytes = 0;
  for (const plan of plans) {
    const copies = copiesOf(tenant, plan.organization).length;
    actions += 1 + plan.entries.reduce((sum, { spill }) => sum + copies + (spill ? 1 : 0), 0);
    actions += plan.removals.length * copies;
    actions += organizations.has(plan.organization) ? 0 : 1;
    bytes += plan.entries.reduce((sum, { body }) => sum + copies * (sizeOf(body) + keyBytes), pointerBytes);
    bytes += plan.removals.length * copies * removalBytes;
    const isFull =
      packed.length === limits.changesPerTransactionMax ||
      actions > storeLimits.transactionActionsMax ||
      bytes > limits.transactionBytesMax;
    if (isFull && packed.length > 0) break;
    organizations.add(plan.organization);
    packed.push(plan);
  }
  return packed;
}
