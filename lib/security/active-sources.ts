import { securityLimits, walkLimits } from "../contract/limits.ts";
import { CorruptItem } from "../store/items/parse.ts";
import { parseRepository, type RepositoryItem } from "../store/items/repository.ts";
import { repositoryKey } from "../store/layout.ts";
import type { Item, Table } from "../store/table.ts";
import type { Filter } from "./collect.ts";
import { countOf } from "./ledger.ts";
import type { Source } from "./sources.ts";

type Reader = { readonly table: Table; readonly signal: AbortSignal };

/** How many findings pass the filter, by the ledger's counts. */
export const matchesOf = ({ ledger }: Source, { states, severities }: Filter): number =>
  ledger.chunks.reduce((sum, { counts }) => sum + countOf(counts, states, severities), 0);

/**
 * The sources of active repositories with findings that pass the filter. Repositories are read some at a time, before
 * any chunk of theirs; where too many sources were passed over, the walk stops, and the next request goes on.
 */
export class ActiveSources {
  /** Of every source that was yielded. */
  readonly repositories = new Map<Source, RepositoryItem>();
  #stoppedAfter: Source | null = null;
  #passedOver = 0;

  /** The last source that was looked at, where others may follow; null where the walk came to its end. */
  get stoppedAfter(): Source | null {
    return this.#stoppedAfter;
  }

  async *walk(reader: Reader, sources: AsyncIterable<Source>, filter: Filter, limit: number) {
    let some: Source[] = [];
    let expected = 0;
    let previous: Source | null = null;
    for await (const source of sources) {
      if (this.#passedOver >= walkLimits.passedOverMax) {
        yield* this.#activeOf(reader, some);
        this.#stoppedAfter = previous;
        return;
      }
      previous = source;
      const matches = matchesOf(source, filter);
      if (matches === 0) {
        this.#passedOver++;
        continue;
      }
      some.push(source);
      expected += matches;
      // As few as fill the page, but many at once where some are passed over: a small page must not take a trip for each.
      const isEnough = expected > limit && this.#passedOver === 0;
      if (!isEnough && some.length < securityLimits.ledgersPageItems) continue;
      yield* this.#activeOf(reader, some);
      some = [];
      expected = 0;
    }
    yield* this.#activeOf(reader, some);
  }

  async *#activeOf(reader: Reader, sources: readonly Source[]): AsyncGenerator<Source> {
    for (const [source, repository] of await repositoriesOf(reader, sources)) {
      if (repository.active) this.repositories.set(source, repository);
      else this.#passedOver++;
    }
    yield* sources.filter((source) => this.repositories.has(source));
  }
}

/** The repositories of all sources, also of those with nothing to show. */
export async function repositoriesOf(
  { table, signal }: Reader,
  sources: readonly Source[],
): Promise<Map<Source, RepositoryItem>> {
  const keys = sources.map(({ organization, ledger }) =>
    repositoryKey(organization.uuid, ledger.repositoryId),
  );
  const items = keys.length > 0 ? await table.getMany(keys, { signal }) : [];
  return new Map(sources.map((source, index) => [source, parseKnown(items[index], source)]));
}

function parseKnown(item: Item | undefined, source: Source): RepositoryItem {
  if (item) return parseRepository(item);
  throw new CorruptItem(
    `The repository of the ledger at ${source.organization.uuid} / ${source.ledger.place} is missing.`,
  );
}
