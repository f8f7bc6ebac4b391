import * as z from "zod";
import { tableShape } from "../../contract/table.ts";
import { parseItem } from "./parse.ts";

const { vectorAttribute, hashAttribute, filterAttribute } = tableShape.vectorIndex;

/** What the review index holds of one Learning. */
const vectorItem = z.object({
  pk: z.string(),
  sk: z.string(),
  [vectorAttribute]: z.array(z.number()),
  /** Organization and embedder. */
  [hashAttribute]: z.string(),
  [filterAttribute]: z.string(),
  /** Of the text it was made from. */
  digest: z.string(),
  /** Of the record it was made from. */
  revision: z.string(),
});

/** Without the vector itself, which is most of its bytes. */
const vectorHead = vectorItem.omit({ [vectorAttribute]: true });
export const vectorHeadAttributes = ["pk", "sk", hashAttribute, filterAttribute, "digest", "revision"];

/** A record was written and the index does not follow it yet. */
const staleItem = z.object({
  pk: z.string(),
  sk: z.string(),
  organization: z.string(),
  id: z.string(),
  revision: z.string(),
  /** Until then whoever wrote the record is expected to index it. */
  left_behind_at_ms: z.number(),
});

/** Where the slow full pass stands. */
const reconcilerItem = z.object({
  pk: z.string(),
  sk: z.string(),
  /** A pass is over the vectors of one embedder. */
  embedder: z.string(),
  /** Place in the directory of organizations; null when the pass is through. */
  organization: z.string().nullable(),
  learning: z.string(),
  ended_at_ms: z.number(),
});

/** The marker that the last run ended with. */
const reconcilerMarkersItem = z.object({
  pk: z.string(),
  sk: z.string(),
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
