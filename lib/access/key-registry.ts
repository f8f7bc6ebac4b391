import { type AuditDeps, auditWrites } from "../audit/entry.ts";
import { isSystemRole, type KeyKind } from "../contract/access.ts";
import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import { isOnly, type Only, onlyValues } from "../contract/only.ts";
import { codePoints, wellFormed } from "../contract/parameters.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import { required } from "../runtime/required.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { boundedTable } from "../store/bounded.ts";
import type { KeyItem } from "../store/items/key.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parsePeopleGuard } from "../store/items/people.ts";
import {
  ConditionFailed,
  StoreUnavailable,
  type Table,
  TransactionRefused,
  type TransactionWrite,
} from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import { type KeyAction, type KeyActor, keyEvent, organizationsOf, rightsOf } from "./key-entry.ts";
import { keyNotes } from "./key-notes.ts";
import { KeyRegistryError } from "./key-requirements.ts";
import { keyGivenWrite } from "./key-roles.ts";
import { keyRowWrites, keysOfDirectory, keysOfOrganization } from "./key-rows.ts";
import { fingerprint, makeKeyText, makeLegacyKeyText, storedHash } from "./key-text.ts";

export type RegistryDeps = AuditDeps & {
  readonly table: Table;
  /** Fires while there is still time to find out whether a write succeeded. */
  readonly signal?: AbortSignal;
};

/** A new key and its text. The text is shown only this once. */
export type IssuedKey = { readonly text: string; readonly key: KeyItem };

/** A key that was stored, and the provider's ids of its organizations (null: all of its workspace or instance). */
export type StoredKey = IssuedKey & { readonly organizations: readonly string[] | null };

/** Checks for the key's own transaction: its owner is still an active member, and its role still exists. */
export async function keyConditions(
  table: Table,
  organization: OrganizationItem | null,
  { owner, role }: Pick<KeyItem, "owner" | "role">,
): Promise<TransactionWrite[]> {
  if (!organization) return [];
  const member: TransactionWrite[] =
    owner === null
      ? []
      : [
          {
            check: kinds.member.key({ organization: organization.uuid, userId: owner }),
            when: { equals: ["active", true] },
          },
        ];
  return [...member, ...(await roleConditions(table, organization, role))];
}

/** Checks for the key's own transaction: its role still exists. */
export async function roleConditions(
  table: Table,
  organization: OrganizationItem | null,
  role: string | null,
): Promise<TransactionWrite[]> {
  if (!organization || role === null || isSystemRole(role)) return [];
  const guard = await table.get(kinds.people.key({ organization: organization.uuid }));
  return [keyGivenWrite(parsePeopleGuard(required(guard, "people guard")), role)];
}

/** Every key that was ever issued, or only those of one organization. Includes revoked keys. */
export async function listKeysOfOrganization(
  { table }: { readonly table: Table },
  organization?: string,
): Promise<KeyItem[]> {
  if (organization !== undefined) return await keysOfOrganization(table, organization);
  return (await Array.fromAsync(keysOfDirectory(table))).flat();
}

/** The fields of a new key. */
export type KeyFields = Pick<KeyItem, "kind" | "tenant"> &
  Partial<Omit<KeyItem, "pk" | "sk" | "id" | "hash">>;

/** A new key with these fields, and its text. */
export function draftKeyItem(deps: RegistryDeps, fields: KeyFields): IssuedKey {
  const text = textOf(fields, deps.random);
  const { id, hash } = fingerprint(text);
  const key: KeyItem = {
    ...kinds.apiKey.key({ keyId: id }),
    id,
    hash: storedHash(hash, fields),
    name: null,
    organization: null,
    workspace_id: null,
    instance_id: null,
    authorized: null,
    owner: null,
    role: null,
    expires_at_ms: null,
    revoked_at: null,
    rotated_to: null,
    created_at: toTimestamp(deps.clock.nowMs()),
    ...fields,
  };
  return { text, key };
}

/** The text of a key names what authentication must read. The text of a legacy key names nothing. */
function textOf(fields: KeyFields, random: Random): string {
  const { kind, tenant, workspace_id, instance_id } = fields;
  if (kind === "legacy") return makeLegacyKeyText(random);
  if (kind === "workspace")
    return makeKeyText({ kind, workspaceId: required(workspace_id, "workspace of the token") }, random);
  const organization = required(fields.organization, "organization of the key");
  const userId = required(fields.owner, "owner of the key");
  if (kind !== "instance") return makeKeyText({ kind, organization, tenant, userId }, random);
  const instanceId = required(instance_id, "instance of the key");
  return makeKeyText({ kind, home: organization, instanceId, userId }, random);
}

export type KeyStorage = {
  readonly by: KeyActor;
  readonly organization: OrganizationItem | null;
  readonly action: KeyAction;
  /** Conditions that must still hold when the key is stored. */
  readonly conditions?: readonly TransactionWrite[];
};

export async function storeKey(
  deps: RegistryDeps,
  issued: IssuedKey,
  { by, organization, action, conditions = [] }: KeyStorage,
): Promise<StoredKey> {
  const { key } = issued;
  const organizations = await organizationsOf(deps.table, key, organization);
  const metadata = rightsOf(key, organizations);
  const entry = auditWrites(deps, keyEvent(key, { by, organization, action, metadata }));
  await storeNew(deps, key, [...conditions, ...entry]);
  return { ...issued, organizations };
}

/** Throws TransactionRefused if something that the key depends on has changed: the caller must decide again. */
export async function storeNew(
  deps: RegistryDeps,
  key: KeyItem,
  further: readonly TransactionWrite[],
): Promise<void> {
  deps.signal?.throwIfAborted();
  try {
    await boundedRegistryTable(deps).transact([
      { put: key, when: { absent: "pk" } },
      ...keyRowWrites(key),
      ...keyNotes(key, deps.clock.nowMs()),
      ...further,
    ]);
  } catch (error) {
    const isTaken = error instanceof TransactionRefused && error.refusals[0]?.refused;
    if (isTaken) throw new KeyRegistryError("The key changed meanwhile; try again.");
    const isOpen = error instanceof StoreUnavailable || error instanceof TimeUp;
    if (!isOpen || !(await isStored(deps, key))) throw error;
  }
}

/** Until shortly before the request's end: the rest of the time is for finding or reporting a write's result. */
export const boundedRegistryTable = ({ table, signal }: RegistryDeps): Table =>
  signal ? boundedTable(table, { signal, isOver: () => signal.aborted }) : table;

/**
 * The write got no answer, and only this process knows the key's text, so it must find out whether the key is stored.
 * If it is not, a revoked key is stored in its place, so that the transaction cannot arrive late and retire a key that
 * is in use.
 */
async function isStored({ table, clock }: RegistryDeps, key: KeyItem): Promise<boolean> {
  const nowMs = clock.nowMs();
  const fence = { ...key, revoked_at: toTimestamp(nowMs), ttl: ttlAfter(nowMs, keyLimits.fenceDays) };
  try {
    await table.write({ put: fence, when: { absent: "pk" } }, { idempotent: true });
    return false;
  } catch (error) {
    if (error instanceof ConditionFailed) return error.item?.revoked_at === null;
    throw error;
  }
}

export function checkedKeyName(text: string): string {
  const name = text.trim();
  const { nameCharactersMax } = keyLimits;
  if (name === "" || codePoints(name) > nameCharactersMax || !wellFormed(name)) {
    throw new KeyRegistryError(`The name of a key has 1 to ${nameCharactersMax} characters.`);
  }
  return name;
}

/** The operator's list, in the order of the contract. The schema of an operation checks the list of a request. */
export function checkedOnly(kind: KeyKind, only: readonly string[] | undefined): Only[] | undefined {
  if (only === undefined) return undefined;
  if (kind === "legacy" || kind === "agentic")
    throw new KeyRegistryError(`A key of kind ${kind} cannot be narrowed with only.`);
  if (only.length === 0 || !only.every(isOnly))
    throw new KeyRegistryError(`only takes one or more of: ${onlyValues.join(", ")}.`);
  return onlyValues.filter((value) => only.includes(value));
}

export function expiryOf(deps: RegistryDeps, expiresInDays: number | undefined): number | null {
  if (expiresInDays === undefined) return null;
  if (!Number.isInteger(expiresInDays) || expiresInDays < 1 || expiresInDays > keyLimits.expiryDaysMax) {
    throw new KeyRegistryError(
      `A key expires a whole number of days ahead, 1 to ${keyLimits.expiryDaysMax}.`,
    );
  }
  return deps.clock.nowMs() + expiresInDays * msPerDay;
}
