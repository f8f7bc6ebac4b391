import * as kinds from "../contract/items.ts";
import { auditLimits } from "../contract/limits.ts";
import type { KeyItem } from "../store/items/key.ts";
import { parseOrganization } from "../store/items/organization.ts";
import { type Table, transactIf } from "../store/table.ts";
import { type Actor, type AuditDeps, auditWrites } from "./entry.ts";

export type KeyRefusal = {
  readonly key: KeyItem;
  /** The same actor as for an accepted use of the key. */
  readonly actor: Actor;
  /** An error code, or for a 401 why the key is not valid. */
  readonly reason: string;
  readonly operation: string;
  readonly ipAddress: string | null;
  readonly requestId: string;
  readonly gatewayRequestId?: string | null;
};

/** Writes an audit entry that a real key was refused, at most once a minute for each key and reason. */
export async function recordRefusal(
  deps: AuditDeps & { readonly table: Table },
  refusal: KeyRefusal,
): Promise<void> {
  const { key, actor, reason, operation } = refusal;
  const nowMs = deps.clock.nowMs();
  const marker = kinds.refusal.key({ keyId: key.id, reason });
  const last = await deps.table.get(marker);
  if (typeof last?.at_ms === "number" && last.at_ms > nowMs - auditLimits.refusedEveryMs) return;
  const organizationItem = key.organization
    ? await deps.table.get(kinds.organization.key({ organization: key.organization }))
    : undefined;
  const organization = organizationItem && parseOrganization(organizationItem);
  // The condition fails if another function has written this minute's entry.
  await transactIf(deps.table, [
    {
      put: {
        ...marker,
        at_ms: nowMs,
        ttl: Math.ceil(nowMs / 1000) + 2 * (auditLimits.refusedEveryMs / 1000),
      },
      when: { any: [{ absent: "pk" }, { atMost: ["at_ms", nowMs - auditLimits.refusedEveryMs] }] },
    },
    ...auditWrites(deps, {
      action: "key.refused",
      resourceType: key.kind === "workspace" ? "workspace_token" : "api_key",
      resourceId: key.id,
      summary: `key refused: ${reason} on ${operation}`,
      actor,
      tenant: organization?.tenant ?? key.tenant,
      organization: organization ?? null,
      metadata: { reason, operation },
      ipAddress: refusal.ipAddress,
      requestId: refusal.requestId,
      gatewayRequestId: refusal.gatewayRequestId,
    }),
  ]);
}
