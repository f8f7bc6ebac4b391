import type { KeyKind } from "../contract/access.ts";
import type { AuditAction, AuditResourceType } from "../contract/audit.ts";
import { organizationTenant, type TenantKey } from "../contract/tenants.ts";
import { type Clock, toTimestamp } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { auditKey } from "../store/layout.ts";
import type { AttributeValue, Put, Table } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";

export type Actor = {
  readonly type: "user" | "key" | "system";
  readonly id: string | null;
  readonly name: string | null;
  /** The member's or admin's, as the platform told it; null where it is unknown or nobody stands behind the actor. */
  readonly email: string | null;
  readonly keyId: string | null;
  readonly keyKind: KeyKind | null;
  /** Present if the request was sent with the old value of a rotated key. */
  readonly value?: "old";
};

/** The operator's tool acts with the rights of the person who holds the AWS role or the data directory. */
export const operator: Actor = {
  type: "system",
  id: null,
  name: "operator",
  email: null,
  keyId: null,
  keyKind: null,
};

export type AuditEvent = {
  readonly action: AuditAction;
  readonly resourceType: AuditResourceType;
  readonly resourceId: string | null;
  readonly summary: string;
  readonly tenant: TenantKey;
  /** The organization of the event; null if the event belongs to a whole workspace or instance. */
  readonly organization: Pick<OrganizationItem, "uuid" | "provider" | "provider_organization_id"> | null;
  /** For an event of a whole workspace: UUIDs of the organizations whose logs also show it. */
  readonly shownIn?: readonly string[];
  /**
   * Text for the log of one of these organizations, about its own people only. Default: the text of the tenant's log.
   */
  readonly textFor?: (uuid: string) => Pick<AuditEvent, "summary" | "metadata">;
  readonly metadata: { readonly [name: string]: AttributeValue };
};

/** Who acts, from which address, in which request: the same for all entries of one call. */
export type Origin = {
  readonly actor: Actor;
  readonly ipAddress: string | null;
  /** The answer's `x-request-id`: the caller's own id, if the caller sent one. */
  readonly requestId: string | null;
  /** API Gateway's id, which is unique for every request. */
  readonly gatewayRequestId?: string | null | undefined;
  /** What the caller says it came through: a claim of its user agent, not a proof. */
  readonly via?: "mcp" | null | undefined;
};

export const operatorOrigin: Origin = { actor: operator, ipAddress: null, requestId: null };

export type AuditDeps = { readonly clock: Clock; readonly random: Random; readonly retentionDays: number };

/**
 * The writes of one entry, for the same transaction as the change that it records: one copy for readers of the tenant,
 * one for readers of the organization (a single copy if the two are the same).
 */
export function auditWrites(deps: AuditDeps, event: AuditEvent & Origin): Put[] {
  const nowMs = deps.clock.nowMs();
  const createdAt = toTimestamp(nowMs);
  const id = deps.random.uuid();
  const { actor, organization, tenant, via } = event;
  const sent = { ...(via && { via }), ...(actor.value && { value: actor.value }) };
  const withSent = (metadata: AuditEvent["metadata"]) => ({ ...metadata, ...sent });
  const entry = {
    id,
    created_at: createdAt,
    action: event.action,
    resource_type: event.resourceType,
    resource_id: event.resourceId,
    summary: event.summary,
    actor: {
      type: actor.type,
      id: actor.id,
      name: actor.name,
      email: actor.email,
      key_id: actor.keyId,
      key_kind: actor.keyKind,
    },
    organization_id: organization?.provider_organization_id ?? null,
    organization: organization?.uuid ?? null,
    provider: organization?.provider ?? null,
    metadata: withSent(event.metadata),
    ip_address: event.ipAddress,
    request_id: event.requestId,
    gateway_request_id: event.gatewayRequestId ?? null,
    ttl: ttlAfter(nowMs, deps.retentionDays),
  };
  const uuids = organization ? [organization.uuid] : (event.shownIn ?? []);
  const owners = new Set<TenantKey>([tenant, ...uuids.map(organizationTenant)]);
  return [...owners].map((owner) => {
    // An organization's copy names only that organization: a workspace may have a thousand.
    const shownIn = event.shownIn?.filter((uuid) => owner === tenant || owner === organizationTenant(uuid));
    const [own] = owner === tenant ? [] : (shownIn ?? []);
    const ownText = own === undefined ? undefined : event.textFor?.(own);
    return {
      put: {
        ...auditKey(owner, createdAt, id),
        ...entry,
        ...(ownText && { ...ownText, metadata: withSent(ownText.metadata) }),
        ...(shownIn && { organizations: shownIn }),
      },
      momentMs: nowMs,
    };
  });
}

/** The context of a function that changes something: the table, and the caller's details for its audit entries. */
export type AuditedContext = AuditDeps & Origin & { readonly table: Table };

/** The writes of an entry, with the origin from the context. */
export const auditWritesFor = (context: AuditDeps & Origin, event: AuditEvent): Put[] =>
  auditWrites(context, {
    ...event,
    actor: context.actor,
    ipAddress: context.ipAddress,
    requestId: context.requestId,
    gatewayRequestId: context.gatewayRequestId,
    via: context.via,
  });
