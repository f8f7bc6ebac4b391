import { monthsBetween } from "../audit/list.ts";
import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { auditLimits } from "../contract/limits.ts";
import { organizationTenant, type TenantKey } from "../contract/tenants.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { auditRetentionDays } from "../runtime/environment.ts";
import { type LogMoveItem, parseLogMove } from "../store/items/log-move.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { type Item, type Put, type Table, transactIf, writeIf } from "../store/table.ts";
import { takeTurns } from "./turns.ts";

/**
 * The log of an organization that moves comes along: each entry is copied from the organization's own log into the log
 * of its new tenant, at its own time. The former tenant keeps what it has. Requests that began before the move may still
 * write for the former tenant, so the copying begins after they have ended. Until it is complete (`log_behind`), readers
 * of the whole tenant leave the organization out; then their walks catch it up.
 */
export const newLogMove = (
  { uuid, arrived = "" }: Pick<OrganizationItem, "uuid" | "arrived">,
  nowMs: number,
): Put => ({
  put: {
    ...kinds.movingLog.key({ organization: uuid }),
    arrived,
    due_at_ms: nowMs + auditLimits.settledAfterMs,
  },
});

/** One run of the schedule. Returns how many logs are complete now. */
export async function moveLogs(
  store: Store,
  { timeBudgetMs = Number.POSITIVE_INFINITY }: { readonly timeBudgetMs?: number } = {},
): Promise<number> {
  return await takeTurns(store, {
    pk: kinds.movingLog.partition(),
    timeBudgetMs,
    waitingOf(item) {
      const { sk: uuid, due_at_ms, turn_at_ms = 0 } = parseLogMove(item);
      return due_at_ms <= store.clock.nowMs() ? { uuid, sinceMs: turn_at_ms } : undefined;
    },
    turn: continueLog,
  });
}

async function continueLog(store: Store, uuid: string): Promise<boolean> {
  const { table } = store;
  // Together: beside an older state of the organization, the note of its newest move looks like one to remove.
  const [noteItem, item] = await table.transactGet([
    kinds.movingLog.key({ organization: uuid }),
    kinds.organization.key({ organization: uuid }),
  ]);
  if (!noteItem) return false;
  const note = parseLogMove(noteItem);
  const organization = item && parseOrganization(item);
  if (!organization || organization.arrived !== note.arrived) {
    // It moved on, to a tenant that needs no copy.
    await writeIf(table, { delete: kinds.movingLog.key({ organization: uuid }), when: isOf(note) });
    return false;
  }
  await saveProgress(store, note, note.after ?? "");
  const isWhole = await copyLog(store, note, organization.tenant);
  return isWhole && (await endLogMove(table, note, organization));
}

const isOf = ({ arrived }: LogMoveItem) => ({ equals: ["arrived", arrived] as const });

/** In a transaction, which shows all writes of a move or none: an entry of the next tenant, and that it left this one. */
async function isIn(table: Table, tenant: TenantKey, { sk: uuid, arrived }: LogMoveItem): Promise<boolean> {
  const [row] = await table.transactGet([kinds.tenantOrganization.key({ tenant, organization: uuid })]);
  return row?.arrived === arrived;
}

/** Returns false if the organization moved once more meanwhile. */
async function copyLog(store: Store, note: LogMoveItem, tenant: TenantKey): Promise<boolean> {
  const { table, clock } = store;
  const nowMs = clock.nowMs();
  const oldest = toTimestamp(nowMs - auditRetentionDays() * msPerDay);
  const from = note.after !== undefined && note.after > oldest ? note.after : oldest;
  for (const month of monthsBetween(from, toTimestamp(nowMs + msPerDay))) {
    const pk = kinds.audit.partition({ tenant: organizationTenant(note.sk), month });
    const range = { pk, after: from, pageItems: auditLimits.copiedTogether };
    let page = await table.queryPage(range);
    while (true) {
      const last = page.items.at(-1);
      if (last) {
        // Checked after the page was read: what the organization writes elsewhere never comes here.
        if (!(await isIn(table, tenant, note))) return false;
        await copyEntries(table, note.sk, kinds.audit.partition({ tenant, month }), page.items);
        if (!(await saveProgress(store, note, last.sk))) return false;
      }
      if (!page.resume) break;
      page = await table.queryPage(range, page.resume);
    }
  }
  return true;
}

/**
 * The same entry at the same place, so copying again changes nothing. An entry of a whole tenant that names several
 * organizations is longer in that tenant's own log: a copy never replaces it.
 */
async function copyEntries(
  table: Table,
  organization: string,
  pk: string,
  entries: readonly Item[],
): Promise<void> {
  const own = entries.filter((entry) => entry.organization === organization);
  // One by one: the right to write a batch is also the right to delete, and no role may delete an audit entry.
  await Promise.all(own.map((entry) => table.write({ put: { ...entry, pk } }, { idempotent: true })));
  for (const entry of entries.filter((each) => each.organization !== organization))
    await writeIf(
      table,
      { put: { ...entry, pk, log_of: organization }, when: { absent: "pk" } },
      { idempotent: true },
    );
}

const saveProgress = async ({ table, clock }: Store, note: LogMoveItem, after: string): Promise<boolean> =>
  await writeIf(
    table,
    {
      update: kinds.movingLog.key({ organization: note.sk }),
      change: {
        set: [
          ["after", after],
          ["turn_at_ms", clock.nowMs()],
        ],
      },
      when: isOf(note),
    },
    { idempotent: true },
  );

const endLogMove = async (
  table: Table,
  note: LogMoveItem,
  { tenant, visible_epoch }: OrganizationItem,
): Promise<boolean> => {
  const change = { remove: ["log_behind"] };
  // The tenant's webhooks ring. Without an epoch nobody reads the organization there, and the count may not exist.
  const count = { update: kinds.scopeEpochs.key({ tenant }), change: { add: [["logs", 1]] } } as const;
  // A move writes both copies of the organization together: the condition of one is that of both.
  return await transactIf(table, [
    ...(visible_epoch === undefined ? [] : [count]),
    { update: kinds.organization.key({ organization: note.sk }), change },
    { update: kinds.tenantOrganization.key({ tenant, organization: note.sk }), change, when: isOf(note) },
    { delete: kinds.movingLog.key({ organization: note.sk }), when: isOf(note) },
  ]);
};
