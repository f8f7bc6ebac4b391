import type { TenantKey } from "../contract/tenants.ts";
import type { Key } from "../store/table.ts";

/** Items that an operation reads in the round of authentication. */
export type Prefetch = (
  tenant: TenantKey,
  place: {
    /** The organization that the key names; undefined for keys that reach several organizations. */
    readonly organization: string | undefined;
    /** Decoded, but not checked yet. */
    readonly path: { readonly [name: string]: string | undefined };
  },
) => readonly Key[];
