import * as kinds from "../contract/items.ts";
import { newsLimits } from "../contract/limits.ts";
import { organizationTenant, type TenantKey } from "../contract/tenants.ts";
import type { SubjectType } from "../contract/webhooks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { Key, Put } from "./table.ts";
import { ttlAfter } from "./ttl.ts";

/** Whose webhooks a note is for. */
export type NewsScope = {
  readonly tenant: TenantKey;
  /** UUID of the organization of the note; null: it is about the tenant itself. */
  readonly organization: string | null;
};

/** Something happened, or will, that no list shows in the order of time. */
export type Note = {
  readonly type: SubjectType;
  readonly id: string;
  readonly nowMs: number;
  /** When the webhooks ring; now by default. */
  readonly dueMs?: number;
  /** Of a note about a tenant: the organizations that its subject reaches; null: all. */
  readonly authorized?: readonly string[] | null;
  readonly expiresMs?: number;
};

/** The places of a note: for webhooks of the tenant, and for those of the organization (one if the two are the same). */
export const newsKeys = ({ tenant, organization }: NewsScope, dueMs: number, id: string): Key[] => {
  const time = toTimestamp(dueMs);
  if (organization === null) return [kinds.tenantNews.key({ tenant, time, id })];
  const owners = new Set([tenant, organizationTenant(organization)]);
  return [...owners].map((owner) => kinds.news.key({ tenant: owner, time, organization, id }));
};

/** The writes of a note, for the transaction of what happened. */
export const newsPuts = (
  scope: NewsScope,
  { type, id, nowMs, dueMs = nowMs, authorized = null, expiresMs }: Note,
): Put[] =>
  newsKeys(scope, dueMs, id).map((key) => ({
    put: {
      ...key,
      type,
      id,
      tenant: scope.tenant,
      organization: scope.organization,
      ...(authorized !== null && { authorized }),
      ...(expiresMs !== undefined && { expires_at: toTimestamp(expiresMs) }),
      ttl: ttlAfter(dueMs, newsLimits.days),
    },
    momentMs: nowMs,
  }));
