import type { OperationContext } from "../../access/operation-context.ts";
import { isReadable, type ReadableRepositories } from "../../access/readable.ts";
import { ApiError } from "../../contract/api-error.ts";
import * as kinds from "../../contract/items.ts";
import { parseRepository } from "../../store/items/repository.ts";
import { readFew, type Table } from "../../store/table.ts";

/**
 * All that the caller can read, or those of the name, in any letter case. Only a member's key may name a repository, and
 * such a key has one organization. Unknown and unreadable names get the same answer.
 */
export async function readableRepositories(
  {
    table,
    scope,
    readable,
  }: Pick<OperationContext, "table" | "readable"> & {
    readonly scope: Pick<OperationContext["scope"], "organizations">;
  },
  name: string | undefined,
): Promise<ReadableRepositories> {
  const [organization] = scope.organizations;
  if (name === undefined || !organization) return readable;
  const named = await repositoriesNamed(table, organization.uuid, name.toLowerCase());
  const both = named.filter((id) => isReadable(readable, id));
  if (both.length === 0) {
    throw new ApiError(
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
  // Includes inactive repositories: their Learnings stay readable.
  const repositories = (await readFew(table, kinds.repository, { organization })).map(parseRepository);
  return repositories
    .filter(({ full_name }) => full_name.toLowerCase() === lowerCaseName)
    .map(({ repository_id }) => repository_id);
}
