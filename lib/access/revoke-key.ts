import { type Actor, auditWrites } from "../audit/entry.ts";
import * as kinds from "../contract/items.ts";
import { storeLimits } from "../contract/limits.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { isLive, type KeyItem, type KeyLineItem, parseKey } from "../store/items/key.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import type { Table, TransactionWrite } from "../store/table.ts";
import { type KeyActor, keyEvent } from "./key-entry.ts";
import { followRotations, lineWrite, readLine } from "./key-line.ts";
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
 * have rotated it, or made keys with it. Ending a made key ends neither its maker nor other keys that the maker made. A
 * rotated key that ends itself ends nothing else: its successor may be in other hands. Returns the
 * ids of the keys that ended; none if all had been revoked before.
 */
export async function revokeLine(
  deps: RegistryDeps,
  given: KeyItem,
  by: KeyActor,
): Promise<readonly string[]> {
  return await retryOnConflict(deps, async (attempt) => {
    const key = attempt === 0 ? given : await requireKey(deps.table, given.id);
    if (key.id === by.actor.keyId && key.rotated_to !== null)
      return await revoke(deps, { key, organization: await organizationOf(deps.table, key) }, [key], by);
    const nowMs = deps.clock.nowMs();
    // A key that was never rotated is the first of its line, and a made key names its maker's: no further trip.
    const likely = key.made_by ?? key.id;
    const [before, after, likelyLine, organization] = await Promise.all([
      followRotations(deps.table, key, "rotated_from"),
      followRotations(deps.table, key, "rotated_to"),
      readLine(deps.table, likely),
      organizationOf(deps.table, key),
    ]);
    const named = { key, organization };
    // The newest first: a line that is too long for one transaction never has an end that can still be rotated.
    const rotations = [...after.toReversed(), key, ...before.filter((each) => isLive(each, nowMs))];
    const first = before.at(-1) ?? key;
    const lineId = first.made_by ?? first.id;
    const line = lineId === likely ? likelyLine : await readLine(deps.table, lineId);
    if (first.made_by !== undefined) {
      // A made key ends alone: its maker's line only learns that it has ended.
      const made = line?.made.map((each) => (each.id === first.id ? { ...each, ends_at_ms: nowMs } : each));
      return await revoke(deps, named, rotations, by, lineWrite(lineId, line, made ? { made } : {}));
    }
    const made = await readMade(deps.table, line, nowMs);
    // The line ends in the first transaction, with its newest key: afterwards nobody makes or rotates a key of it.
    return await revoke(deps, named, [...rotations, ...made], by, lineEnded(first.id, line));
  });
}

/** A line without an item has made nothing; the check fails if it makes a key meanwhile. */
const lineEnded = (keyId: string, line: KeyLineItem | undefined): TransactionWrite =>
  line
    ? lineWrite(keyId, line, { ended: true })
    : { check: kinds.keyLine.key({ keyId }), when: { absent: "pk" } };

/** The keys that a line made, with their rotations: whoever ends a key because it leaked ends these too. */
async function readMade(table: Table, line: KeyLineItem | undefined, nowMs: number): Promise<KeyItem[]> {
  const live = (line?.made ?? []).filter(({ ends_at_ms }) => ends_at_ms > nowMs);
  const items = await table.getMany(live.map(({ id }) => kinds.apiKey.key({ keyId: id })));
  const keys = items.filter((item) => item !== undefined).map(parseKey);
  const rotations = await Promise.all(keys.map((key) => followRotations(table, key, "rotated_to")));
  return keys.flatMap((key, index) => [...(rotations[index] ?? []).toReversed(), key]);
}

/** The key that a request names, and its organization; null for the tokens of a workspace. */
type Named = { readonly key: KeyItem; readonly organization: OrganizationItem | null };

const organizationOf = async (table: Table, { organization }: KeyItem) =>
  organization ? await findOrganization(table, organization) : null;

/** Throws TransactionRefused if a key was rotated or revoked meanwhile. */
async function revoke(
  deps: RegistryDeps,
  { key: named, organization }: Named,
  line: readonly KeyItem[],
  by: KeyActor,
  lineChange?: TransactionWrite,
): Promise<readonly string[]> {
  const action = named.kind === "workspace" ? "token.deleted" : "key.revoked";
  const nowMs = deps.clock.nowMs();
  const valid = line.filter(({ revoked_at }) => revoked_at === null);
  for (const [index, some] of chunksOf(valid, keysTogetherMax).entries()) {
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
      ...(lineChange && index === 0 ? [lineChange] : []),
      ...some.flatMap((key) => endKeyNotes(key, organization)),
      ...auditWrites(deps, keyEvent(named, { by, organization, action, metadata })),
    ]);
  }
  return valid.map(({ id }) => id);
}

/** Each with up to nine notes; beside them a transaction holds the line, and the audit entry twice. */
const keysTogetherMax = Math.floor((storeLimits.transactionActionsMax - 3) / 10);
