import * as kinds from "../contract/items.ts";
import { securityLimits } from "../contract/limits.ts";
import { parseOrganization } from "../store/items/organization.ts";
import { newsPuts } from "../store/news.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { ConditionFailed, type Item, queryAll, type Table } from "../store/table.ts";
import { isNewest, placeOf, type ScanInProgress, type ScanReference } from "./finding.ts";
import {
  type ChunkReference,
  chunkBytes,
  chunkItem,
  chunkKey,
  type Ledger,
  ledgerItemOf,
  ledgerKey,
  parseLedger,
  type ScannedRepository,
  scannedRepository,
} from "./ledger.ts";
import { firstChunks, mergeChunk, type NewChunk, type PlacedFinding, reportedByChunk } from "./merge.ts";
import type { ScanCompleted } from "./scan-completed.ts";

/**
 * Adds a scan to the repository's ledger. The same scans give the same result, in any order and however often they
 * arrive: a finding shows the state in the newest scan that has it, and whether that scan is the repository's newest.
 * Returns the reason if the scan cannot be added.
 */
export async function completeScan(
  store: Store,
  organization: string,
  completed: ScanCompleted,
  eventVersion: string,
): Promise<string | undefined> {
  const repository = scannedRepository(organization, completed.repository_id);
  const scan: ScanReference = {
    version: `${completed.completed_at}#${eventVersion}`,
    scanId: completed.scan_id,
    commitSha: completed.commit_sha,
    completedAt: completed.completed_at,
  };
  return await retryOnConflict(store, async () => {
    const stored = await store.table.get(ledgerKey(repository));
    const ledger = stored && parseLedger(stored, organization);
    if (ledger?.newest.version === scan.version) return undefined;
    return await applyScan(store, { repository, ledger, scan, findings: inOrder(completed) });
  });
}

const inOrder = ({ findings }: ScanCompleted): PlacedFinding[] =>
  findings
    .map((finding) => ({ place: placeOf(finding.id), finding }))
    .sort((one, other) => (one.place < other.place ? -1 : 1));

/** The findings of a scan, and the repository's current ledger. */
type Scanned = {
  readonly repository: ScannedRepository;
  readonly ledger: Ledger | undefined;
  readonly findings: readonly PlacedFinding[];
};

/**
 * Writes new chunks first, then the ledger that names them, then removes chunks that neither this ledger nor the one
 * before names. A reader uses a ledger for seconds, so it survives one scan; only two scans in that time make it start
 * again. Chunks are read, merged and written one page at a time, in the table's order.
 */
async function applyScan(
  store: Store,
  applied: { readonly scan: ScanReference } & Scanned,
): Promise<string | undefined> {
  const { table } = store;
  const { repository, ledger, scan, findings } = applied;
  const progress = { scan, newestBefore: ledger?.newest };
  const writer = new ChunkWriter(store, repository);
  const { replaced, unnamed } = await mergeStored(store, applied, progress, writer);
  const chunks = (ledger?.chunks ?? []).flatMap((chunk) => replaced.get(chunk.id) ?? [chunk]);
  if (chunks.length === 0)
    for await (const chunk of firstChunks(findings, progress)) chunks.push(await writer.keep(chunk));
  await writer.flush();
  const newest = ledger && !isNewest(progress) ? ledger.newest : scan;
  if (newest !== scan && writer.written.size === 0) return undefined;
  if (chunks.length > securityLimits.chunksMax) {
    await removeChunks(table, repository, writer.written);
    return "findings: with the fixed ones the repository has more than can be kept";
  }
  const generation = ledger?.generation ?? 0;
  const put = ledgerItemOf({ ...repository, generation: generation + 1, newest, chunks });
  const when = ledger ? { equals: ["generation", generation] as const } : { absent: "pk" };
  // Before the ledger: if this process ends in between, the webhooks ring once more than needed, never once less.
  if (newest === scan) await noteForWebhooks(store, repository);
  await table.write({ put, when }, { idempotent: true });
  await removeChunks(table, repository, unnamed);
  return undefined;
}

async function noteForWebhooks(
  { table, clock }: Store,
  { organization, repositoryId }: ScannedRepository,
): Promise<void> {
  const item = await table.get(kinds.organization.key({ organization }), { eventuallyConsistent: true });
  if (!item) return;
  const { tenant } = parseOrganization(item);
  const note = { type: "security.scan_completed", id: repositoryId, nowMs: clock.nowMs() } as const;
  await Promise.all(newsPuts({ tenant, organization }, note).map((put) => table.write(put)));
}

type Merged = {
  /** The chunks that replace each chunk that the scan may change. */
  readonly replaced: ReadonlyMap<string, readonly ChunkReference[]>;
  /**
   * Stored chunks that no ledger names: their writers crashed or lost against another writer. A writer that stored one
   * before this read cannot replace the ledger any more after this scan has, so they are removed together with the
   * chunks that the scan replaces.
   */
  readonly unnamed: readonly string[];
};

async function mergeStored(
  { table }: Store,
  { repository, ledger, findings }: Scanned,
  progress: ScanInProgress,
  writer: ChunkWriter,
): Promise<Merged> {
  const chunks = ledger?.chunks ?? [];
  const named = new Set(chunks.map(({ id }) => id));
  const reported = reportedByChunk(chunks, findings, progress);
  const replaced = new Map<string, ChunkReference[]>();
  const unnamed: string[] = [];
  const { organization, place } = repository;
  for await (const item of queryAll(table, {
    pk: kinds.findings.partition({ organization, digest: place }),
  })) {
    const ofChunk = reported.get(item.sk);
    if (ofChunk) {
      const merged = await mergeChunk(ofChunk, chunkBytes(item), progress);
      replaced.set(item.sk, await Promise.all(merged.map((chunk) => writer.keep(chunk))));
    } else if (!named.has(item.sk) && !writer.written.has(item.sk)) unnamed.push(item.sk);
  }
  // The ledger was replaced, and its chunks removed, since it was read: handle this as a failed condition.
  if (replaced.size < reported.size) throw new ConditionFailed(undefined);
  return { replaced, unnamed };
}

const removeChunks = (table: Table, repository: ScannedRepository, ids: Iterable<string>): Promise<void> =>
  table.writeMany([...ids].map((id) => ({ delete: chunkKey(repository, id) })));

/** Writes a few chunks at a time, so that a large scan's chunks are not all in memory. */
class ChunkWriter {
  readonly #store: Store;
  readonly #repository: ScannedRepository;
  #puts: Array<{ put: Item }> = [];
  readonly written = new Set<string>();

  constructor(store: Store, repository: ScannedRepository) {
    this.#store = store;
    this.#repository = repository;
  }

  async keep(chunk: ChunkReference | NewChunk): Promise<ChunkReference> {
    if (!("bytes" in chunk)) return chunk;
    // Never a number or a digest: if an id were used twice, a writer that deletes the first could delete the second.
    const id = this.#store.random.uuid();
    this.written.add(id);
    this.#puts.push({ put: chunkItem(chunkKey(this.#repository, id), chunk.bytes) });
    if (this.#puts.length >= securityLimits.chunksWrittenTogether) await this.flush();
    return { id, from: chunk.from, counts: chunk.counts };
  }

  async flush(): Promise<void> {
    const puts = this.#puts;
    this.#puts = [];
    if (puts.length > 0) await this.#store.table.writeMany(puts);
  }
}
