import { type ReadableRepositories, readableFrom } from "../../lib/access/readable.ts";
import * as kinds from "../../lib/contract/items.ts";
import type { Table } from "../../lib/store/table.ts";

/** The repositories a member can read, as a request loads them: authentication reads the first part. */
export async function readableRepositories(
  table: Table,
  organization: string,
  userId: string,
): Promise<ReadableRepositories> {
  const first = await table.get(kinds.memberReads.key({ organization, userId }));
  return readableFrom(table, organization, userId, first);
}
