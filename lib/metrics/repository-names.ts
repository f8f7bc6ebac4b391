import * as kinds from "../contract/items.ts";
import { parseRepository } from "../store/items/repository.ts";
import type { Key, Table } from "../store/table.ts";

export type RepositoryNames = {
  /** Requests a name that will be needed. */
  want(organization: string, repositoryId: string): void;
  /** Returns every requested name. */
  all(): Promise<(organization: string, repositoryId: string) => RepositoryName>;
};

export type RepositoryName = { readonly repositoryName: string; readonly repositoryFullName: string };

/**
 * The current names of a page's repositories. They are requested while the stream is read: the names of one data page
 * are read in one batch, in parallel with the stream's own next read. So they cost no round trip on a last page, and
 * one on a full page, which needs no second read of the head. A name may be a second old, so the reads are eventually
 * consistent, at half the price.
 */
export function createRepositoryNames(table: Table): RepositoryNames {
  const names = new Map<string, RepositoryName>();
  const known = new Set<string>();
  const reads: Promise<void>[] = [];
  let waiting: Key[] = [];
  const identity = ({ pk, sk }: Key) => `${pk} ${sk}`;

  async function read(keys: readonly Key[]): Promise<void> {
    for (const item of await table.getMany(keys, { eventuallyConsistent: true })) {
      if (!item) continue;
      const { name, full_name } = parseRepository(item);
      names.set(identity(item), { repositoryName: name, repositoryFullName: full_name });
    }
  }

  function send(): void {
    if (waiting.length === 0) return;
    const reading = read(waiting);
    // The caller of `all` receives the failure; until then it must not end the process.
    reading.catch(() => {});
    reads.push(reading);
    waiting = [];
  }

  return {
    want(organization, repositoryId) {
      const key = kinds.repository.key({ organization, repositoryId });
      if (known.has(identity(key))) return;
      known.add(identity(key));
      // `setImmediate` runs after all pending promises: by then the whole data page was processed.
      if (waiting.push(key) === 1) setImmediate(send);
    },
    async all() {
      send();
      await Promise.all(reads);
      // Events wait for their repository, so a name is missing only if somebody deleted the item.
      return (organization, repositoryId) =>
        names.get(identity(kinds.repository.key({ organization, repositoryId }))) ?? {
          repositoryName: repositoryId,
          repositoryFullName: repositoryId,
        };
    },
  };
}
