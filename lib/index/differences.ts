import * as z from "zod";
import { learningStates } from "../contract/access.ts";
import * as kinds from "../contract/items.ts";
import { indexLimits } from "../contract/limits.ts";
import { CorruptItem, parsedOrDamage, parseItem } from "../store/items/parse.ts";
import { parseVectorHead, type VectorHead, vectorHeadAttributes } from "../store/items/vector.ts";
import { behindVectors, learningOfVector } from "../store/layout.ts";
import { type Item, queryAll, type Table } from "../store/table.ts";
import type { Embedder } from "./embedder.ts";
import type { LearningRevision } from "./stale.ts";
import { isIndexCurrent, isIndexed } from "./write-vectors.ts";

/** The fields of a record that the comparison needs. */
const learningHead = z.object({
  sk: z.string(),
  organization: z.string(),
  /** Determines how many pieces the record has. */
  text: z.string(),
  state: z.enum(learningStates),
  digest: z.string(),
  revision: z.string(),
});
type LearningHead = z.output<typeof learningHead>;
const parseLearningHead = parseItem("Learning", learningHead);

export type Compared = {
  readonly id: string;
  /** Set if the record and the index differ. */
  readonly difference: LearningRevision | undefined;
  /** Set if the record cannot be read, so that a comparison is not possible. */
  readonly damage?: CorruptItem;
};

/** What is stored at an id; `damage` is set if it cannot be read. */
type StoredHead<Head> = { readonly sk: string; readonly head?: Head; readonly damage?: CorruptItem };

/** Both are stored sorted, so only a page of each is in memory. Differences are read again before any change. */
export async function* differences(
  { table, embedder }: { readonly table: Table; readonly embedder: Embedder },
  organization: string,
  after: string,
): AsyncGenerator<Compared> {
  const records = walk(table, kinds.learning.partition({ organization }), after, [
    "pk",
    ...Object.keys(learningHead.shape),
  ]);
  const vectors = walk(
    table,
    kinds.vector.partition({ organization }),
    after && behindVectors(after),
    vectorHeadAttributes,
  );
  let record = await next(records, parseLearningHead);
  let vector = await next(vectors, parseVectorHead);
  while (record || vector) {
    const id = firstOf(record?.sk, vector && learningOfVector(vector.sk));
    const here = record?.sk === id ? record : undefined;
    const there: StoredHead<VectorHead>[] = [];
    while (vector && learningOfVector(vector.sk) === id) {
      there.push(vector);
      vector = await next(vectors, parseVectorHead);
    }
    yield compare(embedder, { organization, id }, here, there);
    if (here) record = await next(records, parseLearningHead);
  }
}

const firstOf = (one = "", other = ""): string => (one !== "" && (other === "" || one < other) ? one : other);

function compare(
  embedder: Embedder,
  { organization, id }: { readonly organization: string; readonly id: string },
  record: StoredHead<LearningHead> | undefined,
  vectors: readonly StoredHead<VectorHead>[],
): Compared {
  if (record?.damage) return { id, difference: undefined, damage: record.damage };
  // A vector that cannot be read is created again or deleted.
  const isCurrent = agree(
    embedder,
    record?.head,
    vectors.map(({ head }) => head),
  );
  const revision = record?.head?.revision ?? vectors.find(({ head }) => head)?.head?.revision ?? "";
  return { id, difference: isCurrent ? undefined : { organization, id, revision } };
}

const agree = (
  embedder: Embedder,
  record: LearningHead | undefined,
  vectors: ReadonlyArray<VectorHead | undefined>,
): boolean =>
  record && isIndexed(record) ? isIndexCurrent(vectors, record, embedder) : vectors.length === 0;

const walk = (table: Table, pk: string, after: string, only: readonly string[]) =>
  queryAll(table, {
    pk,
    ...(after && { after }),
    only,
    eventuallyConsistent: true,
    pageItems: indexLimits.inspectedPageItems,
  });

async function next<Head>(
  items: AsyncGenerator<Item>,
  parse: (item: Item) => Head,
): Promise<StoredHead<Head> | undefined> {
  const { done, value } = await items.next();
  if (done) return undefined;
  const parsed = parsedOrDamage(parse, value);
  return parsed instanceof CorruptItem ? { sk: value.sk, damage: parsed } : { sk: value.sk, head: parsed };
}
