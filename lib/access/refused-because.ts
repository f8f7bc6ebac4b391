import type { KeyRefusal } from "../contract/access.ts";
import { isLive, type KeyItem } from "../store/items/key.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { parseMember } from "../store/items/people.ts";
import { parseInstance, parseWorkspace } from "../store/items/tenant.ts";
import {
  instanceTenant,
  isOrganizationTenant,
  isWorkspaceTenant,
  memberKey,
  organizationKey,
  type TenantKey,
  tenantKey,
} from "../store/layout.ts";
import { type Item, identityOf, type Key, type Table } from "../store/table.ts";

/**
 * Why authentication refuses keys that have not ended, by the id of the key. A key that is not here works, or its state
 * says why it does not.
 */
export async function readRefusals(
  table: Table,
  keys: readonly KeyItem[],
  nowMs: number,
): Promise<ReadonlyMap<string, KeyRefusal>> {
  const live = keys.filter((key) => isLive(key, nowMs));
  const organizations = await readItems(
    table,
    live.flatMap(({ organization }) => (organization === null ? [] : [organizationKey(organization)])),
  );
  const dependents = live.map((key): Dependent => {
    const item = key.organization === null ? undefined : organizations(organizationKey(key.organization));
    const organization = item && parseOrganization(item);
    return { key, organization, tenant: tenantOf(key, organization) };
  });
  const found = await readItems(table, dependents.flatMap(relatedKeys));
  return new Map(
    dependents.flatMap((each) => {
      const refusal = refusalOf(each, found);
      return refusal ? [[each.key.id, refusal] as const] : [];
    }),
  );
}

/** A key and what it depends on. */
type Dependent = {
  readonly key: KeyItem;
  readonly organization: OrganizationItem | undefined;
  readonly tenant: TenantKey;
};
type Find = (key: Key) => Item | undefined;

async function readItems(table: Table, keys: readonly Key[]): Promise<Find> {
  const items = await table.getMany(keys);
  const found = new Map(items.flatMap((item) => (item ? [[identityOf(item), item] as const] : [])));
  return (key) => found.get(identityOf(key));
}

/** An organization may have moved since the key was made; an instance key stays with its instance. */
const tenantOf = ({ instance_id, tenant }: KeyItem, organization: OrganizationItem | undefined): TenantKey =>
  instance_id === null ? (organization?.tenant ?? tenant) : instanceTenant(instance_id);

const ownerKeys = ({ organization, owner }: KeyItem): Key[] =>
  organization === null || owner === null ? [] : [memberKey(organization, owner)];

const relatedKeys = ({ key, tenant }: Dependent): Key[] => [
  ...(isOrganizationTenant(tenant) ? [] : [tenantKey(tenant)]),
  ...ownerKeys(key),
];

function refusalOf({ key, organization, tenant }: Dependent, find: Find): KeyRefusal | null {
  if (!isActive(tenant, find)) return "organization_inactive";
  if (key.kind === "workspace") return isAdmin(key, tenant, find) ? null : "owner_not_admin";
  if (!organization?.active) return "organization_inactive";
  const hasOwner = ownerKeys(key).every((owner) => {
    const member = find(owner);
    return member !== undefined && parseMember(member).active;
  });
  return hasOwner ? null : "owner_left";
}

/** A stand-alone organization is its own tenant. */
function isActive(tenant: TenantKey, find: Find): boolean {
  if (isOrganizationTenant(tenant)) return true;
  const item = find(tenantKey(tenant));
  return item !== undefined && (isWorkspaceTenant(tenant) ? parseWorkspace : parseInstance)(item).active;
}

function isAdmin({ owner }: KeyItem, tenant: TenantKey, find: Find): boolean {
  const item = find(tenantKey(tenant));
  return item !== undefined && parseWorkspace(item).admins.some(({ user_id }) => user_id === owner);
}
