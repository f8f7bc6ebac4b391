import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import { keyIdForm } from "../contract/parameters.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { type KeyItem, parseKey } from "../store/items/key.ts";
import type { Item, Key } from "../store/table.ts";
import { reachOf } from "./key-reach.ts";
import type { StoredKey } from "./key-registry.ts";
import { KeyRegistryError, KeyRotated, NoSuccessor } from "./key-requirements.ts";
import type { Principal } from "./principal.ts";
import { revokeLine } from "./revoke-key.ts";
import { rotate } from "./rotate-key.ts";
import type { Scope } from "./scope.ts";

/** The key that the path names, read in the round of authentication. An invalid id is refused after that. */
export const keyPrefetch = (
  _: TenantKey,
  { path: { key_id } }: { readonly path: { readonly [name: string]: string | undefined } },
): Key[] => (key_id !== undefined && keyIdForm.test(key_id) ? [kinds.apiKey.key({ keyId: key_id })] : []);

/** A caller over HTTP. Its reach decides what it may do with keys. */
type Manager = AuditedContext & {
  readonly principal: Principal;
  readonly scope: Scope;
  readonly isOwnKey?: boolean;
  /** Fires shortly before the deadline. */
  readonly signal: AbortSignal;
};

/** The same answer for a key that is unknown, out of reach, or no longer valid. */
const notFound = () =>
  new ApiError("KEY_NOT_FOUND", "key_id: there is no live key with this id that this key may manage.");

export async function rotateWithinReach(
  manager: Manager,
  item: Item | undefined,
  graceSeconds: number,
): Promise<StoredKey> {
  const key = requireReach(manager, item, "rotate");
  try {
    return await rotate(manager, key, { ...manager, graceSeconds });
  } catch (error) {
    if (error instanceof KeyRotated)
      throw new ApiError(
        "KEY_ROTATED",
        `key_id: the key was rotated already; its successor is ${error.successor}.`,
      );
    if (error instanceof NoSuccessor) throw new ApiError("KEY_NOT_FOUND", `key_id: ${error.message}`);
    if (error instanceof KeyRegistryError) throw notFound();
    throw error;
  }
}

/** Ends the whole line of the key, also if the key itself has ended. */
export async function revokeWithinReach(manager: Manager, item: Item | undefined): Promise<void> {
  await revokeLine(manager, requireReach(manager, item, "end"), manager);
}

function requireReach(manager: Manager, item: Item | undefined, what: "rotate" | "end"): KeyItem {
  const key = item && parseKey(item);
  const isMade = what === "end" && manager.isOwnKey;
  if (!key || !(isMade || reachOf(manager, key)[what])) throw notFound();
  return key;
}
