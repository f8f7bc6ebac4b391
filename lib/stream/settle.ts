import * as kinds from "../contract/items.ts";
import { streamLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { writeIf } from "../store/table.ts";
import { emptyPending, isSettled, parseHead, publishHead, readHead, type StreamHead } from "./head.ts";
import { addedKeys, entryKeys, hasDropped, type PendingAppend } from "./pending.ts";
import { dropSpills } from "./spill.ts";
import { StreamBusy, type StreamDeps } from "./stream.ts";

/**
 * Publishes, then retires. Call it only when everything the append wrote is visible to plain reads: because the
 * transaction has answered, or because one transaction read all of it. If retiring came first, a reader could find
 * neither the old entry nor the new one. A failed condition means that another process did it already.
 */
export async function settleAppend(deps: StreamDeps, tenant: TenantKey, head: StreamHead): Promise<void> {
  const { table } = deps;
  const { pending } = head;
  const isPublished = head.published === head.next - 1;
  const retires = pending !== undefined && hasDropped(pending);
  if (!isPublished) await writeIf(table, publishHead(tenant, head.next - 1, !retires), { idempotent: true });
  if (retires) await retire(deps, pending);
  if (retires || isPublished) await writeIf(table, emptyPending(tenant, head.next), { idempotent: true });
}

/**
 * Deletes without conditions: no number and no spill id is ever used twice, so a late delete affects only dead items.
 * Not in a transaction, where each would cost twice the write units; a local engine commits each by itself, so that moves
 * there take longer.
 */
async function retire(deps: StreamDeps, { dropped, spills }: PendingAppend): Promise<void> {
  await Promise.all([
    deps.table.writeMany(dropped.flatMap(entryKeys).map((key) => ({ delete: key }))),
    dropSpills(deps, spills),
  ]);
}

/**
 * Finishes an interrupted append. Both reads see a transaction completely or not at all, so after them every item of
 * the append is visible to plain reads. Any process may recover, any number of times, and also late.
 */
export async function recoverAppend(deps: StreamDeps, tenant: TenantKey): Promise<void> {
  const [item] = await deps.table.transactGet([kinds.streamHead.key({ tenant })]);
  const head = parseHead(item);
  if (isSettled(head)) return;
  if (head.published < head.next - 1 && head.pending) {
    await deps.table.transactGet(addedKeys(tenant, head.pending));
  }
  await settleAppend(deps, tenant, head);
}

/**
 * An event whose state was already stored may be acknowledged only when the head, read after the pointer, shows that
 * state as published and nothing pending. Otherwise the append was interrupted, and perhaps no other process will ever
 * finish it.
 */
export async function acknowledge(deps: StreamDeps, tenant: TenantKey, number: number): Promise<void> {
  const { attemptsMax } = deps.limits ?? streamLimits;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const head = await readHead(deps.table, tenant);
    if (head.published >= number && head.pending === undefined) return;
    await recoverAppend(deps, tenant);
  }
  throw new StreamBusy("The stream did not settle in time.");
}
