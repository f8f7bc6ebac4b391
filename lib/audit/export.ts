import type * as z from "zod";
import type { auditRecord } from "../contract/records-audit.ts";
import { organizationTenant, type TenantKey } from "../contract/tenants.ts";
import { wordsMatcher } from "../runtime/search-words.ts";
import type { AuditItem } from "../store/items/audit.ts";

type Record = z.output<typeof auditRecord>;

type AuditScope = {
  readonly selector: string;
  readonly organizations: ReadonlyArray<{ readonly uuid: string }>;
  /** Of an instance key: all organizations whose entries it may see, including inactive ones; null means all. */
  readonly authorized?: readonly string[] | null;
  /** Of a workspace: UUIDs of all its organizations, including those that the caller may not see. */
  readonly inTenant?: ReadonlySet<string> | undefined;
};

/** One selected organization has a log of its own. Several organizations are read from the log of their tenant. */
export function auditOwner(tenant: TenantKey, { selector, organizations }: AuditScope): TenantKey {
  const [only] = organizations;
  return only && selector === `one:${only.uuid}` ? organizationTenant(only.uuid) : tenant;
}

export type AuditFilters = {
  readonly actions?: readonly string[] | undefined;
  readonly resource_types?: readonly string[] | undefined;
  readonly user_ids?: readonly string[] | undefined;
  readonly search?: string | undefined;
};

/**
 * Entries of the whole tenant are shown if the whole tenant was requested, and in the organizations that they name. An
 * organization that left the workspace leaves behind what was written there: it happened in this workspace.
 */
export function auditFilter(
  { actions, resource_types, user_ids, search }: AuditFilters,
  { selector, organizations, authorized = null, inTenant }: AuditScope,
): (entry: AuditItem) => boolean {
  const visible = new Set(organizations.map(({ uuid }) => uuid));
  const isAuthorized = (named: readonly string[]) =>
    authorized === null || named.length === 0 || named.some((uuid) => authorized.includes(uuid));
  const hasLeft = (uuid: string) => selector === "all" && inTenant !== undefined && !inTenant.has(uuid);
  const shows = ({ organization, organizations: named = [], log_of }: AuditItem) => {
    const owner = organization ?? log_of;
    if (owner !== undefined) return visible.has(owner) || hasLeft(owner);
    return selector === "all" ? isAuthorized(named) : named.some((uuid) => visible.has(uuid));
  };
  const hasWords = wordsMatcher(search);
  return (entry) =>
    shows(entry) &&
    (!actions || actions.includes(entry.action)) &&
    (!resource_types || resource_types.includes(entry.resource_type)) &&
    (!user_ids || (entry.actor.id !== null && user_ids.includes(entry.actor.id))) &&
    (hasWords?.(textsOf(entry).join("\n")) ?? true);
}

/** The texts that `search` looks at. A word has no line break, so it is always in one of them. */
const textsOf = ({ actor, ...entry }: AuditItem): string[] =>
  [
    ...[
      entry.action,
      entry.summary,
      entry.resource_id,
      entry.organization_id,
      entry.request_id,
      entry.ip_address,
    ],
    ...[actor.name, actor.email, actor.id, actor.key_id],
    ...stringsIn(entry.metadata),
  ].filter((text) => text !== null);

const stringsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};

/** Its type is inferred: so the handler does not compile if a new field of the item gets into the answer. */
export function toAuditRecord({
  pk: _pk,
  sk: _sk,
  ttl: _ttl,
  organization: _organization,
  organizations: _organizations,
  log_of: _logOf,
  ...record
}: AuditItem) {
  return { ...record, metadata: byName(record.metadata) };
}

/** Sorts by name, because the table keeps no order: a comparison of two exports should show only real changes. */
const byName = (names: object): Record["metadata"] =>
  Object.fromEntries(
    Object.entries(names)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => [name, inOrder(value)]),
  );

const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder);
  return typeof value === "object" && value !== null ? byName(value) : value;
};

const ownColumn = (name: Exclude<keyof Record, "actor" | "metadata">) => ({
  name,
  cell: (entry: Record) => entry[name],
});
const actorColumn = (name: keyof Record["actor"]) => ({
  name: `actor_${name}`,
  cell: (entry: Record) => entry.actor[name],
});

/** The fields of the record, with the actor flattened. */
export const auditColumns = [
  ...(["id", "action", "resource_type", "resource_id", "summary"] as const).map(ownColumn),
  ...(["type", "id", "name", "key_id", "key_kind"] as const).map(actorColumn),
  ownColumn("organization_id"),
  { name: "metadata", cell: (entry: Record) => JSON.stringify(entry.metadata) },
  // Newer columns come last, so that readers that use the positions of columns find the older ones where they were.
  ...(["ip_address", "request_id", "created_at", "gateway_request_id", "provider"] as const).map(ownColumn),
  actorColumn("email"),
];
