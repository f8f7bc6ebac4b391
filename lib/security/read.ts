import { Fault } from "../contract/fault.ts";
import { securityLimits } from "../contract/limits.ts";
import type { FindingRecord } from "../contract/records-security.ts";
import { certain } from "../runtime/certain.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { RepositoryItem } from "../store/items/repository.ts";
import { StoreUnavailable } from "../store/table.ts";
import { ActiveSources, matchesOf, repositoriesOf } from "./active-sources.ts";
import { collect, type Filter, LedgerReplaced, type Located, type Reading } from "./collect.ts";
import { toRecord } from "./record.ts";
import { type Position, type Source, sourcesOf } from "./sources.ts";

export type FindingQuery = Filter & {
  readonly organizations: readonly OrganizationItem[];
  readonly repositoryId: string | undefined;
};

export type FindingPage = {
  readonly records: readonly FindingRecord[];
  /** Null when no finding is left. */
  readonly next: Position | null;
};

/** What one scanned repository adds to a download. */
export type Harvest = Source & {
  readonly repository: RepositoryItem;
  readonly records: readonly FindingRecord[];
};

/** One page, in an order that no scan changes: a walk meets each finding once. */
export async function readFindings(
  reading: Reading,
  query: FindingQuery,
  page: { readonly after: Position | null; readonly limit: number },
): Promise<FindingPage> {
  return await whileStanding(async () => {
    const sources = sourcesOf(reading.table, { ...query, after: page.after, signal: reading.signal });
    const active = new ActiveSources();
    const rows = await collect(reading, active.walk(reading, sources, query, page.limit), query, page);
    const shown = rows.slice(0, page.limit);
    const last = shown.at(-1);
    return {
      records: shown.map((located) => render(located, active.repositories)),
      next: last && rows.length > page.limit ? positionOf(last) : positionAfter(active.stoppedAfter),
    };
  });
}

/** Everything, by repository. Too many are refused by the ledgers' counts, before a chunk is read. */
export async function readDownload(reading: Reading, query: FindingQuery): Promise<Harvest[]> {
  return await whileStanding(async () => {
    const { table, signal, narrowing } = reading;
    const sources = await Array.fromAsync(sourcesOf(table, { ...query, after: null, signal }));
    const { downloadFindingsMax: limit } = securityLimits;
    const repositories = await repositoriesOf(reading, sources);
    const active = [...repositories].filter(([, repository]) => repository.active);
    const activeSources = active.map(([source]) => source);
    const count = activeSources.reduce((sum, source) => sum + matchesOf(source, query), 0);
    if (count > limit) throw tooMany(count, narrowing);
    const rows = await collect(reading, activeSources, query, { after: null, limit });
    const bySource = Map.groupBy(rows, ({ source }) => source);
    return active.map(([source, repository]) => {
      const records = (bySource.get(source) ?? []).map((located) => render(located, repositories));
      return { ...source, repository, records };
    });
  });
}

const tooMany = (count: number, narrowing: string): Fault =>
  new Fault(
    "RESPONSE_TOO_LARGE",
    `${count} findings match, and a download holds at most ${securityLimits.downloadFindingsMax}. ${narrowing}`,
  );

const render = ({ source, row }: Located, repositories: ReadonlyMap<Source, RepositoryItem>): FindingRecord =>
  toRecord(row, source, certain(repositories.get(source), "repository of an opened source"));

const positionOf = ({ source, row }: Located): Position => ({
  organization: source.organization.uuid,
  repository: source.ledger.place,
  finding: row.place,
});

/** Behind every finding of the source: their places are digests. */
const positionAfter = (source: Source | null): Position | null =>
  source && { organization: source.organization.uuid, repository: source.ledger.place, finding: "~" };

async function whileStanding<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof LedgerReplaced)) throw error;
      if (attempt === securityLimits.readAttemptsMax) throw new StoreUnavailable(error, false);
    }
  }
}
