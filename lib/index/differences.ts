import * as z from "zod";
import { indexLimits } from "../contract/limits.ts";
import { learningStates } from "../store/items/learning.ts";
import { parseItem } from "../store/items/parse.ts";
import { parseVectorHead, type VectorHead, vectorHeadAttributes } from "../store/items/vector.ts";
import { learningPartition, vectorPartition } from "../store/layout.ts";
import { type Item, queryAll, type Table } from "../store/table.ts";
import type { Embedder } from "./embedder.ts";
import { isIndexed, isRight } from "./place.ts";
import { unlessDamaged } from "./refresh.ts";
import type { Change } from "./stale.ts";

/** What the comparison needs of a record, so that the texts stay where they are. */
const learningHead = z.object({
  sk: z.string(),
  organization: z.string(),
  state: z.enum(learningStates),
  digest: z.string(),
  revision: z.string(),
});
type LearningHead = z.output<typeof learningHead>;
const parseLearningHead = parseItem("Learning", learningHead);

export type Compared = {
  readonly id: string;
  /** Set when record and index do not agree. */
  readonly difference: Change | undefined;
  /** The record is damaged: nobody can say what the index should hold of it. */
  readonly isDamaged: boolean;
};

/**
 * An organization's records and vectors side by side, in the order of their ids: both lie sorted, so a page of
 * each is all that is held. The reads may lag; what differs is looked at again before anything is done.
 */
export async function* differences(
  { table, embedder }: { readonly table: Table; readonly embedder: Embedder },
  organization: string,
  after: string,
): AsyncGenerator<Compared> {
  const records = walk(table, learningPartition(organization), after, [
    "pk",
    ...Object.keys(learningHead.shape),
  ]);
  const vectors = walk(table, vectorPartition(organization), after, vectorHeadAttributes);
  let record = await next(records, parseLearningHead);
  let vector = await next(vectors, parseVectorHead);
  for (let first = firstOf(record, vector); first; first = firstOf(record, vector)) {
    const { id } = first;
    const here = record?.id === id ? record : undefined;
    const head = vector?.id === id ? vector : undefined;
    const isDamaged = here !== undefined && !here.parsed;
    const isRight = isDamaged || (agree(embedder, here?.parsed, head?.parsed) && !(head && !head.parsed));
    const revision = here?.parsed?.revision ?? head?.parsed?.revision ?? "";
    yield { id, isDamaged, difference: isRight ? undefined : { organization, id, revision } };
    if (here) record = await next(records, parseLearningHead);
    if (head) vector = await next(vectors, parseVectorHead);
  }
}

/** An item by its id; nothing more of one that is damaged. */
type Met<Parsed> = { readonly id: string; readonly parsed: Parsed | undefined };

/** In the order of ids; of a pair the record. */
const firstOf = (record: Met<LearningHead> | undefined, vector: Met<VectorHead> | undefined) =>
  record && !(vector && vector.id < record.id) ? record : vector;

const agree = (
  embedder: Embedder,
  record: LearningHead | undefined,
  vector: VectorHead | undefined,
): boolean => (record && isIndexed(record) ? isRight(vector, record, embedder) : vector === undefined);

const walk = (table: Table, pk: string, after: string, only: readonly string[]) =>
  queryAll(table, {
    pk,
    ...(after && { after }),
    only,
    eventually: true,
    pageItems: indexLimits.inspectedPageItems,
  });

async function next<Parsed>(
  items: AsyncGenerator<Item>,
  parse: (item: Item) => Parsed,
): Promise<Met<Parsed> | undefined> {
  const { done, value } = await items.next();
  return done ? undefined : { id: value.sk, parsed: unlessDamaged(parse, value) };
}
