import { keysOfOrganization } from "../access/key-rows.ts";
import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import { plural } from "../contract/plural.ts";
import { isLive } from "../store/items/key.ts";

/** Checks organization keys of the organization, and instance keys whose home it is. */
export async function refuseHeldByKey(
  { table, clock }: AuditedContext,
  uuid: string,
  roleId: string,
): Promise<void> {
  const keys = await keysOfOrganization(table, uuid);
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
