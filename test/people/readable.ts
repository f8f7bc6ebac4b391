import { type ReadableRepositories, readableFrom } from "../../lib/access/readable.ts";
import { memberReadsKey } from "../../lib/store/layout.ts";
import type { Table } from "../../lib/store/table.ts";

/** What a member can read, as a request finds it: the first part comes with authentication. */
export async function readableRepositories(
  table: Table,
  organization: string,
  userId: string,
): Promise<ReadableRepositories> {
  const first = await table.get(memberReadsKey(organization, userId));
  return readableFrom(table, organization, userId, first);
}
