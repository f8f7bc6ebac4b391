import { listRepositories as operation } from "../../lib/contract/operations/organizations.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { positionText } from "../../lib/http/cursors.ts";
import { listRepositories } from "../../lib/organizations/list.ts";

export const handler = createHandler(operation, async ({ input, paging, table }) => {
  const request = { after: positionText(paging), limit: paging.pageSize };
  const { entries, next } = await listRepositories(table, input.path.organization_id, request);
  return { json: { repositories: entries, next_cursor: next === null ? null : paging.next(next) } };
});
