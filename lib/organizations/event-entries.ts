import { namedPeople, peopleMetadata } from "../audit/named.ts";
import { systemEntry } from "../audit/system-entry.ts";
import { isOrganizationTenant, type TenantKey, workspaceTenant } from "../contract/tenants.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { WorkspaceItem } from "../store/items/tenant.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import type { Put } from "../store/table.ts";

/** Audit entries for the changes by an event that an organization's administrators must know about. */
export const organizationEntries = (
  store: Store,
  before: OrganizationItem | undefined,
  after: OrganizationItem,
): Put[] => [
  ...(before && before.tenant !== after.tenant ? movedEntries(store, before, after) : []),
  ...(before?.active && !after.active ? deactivatedEntry(store, after) : []),
];

/** For the organization and its new tenant, and for the tenant it leaves, which no longer sees the organization. */
function movedEntries(store: Store, before: OrganizationItem, after: OrganizationItem): Put[] {
  const { name } = after;
  const event = {
    action: "organization.moved",
    resourceType: "organization",
    resourceId: after.provider_organization_id,
    summary: `organization moved: ${name}`,
    metadata: { name, before: placeOf(before), after: placeOf(after) },
  } as const;
  const leaves = !isOrganizationTenant(before.tenant);
  return [
    ...systemEntry(store, { ...event, tenant: after.tenant, organization: after }),
    ...(leaves ? systemEntry(store, { ...event, tenant: before.tenant, organization: null }) : []),
  ];
}

const placeOf = ({ workspace_id, instance_id }: OrganizationItem) => ({ workspace_id, instance_id });

/** Written for the whole tenant, so that people who may see only active organizations see the entry too. */
const deactivatedEntry = (store: Store, organization: OrganizationItem): Put[] =>
  systemEntry(store, {
    action: "organization.deactivated",
    resourceType: "organization",
    resourceId: organization.provider_organization_id,
    summary: `organization deactivated: ${organization.name}`,
    tenant: organization.tenant,
    organization: null,
    shownIn: [organization.uuid],
    metadata: { name: organization.name, before: { active: true }, after: { active: false } },
  });

/** The admins decide who may use a workspace token, so a change of admins is recorded. */
export function adminsEntry(
  store: Store,
  before: Pick<WorkspaceItem, "admins"> | undefined,
  { id, admins }: Pick<WorkspaceItem, "id" | "admins">,
): Put[] {
  if (!before) return [];
  const was = idsOf(before.admins);
  const is = idsOf(admins);
  const came = admins.filter(({ user_id }) => !was.includes(user_id));
  const left = before.admins.filter(({ user_id }) => !is.includes(user_id));
  if (came.length + left.length === 0) return [];
  const tenant: TenantKey = workspaceTenant(id);
  return systemEntry(store, {
    action: "workspace.admins_changed",
    resourceType: "workspace",
    resourceId: id,
    summary: `workspace admins changed: ${adminsChange(came, left)}`,
    tenant,
    organization: null,
    metadata: { before: { admins: was }, after: { admins: is }, ...peopleMetadata([...came, ...left]) },
  });
}

const adminsChange = (came: WorkspaceItem["admins"], left: WorkspaceItem["admins"]): string =>
  [
    ...(came.length > 0 ? [`${namedPeople(came)} added`] : []),
    ...(left.length > 0 ? [`${namedPeople(left)} removed`] : []),
  ].join("; ");

const idsOf = (admins: WorkspaceItem["admins"]): string[] =>
  [...new Set(admins.map(({ user_id }) => user_id))].sort();
