import { type Actor, auditWrites } from "../audit/entry.ts";
import * as kinds from "../contract/items.ts";
import { storeLimits } from "../contract/limits.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { isLive, type KeyItem, parseKey } from "../store/items/key.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import type { Table } from "../store/table.ts";
import { type KeyActor, keyEvent } from "./key-entry.ts";
import { endKeyNotes } from "./key-notes.ts";
import { keyStateOf } from "./key-record.ts";
import type { RegistryDeps } from "./key-registry.ts";
import { findOrganization, requireKey, requireOwnKind } from "./key-requirements.ts";

/** Returns the ids of the keys that ended. */
export async function revokeKey(deps: RegistryDeps, id: string, actor: Actor): Promise<readonly string[]> {
  return await revokeLine(deps, await requireOwnKind(deps.table, id), { actor });
}

/**
 * Ends a key, every successor of it, and the keys before it whose grace has not ended: whoever has stolen a key may
 * have rotated it. A rotated key that ends itself ends nothing else: its successor may be in other hands. Returns the
 * ids of the keys that ended; none if all had been revoked before.
 */
export async function revokeLine(
  deps: RegistryDeps,
  named: KeyItem,
  by: KeyActor,
): Promise<readonly string[]> {
  return await retryOnConflict(deps, async (attempt) => {
    const key = attempt === 0 ? named : await requireKey(deps.table, named.id);
    if (key.id === by.actor.keyId && key.rotated_to !== null) return await revoke(deps, key, [key], by);
    const nowMs = deps.clock.nowMs();
    const [before, after] = await Promise.all([
      follow(deps.table, key, "rotated_from"),
      follow(deps.table, key, "rotated_to"),
    ]);
    // The newest first: a line that is too long for one transaction never has an end that can still be rotated.
    const line = [...after.toReversed(), key, ...before.filter((each) => isLive(each, nowMs))];
    return await revoke(deps, key, line, by);
  });
}

/** The keys of the line in one direction, the nearest first. */
async function follow(
  table: Table,
  from: KeyItem,
  direction: "rotated_from" | "rotated_to",
): Promise<KeyItem[]> {
  const found: KeyItem[] = [];
  let next = from[direction];
  while (next) {
    const item = await table.get(kinds.apiKey.key({ keyId: next }));
    if (!item) break;
    const key = parseKey(item);
    found.push(key);
    next = key[direction];
  }
  return found;
}

/** Throws TransactionRefused if a key was rotated or revoked meanwhile. */
async function revoke(
  deps: RegistryDeps,
  named: KeyItem,
  line: readonly KeyItem[],
  by: KeyActor,
): Promise<readonly string[]> {
  const organization = named.organization ? await findOrganization(deps.table, named.organization) : null;
  const action = named.kind === "workspace" ? "token.deleted" : "key.revoked";
  const nowMs = deps.clock.nowMs();
  const valid = line.filter(({ revoked_at }) => revoked_at === null);
  for (const some of chunksOf(valid, keysTogetherMax)) {
    const metadata = {
      before: { state: keyStateOf(named, nowMs) },
      after: { state: "revoked" },
      revoked_key_ids: some.map(({ id }) => id),
    };
    await deps.table.transact([
      ...some.map(({ id, rotated_to }) => ({
        update: kinds.apiKey.key({ keyId: id }),
        change: { set: [["revoked_at", toTimestamp(nowMs)] as const] },
        when: { all: [{ equals: ["revoked_at", null] }, { equals: ["rotated_to", rotated_to] }] } as const,
      })),
      ...some.flatMap((key) => endKeyNotes(key, organization)),
      ...auditWrites(deps, keyEvent(named, { by, organization, action, metadata })),
    ]);
  }
  return valid.map(({ id }) => id);
}

/** Each with up to nine notes; beside them a transaction holds the audit entry, twice. */
const keysTogetherMax = Math.floor((storeLimits.transactionActionsMax - 2) / 10);
