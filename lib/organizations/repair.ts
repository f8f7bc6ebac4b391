import * as kinds from "../contract/items.ts";
import { isOf, partsOf } from "../contract/kind.ts";
import type { KindsThat } from "../contract/kind-names.ts";
import { scopeLimits, streamLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { inChunks } from "../runtime/chunks.ts";
import { required } from "../runtime/required.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { parseOrganizationLeft, parseScopeEpochs } from "../store/items/scope-epochs.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { type Item, identityOf, type Key } from "../store/table.ts";
import { mendStreams } from "../stream/mend.ts";
import { renumberStreams, startRepair } from "../stream/repair.ts";
import { type Begun, type Mended, RepairRun } from "../stream/repair-run.ts";
import { newLogMove } from "./move-log.ts";
import { newMove } from "./move-progress.ts";
import { copyWrites, organizationAttributes } from "./save-organization.ts";
import { hasEpochs } from "./visibility.ts";

export type TableReport = Begun & Mended;

/** There is no repair that was stopped. */
export class NothingToResume extends Error {
  override readonly name = "NothingToResume";
}

type RepairOptions = {
  /** Continue the second part of a repair that was stopped. */
  readonly isResumed?: boolean;
  /** Called when the first part is done: the service may run from now on. */
  readonly onBegun?: (begun: Begun) => void;
  /** The last work of the second part: if it is stopped, the repair can be continued. */
  readonly onMended?: () => Promise<void>;
};

/**
 * Run this after a restore. The first part needs a table that nobody else uses: it moves the numbers of the streams
 * ahead and repairs the rows that decide whose data readers see. A restore undoes things that readers have already seen:
 * Learnings, removals, changes of the scope. So every cursor of a listing that needs those is refused from now on, and
 * epochs jump beyond every epoch that a half-restored row can contain. The second part makes the entries agree while the
 * service runs; if it is stopped, it continues where it was. Can be repeated.
 */
export async function repairTable(
  store: Store,
  { isResumed = false, onBegun, onMended }: RepairOptions = {},
): Promise<TableReport> {
  const run = isResumed ? await RepairRun.read(store.table) : await beginRepair(store);
  if (!run) throw new NothingToResume("No repair was stopped.");
  onBegun?.(run.begun);
  await mendStreams(store, run);
  await onMended?.();
  await run.end();
  return { ...run.begun, ...run.mended };
}

async function beginRepair(store: Store): Promise<RepairRun> {
  const found = new TableContent();
  const before = await renumberStreams(store, (item) => found.see(item));
  const restored = store.random.uuid();
  let rowsRepaired = 0;
  await inChunks([...found.organizations.keys()], streamLimits.repairSegments, async (uuid) => {
    const fixed = await fixOrganization(store, uuid, found, restored);
    rowsRepaired += fixed;
  });
  for (const key of found.strayRows()) {
    await store.table.write({ delete: key });
    rowsRepaired++;
  }
  for (const [tenant, highest] of found.epochs()) await advanceEpochs(store, tenant, highest, restored);
  return await startRepair(store, { streams: before.size, rowsRepaired }, before);
}

/** What one scan of the table shows about organizations and their tenants: some kilobytes each. */
class TableContent {
  /** By UUID, as stored in their own partition. */
  readonly organizations = new Map<string, OrganizationItem>();
  /** Their copies in the tenants' partitions. */
  readonly #rows = new Map<string, { readonly tenant: TenantKey; readonly row: Item }>();
  /** The highest epoch in any row of a tenant's scope. */
  readonly #highest = new Map<TenantKey, number>();

  /** One case for each kind whose row in the contract names this part of the repair. */
  readonly #cases: Readonly<Record<KindsThat<{ repair: "scope" }>, (item: Item) => void>> = {
    organization: (item) => {
      if (!isOf(kinds.organization, item)) return;
      const organization = parseOrganization(item);
      this.organizations.set(organization.uuid, organization);
      this.#note(organization.tenant, organization.visible_epoch);
    },
    tenantOrganization: (item) => {
      const { tenant } = partsOf(kinds.tenantOrganization, item) ?? {};
      if (!tenant) return;
      this.#rows.set(identityOf(item), { tenant, row: item });
      this.#note(tenant, Number(item.visible_epoch ?? 0));
    },
    scopeEpochs: (item) => {
      const { tenant } = partsOf(kinds.scopeEpochs, item) ?? {};
      if (tenant) this.#note(tenant, parseScopeEpochs(item).next - 1);
    },
    organizationLeft: (item) => {
      const { tenant } = partsOf(kinds.organizationLeft, item) ?? {};
      if (tenant) this.#note(tenant, parseOrganizationLeft(item).left_epoch);
    },
  };

  see(item: Item): void {
    for (const see of Object.values(this.#cases)) see(item);
  }

  #note(tenant: TenantKey, epoch = 0): void {
    this.#highest.set(tenant, Math.max(epoch, this.#highest.get(tenant) ?? 0));
  }

  rowOf({ uuid, tenant }: OrganizationItem): Item | undefined {
    return this.#rows.get(identityOf(kinds.tenantOrganization.key({ tenant, organization: uuid })))?.row;
  }

  /** Copies in a tenant that their organization does not belong to. */
  strayRows(): Key[] {
    return [...this.#rows.values()]
      .filter(({ tenant, row }) => this.organizations.get(String(row.uuid))?.tenant !== tenant)
      .map(({ row: { pk, sk } }) => ({ pk, sk }));
  }

  epochs(): ReadonlyArray<readonly [TenantKey, number]> {
    return [...this.#highest].filter(([tenant]) => hasEpochs(tenant));
  }
}

/** Rewritten from the organization item, because that one decides whether a repeated event is known or new. */
async function fixOrganization(
  store: Store,
  uuid: string,
  found: TableContent,
  restored: string,
): Promise<number> {
  return await retryOnConflict(store, async () => {
    const stored = required(
      await store.table.get(kinds.organization.key({ organization: uuid })),
      "organization that the scan found",
    );
    const organization = { ...parseOrganization(stored), restored };
    await store.table.transact([
      { put: organization, when: unchanged(stored, organizationAttributes) },
      ...copyWrites(organization, undefined),
      // Without what earlier runs noted: the restore may have undone it.
      ...(organization.leaving === undefined ? [] : [{ put: newMove(organization, 0) }]),
      ...(organization.log_behind ? [newLogMove(organization, store.clock.nowMs())] : []),
    ]);
    const row = found.rowOf(organization);
    return row && isCopy(row, stored) ? 0 : 1;
  });
}

const isCopy = (one: Item, other: Item): boolean => textOf(one) === textOf(other);

const textOf = ({ pk: _pk, sk: _sk, ...attributes }: Item): string =>
  JSON.stringify(Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1)));

async function advanceEpochs(
  { table, clock }: Store,
  tenant: TenantKey,
  highest: number,
  restored: string,
): Promise<void> {
  const published = highest + scopeLimits.repairEpochsGap;
  const put = {
    ...kinds.scopeEpochs.key({ tenant }),
    n: published + 1,
    p: published,
    u: "",
    at_ms: clock.nowMs(),
    r: restored,
  };
  await table.write({ put });
}
