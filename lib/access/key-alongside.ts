import { keyIdForm } from "../contract/parameters.ts";
import { keyKey, type TenantKey } from "../store/layout.ts";
import type { Key } from "../store/table.ts";

/** The key that the path names, read in the round of authentication; what is no id is refused after it. */
export const keyAlongside = (
  _: TenantKey,
  { path: { key_id } }: { readonly path: { readonly [name: string]: string | undefined } },
): Key[] => (key_id !== undefined && keyIdForm.test(key_id) ? [keyKey(key_id)] : []);
