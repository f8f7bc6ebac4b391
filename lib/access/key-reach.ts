import type { KeyItem } from "../store/items/key.ts";
import type { Principal } from "./principal.ts";
import type { Scope } from "./scope.ts";

type Caller = { readonly principal: Principal; readonly scope: Scope };

export type Reach = { readonly list: boolean; readonly end: boolean };

/** What a caller may do with a key (docs/use/keys.md). Nobody gets the value of another key. */
export function reachOf({ principal, scope }: Caller, key: KeyItem): Reach {
  const own = principal.key;
  if (key.id === own.id || key.made_by === own.id) return { list: true, end: true };
  const isListed = principal.role?.isAdmin === true && isInScope(own, scope, key);
  // Whoever stole a made key must not end the keys that could end it.
  return { list: isListed, end: isListed && own.made_by === undefined };
}

function isInScope(own: KeyItem, { organizations }: Scope, key: KeyItem): boolean {
  if (key.kind === "workspace") return own.kind === "workspace" && own.workspace_id === key.workspace_id;
  if (key.kind === "instance") return isWithin(key, own);
  return organizations.some(({ uuid }) => uuid === key.organization);
}

/** Whether `key` is of the same instance and reaches only organizations that the caller's own key reaches. */
function isWithin(key: KeyItem, own: KeyItem): boolean {
  if (own.kind !== "instance" || own.instance_id !== key.instance_id) return false;
  if (own.authorized === null) return true;
  const allowed = new Set(own.authorized);
  return key.authorized?.every((uuid) => allowed.has(uuid)) ?? false;
}
