import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import { keyIdForm } from "../contract/parameters.ts";
import { isOrganizationTenant, isWorkspaceTenant, type TenantKey } from "../contract/tenants.ts";
import { parseKey, withList } from "../store/items/key.ts";
import type { Key } from "../store/table.ts";
import { reachOf } from "./key-reach.ts";
import type { OperationContext } from "./operation-context.ts";
import { endKey } from "./revoke-key.ts";

/** The key that the path names, read in the round of authentication. An invalid id is refused after that. */
export function keyPrefetch(
  tenant: TenantKey,
  { path: { key_id: keyId } }: { readonly path: { readonly [name: string]: string | undefined } },
): Key[] {
  if (keyId === undefined || !keyIdForm.test(keyId)) return [];
  const isOfInstance = !isWorkspaceTenant(tenant) && !isOrganizationTenant(tenant);
  const list = isOfInstance ? [kinds.keyList.key({ keyId })] : [];
  return [kinds.apiKey.key({ keyId }), kinds.madeKeys.key({ keyId }), ...list];
}

/** The same answer for a key that is unknown or out of reach. */
export const keyNotFound = () =>
  new ApiError("KEY_NOT_FOUND", "key_id: there is no key with this id that this key may manage.");

type Manager = AuditedContext & Pick<OperationContext, "principal" | "scope" | "prefetched" | "signal">;

/** Ends a key within reach, with all that it made, also if it has ended before. */
export async function endWithinReach(manager: Manager, keyId: string): Promise<void> {
  const { prefetched } = manager;
  const item = prefetched.get(kinds.apiKey.key({ keyId }));
  const key = item && withList(parseKey(item), prefetched.get(kinds.keyList.key({ keyId })));
  if (!key || !reachOf(manager, key).end) throw keyNotFound();
  await endKey(manager, key, manager);
}
