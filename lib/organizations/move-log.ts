import { monthsBetween } from "../audit/list.ts";
import { msPerDay } from "../contract/days.ts";
import { auditLimits, eventLimits } from "../contract/limits.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { auditRetentionDays } from "../runtime/environment.ts";
import { ErrorCollector } from "../runtime/error-collector.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { boundedTable } from "../store/bounded.ts";
import { type LogMoveItem, parseLogMove } from "../store/items/log-move.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import {
  auditPartition,
  logMoveKey,
  logMovePartition,
  organizationKey,
  organizationTenant,
  type TenantKey,
  tenantOrganizationKey,
} from "../store/layout.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { type Item, type Put, queryAll, type Table, transactIf, writeIf } from "../store/table.ts";

/**
 * The log of an organization that moves comes along: each entry is copied from the organization's own log into the log
 * of its new tenant, at its own time. The former tenant keeps what it has. Requests that began before the move may still
 * write for the former tenant, so the copying begins after they have ended. Until it is complete (`log_behind`), readers
 * of the whole tenant leave the organization out; then their walks catch it up.
 */
export const newLogMove = (
  { uuid, arrived = "" }: Pick<OrganizationItem, "uuid" | "arrived">,
  nowMs: number,
): Put => ({ put: { ...logMoveKey(uuid), arrived, due_at_ms: nowMs + auditLimits.settledAfterMs } });

/**
 * One run of the schedule: each log that is due has one turn, those that waited longest first. A log that is not
 * complete after its turn continues in the next run. Returns how many logs are complete now.
 */
export async function moveLogs(
  store: Store,
  { timeBudgetMs = Number.POSITIVE_INFINITY }: { readonly timeBudgetMs?: number } = {},
): Promise<number> {
  const { table, clock } = store;
  const notAfterMs = clock.nowMs() + timeBudgetMs;
  const errors = new ErrorCollector();
  const notes: LogMoveItem[] = [];
  for await (const item of queryAll(table, { pk: logMovePartition }))
    await errors.run(async () => notes.push(parseLogMove(item)));
  const due = notes
    .filter(({ due_at_ms }) => due_at_ms <= clock.nowMs())
    .toSorted((one, other) => (one.turn_at_ms ?? 0) - (other.turn_at_ms ?? 0));
  let complete = 0;
  for (const note of due) {
    if (clock.nowMs() >= notAfterMs) break;
    const turnEndsMs = Math.min(clock.nowMs() + eventLimits.moveTurnMs, notAfterMs);
    await errors.run(async () => {
      if (await takeTurn(store, note, turnEndsMs)) complete++;
    });
  }
  errors.end();
  return complete;
}

async function takeTurn(store: Store, note: LogMoveItem, turnEndsMs: number): Promise<boolean> {
  const isOver = () => store.clock.nowMs() >= turnEndsMs;
  const table = boundedTable(store.table, { isOver, signal: new AbortController().signal });
  const bounded = { ...store, table };
  try {
    const item = await table.get(organizationKey(note.sk));
    const organization = item && parseOrganization(item);
    if (!organization || organization.arrived !== note.arrived) {
      // It moved on, to a tenant that needs no copy.
      await writeIf(table, { delete: logMoveKey(note.sk), when: isOf(note) });
      return false;
    }
    await saveProgress(bounded, note, note.after ?? "");
    const isWhole = await copyLog(bounded, note, organization.tenant);
    return isWhole && (await endLogMove(table, note, organization.tenant));
  } catch (error) {
    if (error instanceof TimeUp && isOver()) return false;
    throw error;
  }
}

const isOf = ({ arrived }: LogMoveItem) => ({ equals: ["arrived", arrived] as const });

/** Returns false if the organization moved once more meanwhile. */
async function copyLog(store: Store, note: LogMoveItem, tenant: TenantKey): Promise<boolean> {
  const { table, clock } = store;
  const nowMs = clock.nowMs();
  const oldest = toTimestamp(nowMs - auditRetentionDays() * msPerDay);
  const from = note.after !== undefined && note.after > oldest ? note.after : oldest;
  for (const month of monthsBetween(from, toTimestamp(nowMs + msPerDay))) {
    const pk = auditPartition(organizationTenant(note.sk), month);
    const range = { pk, after: from, pageItems: auditLimits.copiedTogether };
    let page = await table.queryPage(range);
    while (true) {
      await copyEntries(table, note.sk, auditPartition(tenant, month), page.items);
      const last = page.items.at(-1);
      if (last && !(await saveProgress(store, note, last.sk))) return false;
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
      update: logMoveKey(note.sk),
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

const endLogMove = async (table: Table, note: LogMoveItem, tenant: TenantKey): Promise<boolean> => {
  const change = { remove: ["log_behind"] };
  return await transactIf(table, [
    { update: organizationKey(note.sk), change, when: isOf(note) },
    { update: tenantOrganizationKey(tenant, note.sk), change, when: isOf(note) },
    { delete: logMoveKey(note.sk), when: isOf(note) },
  ]);
};
