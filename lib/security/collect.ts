import { responseTooLarge } from "../contract/fault.ts";
import { requestLimits, securityLimits } from "../contract/limits.ts";
import type { FindingSeverity, FindingState } from "../contract/records-security.ts";
import type { Item, Table } from "../store/table.ts";
import { readRows, unpack } from "./chunk.ts";
import { type Row, stateOf } from "./finding.ts";
import { type ChunkReference, chunkBytes, chunkKey, countOf } from "./ledger.ts";
import type { Position, Source } from "./sources.ts";

export type Reading = {
  readonly table: Table;
  readonly signal: AbortSignal;
  /** What a caller can do about an answer that is too large. */
  readonly narrowing: string;
};

export type Filter = {
  readonly states: readonly FindingState[];
  readonly severities: readonly FindingSeverity[];
};

export type Located = { readonly source: Source; readonly row: Row };

/** A scan replaced chunks between the reading of the ledger and theirs. */
export class LedgerReplaced extends Error {
  override readonly name = "LedgerReplaced";
}

/**
 * The first rows that pass the filter, and one more if there is one: it tells that another page follows. The counts in the ledgers say which chunks to open, so that one round of reads is enough for most pages.
 */
export async function collect(
  reading: Reading,
  sources: AsyncIterable<Source> | Iterable<Source>,
  filter: Filter,
  { after, limit }: { readonly after: Position | null; readonly limit: number },
): Promise<readonly Located[]> {
  const rows: Located[] = [];
  let parts: Part[] = [];
  const openParts = async () => {
    for (const located of await open(reading, parts)) {
      if (rows.length <= limit && passes(located, filter, after)) rows.push(located);
    }
    parts = [];
    // Refused as soon as the text alone is too much: nothing that cannot be sent is read or rendered.
    if (textUnits(rows.slice(0, limit)) > requestLimits.responseBytesMax)
      throw responseTooLarge(reading.narrowing);
  };
  for await (const part of partsOf(sources, filter, after)) {
    parts.push(part);
    const expected = parts.reduce((sum, { rowsMin }) => sum + rowsMin, rows.length);
    if (expected > limit || parts.length === securityLimits.chunksAtOnce) await openParts();
    if (rows.length > limit) break;
  }
  await openParts();
  return rows;
}

/** A chunk that may hold rows of the answer. */
type Part = {
  readonly source: Source;
  readonly chunk: ChunkReference;
  /** How many it holds at least. */
  readonly rowsMin: number;
};

async function* partsOf(
  sources: AsyncIterable<Source> | Iterable<Source>,
  { states, severities }: Filter,
  after: Position | null,
): AsyncGenerator<Part> {
  for await (const source of sources) {
    const { chunks } = source.ledger;
    const start = isWithin(source, after) ? after.finding : "";
    for (const [index, chunk] of chunks.entries()) {
      const next = chunks[index + 1];
      const count = countOf(chunk.counts, states, severities);
      if (count === 0 || (next && next.from <= start)) continue;
      yield { source, chunk, rowsMin: chunk.from > start ? count : 0 };
    }
  }
}

const isWithin = ({ organization, ledger }: Source, after: Position | null): after is Position =>
  after !== null && organization.uuid === after.organization && ledger.place === after.repository;

const passes = ({ source, row }: Located, { states, severities }: Filter, after: Position | null): boolean =>
  states.includes(stateOf(row)) &&
  severities.includes(row.finding.severity) &&
  !(isWithin(source, after) && row.place <= after.finding);

async function open({ table, signal }: Reading, parts: readonly Part[]): Promise<Located[]> {
  const chunkKeys = parts.map(({ source, chunk }) => chunkKey(source.ledger, chunk.id));
  const items = await table.getMany(chunkKeys, { signal });
  const opened = await Promise.all(parts.map(({ source }, index) => openChunk(source, items[index])));
  return opened.flat();
}

async function openChunk(source: Source, item: Item | undefined): Promise<Located[]> {
  if (!item) throw new LedgerReplaced();
  return readRows(await unpack(chunkBytes(item))).map((row) => ({ source, row }));
}

/** No more than the bytes that any format needs for them. */
const textUnits = (rows: readonly Located[]): number =>
  rows.reduce((sum, { row: { finding } }) => {
    const evidence = finding.evidence.reduce((units, each) => units + each.length, 0);
    return sum + finding.title.length + finding.description.length + finding.file_path.length + evidence;
  }, 0);
