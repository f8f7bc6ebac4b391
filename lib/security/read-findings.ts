import { ApiError } from "../contract/api-error.ts";
import { securityLimits } from "../contract/limits.ts";
import type { FindingRecord } from "../contract/records-security.ts";
import { required } from "../runtime/required.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { RepositoryItem } from "../store/items/repository.ts";
import { StoreUnavailable } from "../store/table.ts";
import {
  collectRows,
  type FindingReadDeps,
  type FindingSelection,
  LedgerReplaced,
  type LocatedRow,
  repositoriesOfSources,
} from "./collect.ts";
import { countOf } from "./ledger.ts";
import { toRecord } from "./record.ts";
import { type FindingPosition, type FindingSource, sourcesOf } from "./sources.ts";

export type FindingQuery = FindingSelection & {
  readonly organizations: readonly OrganizationItem[];
  readonly repositoryId: string | undefined;
};

export type FindingPage = {
  readonly records: readonly FindingRecord[];
  /** Null if there are no more findings. */
  readonly next: FindingPosition | null;
};

/** One scanned repository's part of a download. */
export type RepositoryFindings = FindingSource & {
  readonly repository: RepositoryItem;
  readonly records: readonly FindingRecord[];
};

/** One page, in an order that no scan changes: reading all pages returns each finding once. */
export async function readFindings(
  reading: FindingReadDeps,
  query: FindingQuery,
  page: { readonly after: FindingPosition | null; readonly limit: number },
): Promise<FindingPage> {
  return await retryIfLedgerReplaced(async () => {
    const sources = sourcesOf(reading.table, { ...query, after: page.after, signal: reading.signal });
    const { rows, repositories } = await collectRows(reading, sources, query, page);
    const shown = rows.slice(0, page.limit);
    const last = shown.at(-1);
    return {
      records: shown.map((located) => render(located, repositories)),
      next: last && rows.length > page.limit ? positionOf(last) : null,
    };
  });
}

/** Everything, by repository. If there are too many findings, the ledgers' counts show it before a chunk is read. */
export async function readDownload(
  reading: FindingReadDeps,
  query: FindingQuery,
): Promise<RepositoryFindings[]> {
  return await retryIfLedgerReplaced(async () => {
    const { table, signal, narrowing } = reading;
    const sources = await Array.fromAsync(sourcesOf(table, { ...query, after: null, signal }));
    const { downloadFindingsMax: limit } = securityLimits;
    const reads = repositoriesOfSources(reading, sources);
    // Most downloads are small enough even if inactive repositories are counted, so they need not wait for this read.
    if (countOfAll(sources, query) > limit) {
      const known = await reads;
      const count = countOfAll(
        sources.filter((source) => known.get(source)?.active),
        query,
      );
      if (count > limit) throw tooMany(count, narrowing);
    }
    const collecting = collectRows(reading, sources, query, { after: null, limit });
    const [repositories, { rows }] = await Promise.all([reads, collecting]);
    const bySource = Map.groupBy(rows, ({ source }) => source);
    const active = [...repositories].filter(([, repository]) => repository.active);
    return active.map(([source, repository]) => {
      const records = (bySource.get(source) ?? []).map((located) => render(located, repositories));
      return { ...source, repository, records };
    });
  });
}

const countOfAll = (sources: readonly FindingSource[], filter: FindingSelection): number =>
  sources.reduce((sum, source) => sum + matchesOf(source, filter), 0);

const tooMany = (count: number, narrowing: string): ApiError =>
  new ApiError(
    "RESPONSE_TOO_LARGE",
    `${count} findings match, and a download holds at most ${securityLimits.downloadFindingsMax}. ${narrowing}`,
  );

const matchesOf = ({ ledger }: FindingSource, { states, severities }: FindingSelection): number =>
  ledger.chunks.reduce((sum, { counts }) => sum + countOf(counts, states, severities), 0);

const render = (
  { source, row }: LocatedRow,
  repositories: ReadonlyMap<FindingSource, RepositoryItem>,
): FindingRecord =>
  toRecord(row, source, required(repositories.get(source), "repository of an opened source"));

const positionOf = ({ source, row }: LocatedRow): FindingPosition => ({
  organization: source.organization.uuid,
  repository: source.ledger.place,
  finding: row.place,
});

async function retryIfLedgerReplaced<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof LedgerReplaced)) throw error;
      if (attempt === securityLimits.readAttemptsMax) throw new StoreUnavailable(error, false);
    }
  }
}
