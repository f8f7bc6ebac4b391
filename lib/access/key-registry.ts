import { type AuditDeps, auditWrites } from "../audit/entry.ts";
import { isSystemRole, type KeyKind } from "../contract/access.ts";
import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import { isOnly, type Only, onlyValues } from "../contract/only.ts";
import { keyName } from "../contract/parameters.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { required } from "../runtime/required.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { boundedTable } from "../store/bounded.ts";
import type { KeyItem } from "../store/items/key.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parsePeopleGuard } from "../store/items/people.ts";
import { StoreUnavailable, type Table, type TransactionWrite } from "../store/table.ts";
import { type KeyAction, type KeyActor, keyEvent, organizationsOf, rightsOf } from "./key-entry.ts";
import { keyNotes } from "./key-notes.ts";
import { KeyRegistryError } from "./key-requirements.ts";
import { keyGivenWrite } from "./key-roles.ts";
import { keyRowWrites, keysOfDirectory, keysOfOrganization, keyWrites } from "./key-rows.ts";
import { hashOf, idOfText, makeLegacyKeyText, newKeyId, storedHash, textOf } from "./key-text.ts";
import type { UsedKey } from "./last-used.ts";

export type RegistryDeps = AuditDeps & {
  readonly table: Table;
  /** Fires while there is still time to find out whether a write succeeded. */
  readonly signal?: AbortSignal;
};

/** A new key and its text. The text is shown only this once. */
export type IssuedKey = { readonly text: string; readonly key: KeyItem };

/** A key that was stored, and the provider's ids of its organizations (null: all of its workspace or instance). */
export type StoredKey = IssuedKey & {
  readonly organizations: readonly string[] | null;
  /** Of a key that was rotated; absent: it is new. */
  readonly uses?: UsedKey["uses"];
};

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
export type KeyFields = Pick<KeyItem, "kind" | "tenant"> & Partial<Omit<KeyItem, "pk" | "sk" | "hash">>;

/** A new key with these fields. Its text is made of the key, or of a fresh secret. */
export function draftKeyItem(
  { random, clock }: RegistryDeps,
  fields: KeyFields,
  toText: (key: KeyItem) => string = (key) => textOf(key, random.bytes(keyLimits.secretBytes)),
): IssuedKey {
  const legacy = fields.kind === "legacy" ? makeLegacyKeyText(random) : undefined;
  const id = legacy === undefined ? newKeyId(random) : idOfText(legacy);
  const draft: KeyItem = {
    pk: "",
    sk: "",
    id,
    hash: "",
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
    created_at: toTimestamp(clock.nowMs()),
    ...fields,
  };
  const text = legacy ?? toText(draft);
  const key = { ...draft, ...kinds.apiKey.key({ keyId: draft.id }), hash: storedHash(hashOf(text), fields) };
  return { text, key };
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
const storeNew = (deps: RegistryDeps, key: KeyItem, further: readonly TransactionWrite[]): Promise<void> =>
  storeValue(deps, key, [
    ...keyWrites(key),
    ...keyRowWrites(key),
    ...keyNotes(key, deps.clock.nowMs()),
    ...further,
  ]);

/**
 * Stores the hash of a new value, in one transaction. The store repeats a write that gets no answer, until shortly
 * before the request's end: the rest of the time is for finding out whether the value is stored.
 */
export async function storeValue(
  { table, signal }: RegistryDeps,
  { id, hash }: Pick<KeyItem, "id" | "hash">,
  writes: readonly TransactionWrite[],
): Promise<void> {
  signal?.throwIfAborted();
  const bounded = signal ? boundedTable(table, { signal, isOver: () => signal.aborted }) : table;
  try {
    await bounded.transact(writes);
  } catch (error) {
    const isOpen = error instanceof StoreUnavailable || error instanceof TimeUp;
    if (!isOpen || (await table.get(kinds.apiKey.key({ keyId: id })))?.hash !== hash) throw error;
  }
}

export function checkedKeyName(text: string): string {
  const { data, error } = keyName.safeParse(text);
  if (data !== undefined) return data;
  throw new KeyRegistryError(
    `The name of a key ${error?.issues.map(({ message }) => message).join(" and ")}.`,
  );
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
