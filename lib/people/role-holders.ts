import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import { plural } from "../contract/plural.ts";
import { organizationTenant } from "../contract/tenants.ts";
import { isLive, parseKey } from "../store/items/key.ts";
import { keyOfRow } from "../store/layout.ts";
import { readFew } from "../store/table.ts";

/** Checks organization keys of the organization, and instance keys whose home it is. */
export async function refuseHeldByKey(
  { table, clock }: AuditedContext,
  uuid: string,
  roleId: string,
): Promise<void> {
  const rows = await readFew(table, kinds.keyRow, { tenant: organizationTenant(uuid) });
  const items = await table.getMany(rows.map((row) => kinds.apiKey.key({ keyId: keyOfRow(row) })));
  const keys = items.flatMap((item) => (item ? [parseKey(item)] : []));
  const holders = keys.filter((key) => key.role === roleId && isLive(key, clock.nowMs()));
  const [holder] = holders;
  if (!holder) return;
  throw new ApiError(
    "ROLE_IN_USE",
    `The role is still held by ${plural(holders.length, "live key")}, ${holder.id} for one. Revoke ${
      holders.length === 1 ? "it" : "them"
    } first.`,
  );
}
