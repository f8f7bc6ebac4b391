import type { KeyKind } from "../contract/access.ts";
import type { AuditAction, AuditResourceType } from "../contract/audit.ts";
import { type Clock, toTimestamp } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { auditKey, organizationTenant, type TenantKey } from "../store/layout.ts";
import type { Put, Table, Value } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";

export type Actor = {
  readonly type: "user" | "key" | "system";
  readonly id: string | null;
  readonly name: string | null;
  readonly keyId: string | null;
  readonly keyKind: KeyKind | null;
};

/** The operator's tool acts with the rights of whoever holds the AWS role or the data directory. */
export const operator: Actor = { type: "system", id: null, name: "operator", keyId: null, keyKind: null };

export type AuditEvent = {
  readonly action: AuditAction;
  readonly resourceType: AuditResourceType;
  readonly resourceId: string | null;
  readonly summary: string;
  readonly tenant: TenantKey;
  /** The organization it happened in; null for what belongs to a whole workspace or instance. */
  readonly organization: Pick<OrganizationItem, "uuid" | "provider_organization_id"> | null;
  /** UUIDs of the organizations whose logs show it too, where it belongs to a whole workspace. */
  readonly shownIn?: readonly string[];
  /** What the log of one of them tells: of its own people only. Without this, what the tenant's log tells. */
  readonly toldIn?: (uuid: string) => Pick<AuditEvent, "summary" | "metadata">;
  readonly metadata: { readonly [name: string]: Value };
};

/** Who does it, from where, in which request: the same for all entries of one call. */
export type Origin = {
  readonly actor: Actor;
  readonly ipAddress: string | null;
  /** What the answer's `x-request-id` says: the caller's own id, if the caller sent one. */
  readonly requestId: string | null;
  /** API Gateway's id, which no two requests share. */
  readonly gatewayRequestId?: string | null | undefined;
};

export const operatorOrigin: Origin = { actor: operator, ipAddress: null, requestId: null };

export type AuditDeps = { readonly clock: Clock; readonly random: Random; readonly retentionDays: number };

/**
 * The writes of one entry, to go into the same transaction as the change it tells of: a copy for whoever
 * reads the tenant, one for whoever reads the organization (one copy where the two are the same).
 */
export function auditWrites(deps: AuditDeps, event: AuditEvent & Origin): Put[] {
  const nowMs = deps.clock.nowMs();
  const createdAt = toTimestamp(nowMs);
  const id = deps.random.uuid();
  const { actor, organization, tenant } = event;
  const entry = {
    id,
    created_at: createdAt,
    action: event.action,
    resource_type: event.resourceType,
    resource_id: event.resourceId,
    summary: event.summary,
    actor: { type: actor.type, id: actor.id, name: actor.name, key_id: actor.keyId, key_kind: actor.keyKind },
    organization_id: organization?.provider_organization_id ?? null,
    organization: organization?.uuid ?? null,
    metadata: event.metadata,
    ip_address: event.ipAddress,
    request_id: event.requestId,
    gateway_request_id: event.gatewayRequestId ?? null,
    ttl: ttlAfter(nowMs, deps.retentionDays),
  };
  const uuids = organization ? [organization.uuid] : (event.shownIn ?? []);
  const owners = new Set<TenantKey>([tenant, ...uuids.map(organizationTenant)]);
  return [...owners].map((owner) => {
    // Every organization's copy names that organization alone: a workspace may have a thousand.
    const shownIn = event.shownIn?.filter((uuid) => owner === tenant || owner === organizationTenant(uuid));
    const [own] = owner === tenant ? [] : (shownIn ?? []);
    const told = own === undefined ? undefined : event.toldIn?.(own);
    return {
      put: {
        ...auditKey(owner, createdAt, id),
        ...entry,
        ...told,
        ...(shownIn && { organizations: shownIn }),
      },
      momentMs: nowMs,
    };
  });
}

/** What a verb that changes something works with: the table, and what its audit entries say of the caller. */
export type AuditedContext = AuditDeps & Origin & { readonly table: Table };

/** The entry of a change, with the origin that the context knows. */
export const auditWritesFor = (context: AuditDeps & Origin, event: AuditEvent): Put[] =>
  auditWrites(context, {
    ...event,
    actor: context.actor,
    ipAddress: context.ipAddress,
    requestId: context.requestId,
    gatewayRequestId: context.gatewayRequestId,
  });
