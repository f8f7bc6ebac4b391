import type { KeyRefusal } from "../contract/access.ts";
import * as kinds from "../contract/items.ts";
import {
  instanceTenant,
  isOrganizationTenant,
  isWorkspaceTenant,
  type TenantKey,
} from "../contract/tenants.ts";
import { isLive, type KeyItem } from "../store/items/key.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { parseMember } from "../store/items/people.ts";
import { parseInstance, parseWorkspace } from "../store/items/tenant.ts";
import { type Item, identityOf, type Key, type Table } from "../store/table.ts";

/** `refusal`: null if the key works. `ownerEmail`: of the workspace admin who owns a token. */
export type KeyStanding = { readonly refusal: KeyRefusal | null; readonly ownerEmail: string | null };

/** Whether authentication refuses keys that have not ended, and why, by the id of the key. */
export async function readStandings(
  table: Table,
  keys: readonly KeyItem[],
  nowMs: number,
): Promise<ReadonlyMap<string, KeyStanding>> {
  const live = keys.filter((key) => isLive(key, nowMs));
  const items = new Map<string, Item>();
  const find: Find = (key) => items.get(identityOf(key));
  const read = async (wanted: readonly Key[]) => {
    for (const item of await table.getMany(wanted)) if (item) items.set(identityOf(item), item);
  };
  await read(live.flatMap(relatedKeys));
  // An organization may have moved since the key was made.
  const moved = live.filter((key) => tenantOf(key, find) !== key.tenant);
  await read(moved.map((key) => kinds.tenant.key({ tenant: tenantOf(key, find) })));
  return new Map(
    live.map((key) => [
      key.id,
      { refusal: refusalOf(key, find), ownerEmail: adminOf(key, find)?.email ?? null },
    ]),
  );
}

type Find = (key: Key) => Item | undefined;

const ownerKeys = ({ organization, owner }: KeyItem): Key[] =>
  organization === null || owner === null ? [] : [kinds.member.key({ organization, userId: owner })];

const relatedKeys = (key: KeyItem): Key[] => [
  ...(isOrganizationTenant(key.tenant) ? [] : [kinds.tenant.key({ tenant: key.tenant })]),
  ...(key.organization === null ? [] : [kinds.organization.key({ organization: key.organization })]),
  ...ownerKeys(key),
];

function organizationOf({ organization }: KeyItem, find: Find): OrganizationItem | undefined {
  const item = organization === null ? undefined : find(kinds.organization.key({ organization }));
  return item && parseOrganization(item);
}

/** An instance key stays with its instance. */
const tenantOf = (key: KeyItem, find: Find): TenantKey =>
  key.instance_id === null
    ? (organizationOf(key, find)?.tenant ?? key.tenant)
    : instanceTenant(key.instance_id);

function refusalOf(key: KeyItem, find: Find): KeyRefusal | null {
  const tenant = tenantOf(key, find);
  if (!isActive(tenant, find)) return "organization_inactive";
  if (key.kind === "workspace") return adminOf(key, find) ? null : "owner_not_admin";
  if (!organizationOf(key, find)?.active) return "organization_inactive";
  const hasOwner = ownerKeys(key).every((owner) => {
    const member = find(owner);
    return member !== undefined && parseMember(member).active;
  });
  return hasOwner ? null : "owner_left";
}

/** A stand-alone organization is its own tenant. */
function isActive(tenant: TenantKey, find: Find): boolean {
  if (isOrganizationTenant(tenant)) return true;
  const item = find(kinds.tenant.key({ tenant }));
  return item !== undefined && (isWorkspaceTenant(tenant) ? parseWorkspace : parseInstance)(item).active;
}

/** The workspace admin who owns a token. */
function adminOf({ kind, owner, tenant }: KeyItem, find: Find) {
  const item = kind === "workspace" ? find(kinds.tenant.key({ tenant })) : undefined;
  return item && parseWorkspace(item).admins.find(({ user_id }) => user_id === owner);
}
