import { securityLimits } from "../contract/limits.ts";
import { decideAnew, type Store } from "../store/decide.ts";
import { findingsPartition } from "../store/layout.ts";
import { ConditionFailed, type Item, queryAll, type Table } from "../store/table.ts";
import { isNewest, placeOf, type ScanReference } from "./finding.ts";
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
import { mergeChunks, type PlacedFinding } from "./merge.ts";
import type { ScanCompleted } from "./scan-completed.ts";

/**
 * Takes a scan into the repository's ledger. In any order and however often, the same scans make the same
 * answers: a finding shows what the newest scan that has it says, and whether that is the repository's newest.
 * Returns why it cannot be taken, if it cannot.
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
  return await decideAnew(store, async () => {
    const stored = await store.table.get(ledgerKey(repository));
    const ledger = stored && parseLedger(stored, organization);
    if (ledger?.newest.version === scan.version) return undefined;
    return await applyScan(store, repository, ledger, scan, inOrder(completed));
  });
}

const inOrder = ({ findings }: ScanCompleted): PlacedFinding[] =>
  findings
    .map((finding) => ({ place: placeOf(finding.id), finding }))
    .sort((one, other) => (one.place < other.place ? -1 : 1));

/**
 * New chunks first, then the ledger that names them, then what neither it nor the one before names is removed:
 * a reader holds a ledger for seconds and so survives a scan, and only two at once make it start over.
 */
async function applyScan(
  { table, chance }: Store,
  repository: ScannedRepository,
  ledger: Ledger | undefined,
  scan: ScanReference,
  findings: readonly PlacedFinding[],
): Promise<string | undefined> {
  const stored = await storedChunks(table, repository);
  const telling = { scan, newestBefore: ledger?.newest };
  const merged = await mergeChunks(ledger?.chunks ?? [], (id) => bytesOf(stored, id), findings, telling);
  const newest = ledger && !isNewest(telling) ? ledger.newest : scan;
  if (newest !== scan && merged.every((chunk) => !("bytes" in chunk))) return undefined;

  const chunks: ChunkReference[] = [];
  const puts: Array<{ put: Item }> = [];
  for (const chunk of merged) {
    // Never a number or a digest: an id that comes twice could be deleted by who meant its first bearer.
    const id = "bytes" in chunk ? chance.uuid() : chunk.id;
    if ("bytes" in chunk) puts.push({ put: chunkItem(chunkKey(repository, id), chunk.bytes) });
    chunks.push({ id, from: chunk.from, counts: chunk.counts });
  }
  if (chunks.length > securityLimits.chunksMax)
    return "findings: with the fixed ones the repository has more than can be kept";
  await table.writeMany(puts);
  const generation = ledger?.generation ?? 0;
  const put = ledgerItemOf({ ...repository, generation: generation + 1, newest, chunks });
  const when = ledger ? { equals: ["generation", generation] as const } : { absent: "pk" };
  await table.write({ put, when }, { repeatable: true });
  const named = new Set([...chunks, ...(ledger?.chunks ?? [])].map(({ id }) => id));
  const unnamed = [...stored.keys()].filter((id) => !named.has(id));
  await table.writeMany(unnamed.map((id) => ({ delete: chunkKey(repository, id) })));
  return undefined;
}

/**
 * Also those that no ledger names: writers died or lost over them. Whoever wrote one before this read can
 * replace the ledger no more once we have, so they are removed together with what the scan replaces.
 */
async function storedChunks(
  table: Table,
  { organization, place }: ScannedRepository,
): Promise<Map<string, Item>> {
  const stored = new Map<string, Item>();
  for await (const item of queryAll(table, { pk: findingsPartition(organization, place) })) {
    stored.set(item.sk, item);
  }
  return stored;
}

function bytesOf(stored: ReadonlyMap<string, Item>, chunkId: string): Uint8Array {
  const item = stored.get(chunkId);
  // The ledger was replaced, and its chunks removed, since it was read: as good as a failed condition.
  if (!item) throw new ConditionFailed(undefined);
  return chunkBytes(item);
}
