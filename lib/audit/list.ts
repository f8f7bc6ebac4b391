import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { auditLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { type Clock, toTimestamp } from "../runtime/clock.ts";
import { type AuditItem, parseAudit } from "../store/items/audit.ts";
import type { Range, Table } from "../store/table.ts";
import { itemsPerQuery } from "../store/walk.ts";

const { passedOverMax, passedOverBytesMax } = auditLimits;

export type AuditQuery = {
  /** Whose log is read: a tenant's, or one organization's (`o#<uuid>`). */
  readonly owner: TenantKey;
  readonly order: "asc" | "desc";
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  readonly after: AuditPosition | null;
  /** The last sort key to read, in the direction of the walk. Without it, the walk goes to its end. */
  readonly upTo?: string;
  readonly limit: number;
  readonly retentionDays: number;
  readonly wanted: (entry: AuditItem) => boolean;
};

/** The progress of a walk. */
export type AuditPosition = {
  /** The sort key of the last entry seen. */
  readonly place: string;
  /** Everything up to here was certainly visible when it was read. A resumed walk begins here. */
  readonly settled: string;
};

export type AuditPage = {
  readonly entries: readonly AuditItem[];
  /** Where the next page starts; null if there is none. */
  readonly next: AuditPosition | null;
  /** Where this page ended, also on the last page; null if the walk has seen no entry yet. */
  readonly end: AuditPosition | null;
  /** Where a walk in ascending order can be resumed after it has reached its end. */
  readonly resume: AuditPosition;
};

/** Reads in the order of writing, month by month. The months of the window are few, so they are read in parallel. */
export async function readAuditLog(
  deps: { table: Table; clock: Clock },
  query: AuditQuery,
): Promise<AuditPage> {
  const nowMs = deps.clock.nowMs();
  const entries: AuditItem[] = [];
  const page = (place: string | undefined, isLast: boolean): AuditPage => {
    const settled = settledOf(query.after, place ?? query.after?.place, nowMs);
    const end = place === undefined ? query.after : { place, settled };
    return {
      entries,
      next: isLast ? null : end,
      end,
      resume: isLast && query.order === "asc" ? resumeAtEnd(query, nowMs) : { place: settled, settled },
    };
  };
  let passedOver = 0;
  let passedOverBytes = 0;
  for await (const entry of monthsInOrder(deps.table, query, nowMs)) {
    if (entry.ttl * 1000 <= nowMs || !query.wanted(entry)) {
      passedOver++;
      passedOverBytes += JSON.stringify(entry).length;
      if (passedOver >= passedOverMax || passedOverBytes >= passedOverBytesMax) return page(entry.sk, false);
      continue;
    }
    // One entry more than fits means that another page follows.
    if (entries.length === query.limit) return page(entries.at(-1)?.sk, false);
    entries.push(entry);
  }
  return page(entries.at(-1)?.sk, true);
}

/** The walk has read everything up to its end, also the entries that no filter matched: none of them is read again. */
function resumeAtEnd({ after, upTo }: AuditQuery, nowMs: number): AuditPosition {
  const settled = settledOf(after, upTo, nowMs);
  return { place: settled, settled };
}

/**
 * The earliest moment of the whole walk that was not settled when it was read. Entries of the last moments may become
 * visible after later ones, also on a page that the walk has already passed.
 */
function settledOf(from: AuditPosition | null, place: string | undefined, nowMs: number): string {
  if (from && from.settled < from.place) return from.settled;
  const settledBefore = `${toTimestamp(nowMs - auditLimits.settledAfterMs)}#`;
  return place !== undefined && place < settledBefore ? place : settledBefore;
}

async function* monthsInOrder(table: Table, query: AuditQuery, nowMs: number): AsyncGenerator<AuditItem> {
  const bounds = boundsOf(query, nowMs);
  if (bounds.from > bounds.upTo) return;
  for (const batch of batchesOf(query.order, bounds)) {
    const ranges = batch.map((month) => rangeOf(query, month, bounds));
    // Requests the first page of each month at once, and further pages only when they are needed.
    const firstPages = ranges.map((range) => table.queryPage(range));
    for (const page of firstPages) page.catch(() => {});
    for (const [index, range] of ranges.entries()) {
      let page = await firstPages[index];
      while (page) {
        for (const item of page.items) if (item.sk !== query.after?.place) yield parseAudit(item);
        page = page.resume && (await table.queryPage(range, page.resume));
      }
    }
  }
}

/** The months in which the page probably ends are read first, then all others at once. */
function batchesOf(order: AuditQuery["order"], { from, upTo }: Bounds): string[][] {
  const months = monthsBetween(from, upTo);
  if (order === "desc") months.reverse();
  const daysMs = auditLimits.daysOfPage * msPerDay;
  const end = order === "asc" ? timeOf(from) + daysMs : timeOf(upTo) - daysMs;
  const endMonth = toTimestamp(end).slice(0, 7);
  const near = months.filter((month) => (order === "asc" ? month <= endMonth : month >= endMonth));
  return [near, months.slice(near.length)];
}

/** The time at the beginning of a sort key. */
const timeOf = (sk: string): number => Date.parse(sk.slice(0, 24));

type Bounds = { readonly from: string; readonly upTo: string };

/** As sort keys, both inclusive. "$" sorts right after the "#" that ends the time. */
function boundsOf(query: AuditQuery, nowMs: number): Bounds {
  const { order, after, upTo: last, fromMs, toMs, retentionDays } = query;
  const oldestMs = nowMs - retentionDays * msPerDay;
  // The clocks of hosts differ: the time of an entry may be in the future.
  const newestMs = nowMs + msPerDay;
  const from = `${toTimestamp(Math.max(oldestMs, Math.min(fromMs ?? oldestMs, newestMs)))}`;
  const upTo = `${toTimestamp(Math.max(oldestMs, Math.min(toMs ?? newestMs, newestMs)))}$`;
  const place = after?.place;
  const [first, end] = order === "asc" ? [place, last] : [last, place];
  return {
    from: first && first > from ? first : from,
    upTo: end && end < upTo ? end : upTo,
  };
}

/** The months of the log (`2026-11`), both inclusive. */
export function monthsBetween(from: string, upTo: string): string[] {
  const months: string[] = [];
  let [year = 0, month = 0] = from.slice(0, 7).split("-").map(Number);
  for (;;) {
    const name = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}`;
    if (name > upTo.slice(0, 7)) return months;
    months.push(name);
    month = month === 12 ? 1 : month + 1;
    if (month === 1) year++;
  }
}

const rangeOf = ({ owner, order, limit }: AuditQuery, month: string, { from, upTo }: Bounds): Range => ({
  pk: kinds.audit.partition({ tenant: owner, month }),
  from,
  upTo,
  descending: order === "desc",
  // One more, because the entry at `after` is read again and left out.
  pageItems: itemsPerQuery(limit + 1),
});
