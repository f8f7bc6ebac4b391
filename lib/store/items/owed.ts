import * as z from "zod";
import type { AttributeValue } from "../table.ts";
import { itemSchema, parseItem, tenantKeySchema } from "./parse.ts";

const attributes = z.record(z.string(), z.custom<AttributeValue>());

/** Copies of an audit entry that did not fit the transaction of its change and are not written yet. */
const owedItem = itemSchema({
  entry: attributes,
  /** Attributes of some copies: about their own people. */
  texts: z.array(attributes),
  copies: z.array(z.object({ owner: tenantKeySchema, text: z.number(), own: attributes })),
});

export type OwedItem = z.output<typeof owedItem>;
export const parseOwed = parseItem("owed audit copies", owedItem);
