import * as kinds from "../contract/items.ts";
import { partsOf } from "../contract/kind.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { type OrganizationItem, readOrganizations } from "../store/items/organization.ts";
import { parsePeopleGuard } from "../store/items/people.ts";
import { queryAll, type Table } from "../store/table.ts";

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Finds by the Git provider's id if only one organization has it (within the tenant, if given), otherwise by UUID. */
export async function findOrganizationByName(
  table: Table,
  name: string,
  tenant?: TenantKey,
): Promise<OrganizationItem> {
  const candidates = await organizationsNamed(table, name);
  const fitting = tenant ? candidates.filter((organization) => organization.tenant === tenant) : candidates;
  const [found, ...others] = fitting;
  if (!found) throw new OperatorError(`There is no organization ${name}${tenant ? " there" : ""}.`);
  if (others.length > 0) {
    const choices = fitting.map(({ uuid, name: title, provider }) => `${uuid} (${title}, ${provider})`);
    throw new OperatorError(
      `Several organizations have the id ${name}; name one by UUID: ${choices.join(", ")}.`,
    );
  }
  return found;
}

async function organizationsNamed(table: Table, name: string): Promise<readonly OrganizationItem[]> {
  const rows = await Array.fromAsync(
    queryAll(table, kinds.organizationDirectory.range({ providerId: name })),
  );
  const uuids = rows.flatMap((row) => partsOf(kinds.organizationDirectory, row)?.organization ?? []);
  if (uuidForm.test(name)) uuids.push(name.toLowerCase());
  return readOrganizations(table, uuids);
}

/** All organizations, sorted by provider id. */
export async function readAllOrganizations(table: Table): Promise<readonly OrganizationItem[]> {
  const rows = await Array.fromAsync(queryAll(table, kinds.organizationDirectory.range()));
  return readOrganizations(
    table,
    rows.flatMap((row) => partsOf(kinds.organizationDirectory, row)?.organization ?? []),
  );
}

/** How many active members have the Admin role, by the organization's UUID. A platform event may remove the last one. */
export async function countAdmins(
  table: Table,
  organizations: readonly OrganizationItem[],
): Promise<ReadonlyMap<string, number>> {
  const guards = await table.getMany(
    organizations.map(({ uuid }) => kinds.people.key({ organization: uuid })),
  );
  const counts = guards.map((guard) => (guard ? (parsePeopleGuard(guard).counts.cr_admin ?? 0) : 0));
  return new Map(organizations.map(({ uuid }, index) => [uuid, counts[index] ?? 0]));
}

/** Active organizations in which nobody has the Admin role. */
export const withoutAdmin = (
  organizations: readonly OrganizationItem[],
  admins: ReadonlyMap<string, number>,
): readonly OrganizationItem[] =>
  organizations.filter(({ active, uuid }) => active && admins.get(uuid) === 0);
