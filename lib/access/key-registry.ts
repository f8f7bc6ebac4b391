import { type Actor, type AuditDeps, auditWrites } from "../audit/entry.ts";
import { isSystemRole, type KeyKind } from "../contract/access.ts";
import { keyLimits } from "../contract/limits.ts";
import { certain } from "../runtime/certain.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { decideAnew } from "../store/decide.ts";
import { type KeyItem, parseKey } from "../store/items/key.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parsePeople } from "../store/items/people.ts";
import { keyDirectoryKey, keyDirectoryRange, keyKey, memberKey, peopleKey } from "../store/layout.ts";
import {
  ConditionFailed,
  queryAll,
  StoreUnavailable,
  type Table,
  TransactionRefused,
  type TransactionWrite,
} from "../store/table.ts";
import {
  findOrganization,
  RegistryRefusal,
  requireInstance,
  requireKey,
  requireMember,
  requireOrganization,
  requireRole,
} from "./key-requirements.ts";
import { keyGivenWrite } from "./key-roles.ts";
import { fingerprint, type KeyHints, makeKeyText, makeLegacyKeyText } from "./key-text.ts";

export type RegistryDeps = AuditDeps & { readonly table: Table };

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
    const standing = await standingWrites(deps.table, organization.uuid, issued.key);
    return await storeKey(deps, issued, request.actor, organization, "key.created", standing);
  });
}

/** In the key's own transaction: its owner is still an active member, and its role still exists. */
async function standingWrites(
  table: Table,
  organization: string,
  { owner, role }: Pick<KeyItem, "owner" | "role">,
): Promise<TransactionWrite[]> {
  const member: TransactionWrite[] =
    owner === null ? [] : [{ check: memberKey(organization, owner), when: { equals: ["active", true] } }];
  if (role === null || isSystemRole(role)) return member;
  const guard = await table.get(peopleKey(organization));
  return [...member, keyGivenWrite(parsePeople(certain(guard, "people guard")), role)];
}

async function draftKey(
  deps: RegistryDeps,
  request: KeyRequest,
  organization: OrganizationItem,
): Promise<IssuedKey> {
  const { uuid, tenant } = organization;
  const common = { name: request.name ?? null, expires_at_ms: expiryOf(deps, request.expiresInDays) };
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
  const authorized = request.authorized ? [...request.authorized] : null;
  if (authorized && authorized.length > keyLimits.authorizedOrganizationsMax) {
    const most = keyLimits.authorizedOrganizationsMax;
    throw new RegistryRefusal(
      `A key names at most ${most} organizations; without a list it sees the whole instance.`,
    );
  }
  for (const other of authorized ?? []) {
    await requireInstance(deps.table, instanceId, await requireOrganization(deps.table, other));
  }
  const text = makeKeyText({ kind: "instance", instanceId, home: uuid, userId }, deps.chance);
  const bound = { organization: uuid, tenant, instance_id: instanceId, authorized, owner, role };
  return draftKeyItem(deps, text, { ...common, kind: "instance", ...bound });
}

/** Every key that was ever issued, revoked ones too, in the order of their ids. */
export async function listKeys({ table }: { readonly table: Table }): Promise<KeyItem[]> {
  const rows = await Array.fromAsync(queryAll(table, keyDirectoryRange));
  const items = await table.getMany(rows.map((row) => keyKey(row.sk)));
  return items.filter((item) => item !== undefined).map(parseKey);
}

export async function revokeKey(deps: RegistryDeps, id: string, actor: Actor): Promise<void> {
  await revoke(deps, await requireOwnKind(deps.table, id), actor, "key.revoked");
}

/** A new key with the same rights; the old one works until its grace ends (0: not at all from now on). */
export async function rotateKey(
  deps: RegistryDeps,
  request: {
    readonly id: string;
    readonly graceSeconds: number;
    /** Legacy keys have no owner, and the organization key they become needs one. */
    readonly owner?: string | undefined;
    readonly actor: Actor;
  },
): Promise<IssuedKey> {
  return await decideAnew(deps, () => rotateOnce(deps, request));
}

async function rotateOnce(deps: RegistryDeps, request: Parameters<typeof rotateKey>[1]): Promise<IssuedKey> {
  const { id, graceSeconds, actor } = request;
  const old = await requireOwnKind(deps.table, id);
  const nowMs = deps.clock.nowMs();
  if (old.revoked_at !== null) throw new RegistryRefusal(`Key ${id} is revoked; create a new one.`);
  if (old.rotated_to !== null)
    throw new RegistryRefusal(`Key ${id} was rotated already; rotate ${old.rotated_to}.`);
  if (old.expires_at_ms !== null && old.expires_at_ms <= nowMs) {
    throw new RegistryRefusal(`Key ${id} has expired; create a new one.`);
  }
  const graceSecondsMax = keyLimits.expiryDaysMax * 86_400;
  if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > graceSecondsMax) {
    throw new RegistryRefusal(`The grace is a whole number of seconds, 0 to ${graceSecondsMax}.`);
  }
  const organization = await requireOrganization(
    deps.table,
    certain(old.organization, "organization of the key"),
  );
  const owner = await successorOwner(deps, old, organization.uuid, request.owner);
  const text = makeKeyText(successorHints(old, organization, owner), deps.chance);
  const successor = draftKeyItem(deps, text, { ...successorFields(old), tenant: organization.tenant, owner });
  const graceEndMs = Math.min(nowMs + graceSeconds * 1000, old.expires_at_ms ?? Number.POSITIVE_INFINITY);
  const retire: TransactionWrite = {
    update: keyKey(old.id),
    change: {
      set: [
        ["rotated_to", successor.key.id],
        ["expires_at_ms", graceEndMs],
      ],
    },
    when: { all: [{ equals: ["rotated_to", null] }, { equals: ["revoked_at", null] }] },
  };
  const standing = await standingWrites(deps.table, organization.uuid, successor.key);
  return await storeKey(deps, successor, actor, organization, "key.rotated", [retire, ...standing]);
}

/** Still there, since without its owner the successor would be no key. */
async function successorOwner(
  deps: RegistryDeps,
  old: OwnKey,
  organization: string,
  named: string | undefined,
): Promise<string> {
  const owner = old.kind === "legacy" ? named : certain(old.owner, "owner of the key");
  if (owner === undefined) {
    throw new RegistryRefusal(
      "A legacy key has no owner: name the member who owns the new organization key.",
    );
  }
  await requireMember(deps.table, organization, owner);
  return owner;
}

/** Workspace tokens are the workspace admins' own: made, listed and deleted as tokens. */
type OwnKey = KeyItem & { readonly kind: Exclude<KeyKind, "workspace"> };
const isOwnKind = (key: KeyItem): key is OwnKey => key.kind !== "workspace";

async function requireOwnKind(table: Table, id: string): Promise<OwnKey> {
  const key = await requireKey(table, id);
  if (!isOwnKind(key)) {
    throw new RegistryRefusal(
      `${id} is a workspace token: let a workspace admin create or delete it with tokens.`,
    );
  }
  return key;
}

/** Legacy keys cannot be made again: their successor is an organization key that reads as a member. */
const successorKind = (old: OwnKey) => (old.kind === "legacy" ? "organization" : old.kind);

function successorHints(old: OwnKey, { uuid, tenant }: OrganizationItem, userId: string): KeyHints {
  const kind = successorKind(old);
  if (kind !== "instance") return { kind, organization: uuid, tenant, userId };
  return { kind, home: uuid, instanceId: certain(old.instance_id, "instance of the key"), userId };
}

function successorFields(old: OwnKey) {
  const { name, organization, instance_id, authorized, expires_at_ms } = old;
  const role = old.kind === "legacy" ? "cr_member" : old.role;
  return { kind: successorKind(old), name, organization, instance_id, authorized, role, expires_at_ms };
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

/** Throws TransactionRefused when something that the key rests on has changed: decide anew. */
export async function storeKey(
  deps: RegistryDeps,
  issued: IssuedKey,
  actor: Actor,
  organization: OrganizationItem | null,
  action: string,
  further: readonly TransactionWrite[] = [],
): Promise<IssuedKey> {
  const { key } = issued;
  const writes: TransactionWrite[] = [
    { put: key, when: { absent: "pk" } },
    { put: { ...keyDirectoryKey(key.id), kind: key.kind } },
    ...further,
    ...auditWrites(deps, keyEvent(key, actor, organization, action)),
  ];
  try {
    await deps.table.transact(writes);
  } catch (error) {
    const isTaken = error instanceof TransactionRefused && error.refusals[0]?.refused;
    if (isTaken) throw new RegistryRefusal("The key changed meanwhile; try again.");
    if (!(error instanceof StoreUnavailable) || !(await isStored(deps, key))) throw error;
  }
  return issued;
}

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

export async function revoke(deps: RegistryDeps, key: KeyItem, actor: Actor, action: string): Promise<void> {
  const organization = key.organization ? await findOrganization(deps.table, key.organization) : null;
  try {
    await deps.table.transact([
      {
        update: keyKey(key.id),
        change: { set: [["revoked_at", toTimestamp(deps.clock.nowMs())]] },
        when: { equals: ["revoked_at", null] },
      },
      ...auditWrites(deps, keyEvent(key, actor, organization, action)),
    ]);
  } catch (error) {
    // It is revoked already, perhaps since this moment: that is what was wanted.
    if (!(error instanceof TransactionRefused)) throw error;
  }
}

function keyEvent(key: KeyItem, actor: Actor, organization: OrganizationItem | null, action: string) {
  return {
    action,
    resourceType: key.kind === "workspace" ? "workspace_token" : "api_key",
    resourceId: key.id,
    summary: `${action.replace(".", " ")}: ${key.kind} key ${key.id}`,
    actor,
    tenant: organization?.tenant ?? key.tenant,
    organization: organization && {
      uuid: organization.uuid,
      providerId: organization.provider_organization_id,
    },
    metadata: { kind: key.kind, name: key.name, owner: key.owner },
    ipAddress: null,
    requestId: null,
  };
}

const msPerDay = 86_400_000;

export function expiryOf(deps: RegistryDeps, expiresInDays: number | undefined): number | null {
  if (expiresInDays === undefined) return null;
  if (!Number.isInteger(expiresInDays) || expiresInDays < 1 || expiresInDays > keyLimits.expiryDaysMax) {
    throw new RegistryRefusal(`A key expires a whole number of days ahead, 1 to ${keyLimits.expiryDaysMax}.`);
  }
  return deps.clock.nowMs() + expiresInDays * msPerDay;
}
