import { listTeams as operation } from "../../lib/contract/operations/teams.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { positionInPartition } from "../../lib/http/cursors.ts";
import { listTeams } from "../../lib/people/list-teams.ts";

export const handler = createHandler(operation, async ({ table, scope, paging }) => {
  const place = { after: positionInPartition(paging), limit: paging.pageSize };
  const { found, next } = await listTeams(table, scope.organizations, place);
  const teams = found.map(({ record }) => record);
  return { json: { teams, next_cursor: next && paging.next(next) } };
});
