import type { AuditedContext } from "../audit/entry.ts";
import { auditWrites } from "../audit/entry.ts";
import { secondsPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import type { rotateKey as operation } from "../contract/operations/keys.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { isLive, type KeyItem } from "../store/items/key.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import { AuthenticationError, checkedValue } from "./authenticate.ts";
import { type KeyActor, keyEvent, organizationsOf } from "./key-entry.ts";
import { type RegistryDeps, type StoredKey, storeValue } from "./key-registry.ts";
import { findOrganization, KeyRegistryError, requireKey, requireOwnKind } from "./key-requirements.ts";
import { hashOf, newSalt, storedHash, textOf, valueText } from "./key-text.ts";
import { repeatedValue } from "./key-value.ts";
import type { OperationContext, OperationInput } from "./operation-context.ts";
import { keyRotated } from "./policy.ts";

type Body = OperationInput<typeof operation>["body"];
type Caller = Pick<OperationContext, "principal" | "keyText" | "clock">;

/** The value of an old value's repeated request; an old value may send no other rotation. */
export function repeatedRotation({ principal: { key, value }, keyText, clock }: Caller, body: Body): string {
  const text = repeatedValue(key, key.rotated_at, { keyText, body }, clock.nowMs());
  if (text !== undefined) return text;
  throw value.state === "ended" ? new AuthenticationError("rotated", key, value) : keyRotated();
}

/** Gives the calling key another value. The value before it works until its grace ends (0: it stops now). */
export async function rotateOwnKey(
  call: AuditedContext & Caller & { readonly signal: AbortSignal },
  body: Body,
): Promise<StoredKey> {
  const { table, principal, keyText } = call;
  return await retryOnConflict(call, async (attempt) => {
    const key = attempt === 0 ? principal.key : await requireKey(table, principal.key.id);
    const { uses } = principal.key;
    const organizations = await organizationsOf(table, key, principal.home);
    const value = checkedValue(key, hashOf(keyText), call.clock.nowMs(), { mayRepeat: true });
    if (value.state !== "current") {
      const again = { ...principal, key: { ...key, uses }, value };
      return { text: repeatedRotation({ ...call, principal: again }, body), key, uses, organizations };
    }
    const salt = newSalt(call.random);
    const text = valueText(key, salt, { keyText, body });
    const rotation = { text, salt, graceSeconds: body.grace_seconds };
    const rotated = await rotate(call, key, rotation, { by: call, organization: principal.home });
    return { text, key: rotated, uses, organizations };
  });
}

/**
 * For the operator: organization, user, instance and agentic keys. `isLost`: nobody received the current value, so it
 * is replaced, and the old value keeps its end.
 */
export async function rotateKey(
  deps: RegistryDeps,
  request: KeyActor & { readonly id: string; readonly graceSeconds: number; readonly isLost?: boolean },
): Promise<StoredKey> {
  const { id, graceSeconds, isLost = false } = request;
  return await retryOnConflict(deps, async () => {
    const key = await requireOwnKind(deps.table, id);
    checkRotation(key, request, deps.clock.nowMs());
    const organization =
      key.organization === null ? null : await findOrganization(deps.table, key.organization);
    const organizations = await organizationsOf(deps.table, key, organization);
    const text = textOf(key, deps.random.bytes(keyLimits.secretBytes));
    const by = { by: request, organization };
    return { text, key: await rotate(deps, key, { text, graceSeconds, isLost }, by), organizations };
  });
}

function checkRotation(
  { id, kind, revoked_at, rotated_to, rotated_at, expires_at_ms }: KeyItem,
  { graceSeconds, isLost }: { readonly graceSeconds: number; readonly isLost?: boolean },
  nowMs: number,
): void {
  if (kind === "legacy")
    throw new KeyRegistryError(
      `Key ${id} is a legacy key, which cannot be rotated: create an organization key, then revoke this one.`,
    );
  if (revoked_at !== null) throw new KeyRegistryError(`Key ${id} is revoked; create a new one.`);
  if (rotated_to !== null)
    throw new KeyRegistryError(
      `Key ${id} was replaced by key ${rotated_to} in an earlier release: rotate that one.`,
    );
  if (!isLive({ revoked_at, expires_at_ms }, nowMs))
    throw new KeyRegistryError(`Key ${id} has expired; create a new one.`);
  if (isLost && rotated_at === undefined)
    throw new KeyRegistryError(`Key ${id} was never rotated, so no new value of it was lost.`);
  const graceSecondsMax = keyLimits.expiryDaysMax * secondsPerDay;
  if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > graceSecondsMax)
    throw new KeyRegistryError(`The grace is a whole number of seconds, 0 to ${graceSecondsMax}.`);
}

type NewValue = {
  readonly text: string;
  readonly graceSeconds: number;
  /** Absent: nobody can derive the value once more. */
  readonly salt?: string;
  readonly isLost?: boolean;
};

/** One transaction. Returns the key with its new value. */
async function rotate(
  deps: RegistryDeps,
  key: KeyItem,
  { text, graceSeconds, salt, isLost = false }: NewValue,
  { by, organization }: { readonly by: KeyActor; readonly organization: OrganizationItem | null },
): Promise<KeyItem> {
  const nowMs = deps.clock.nowMs();
  const endMs = Math.min(nowMs + graceSeconds * 1000, key.expires_at_ms ?? Number.POSITIVE_INFINITY);
  const { hash, old_hash, old_until, ...kept } = key;
  const old = isLost
    ? { old_hash, old_until }
    : { old_hash: hash, old_until: graceSeconds > 0 ? toTimestamp(endMs) : undefined };
  const values = { hash: storedHash(hashOf(text), key), rotated_at: toTimestamp(nowMs), salt, ...old };
  const metadata = { old_until: values.old_until ?? null };
  const action = key.kind === "workspace" ? "token.rotated" : "key.rotated";
  const rotated = { ...kept, ...values };
  await storeValue(deps, rotated, [
    {
      update: kinds.apiKey.key({ keyId: key.id }),
      change: {
        set: Object.entries(values).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value] as const],
        ),
        remove: Object.entries(values).flatMap(([name, value]) => (value === undefined ? [name] : [])),
      },
      // Another rotation or the end of the key was faster.
      when: { all: [{ equals: ["hash", hash] }, { equals: ["revoked_at", null] }] },
    },
    ...auditWrites(deps, keyEvent(key, { by, organization, action, metadata })),
  ]);
  return rotated;
}
