import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import { isWithinOnly } from "../contract/only.ts";
import type { createKey } from "../contract/operations/keys.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { isLive, type KeyItem, type MadeKeysItem, parseKey, parseMadeKeys } from "../store/items/key.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import type { Item, Table, TransactionWrite } from "../store/table.ts";
import { checkedValue } from "./authenticate.ts";
import { organizationsOf } from "./key-entry.ts";
import { draftKeyItem, roleConditions, type StoredKey, storeKey } from "./key-registry.ts";
import { requireKey } from "./key-requirements.ts";
import { hashOf, madeKeyId, newKeyId, newSalt, valueText } from "./key-text.ts";
import { repeatedValue } from "./key-value.ts";
import { listWrite } from "./made-keys.ts";
import type { OperationContext, OperationInput } from "./operation-context.ts";
import { keyLimited, keyRotated } from "./policy.ts";

type NewKey = OperationInput<typeof createKey>["body"];
type Caller = Pick<OperationContext, "principal" | "keyText" | "clock">;
type Maker = AuditedContext & Caller & { readonly signal: AbortSignal };

/** A key makes a key like itself: the same kind, scope, owner and role, and at most as strong. */
export async function makeKey(maker: Maker, body: NewKey): Promise<StoredKey> {
  const { table, principal, keyText, random } = maker;
  return await retryOnConflict(maker, async (attempt) => {
    const own = attempt === 0 ? principal.key : await requireKey(table, principal.key.id);
    const nowMs = maker.clock.nowMs();
    if (checkedValue(own, hashOf(keyText), nowMs).state !== "current") throw keyRotated();
    const { kind, organization, workspace_id, instance_id, authorized, owner, role } = own;
    const { idempotency_key: once } = body;
    const id = once === undefined ? newKeyId(random) : madeKeyId(own.id, once);
    const [[listItem, before], conditions] = await Promise.all([
      table.getMany([
        kinds.madeKeys.key({ keyId: own.id }),
        ...(once === undefined ? [] : [kinds.apiKey.key({ keyId: id })]),
      ]),
      roleConditions(table, principal.home, role),
    ]);
    if (before) return await repeatedKey(maker, body, before);
    const list = listItem && parseMadeKeys(listItem);
    const expires_at_ms = endOf(own, body.expires_in_days, nowMs);
    const others = await othersOf(table, list, nowMs);
    const salt = newSalt(random);
    const fields = {
      id,
      salt,
      kind,
      organization,
      workspace_id,
      instance_id,
      authorized,
      owner,
      role,
      tenant: principal.tenant,
      name: body.name,
      only: body.only,
      made_by: own.id,
      expires_at_ms,
    };
    const issued = draftKeyItem(maker, fields, (key) => valueText(key, salt, { keyText, body }));
    return await storeKey(maker, issued, {
      by: maker,
      organization: principal.home,
      action: kind === "workspace" ? "token.created" : "key.created",
      conditions: [
        listWrite(own.id, list, [...others, { id, expires_at_ms }]),
        isCurrent(own),
        ...conditions,
      ],
    });
  });
}

/** The key that this request made before, with its value: the caller lost the answer. */
async function repeatedKey(
  { table, principal, keyText, clock }: Caller & { readonly table: Table },
  body: NewKey,
  item: Item,
) {
  const key = parseKey(item);
  const nowMs = clock.nowMs();
  const text =
    isLive(key, nowMs) && key.made_by === principal.key.id
      ? repeatedValue(key, key.created_at, { keyText, body }, nowMs)
      : undefined;
  if (text === undefined)
    throw new ApiError(
      "KEY_EXISTS",
      `idempotency_key: it made key ${key.id}. To make another key, send another idempotency_key.`,
    );
  const listed = { ...key, authorized: key.authorized && principal.key.authorized };
  return { text, key: listed, organizations: await organizationsOf(table, listed, principal.home) };
}

/**
 * Checks that the key makes no key that is stronger or lives longer. A repeated request is recognised before its expiry
 * is judged: its maker has less time left now than at the first time.
 */
export async function requireWithin(
  { principal: { key: own }, clock, table }: Caller & { readonly table: Table },
  body: NewKey,
): Promise<void> {
  const { only, expires_in_days, idempotency_key: once } = body;
  if (own.made_by !== undefined)
    throw new ApiError("KEY_LIMITED", `Key ${own.made_by} made this key, and a made key makes no keys.`);
  if (own.only && !only) throw keyLimited("only: must be given, because this key has a list itself", own);
  const beyond = (only ?? []).filter((each) => !isWithinOnly(own.only, each));
  if (beyond.length > 0) throw keyLimited(`only: ${beyond.join(", ")} is more than this key may do`, own);
  try {
    endOf(own, expires_in_days, clock.nowMs());
  } catch (error) {
    const before =
      once === undefined ? undefined : await table.get(kinds.apiKey.key({ keyId: madeKeyId(own.id, once) }));
    if (!before) throw error;
  }
}

function endOf({ expires_at_ms }: KeyItem, days: number | undefined, nowMs: number): number {
  const lastMs = expires_at_ms ?? Number.POSITIVE_INFINITY;
  if (days === undefined) return Math.min(nowMs + keyLimits.madeKeyDaysDefault * msPerDay, lastMs);
  const endMs = nowMs + days * msPerDay;
  if (endMs <= lastMs) return endMs;
  throw new ApiError(
    "KEY_LIMITED",
    `expires_in_days: the new key must not outlive this key, which expires at ${toTimestamp(lastMs)}.`,
  );
}

/** The other keys of the list. A full list drops those that have ended. */
async function othersOf(
  table: Table,
  list: MadeKeysItem | undefined,
  nowMs: number,
): Promise<MadeKeysItem["made"]> {
  const made = list?.made ?? [];
  if (made.length < keyLimits.madeKeysMax) return made;
  const items = await table.getMany(made.map(({ id }) => kinds.apiKey.key({ keyId: id })));
  const live = made.filter((_, index) => {
    const item = items[index];
    return item !== undefined && isLive(parseKey(item), nowMs);
  });
  if (live.length < keyLimits.madeKeysMax) return live;
  throw new ApiError(
    "KEY_LIMIT_REACHED",
    `This key has made ${keyLimits.madeKeysMax} keys that still work, which is the maximum. Revoke one first.`,
  );
}

/** The maker was neither ended nor rotated meanwhile. */
const isCurrent = ({ id, hash }: KeyItem): TransactionWrite => ({
  check: kinds.apiKey.key({ keyId: id }),
  when: { all: [{ equals: ["hash", hash] }, { equals: ["revoked_at", null] }] },
});
