import type { TranslateConfig } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Item, Key, Value } from "./table.ts";

/** How the document client turns our values into DynamoDB's, and back. A new object for every client: it writes into it. */
export const translation = (): TranslateConfig => ({
  marshallOptions: {
    removeUndefinedValues: true,
    convertClassInstanceToMap: true,
    // Numbers beyond 2^53 are stored as JavaScript has them, and come back the same.
    allowImpreciseNumbers: true,
  },
  unmarshallOptions: { wrapNumbers: Number },
});

type Attributes = { readonly [name: string]: unknown };

/** What is in the table is an Item by construction: our own writes are the only source, and keys are in all of them. */
export const asItem = (attributes: Attributes): Item => attributes as unknown as Item;
export const bareKey = ({ pk, sk }: Key): Key => ({ pk, sk });

/** Engines differ in whether they answer nothing or an empty map where there is no item. */
export const itemUnlessEmpty = (attributes: Attributes | undefined): Item | undefined =>
  attributes && Object.keys(attributes).length > 0 ? asItem(attributes) : undefined;

/** The item that an error carries: the document client translates answers, and leaves errors as they came. */
export const itemInFault = (attributes: object): Item | undefined =>
  itemUnlessEmpty(unmarshall({ ...attributes }, { wrapNumbers: Number }));

/** The document client drops the one without a word, and takes a map with the other for an object of some class. */
const reservedNames = ["__proto__", "constructor"];

/** Throws when a map inside the value has a member that would not come back as it was stored. */
export function refuseReservedNames(value: Value | undefined): void {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  for (const [name, each] of Object.entries(value)) {
    if (reservedNames.includes(name))
      throw new TypeError(`An item must not have a member named ${name}; choose another name.`);
    refuseReservedNames(each);
  }
}
