import * as z from "zod";
import * as kinds from "../contract/items.ts";
import {
  type FindingSeverity,
  type FindingState,
  findingSeverities,
  findingStates,
} from "../contract/records-security.ts";
import { CorruptItem, itemSchema, parseItem } from "../store/items/parse.ts";
import type { Item, Key } from "../store/table.ts";
import { type FindingRow, findingStateOf, placeOf, type ScanReference } from "./finding.ts";

export type ScannedRepository = {
  readonly organization: string;
  readonly repositoryId: string;
  /** Digest of the repository's id: its place among the organization's repositories. */
  readonly place: string;
};

/**
 * Everything that is stored about a repository's findings: one item that names the newest scan and the chunks that
 * contain the findings. Chunks are never changed. Applying a scan writes new chunks and then replaces this item, so
 * readers see a scan completely or not at all, and a writer that is late or crashes half-way has changed nothing.
 */
export type Ledger = ScannedRepository & {
  /** Increases by one with every change, so that only one of two concurrent writers succeeds. */
  readonly generation: number;
  readonly newest: ScanReference;
  readonly chunks: readonly ChunkReference[];
};

export type ChunkReference = {
  readonly id: string;
  /** The place of its first finding; the chunk contains all findings from there to the next chunk's first. */
  readonly from: string;
  /** Number of findings by state and severity: readers skip chunks without matching findings. */
  readonly counts: ChunkCounts;
};

export type ChunkCounts = readonly number[];

const countsLength = findingStates.length * findingSeverities.length;

const countIndex = (state: FindingState, severity: FindingSeverity): number =>
  findingStates.indexOf(state) * findingSeverities.length + findingSeverities.indexOf(severity);

export function countRows(rows: readonly FindingRow[]): ChunkCounts {
  const groups = Map.groupBy(rows, (row) => countIndex(findingStateOf(row), row.finding.severity));
  return Array.from({ length: countsLength }, (_, index) => groups.get(index)?.length ?? 0);
}

export function countOf(
  counts: ChunkCounts,
  states: readonly FindingState[],
  severities: readonly FindingSeverity[],
): number {
  const wanted = new Set(
    states.flatMap((state) => severities.map((severity) => countIndex(state, severity))),
  );
  return counts.reduce((sum, count, index) => (wanted.has(index) ? sum + count : sum), 0);
}

const ledgerItem = itemSchema({
  repository_id: z.string(),
  generation: z.int(),
  newest: z.object({
    version: z.string(),
    scan_id: z.string(),
    commit_sha: z.string(),
    completed_at: z.string(),
  }),
  /** Short names: a repository may have thousands of chunks. */
  chunks: z.array(z.object({ i: z.string(), f: z.string(), c: z.array(z.int()) })),
});
const parseStored = parseItem("ledger of security findings", ledgerItem);

export function parseLedger(item: Item, organization: string): Ledger {
  const { sk, repository_id, generation, newest, chunks } = parseStored(item);
  return {
    organization,
    repositoryId: repository_id,
    place: sk,
    generation,
    newest: {
      version: newest.version,
      scanId: newest.scan_id,
      commitSha: newest.commit_sha,
      completedAt: newest.completed_at,
    },
    chunks: chunks.map(({ i, f, c }) => ({ id: i, from: f, counts: c })),
  };
}

export function ledgerItemOf({
  organization,
  repositoryId,
  place,
  generation,
  newest,
  chunks,
}: Ledger): Item {
  const { version, scanId, commitSha, completedAt } = newest;
  return {
    ...kinds.scans.key({ organization, digest: place }),
    repository_id: repositoryId,
    generation,
    newest: { version, scan_id: scanId, commit_sha: commitSha, completed_at: completedAt },
    chunks: chunks.map(({ id, from, counts }) => ({ i: id, f: from, c: counts })),
  };
}

export const scannedRepository = (organization: string, repositoryId: string): ScannedRepository => ({
  organization,
  repositoryId,
  place: placeOf(repositoryId),
});

export const ledgerKey = ({ organization, place }: ScannedRepository): Key =>
  kinds.scans.key({ organization, digest: place });

export const chunkKey = ({ organization, place }: ScannedRepository, chunkId: string): Key =>
  kinds.findings.key({ organization, digest: place, chunkId });

export const chunkItem = (key: Key, bytes: Uint8Array): Item => ({ ...key, rows: bytes });

export function chunkBytes({ pk, sk, rows }: Item): Uint8Array {
  if (rows instanceof Uint8Array) return rows;
  throw new CorruptItem(`The chunk of security findings at ${pk} / ${sk} is damaged in: rows.`);
}
