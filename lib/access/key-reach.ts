import * as kinds from "../contract/items.ts";
import type { Operation } from "../contract/operation.ts";
import { valueAt } from "../contract/schema-sentences.ts";
import { type KeyItem, parseKey } from "../store/items/key.ts";
import { lineOf } from "./key-line.ts";
import type { OperationContext } from "./operation-context.ts";
import type { Principal } from "./principal.ts";

import type { Scope } from "./scope.ts";

type Caller = { readonly principal: Principal; readonly scope: Scope };

export type Reach = { readonly list: boolean; readonly rotate: boolean; readonly end: boolean };

const none: Reach = { list: false, rotate: false, end: false };
const whole: Reach = { list: true, rotate: true, end: true };

/**
 * What a caller may do with a key (docs/use/keys.md). Rotation returns the value of a key, so a caller must not
 * become another person by it: the member behind a user key, or another admin behind a workspace token.
 */
export function reachOf({ principal, scope }: Caller, key: KeyItem): Reach {
  const own = principal.key;
  if (key.id === own.id) return whole;
  if (!principal.role?.isAdmin) return none;
  // Somebody else rotated the caller's key, perhaps because it leaked: its other rights must not undo that.
  if (own.rotated_to !== null && own.rotated_by !== own.id)
    return { ...othersReach({ principal, scope }, key), rotate: false, end: false };
  return othersReach({ principal, scope }, key);
}

function othersReach({ principal, scope }: Caller, key: KeyItem): Reach {
  const own = principal.key;
  if (key.kind === "workspace") return tokenReach(own, key);
  if (key.kind === "instance") return isWithin(key, own) ? whole : none;
  const isInScope = scope.organizations.some(({ uuid }) => uuid === key.organization);
  if (!isInScope) return none;
  if (key.kind === "organization") return whole;
  return { list: true, rotate: false, end: key.kind === "user" || key.kind === "agentic" };
}

const tokenReach = (own: KeyItem, key: KeyItem): Reach =>
  own.kind === "workspace" && own.workspace_id === key.workspace_id
    ? { list: true, rotate: own.owner === key.owner, end: true }
    : none;

/** Whether the path names the caller's own key or, where the operation allows it, a key that the caller's line made. */
export async function namesOwnKey(
  { allowsOwnKey, allowsMaker }: Operation,
  { principal, prefetched, table }: Pick<OperationContext, "principal" | "prefetched" | "table">,
  path: unknown,
): Promise<boolean> {
  const named = valueAt(path, ["key_id"]);
  const keyId = typeof named === "string" ? named : undefined;
  const { key: own } = principal;
  if (!allowsOwnKey || keyId === undefined) return false;
  if (keyId === own.id) return true;
  // What a rotated key made belongs to its successor.
  const item =
    allowsMaker && own.rotated_to === null ? prefetched.get(kinds.apiKey.key({ keyId })) : undefined;
  const madeBy = item && parseKey(item).made_by;
  return madeBy !== undefined && madeBy === (await lineOf(table, own));
}

/** Whether `key` is of the same instance and reaches only organizations that the caller's own key reaches. */
function isWithin(key: KeyItem, own: KeyItem): boolean {
  if (own.kind !== "instance" || own.instance_id !== key.instance_id) return false;
  return reachesOnly(key, own.authorized);
}

/** Whether an instance key reaches none but these organizations (UUIDs); null: all of the instance. */
function reachesOnly(key: KeyItem, organizations: readonly string[] | null): boolean {
  if (organizations === null) return true;
  const allowed = new Set(organizations);
  return key.authorized?.every((uuid) => allowed.has(uuid)) ?? false;
}
