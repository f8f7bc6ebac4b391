import type { Actor } from "../audit/entry.ts";
import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import { workspaceTenant } from "../contract/tenants.ts";
import type { KeyItem } from "../store/items/key.ts";
import type { WorkspaceItem } from "../store/items/tenant.ts";
import { keyOfRow } from "../store/layout.ts";
import {
  checkedKeyName,
  checkedOnly,
  draftKeyItem,
  expiryOf,
  type IssuedKey,
  type RegistryDeps,
  storeKey,
} from "./key-registry.ts";
import { KeyRegistryError, requireKey, requireWorkspaceAdmin, unknownKey } from "./key-requirements.ts";
import { keysOfRows } from "./key-rows.ts";
import { endKey } from "./revoke-key.ts";

export type TokenRequest = {
  readonly workspaceId: string;
  /** Provider user id of a current workspace admin. */
  readonly as: string;
  readonly name: string;
  readonly expiresInDays: number;
  readonly only?: readonly string[] | undefined;
};

/** Only a current admin of the workspace can create a token. */
export async function createWorkspaceToken(deps: RegistryDeps, request: TokenRequest): Promise<IssuedKey> {
  const { workspaceId, as, expiresInDays } = request;
  const name = checkedKeyName(request.name);
  const { tokenExpiryDaysMin, tokenExpiryDaysMax } = keyLimits;
  const wholeDays = Number.isInteger(expiresInDays);
  if (!wholeDays || expiresInDays < tokenExpiryDaysMin || expiresInDays > tokenExpiryDaysMax) {
    throw new KeyRegistryError(`A token expires ${tokenExpiryDaysMin} to ${tokenExpiryDaysMax} days ahead.`);
  }
  const admin = await requireWorkspaceAdmin(deps.table, workspaceId, as);
  const issued = draftKeyItem(deps, {
    kind: "workspace",
    tenant: workspaceTenant(workspaceId),
    workspace_id: workspaceId,
    owner: as,
    name,
    expires_at_ms: expiryOf(deps, expiresInDays),
    only: checkedOnly("workspace", request.only),
  });
  const by = { actor: tokenActor(admin) };
  return await storeKey(deps, issued, { by, organization: null, action: "token.created" });
}

export async function listWorkspaceTokens(
  deps: RegistryDeps,
  workspaceId: string,
  as: string,
): Promise<KeyItem[]> {
  await requireWorkspaceAdmin(deps.table, workspaceId, as);
  const range = kinds.keyRow.range({ tenant: workspaceTenant(workspaceId) });
  return (await Array.fromAsync(keysOfRows(deps.table, range, keyOfRow))).flat();
}

export async function deleteWorkspaceToken(
  deps: RegistryDeps,
  { workspaceId, as, id }: { readonly workspaceId: string; readonly as: string; readonly id: string },
): Promise<readonly string[]> {
  const admin = await requireWorkspaceAdmin(deps.table, workspaceId, as);
  const key = await requireKey(deps.table, id);
  if (key.workspace_id !== workspaceId) throw new KeyRegistryError(unknownKey(id));
  return await endKey(deps, key, { actor: tokenActor(admin) });
}

const tokenActor = ({ user_id, email }: WorkspaceItem["admins"][number]): Actor => ({
  type: "user",
  id: user_id,
  name: null,
  email,
  keyId: null,
  keyKind: null,
});
