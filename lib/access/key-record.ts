import type * as z from "zod";
import type { KeyState } from "../contract/access.ts";
import type { keyRecord } from "../contract/records-keys.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { isLive, type KeyItem } from "../store/items/key.ts";
import type { StoredKey } from "./key-registry.ts";
import { lastUseMs, oldValueUseMs, type UsedKey } from "./last-used.ts";
import type { OperationContext } from "./operation-context.ts";
import type { KeyStanding } from "./refused-because.ts";

export function keyStateOf(key: KeyItem, nowMs: number): KeyState {
  if (key.revoked_at !== null) return "revoked";
  return isLive(key, nowMs) ? "active" : "expired";
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : toTimestamp(ms));

/** `organizations` holds the provider's ids; null means all of a workspace or an instance. */
export const toKeyRecord = (
  key: UsedKey,
  organizations: readonly string[] | null,
  nowMs: number,
  { refusal, ownerEmail }: KeyStanding = { refusal: null, ownerEmail: null },
): z.output<typeof keyRecord> => ({
  id: key.id,
  kind: key.kind,
  name: key.name,
  role: key.role,
  owner: key.owner,
  owner_email: ownerEmail,
  organizations: organizations && [...organizations],
  created_at: key.created_at,
  rotated_at: key.rotated_at ?? null,
  old_until: key.old_until ?? null,
  old_last_used_at: timeOf(oldValueUseMs(key)),
  last_used_at: timeOf(lastUseMs(key)),
  expires_at: timeOf(key.expires_at_ms),
  state: keyStateOf(key, nowMs),
  only: key.only ?? null,
  made_by: key.made_by ?? null,
  refused_because: refusal,
});

/** A key with its new value, which no other answer shows. Its owner is the caller's. */
export function toIssuedRecord(
  { text, key, uses, organizations }: StoredKey,
  { principal, clock }: Pick<OperationContext, "principal" | "clock">,
) {
  const ownerEmail = key.kind === "workspace" ? principal.userEmail : null;
  const used = { ...key, uses: uses ?? {} };
  return { key: text, ...toKeyRecord(used, organizations, clock.nowMs(), { refusal: null, ownerEmail }) };
}
