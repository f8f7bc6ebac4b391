import { type Actor, type AuditDeps, auditWrites } from "../audit/entry.ts";
import { isSystemRole } from "../contract/access.ts";
import { keyLimits } from "../contract/limits.ts";
import { codePoints, wellFormed } from "../contract/parameters.ts";
import { certain } from "../runtime/certain.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { boundedTable } from "../store/bounded.ts";
import { decideAnew } from "../store/decide.ts";
import type { KeyItem } from "../store/items/key.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parsePeople } from "../store/items/people.ts";
import { keyDirectoryRange, keyKey, memberKey, organizationKeyRow, peopleKey } from "../store/layout.ts";
import {
  ConditionFailed,
  type Range,
  StoreUnavailable,
  type Table,
  TransactionRefused,
  type TransactionWrite,
} from "../store/table.ts";
import { type By, type KeyAction, keyEvent, organizationsOf, rightsOf } from "./key-entry.ts";
import { stateOf } from "./key-record.ts";
import {
  findOrganization,
  RegistryRefusal,
  requireInstance,
  requireMember,
  requireOrganization,
  requireOwnKind,
  requireRole,
} from "./key-requirements.ts";
import { keyGivenWrite } from "./key-roles.ts";
import { isUnlisted, keysOfRows, rowsOf } from "./key-rows.ts";
import { fingerprint, makeKeyText, makeLegacyKeyText } from "./key-text.ts";

export type RegistryDeps = AuditDeps & {
  readonly table: Table;
  /** Fires while there is still time to find out what became of a write. */
  readonly signal?: AbortSignal;
};

type Naming = {
  readonly name?: string | undefined;
  readonly expiresInDays?: number | undefined;
  readonly actor: Actor;
};

export type KeyRequest = Naming &
  (
    | {
        readonly kind: "organization";
        readonly organization: string;
        readonly owner: string;
        readonly role: string;
      }
    | { readonly kind: "user"; readonly organization: string; readonly owner: string }
    | { readonly kind: "agentic"; readonly organization: string; readonly owner: string }
    | { readonly kind: "legacy"; readonly organization: string }
    | {
        readonly kind: "instance";
        readonly instanceId: string;
        /** The home organization's UUID. */
        readonly home: string;
        /** UUIDs; left out means every organization of the instance. */
        readonly authorized?: readonly string[] | undefined;
        readonly owner: string;
        readonly role: string;
      }
  );

/** The only time the text of a key is seen. */
export type IssuedKey = { readonly text: string; readonly key: KeyItem };

export async function createKey(deps: RegistryDeps, request: KeyRequest): Promise<IssuedKey> {
  return await decideAnew(deps, async () => {
    const organization = await requireOrganization(
      deps.table,
      request.kind === "instance" ? request.home : request.organization,
    );
    const issued = await draftKey(deps, request, organization);
    const standing = await standingWrites(deps.table, organization, issued.key);
    return await storeKey(deps, issued, request, organization, "key.created", standing);
  });
}

/** In the key's own transaction: its owner is still an active member, and its role still exists. */
export async function standingWrites(
  table: Table,
  organization: OrganizationItem | null,
  { owner, role }: Pick<KeyItem, "owner" | "role">,
): Promise<TransactionWrite[]> {
  if (!organization) return [];
  const { uuid } = organization;
  const member: TransactionWrite[] =
    owner === null ? [] : [{ check: memberKey(uuid, owner), when: { equals: ["active", true] } }];
  if (role === null || isSystemRole(role)) return member;
  const guard = await table.get(peopleKey(uuid));
  return [...member, keyGivenWrite(parsePeople(certain(guard, "people guard")), role)];
}

async function draftKey(
  deps: RegistryDeps,
  request: KeyRequest,
  organization: OrganizationItem,
): Promise<IssuedKey> {
  const { uuid, tenant } = organization;
  const name = request.name === undefined ? null : nameOf(request.name);
  const common = { name, expires_at_ms: expiryOf(deps, request.expiresInDays) };
  if (request.kind === "legacy") {
    return draftKeyItem(deps, makeLegacyKeyText(deps.chance), {
      ...common,
      kind: "legacy",
      organization: uuid,
      tenant,
    });
  }
  await requireMember(deps.table, uuid, request.owner);
  const userId = request.owner;
  if (request.kind === "user" || request.kind === "agentic") {
    const text = makeKeyText({ kind: request.kind, organization: uuid, tenant, userId }, deps.chance);
    return draftKeyItem(deps, text, {
      ...common,
      kind: request.kind,
      organization: uuid,
      tenant,
      owner: request.owner,
    });
  }
  await requireRole(deps.table, uuid, request.role);
  const { owner, role } = request;
  if (request.kind === "organization") {
    const text = makeKeyText({ kind: "organization", organization: uuid, tenant, userId }, deps.chance);
    return draftKeyItem(deps, text, {
      ...common,
      kind: "organization",
      organization: uuid,
      tenant,
      owner,
      role,
    });
  }
  const { instanceId } = request;
  await requireInstance(deps.table, instanceId, organization);
  const authorized = request.authorized ? [...new Set(request.authorized)] : null;
  if (request.authorized && request.authorized.length > keyLimits.authorizedOrganizationsMax) {
    const most = keyLimits.authorizedOrganizationsMax;
    throw new RegistryRefusal(
      `A key names at most ${most} organizations; without a list it sees the whole instance.`,
    );
  }
  if (authorized && !authorized.includes(uuid)) {
    throw new RegistryRefusal(
      "The authorized organizations of an instance key must contain its home organization " +
        `${organization.provider_organization_id}.`,
    );
  }
  for (const other of authorized ?? []) {
    await requireInstance(deps.table, instanceId, await requireOrganization(deps.table, other));
  }
  const text = makeKeyText({ kind: "instance", instanceId, home: uuid, userId }, deps.chance);
  const bound = { organization: uuid, tenant, instance_id: instanceId, authorized, owner, role };
  return draftKeyItem(deps, text, { ...common, kind: "instance", ...bound });
}

/** Every key that was ever issued, or those of one organization; revoked ones too. */
export async function listKeys(
  { table }: { readonly table: Table },
  organization?: string,
): Promise<KeyItem[]> {
  if (organization === undefined) return (await Array.fromAsync(keysOfRows(table, keyDirectoryRange))).flat();
  const { pk, sk: beginsWith } = organizationKeyRow(organization, "");
  return await keysListedOrOld(table, { pk, beginsWith }, (key) => key.organization === organization);
}

/** Those of a part of the table; keys of the first release are listed there only after a while. */
export async function keysListedOrOld(
  table: Table,
  range: Range,
  isOwn: (key: KeyItem) => boolean,
): Promise<KeyItem[]> {
  const own: KeyItem[] = [];
  for await (const keys of keysOfRows(table, range)) own.push(...keys.filter(isOwn));
  const known = new Set(own.map(({ id }) => id));
  for await (const keys of keysOfRows(table, keyDirectoryRange, isUnlisted))
    own.push(...keys.filter((key) => isOwn(key) && !known.has(key.id)));
  return own;
}

export async function revokeKey(deps: RegistryDeps, id: string, actor: Actor): Promise<void> {
  await revoke(deps, await requireOwnKind(deps.table, id), { actor }, "key.revoked");
}

type Draft = Pick<KeyItem, "kind" | "tenant"> & Partial<Omit<KeyItem, "pk" | "sk" | "id" | "hash">>;

export function draftKeyItem(deps: RegistryDeps, text: string, fields: Draft): IssuedKey {
  const { id, hash } = fingerprint(text);
  const key: KeyItem = {
    ...keyKey(id),
    id,
    hash,
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
    last_used_at_ms: null,
    created_at: toTimestamp(deps.clock.nowMs()),
    ...fields,
  };
  return { text, key };
}

/** `standing`: what must still hold for the key to be made. */
export async function storeKey(
  deps: RegistryDeps,
  issued: IssuedKey,
  by: By,
  organization: OrganizationItem | null,
  action: KeyAction,
  standing: readonly TransactionWrite[] = [],
): Promise<IssuedKey> {
  const { key } = issued;
  const told = rightsOf(key, await organizationsOf(deps.table, key, organization));
  const entry = auditWrites(deps, keyEvent(key, by, organization, action, told));
  await storeNew(deps, key, [...standing, ...entry]);
  return issued;
}

/** Throws TransactionRefused when something that the key rests on has changed: decide anew. */
export async function storeNew(
  deps: RegistryDeps,
  key: KeyItem,
  further: readonly TransactionWrite[],
): Promise<void> {
  deps.signal?.throwIfAborted();
  try {
    await inTime(deps).transact([{ put: key, when: { absent: "pk" } }, ...rowsOf(key), ...further]);
  } catch (error) {
    const isTaken = error instanceof TransactionRefused && error.refusals[0]?.refused;
    if (isTaken) throw new RegistryRefusal("The key changed meanwhile; try again.");
    const isOpen = error instanceof StoreUnavailable || error instanceof TimeUp;
    if (!isOpen || !(await isStored(deps, key))) throw error;
  }
}

/** The table until shortly before the request's end: what became of a write can then still be found out, or told. */
export const inTime = ({ table, signal }: RegistryDeps): Table =>
  signal ? boundedTable(table, { signal, isOver: () => signal.aborted }) : table;

const fenceSeconds = 86_400;

/**
 * No answer came, and only this process knows the key's text: it must find out whether the key is there. Where it is
 * not, a revoked one takes its place, so that the transaction cannot arrive late and retire a key that is in use.
 */
async function isStored({ table, clock }: RegistryDeps, key: KeyItem): Promise<boolean> {
  const nowMs = clock.nowMs();
  const fence = { ...key, revoked_at: toTimestamp(nowMs), ttl: Math.ceil(nowMs / 1000) + fenceSeconds };
  try {
    await table.write({ put: fence, when: { absent: "pk" } }, { repeatable: true });
    return false;
  } catch (error) {
    if (error instanceof ConditionFailed) return error.item?.revoked_at === null;
    throw error;
  }
}

export async function revoke(deps: RegistryDeps, key: KeyItem, by: By, action: KeyAction): Promise<void> {
  const organization = key.organization ? await findOrganization(deps.table, key.organization) : null;
  const before = { state: stateOf(key, deps.clock.nowMs()) };
  const told = { before, after: { state: "revoked" } };
  try {
    await deps.table.transact([
      {
        update: keyKey(key.id),
        change: { set: [["revoked_at", toTimestamp(deps.clock.nowMs())]] },
        when: { equals: ["revoked_at", null] },
      },
      ...auditWrites(deps, keyEvent(key, by, organization, action, told)),
    ]);
  } catch (error) {
    // It is revoked already, perhaps since this moment: that is what was wanted.
    if (!(error instanceof TransactionRefused)) throw error;
  }
}

export function nameOf(text: string): string {
  const name = text.trim();
  const { nameCharactersMax } = keyLimits;
  if (name === "" || codePoints(name) > nameCharactersMax || !wellFormed(name)) {
    throw new RegistryRefusal(`The name of a key has 1 to ${nameCharactersMax} characters.`);
  }
  return name;
}

const msPerDay = 86_400_000;

export function expiryOf(deps: RegistryDeps, expiresInDays: number | undefined): number | null {
  if (expiresInDays === undefined) return null;
  if (!Number.isInteger(expiresInDays) || expiresInDays < 1 || expiresInDays > keyLimits.expiryDaysMax) {
    throw new RegistryRefusal(`A key expires a whole number of days ahead, 1 to ${keyLimits.expiryDaysMax}.`);
  }
  return deps.clock.nowMs() + expiresInDays * msPerDay;
}
