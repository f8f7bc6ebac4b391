import { listRepositories as operation } from "../../lib/contract/operations/organizations.ts";
import { positionText } from "../../lib/http/cursors.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { listRepositories } from "../../lib/organizations/list.ts";

export const handler = lambda(operation, async ({ input, paging, table }) => {
  const request = { after: positionText(paging), limit: paging.pageSize };
  const { entries, next } = await listRepositories(table, input.path.organization_id, request);
  return { json: { repositories: entries, next_cursor: next === null ? null : paging.next(next) } };
});
