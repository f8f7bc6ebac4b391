import type * as kinds from "./items.ts";

/** Every kind of item, by its name in lib/contract/items.ts. */
export type KindName = keyof typeof kinds;

/** The kinds whose rows say this: `KindsThat<{ repair: "scope" }>`. */
export type KindsThat<Says> = {
  [Name in KindName]: (typeof kinds)[Name] extends Says ? Name : never;
}[KindName];
