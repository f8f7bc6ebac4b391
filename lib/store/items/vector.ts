import * as z from "zod";
import { tableShape } from "../../contract/table.ts";
import { itemSchema, parseItem } from "./parse.ts";

const { vectorAttribute, hashAttribute, filterAttribute } = tableShape.vectorIndex;

/** The entry of one Learning in the review index. */
const vectorItem = itemSchema({
  [vectorAttribute]: z.array(z.number()),
  /** Organization and embedder. */
  [hashAttribute]: z.string(),
  [filterAttribute]: z.string(),
  /** Digest of the text that the vector was made from. */
  digest: z.string(),
  /** Revision of the record that the vector was made from. */
  revision: z.string(),
});

/** Without the vector itself, which has most of the bytes. */
const vectorHead = vectorItem.omit({ [vectorAttribute]: true });
export const vectorHeadAttributes = ["pk", "sk", hashAttribute, filterAttribute, "digest", "revision"];

/** A record was written and is not indexed yet. */
const staleItem = itemSchema({
  organization: z.string(),
  id: z.string(),
  revision: z.string(),
  /** Until then the writer of the record is expected to index it. */
  left_behind_at_ms: z.number(),
});

/** The position of the slow full pass. */
const reconcilerItem = itemSchema({
  /** A pass covers the vectors of one embedder. */
  embedder: z.string(),
  /** Place in the directory of organizations; null when the pass is complete. */
  organization: z.string().nullable(),
  learning: z.string(),
  ended_at_ms: z.number(),
});

/** The marker at which the last run ended. */
const reconcilerMarkersItem = itemSchema({
  shard: z.int(),
  after: z.string(),
});

export type VectorItem = z.output<typeof vectorItem>;
export type VectorHead = z.output<typeof vectorHead>;
export type StaleItem = z.output<typeof staleItem>;
export type ReconcilerItem = z.output<typeof reconcilerItem>;
export const parseVector = parseItem("vector", vectorItem);
export const parseVectorHead = parseItem("vector", vectorHead);
export const parseStale = parseItem("stale marker", staleItem);
export const parseReconciler = parseItem("reconciler's place", reconcilerItem);
export const parseReconcilerMarkers = parseItem(
  "reconciler's place among the markers",
  reconcilerMarkersItem,
);
