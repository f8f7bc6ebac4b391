import { responseTooLarge } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import { requestLimits, securityLimits } from "../contract/limits.ts";
import type { FindingSeverity, FindingState } from "../contract/records-security.ts";
import { CorruptItem } from "../store/items/parse.ts";
import { parseRepository, type RepositoryItem } from "../store/items/repository.ts";
import type { Item, Table } from "../store/table.ts";
import { readRows, unpack } from "./chunk.ts";
import { type FindingRow, findingStateOf } from "./finding.ts";
import { type ChunkReference, chunkBytes, chunkKey, countOf } from "./ledger.ts";
import type { FindingPosition, FindingSource } from "./sources.ts";

export type FindingReadDeps = {
  readonly table: Table;
  readonly signal: AbortSignal;
  /** What a caller can do about a response that is too large. */
  readonly narrowing: string;
};

export type FindingSelection = {
  readonly states: readonly FindingState[];
  readonly severities: readonly FindingSeverity[];
};

export type LocatedRow = { readonly source: FindingSource; readonly row: FindingRow };

export type Collected = {
  readonly rows: readonly LocatedRow[];
  /** Contains every source that was opened. */
  readonly repositories: ReadonlyMap<FindingSource, RepositoryItem>;
};

/** A scan replaced chunks after the ledger was read and before its chunks were read. */
export class LedgerReplaced extends Error {
  override readonly name = "LedgerReplaced";
}

/**
 * Returns the first rows of active repositories that pass the filter, and one more if there is one: it shows that
 * another page follows. The counts in the ledgers decide which chunks to open, so that one round of reads is enough for
 * most pages.
 */
export async function collectRows(
  reading: FindingReadDeps,
  sources: AsyncIterable<FindingSource> | Iterable<FindingSource>,
  filter: FindingSelection,
  { after, limit }: { readonly after: FindingPosition | null; readonly limit: number },
): Promise<Collected> {
  const rows: LocatedRow[] = [];
  const repositories = new Map<FindingSource, RepositoryItem>();
  let parts: ChunkRead[] = [];
  const openParts = async () => {
    for (const located of await open(reading, parts, repositories)) {
      const isShown = repositories.get(located.source)?.active && passes(located, filter, after);
      if (rows.length <= limit && isShown) rows.push(located);
    }
    parts = [];
    // Refuse as soon as the text alone is too large: nothing that cannot be sent is read or rendered.
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
  return { rows, repositories };
}

/** A chunk that may contain rows of the response. */
type ChunkRead = {
  readonly source: FindingSource;
  readonly chunk: ChunkReference;
  /** The minimum number of matching rows in it. */
  readonly rowsMin: number;
};

async function* partsOf(
  sources: AsyncIterable<FindingSource> | Iterable<FindingSource>,
  { states, severities }: FindingSelection,
  after: FindingPosition | null,
): AsyncGenerator<ChunkRead> {
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

const isWithin = (
  { organization, ledger }: FindingSource,
  after: FindingPosition | null,
): after is FindingPosition =>
  after !== null && organization.uuid === after.organization && ledger.place === after.repository;

const passes = (
  { source, row }: LocatedRow,
  { states, severities }: FindingSelection,
  after: FindingPosition | null,
): boolean =>
  states.includes(findingStateOf(row)) &&
  severities.includes(row.finding.severity) &&
  !(isWithin(source, after) && row.place <= after.finding);

/** Reads the chunks, and in the same call the repositories that are not known yet. */
async function open(
  { table, signal }: FindingReadDeps,
  parts: readonly ChunkRead[],
  repositories: Map<FindingSource, RepositoryItem>,
): Promise<LocatedRow[]> {
  const unmet = [...new Set(parts.map(({ source }) => source))].filter((source) => !repositories.has(source));
  const chunkKeys = parts.map(({ source, chunk }) => chunkKey(source.ledger, chunk.id));
  const items = await table.getMany([...chunkKeys, ...unmet.map(repositoryKeyOf)], { signal });
  for (const [index, source] of unmet.entries())
    repositories.set(source, parseKnown(items[parts.length + index], source));
  const opened = await Promise.all(parts.map(({ source }, index) => openChunk(source, items[index])));
  return opened.flat();
}

async function openChunk(source: FindingSource, item: Item | undefined): Promise<LocatedRow[]> {
  if (!item) throw new LedgerReplaced();
  return readRows(await unpack(chunkBytes(item))).map((row) => ({ source, row }));
}

const repositoryKeyOf = ({ organization, ledger }: FindingSource) =>
  kinds.repository.key({ organization: organization.uuid, repositoryId: ledger.repositoryId });

/** The repositories of all sources, including sources without matching findings. */
export async function repositoriesOfSources(
  { table, signal }: FindingReadDeps,
  sources: readonly FindingSource[],
): Promise<Map<FindingSource, RepositoryItem>> {
  const items = await table.getMany(sources.map(repositoryKeyOf), { signal });
  return new Map(sources.map((source, index) => [source, parseKnown(items[index], source)]));
}

function parseKnown(item: Item | undefined, source: FindingSource): RepositoryItem {
  if (item) return parseRepository(item);
  throw new CorruptItem(
    `The repository of the ledger at ${source.organization.uuid} / ${source.ledger.place} is missing.`,
  );
}

/** A lower bound of the bytes that any format needs for the rows. */
const textUnits = (rows: readonly LocatedRow[]): number =>
  rows.reduce((sum, { row: { finding } }) => {
    const evidence = finding.evidence.reduce((units, each) => units + each.length, 0);
    return sum + finding.title.length + finding.description.length + finding.file_path.length + evidence;
  }, 0);
