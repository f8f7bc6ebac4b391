import { createHash } from "node:crypto";
import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { keyLimits, requestLimits } from "../contract/limits.ts";
import { isWithinOnly } from "../contract/only.ts";
import type { createKey } from "../contract/operations/keys.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { isLive, type KeyItem, type KeyLineItem } from "../store/items/key.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import type { Table, TransactionWrite } from "../store/table.ts";
import { AuthenticationError } from "./authenticate.ts";
import { lineOf, lineWrite, readLine } from "./key-line.ts";
import { draftKeyItem, roleConditions, type StoredKey, storeKey } from "./key-registry.ts";
import { requireKey } from "./key-requirements.ts";
import type { OperationInput } from "./operation-context.ts";
import { keyLimited } from "./policy.ts";
import type { Principal } from "./principal.ts";
import { revokeUnsentWrites } from "./rotate-key.ts";

type Maker = AuditedContext & { readonly principal: Principal; readonly signal: AbortSignal };

type NewKey = OperationInput<typeof createKey>["body"];

/** A key makes a key like itself: the same kind, scope, owner and role, and at most as strong. */
export async function makeKey(maker: Maker, wanted: NewKey): Promise<StoredKey> {
  const { table, principal, random } = maker;
  const once = digestOf([principal.key.id, wanted.idempotency_key ?? random.uuid()]);
  const request = digestOf([wanted.name, wanted.only, wanted.expires_in_days]);
  return await retryOnConflict(maker, async (attempt) => {
    const own = attempt === 0 ? principal.key : await requireKey(table, principal.key.id);
    const nowMs = maker.clock.nowMs();
    requireLive(own, nowMs);
    requireWithin(own, wanted, nowMs);
    const { kind, organization, workspace_id, instance_id, authorized, owner, role } = own;
    const endsAtMs = endOf(own, wanted.expires_in_days, nowMs);
    const lineId = await lineOf(table, own);
    const line = await readLine(table, lineId);
    const repeated = line?.made.find((each) => each.once === once && isRecent(each, nowMs));
    const first = repeated && (await unusedKey(table, repeated, request));
    const issued = draftKeyItem(maker, {
      ...{ kind, organization, workspace_id, instance_id, authorized, owner, role },
      tenant: principal.tenant,
      name: wanted.name,
      only: wanted.only,
      made_by: lineId,
      expires_at_ms: endsAtMs,
    });
    const made = { id: issued.key.id, at_ms: nowMs, ends_at_ms: endsAtMs, once, request };
    const others = othersOf(line?.made.filter((each) => each !== repeated) ?? [], nowMs);
    return await storeKey(maker, issued, {
      by: maker,
      organization: principal.home,
      action: kind === "workspace" ? "token.created" : "key.created",
      conditions: [
        unchanged(own),
        lineWrite(lineId, line, { made: [...others, made] }),
        ...(await roleConditions(table, principal.home, role)),
        ...(first && isLive(first, nowMs) ? revokeUnsentWrites(maker, first, maker, principal.home) : []),
      ],
    });
  });
}

const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url");

/** The key was valid when the request came; a second attempt may find that it ended or was rotated since. */
function requireLive(own: KeyItem, nowMs: number): void {
  if (!isLive(own, nowMs)) throw new AuthenticationError("revoked", own);
  if (own.rotated_to !== null)
    throw new ApiError(
      "KEY_ROTATED",
      `This key was rotated; make keys with its successor ${own.rotated_to}.`,
    );
}

/** Checks that the key may make a key at all, and makes none that is stronger or lives longer. */
export function requireWithin(own: KeyItem, { only, expires_in_days }: NewKey, nowMs: number): void {
  if (own.made_by !== undefined)
    throw new ApiError("KEY_LIMITED", `Key ${own.made_by} made this key, and a made key makes no keys.`);
  // A rotated key makes none, which is told as such; its end is the end of its grace.
  if (own.rotated_to !== null) return;
  endOf(own, expires_in_days, nowMs);
  if (!own.only) return;
  if (!only) throw keyLimited("only: must be given, because this key has a list itself", own);
  const beyond = only.filter((each) => !isWithinOnly(own.only, each));
  if (beyond.length > 0) throw keyLimited(`only: ${beyond.join(", ")} is more than this key may do`, own);
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

type Made = KeyLineItem["made"][number];

const isRecent = ({ at_ms }: Made, nowMs: number): boolean => at_ms > nowMs - requestLimits.idempotencyMs;

/** What the line still has to know of the other keys that it made. */
function othersOf(made: readonly Made[], nowMs: number): Made[] {
  const live = made.filter(({ ends_at_ms }) => ends_at_ms > nowMs);
  const { madeKeysMax, endedKeysMax } = keyLimits;
  if (live.length >= madeKeysMax)
    throw new ApiError(
      "KEY_LIMIT_REACHED",
      `This key and its rotations have made ${madeKeysMax} keys that still work, which is the maximum. End one first.`,
    );
  const ended = made.filter((each) => each.ends_at_ms <= nowMs && isRecent(each, nowMs));
  return [...ended.slice(-endedKeysMax), ...live];
}

/** The key of a request whose answer was lost. If somebody used or rotated it, the caller has received its value. */
async function unusedKey(table: Table, repeated: Made, request: string): Promise<KeyItem> {
  const [key, use] = await Promise.all([
    requireKey(table, repeated.id),
    table.get(kinds.keyUse.key({ keyId: repeated.id })),
  ]);
  const why =
    repeated.request !== request
      ? "your key sent it with another request a moment ago"
      : use || key.rotated_to !== null
        ? `key ${key.id}, which it made, was used since`
        : undefined;
  if (why === undefined) return key;
  throw new ApiError("KEY_EXISTS", `idempotency_key: ${why}. Send another idempotency_key.`);
}

const unchanged = ({ id, expires_at_ms }: KeyItem): TransactionWrite => ({
  check: kinds.apiKey.key({ keyId: id }),
  when: {
    all: [
      { equals: ["revoked_at", null] },
      { equals: ["rotated_to", null] },
      { equals: ["expires_at_ms", expires_at_ms] },
    ],
  },
});
