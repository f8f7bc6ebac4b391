import { ApiError, unauthorized } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import { isOf } from "../contract/kind.ts";
import {
  instanceTenant,
  isOrganizationTenant,
  isWorkspaceTenant,
  type TenantKey,
  workspaceTenant,
} from "../contract/tenants.ts";
import type { Clock } from "../runtime/clock.ts";
import { hasList, isLive, type KeyItem, parseKey, withList } from "../store/items/key.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { parseMember, parsePeopleGuard } from "../store/items/people.ts";
import { noEpochs, parseScopeEpochs, type ScopeEpochs } from "../store/items/scope-epochs.ts";
import { parseInstance, parseWorkspace } from "../store/items/tenant.ts";
import { ReadAhead } from "../store/read-ahead.ts";
import { type Item, type Key, readFew, type Table } from "../store/table.ts";
import type { AcceptedKeys } from "./accepted-keys.ts";
import { type KeyHints, type KeyText, parseKeyText } from "./key-text.ts";
import { mayStillRepeat, type SentValue, sentValueOf } from "./key-value.ts";
import { type UsedKey, withUse } from "./last-used.ts";
import { type Principal, roleOf, workspaceAdmin } from "./principal.ts";

export type Authentication = {
  readonly principal: Principal;
  /** The items that `prefetch` asked for, and those of authentication itself. */
  readonly prefetched: ReadAhead;
};

export type AuthenticationRequest = {
  readonly text: string | undefined;
  /** Accepts an old value for a while after its end: the operation refuses it unless it repeats a rotation. */
  readonly mayRepeat?: boolean;
  /** Further items to read in the same round of reads. */
  readonly prefetch?: (tenant: TenantKey, named: NamedByKey) => readonly Key[];
};

/** What the text of a key names in addition to its tenant. */
export type NamedByKey = {
  /** The key's only organization; undefined for keys that reach several organizations. */
  readonly organization: string | undefined;
  /** The member that a user key acts as. */
  readonly user: string | undefined;
};

/** Every reason gets the same body, so that nobody learns which keys exist. The audit log records the reason. */
export class AuthenticationError extends ApiError {
  readonly key: KeyItem | undefined;
  readonly value: SentValue | undefined;
  /** The inactive item because of which the key does not work: the audit log need not read it again. */
  readonly inactive: Item | undefined;
  readonly reason: string;
  constructor(reason: string, key?: KeyItem, value?: SentValue, inactive?: Item) {
    super("UNAUTHORIZED", unauthorized);
    this.reason = reason;
    this.key = key;
    this.value = value;
    this.inactive = inactive;
  }
}

/**
 * Takes two rounds of consistent reads: the key, then everything else in parallel. A made-up key therefore costs one
 * small read, whatever its text names. The key of a whole workspace or instance takes three: the second reads the row
 * that says whether it is active, so that an inactive one never reads its organizations. One round is enough if this
 * function accepted the key in the last minute, except for a legacy key: its text names nothing to read.
 */
export async function authenticate(
  deps: { readonly table: Table; readonly clock: Clock; readonly accepted?: AcceptedKeys },
  { text, mayRepeat = false, prefetch = () => [] }: AuthenticationRequest,
): Promise<Authentication> {
  const parsed = text && parseKeyText(text);
  if (!parsed) throw new AuthenticationError("malformed");
  const known = deps.accepted?.take(parsed.hash, deps.clock.nowMs());
  const items = new ReadAhead();
  const hints =
    !known || parsed.hints.kind === "legacy"
      ? await readFirst(deps, { ...parsed, mayRepeat }, items)
      : parsed.hints;

  const tenant = known ?? tenantHint(hints);
  const named = {
    organization: "organization" in hints ? hints.organization : undefined,
    user: hints.kind === "user" ? hints.userId : undefined,
  };
  const keysOf = (of: TenantKey) => [...tenantRecordKeys(hints, of), ...prefetch(of, named)];
  const [, rows] = await Promise.all([
    items.read(deps.table, [
      kinds.apiKey.key({ keyId: parsed.id }),
      kinds.keyUse.key({ keyId: parsed.id }),
      ...principalKeys(hints),
      // Otherwise it was read with the key.
      ...(known && hints.kind === "instance" ? [kinds.keyList.key({ keyId: parsed.id })] : []),
      ...keysOf(tenant),
    ]),
    tenantOrganizations(deps.table, hints),
  ]);

  const { key: stored, value } = checkedKey(
    { ...parsed, mayRepeat },
    items.get(kinds.apiKey.key({ keyId: parsed.id })),
    deps.clock,
  );
  const listed = withList(stored, items.get(kinds.keyList.key({ keyId: parsed.id })));
  const key = withUse(listed, items.get(kinds.keyUse.key({ keyId: parsed.id })));
  const principal = { ...principalOf(hints, key, items, rows), value };
  // The organization moved after the key was made or last accepted: the items of its old tenant were read.
  if (principal.tenant !== tenant) await items.read(deps.table, keysOf(principal.tenant));
  for (const record of tenantRecordKeys(hints, principal.tenant))
    checkTenant(key, principal.tenant, items.get(record));
  deps.accepted?.add(parsed.hash, { atMs: deps.clock.nowMs(), tenant: principal.tenant });
  return { principal, prefetched: items };
}

/** The first items of all that authentication reads: if they refuse the key, nothing else is read. */
async function readFirst(
  { table, clock }: { readonly table: Table; readonly clock: Clock },
  parsed: CheckedText,
  items: ReadAhead,
): Promise<ReadHints> {
  const { key } = checkedKey(
    parsed,
    await items.readOne(table, kinds.apiKey.key({ keyId: parsed.id })),
    clock,
  );
  const hints = hintsOf(parsed, key);
  if (!isOfWholeTenant(hints)) return hints;
  const tenant = tenantHint(hints);
  const record = kinds.tenant.key({ tenant });
  // Not with the key itself, so that a made-up key costs one small read.
  if (hasList(key)) await items.read(table, [record, kinds.keyList.key({ keyId: key.id })]);
  checkTenant(key, tenant, items.get(record) ?? (await items.readOne(table, record)));
  return hints;
}

/**
 * An organization's keys work while its workspace or instance is active. A stand-alone organization has no such record;
 * the keys of a whole workspace or instance read it with their other items.
 */
const tenantRecordKeys = (hints: ReadHints, tenant: TenantKey): Key[] =>
  isOfWholeTenant(hints) || isOrganizationTenant(tenant) ? [] : [kinds.tenant.key({ tenant })];

const checkTenant = (key: KeyItem, tenant: TenantKey, item: Item | undefined): object =>
  isWorkspaceTenant(tenant) ? activeWorkspace(item, key) : activeInstance(item, key);

type ReadHints =
  | KeyHints
  | { readonly kind: "legacy"; readonly organization: string; readonly tenant: TenantKey };

const isOfWholeTenant = ({ kind }: ReadHints): boolean => kind === "workspace" || kind === "instance";

function hintsOf({ hints }: KeyText, { organization, tenant }: KeyItem): ReadHints {
  if (hints.kind !== "legacy") return hints;
  if (organization === null) throw new AuthenticationError("unknown");
  return { kind: "legacy", organization, tenant };
}

function tenantHint(hints: ReadHints): TenantKey {
  if (hints.kind === "workspace") return workspaceTenant(hints.workspaceId);
  if (hints.kind === "instance") return instanceTenant(hints.instanceId);
  return hints.tenant;
}

/** What `principalOf` asks for. */
function principalKeys(hints: ReadHints): Key[] {
  const record = isOfWholeTenant(hints) ? [kinds.tenant.key({ tenant: tenantHint(hints) })] : [];
  if (hints.kind === "workspace") return record;
  const organization = hints.kind === "instance" ? hints.home : hints.organization;
  const member = hints.kind === "legacy" ? [] : [kinds.member.key({ organization, userId: hints.userId })];
  return [...record, kinds.organization.key({ organization }), kinds.people.key({ organization }), ...member];
}

type TenantRows = {
  readonly organizations: readonly OrganizationItem[];
  readonly inactiveOrganizations?: readonly string[];
  readonly scopeEpochs: ScopeEpochs;
};

async function tenantOrganizations(table: Table, hints: ReadHints): Promise<TenantRows> {
  if (!isOfWholeTenant(hints)) return { organizations: [], scopeEpochs: noEpochs };
  return readTenantRows(table, tenantHint(hints));
}

/** Reads the tenant's active organizations and the epochs of its scope. */
async function readTenantRows(table: Table, tenant: TenantKey): Promise<TenantRows> {
  const items = await readFew(table, kinds.tenantOrganization, { tenant });
  const organizations = items.filter((item) => !isOf(kinds.scopeEpochs, item)).map(parseOrganization);
  return {
    organizations: organizations.filter(({ active }) => active),
    inactiveOrganizations: organizations.filter(({ active }) => !active).map(({ uuid }) => uuid),
    scopeEpochs: parseScopeEpochs(items.find((item) => isOf(kinds.scopeEpochs, item))),
  };
}

/** The same caller with its organizations read again. The epochs stay as they were read before. */
export async function withCurrentOrganizations(table: Table, principal: Principal): Promise<Principal> {
  const { organizations, inactiveOrganizations = [] } = await readTenantRows(table, principal.tenant);
  const reach = authorizedOf(principal.key, organizations);
  return { ...principal, ...reach, ...(principal.inactiveOrganizations && { inactiveOrganizations }) };
}

/** An instance key may have a list of the organizations it is authorized for. */
function authorizedOf(
  { authorized }: KeyItem,
  organizations: readonly OrganizationItem[],
): Pick<Principal, "organizations" | "forbiddenOrganizations"> {
  const listed = authorized && new Set(authorized);
  const isAuthorized = ({ uuid }: OrganizationItem) => listed === null || listed.has(uuid);
  return {
    organizations: organizations.filter(isAuthorized),
    forbiddenOrganizations: organizations.filter((organization) => !isAuthorized(organization)),
  };
}

type CheckedText = KeyText & { readonly mayRepeat: boolean };

function checkedKey(parsed: CheckedText, item: Item | undefined, clock: Clock) {
  const key = item && parseKey(item);
  if (key?.kind !== parsed.hints.kind) throw new AuthenticationError("unknown");
  return { key, value: checkedValue(key, parsed.hash, clock.nowMs(), parsed) };
}

/** Throws unless the text with this hash is a value of the key that works. */
export function checkedValue(
  key: KeyItem,
  textHash: string,
  nowMs: number,
  { mayRepeat }: Pick<CheckedText, "mayRepeat"> = { mayRepeat: false },
): SentValue {
  const value = sentValueOf(key, textHash, nowMs);
  if (!value) throw new AuthenticationError("unknown");
  if (key.revoked_at !== null) throw new AuthenticationError("revoked", key, value);
  const isEnded = value.state === "ended" || (key.rotated_to !== null && !isLive(key, nowMs));
  if (isEnded && !(mayRepeat && mayStillRepeat(key, nowMs)))
    throw new AuthenticationError("rotated", key, value);
  if (!isLive(key, nowMs)) throw new AuthenticationError("expired", key, value);
  return value;
}

type Owner = Omit<Principal, "value">;

function principalOf(hints: ReadHints, key: UsedKey, items: ReadAhead, rows: TenantRows): Owner {
  if (hints.kind === "workspace")
    return workspacePrincipal(key, items.get(kinds.tenant.key({ tenant: tenantHint(hints) })), rows);
  if (hints.kind === "instance") return instancePrincipal(hints, key, items, rows);
  return organizationPrincipal(hints, key, items);
}

function organizationPrincipal(
  hints: Exclude<ReadHints, { kind: "workspace" | "instance" }>,
  key: UsedKey,
  items: ReadAhead,
): Owner {
  const organization = activeOrganization(
    items.get(kinds.organization.key({ organization: hints.organization })),
    key,
  );
  // Only legacy keys have no member behind them.
  const member =
    hints.kind === "legacy"
      ? undefined
      : activeMember(
          items.get(kinds.member.key({ organization: hints.organization, userId: hints.userId })),
          key,
        );
  const actingAs = hints.kind === "user" || hints.kind === "agentic" ? member : undefined;
  const roleId = actingAs ? actingAs.role : key.role;
  return {
    key,
    tenant: organization.tenant,
    quotaOwner: organization.uuid,
    organizations: [organization],
    home: organization,
    forbiddenOrganizations: [],
    role: roleIn(items, hints.organization, roleId),
    userId: key.owner,
    userName: actingAs?.username ?? null,
    userEmail: member?.email ?? null,
    ownerStillAdmin: true,
  };
}

function workspacePrincipal(
  key: UsedKey,
  item: Item | undefined,
  { organizations, inactiveOrganizations = [], scopeEpochs }: TenantRows,
): Owner {
  const workspace = activeWorkspace(item, key);
  const tenant = workspaceTenant(workspace.id);
  const owner = workspace.admins.find((admin) => admin.user_id === key.owner);
  return {
    key,
    tenant,
    quotaOwner: tenant,
    organizations,
    inactiveOrganizations,
    scopeEpochs,
    home: null,
    forbiddenOrganizations: [],
    role: workspaceAdmin,
    userId: key.owner,
    userName: null,
    userEmail: owner?.email ?? null,
    ownerStillAdmin: owner !== undefined,
  };
}

function instancePrincipal(
  hints: Extract<ReadHints, { kind: "instance" }>,
  key: UsedKey,
  items: ReadAhead,
  { organizations, scopeEpochs }: TenantRows,
): Owner {
  const tenant = tenantHint(hints);
  activeInstance(items.get(kinds.tenant.key({ tenant })), key);
  const home = activeOrganization(items.get(kinds.organization.key({ organization: hints.home })), key);
  const memberKey = kinds.member.key({ organization: hints.home, userId: hints.userId });
  const member = activeMember(items.get(memberKey), key);
  return {
    key,
    tenant,
    quotaOwner: tenant,
    ...authorizedOf(key, organizations),
    scopeEpochs,
    home,
    role: roleIn(items, hints.home, key.role),
    userId: key.owner,
    userName: null,
    userEmail: member.email,
    ownerStillAdmin: true,
  };
}

function roleIn(items: ReadAhead, organization: string, roleId: string | null): Principal["role"] {
  const people = items.get(kinds.people.key({ organization }));
  return roleId ? roleOf(roleId, people && parsePeopleGuard(people)) : null;
}

/** A key stops working when what it belongs to becomes inactive, and when its owner or the member it acts as does. */
const activeOf =
  <Kind extends { readonly active: boolean }>(name: string, parse: (item: Item) => Kind) =>
  (item: Item | undefined, key: KeyItem): Kind => {
    const found = item && parse(item);
    if (!found?.active) throw new AuthenticationError(`${name} inactive`, key, undefined, item);
    return found;
  };
const activeWorkspace = activeOf("workspace", parseWorkspace);
const activeInstance = activeOf("instance", parseInstance);
const activeMember = activeOf("member", parseMember);

function activeOrganization(item: Item | undefined, key: KeyItem): OrganizationItem {
  const organization = activeOf("organization", parseOrganization)(item, key);
  if (organization.uuid !== key.organization) throw new AuthenticationError("organization inactive", key);
  return organization;
}
