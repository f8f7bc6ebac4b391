import { Fault } from "../../contract/fault.ts";
import { parseRepository } from "../../store/items/repository.ts";
import { repositoriesRange } from "../../store/layout.ts";
import { queryAll, type Table } from "../../store/table.ts";

/** What a member can read: every repository of the organization, or these. */
export type Readable = (organization: string, userId: string) => Promise<"*" | ReadonlySet<string>>;

/** The repositories of this full name, ignoring case, that the member can read. One answer for unknown and unreadable. */
export async function namedRepositories(
  table: Table,
  readable: Readable,
  { organization, userId, name }: { organization: string; userId: string; name: string },
): Promise<ReadonlySet<string>> {
  const [allowed, named] = await Promise.all([
    readable(organization, userId),
    repositoriesNamed(table, organization, name.toLowerCase()),
  ]);
  const both = named.filter((id) => allowed === "*" || allowed.has(id));
  if (both.length === 0) {
    throw new Fault(
      "PERMISSION_DENIED",
      "repository_name: there is no such repository, or the key's member cannot read it.",
    );
  }
  return new Set(both);
}

async function repositoriesNamed(
  table: Table,
  organization: string,
  lowerCaseName: string,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const item of queryAll(table, repositoriesRange(organization))) {
    const { active, full_name, repository_id } = parseRepository(item);
    if (active && full_name.toLowerCase() === lowerCaseName) ids.push(repository_id);
  }
  return ids;
}
