import { type Actor, auditWrites } from "../audit/entry.ts";
import * as kinds from "../contract/items.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { describeError, log } from "../runtime/log.ts";
import { isLive, type KeyItem, type MadeKeysItem, parseKey } from "../store/items/key.ts";
import type { ReadAhead } from "../store/read-ahead.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import type { Condition, Table } from "../store/table.ts";
import { type KeyActor, keyEvent } from "./key-entry.ts";
import { endKeyNotes } from "./key-notes.ts";
import { keyStateOf } from "./key-record.ts";
import type { RegistryDeps } from "./key-registry.ts";
import { findOrganization, requireKey, requireOwnKind } from "./key-requirements.ts";
import { listUnchanged, readMadeList } from "./made-keys.ts";

/** Returns the ids of the keys that ended. */
export async function revokeKey(deps: RegistryDeps, id: string, actor: Actor): Promise<readonly string[]> {
  return await endKey(deps, await requireOwnKind(deps.table, id), { actor });
}

/**
 * Ends a key and all that it made, in one transaction: whoever has stolen a key may have made keys with it. Ending a
 * made key ends neither its maker nor other keys that the maker made. Returns the ids of the keys that ended; none if
 * all had ended before.
 */
export async function endKey(
  deps: RegistryDeps & { readonly prefetched?: ReadAhead },
  given: KeyItem,
  by: KeyActor,
): Promise<readonly string[]> {
  const { table } = deps;
  return await retryOnConflict(deps, async (attempt) => {
    const nowMs = deps.clock.nowMs();
    const [key, organization, list] = await Promise.all([
      attempt === 0 ? given : requireKey(table, given.id),
      given.organization === null ? null : findOrganization(table, given.organization),
      readMadeList(table, given.id, attempt === 0 ? deps.prefetched : undefined),
    ]);
    const made = await readMade(table, list, nowMs);
    const ended = [key, ...made].filter(({ revoked_at }) => revoked_at === null);
    if (ended.length === 0) return [];
    const ids = ended.map(({ id }) => id);
    const metadata = {
      before: { state: keyStateOf(key, nowMs) },
      after: { state: "revoked" },
      revoked_key_ids: ids,
    };
    const action = key.kind === "workspace" ? "token.deleted" : "key.revoked";
    await table.transact([
      // A thief who ends or rotates the made keys meanwhile must not stop this: they only have to exist.
      ...ended.map(({ id: keyId }) => ({
        update: kinds.apiKey.key({ keyId }),
        change: { set: [["revoked_at", toTimestamp(nowMs)] as const] },
        when: keyId === key.id ? stillLive : stored,
      })),
      // Otherwise the key made another one meanwhile.
      listUnchanged(given.id, list),
      ...endKeyNotes(key, organization),
      ...auditWrites(deps, keyEvent(key, { by, organization, action, metadata })),
    ]);
    const notes = made.flatMap((each) => endKeyNotes(each, organization));
    // A note of a key that has ended names it in vain, which is no reason to report a failure.
    const warn = (error: unknown) =>
      log("warn", "notes of made keys remain", { cause: describeError(error) });
    if (notes.length > 0) await table.writeMany(notes).catch(warn);
    return ids;
  });
}

const stillLive: Condition = { equals: ["revoked_at", null] };
const stored: Condition = { present: "id" };

/** The keys that it made and that still work. */
async function readMade(table: Table, list: MadeKeysItem | undefined, nowMs: number): Promise<KeyItem[]> {
  const ids = (list?.made ?? []).map(({ id }) => id);
  const items = await table.getMany(ids.map((keyId) => kinds.apiKey.key({ keyId })));
  return items
    .filter((item) => item !== undefined)
    .map(parseKey)
    .filter((key) => isLive(key, nowMs));
}
