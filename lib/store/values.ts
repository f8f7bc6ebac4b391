import type { TranslateConfig } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { AttributeValue, Item, Key } from "./table.ts";

/** A new object for every client, because the client changes it. */
export const translation = (): TranslateConfig => ({
  marshallOptions: {
    removeUndefinedValues: true,
    convertClassInstanceToMap: true,
    // Numbers beyond 2^53 are stored with JavaScript's precision, and are read back unchanged.
    allowImpreciseNumbers: true,
  },
  unmarshallOptions: { wrapNumbers: Number },
});

type Attributes = { readonly [name: string]: unknown };

/** Every stored item is an Item by construction: only our own writes create items, and all of them include the keys. */
export const asItem = (attributes: Attributes): Item => attributes as unknown as Item;
export const bareKey = ({ pk, sk }: Key): Key => ({ pk, sk });

/** If there is no item, some engines return nothing and others an empty map. */
export const itemUnlessEmpty = (attributes: Attributes | undefined): Item | undefined =>
  attributes && Object.keys(attributes).length > 0 ? asItem(attributes) : undefined;

/** The item in an error: the document client converts answers, but not errors. */
export const itemInError = (attributes: object): Item | undefined =>
  itemUnlessEmpty(unmarshall({ ...attributes }, { wrapNumbers: Number }));

/** The document client silently drops `__proto__`, and treats a map with `constructor` as an object of some class. */
const reservedNames = ["__proto__", "constructor"];

/** Throws if a map inside the value has a member that would not be read back as it was stored. */
export function refuseReservedNames(value: AttributeValue | undefined): void {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  for (const [name, each] of Object.entries(value)) {
    if (reservedNames.includes(name))
      throw new TypeError(`An item must not have a member named ${name}; choose another name.`);
    refuseReservedNames(each);
  }
}
