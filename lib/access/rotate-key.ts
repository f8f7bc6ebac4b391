import { auditWrites } from "../audit/entry.ts";
import { secondsPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { required } from "../runtime/required.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { isLive, type KeyItem } from "../store/items/key.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import { ConditionFailed, StoreUnavailable, type TransactionWrite } from "../store/table.ts";
import { type KeyActor, keyEvent, organizationsOf, rightsOf } from "./key-entry.ts";
import { lineWrite, readLine } from "./key-line.ts";
import { endKeyNotes } from "./key-notes.ts";
import { keyStateOf } from "./key-record.ts";
import {
  boundedRegistryTable,
  draftKeyItem,
  type RegistryDeps,
  roleConditions,
  type StoredKey,
  storeNew,
} from "./key-registry.ts";
import {
  hasRole,
  KeyRegistryError,
  KeyRotated,
  NoSuccessor,
  requireKey,
  requireMember,
  requireOrganization,
  requireOwnKind,
} from "./key-requirements.ts";
import { neverUsed } from "./last-used.ts";

type Rotation = KeyActor & {
  readonly graceSeconds: number;
  /** For a legacy key, which has no owner: the organization key that replaces it needs one. */
  readonly owner?: string | undefined;
};

/** For the operator: every kind of key but workspace tokens. */
export async function rotateKey(
  deps: RegistryDeps,
  request: Rotation & { readonly id: string },
): Promise<StoredKey> {
  return await rotate(deps, await requireOwnKind(deps.table, request.id), request);
}

/** Makes a new key with the same rights. The old key works until its grace ends (0: it stops working now). */
export async function rotate(deps: RegistryDeps, old: KeyItem, request: Rotation): Promise<StoredKey> {
  return await retryOnConflict(deps, async (attempt) =>
    rotateOnce(deps, attempt === 0 ? old : await requireKey(deps.table, old.id), request),
  );
}

async function rotateOnce(deps: RegistryDeps, old: KeyItem, request: Rotation): Promise<StoredKey> {
  const nowMs = deps.clock.nowMs();
  checkRotation(old, request, nowMs);
  const unsent = await unsentSuccessor(deps, old, request);
  const [organization, owner] = await Promise.all([
    organizationOf(deps, old),
    successorOwner(deps, old, request.owner),
  ]);
  if (organization) await requireRights(deps, old, organization);
  const tenant = organization?.tenant ?? old.tenant;
  // If the old key is rotated a second time, its own expiry is already the end of a grace.
  const { expires_at_ms } = unsent ?? old;
  const successor = draftKeyItem(deps, { ...successorFields(old), expires_at_ms, tenant, owner });
  // The end of the old key never moves later: neither by a second rotation nor between the two writes of one.
  const endAfter = (ms: number) => Math.min(nowMs + ms, old.expires_at_ms ?? Number.POSITIVE_INFINITY);
  const graceEndMs = endAfter(request.graceSeconds * 1000);
  const firstEndMs = endAfter(Math.max(request.graceSeconds * 1000, keyLimits.unreceivedGraceMs));
  const [organizations, conditions] = await Promise.all([
    organizationsOf(deps.table, successor.key, organization),
    // No check of the owner: a key whose owner has left is refused at every use, and the role of this operation then
    // needs no right to members.
    roleConditions(deps.table, organization, successor.key.role),
  ]);
  const metadata = {
    ...rightsOf(successor.key, organizations),
    successor_id: successor.key.id,
    grace_ends_at: toTimestamp(graceEndMs),
  };
  const action = old.kind === "workspace" ? "token.rotated" : "key.rotated";
  const line = old.made_by === undefined ? undefined : await readLine(deps.table, old.made_by);
  if (line?.ended) throw new KeyRegistryError(`Key ${old.id} ends with the key that made it.`);
  await storeNew(deps, successor.key, [
    retiring(old, successor.key, { by: request.actor.keyId, endMs: firstEndMs }),
    ...endKeyNotes(old, organization),
    ...conditions,
    // Whoever ends the maker meanwhile sees this rotation, or this rotation sees that the line has ended.
    ...(old.made_by === undefined ? [] : [lineWrite(old.made_by, line, {})]),
    ...auditWrites(deps, keyEvent(old, { by: request, organization, action, metadata })),
    ...(unsent ? revokeUnsentWrites(deps, unsent, request, organization) : []),
  ]);
  if (graceEndMs < firstEndMs) await endGrace(deps, old, successor.key, graceEndMs);
  return { ...successor, organizations };
}

/** Only now, because the answer with the new value follows. Without an answer the old key ends a little later. */
async function endGrace(
  deps: RegistryDeps,
  old: KeyItem,
  successor: KeyItem,
  graceEndMs: number,
): Promise<void> {
  const change = { set: [["expires_at_ms", graceEndMs]] } as const;
  const when = { equals: ["rotated_to", successor.id] } as const;
  const table = boundedRegistryTable(deps);
  try {
    await table.write({ update: kinds.apiKey.key({ keyId: old.id }), change, when }, { idempotent: true });
  } catch (error) {
    const isOpen = error instanceof StoreUnavailable || error instanceof TimeUp;
    if (!isOpen && !(error instanceof ConditionFailed)) throw error;
  }
}

/**
 * The successor of a rotation whose caller may never have received the new value. Throws KeyRotated if the successor
 * was used or rotated (then the caller has received the value), is very young (then the caller may still receive it),
 * or old; also if the rotated key, which may have leaked, would undo a rotation that somebody else made.
 */
async function unsentSuccessor(
  { table, clock }: RegistryDeps,
  old: KeyItem,
  { actor }: KeyActor,
): Promise<KeyItem | undefined> {
  if (old.rotated_to === null) return undefined;
  if (actor.keyId === old.id && old.rotated_by !== old.id) throw new KeyRotated(old.id, old.rotated_to);
  const [successor, use] = await Promise.all([
    requireKey(table, old.rotated_to),
    table.get(kinds.keyUse.key({ keyId: old.rotated_to })),
  ]);
  const ageMs = clock.nowMs() - Date.parse(successor.created_at);
  const isRepeatable = ageMs >= keyLimits.unreceivedAfterMs && ageMs < keyLimits.unreceivedGraceMs;
  const isUnchanged = isLive(successor, clock.nowMs()) && successor.rotated_to === null;
  if (use !== undefined || !isRepeatable || !isUnchanged) throw new KeyRotated(old.id, old.rotated_to);
  return successor;
}

/** Nobody knows the value of this successor: it ends in the transaction of the rotation that replaces it. */
export function revokeUnsentWrites(
  deps: RegistryDeps,
  unsent: KeyItem,
  by: KeyActor,
  organization: OrganizationItem | null,
): TransactionWrite[] {
  const nowMs = deps.clock.nowMs();
  const metadata = { before: { state: keyStateOf(unsent, nowMs) }, after: { state: "revoked" } };
  const action = unsent.kind === "workspace" ? "token.deleted" : "key.revoked";
  return [
    {
      update: kinds.apiKey.key({ keyId: unsent.id }),
      change: { set: [["revoked_at", toTimestamp(nowMs)]] },
      when: { all: [{ equals: ["revoked_at", null] }, { equals: ["rotated_to", null] }] },
    },
    neverUsed(unsent.id),
    ...endKeyNotes(unsent, organization),
    ...auditWrites(deps, keyEvent(unsent, { by, organization, action, metadata })),
  ];
}

/** Null for the tokens of a workspace. */
const organizationOf = async ({ table }: RegistryDeps, { kind, organization }: KeyItem) =>
  kind === "workspace"
    ? null
    : await requireOrganization(table, required(organization, "organization of the key"));

function checkRotation(old: KeyItem, { graceSeconds }: Rotation, nowMs: number): void {
  const { id } = old;
  if (old.revoked_at !== null) throw new KeyRegistryError(`Key ${id} is revoked; create a new one.`);
  if (old.rotated_to === null && !isLive(old, nowMs))
    throw new KeyRegistryError(`Key ${id} has expired; create a new one.`);
  const graceSecondsMax = keyLimits.expiryDaysMax * secondsPerDay;
  if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > graceSecondsMax) {
    throw new KeyRegistryError(`The grace is a whole number of seconds, 0 to ${graceSecondsMax}.`);
  }
}

/** A successor must be a key that could be created today. */
async function requireRights(
  { table }: RegistryDeps,
  { id, role, authorized }: KeyItem,
  { uuid, provider_organization_id }: OrganizationItem,
): Promise<void> {
  if (authorized && !authorized.includes(uuid)) {
    const why = `its authorized organizations lack its home organization ${provider_organization_id}`;
    throw new NoSuccessor(id, why);
  }
  if (role !== null && !(await hasRole(table, uuid, role)))
    throw new NoSuccessor(id, `its role ${role} is gone`);
}

const retiring = (
  old: KeyItem,
  successor: KeyItem,
  { by, endMs }: { readonly by: string | null; readonly endMs: number },
): TransactionWrite => ({
  update: kinds.apiKey.key({ keyId: old.id }),
  change: {
    set: [
      ["rotated_to", successor.id],
      ["rotated_by", by],
      ["expires_at_ms", endMs],
    ],
  },
  when: {
    all: [
      { equals: ["rotated_to", old.rotated_to] },
      { equals: ["expires_at_ms", old.expires_at_ms] },
      { equals: ["revoked_at", null] },
    ],
  },
});

/** The owner must still be a member, else the successor would not work. Workspace admins are checked at every use. */
async function successorOwner(deps: RegistryDeps, old: KeyItem, named: string | undefined): Promise<string> {
  const owner = old.kind === "legacy" ? named : required(old.owner, "owner of the key");
  if (owner === undefined) {
    throw new KeyRegistryError(
      "A legacy key has no owner: name the member who owns the new organization key.",
    );
  }
  if (old.organization !== null) await requireMember(deps.table, old.organization, owner);
  return owner;
}

/** A rotation cannot make a legacy key again: the successor is an organization key that reads as a member. */
const successorKind = (old: KeyItem) => (old.kind === "legacy" ? "organization" : old.kind);

function successorFields(old: KeyItem) {
  const { name, organization, workspace_id, instance_id, authorized, expires_at_ms, only, made_by } = old;
  const role = old.kind === "legacy" ? "cr_member" : old.role;
  const bound = { organization, workspace_id, instance_id, authorized, only, made_by };
  return { kind: successorKind(old), name, ...bound, role, expires_at_ms, rotated_from: old.id };
}
