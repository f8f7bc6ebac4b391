import { listTeams as operation } from "../../lib/contract/operations/teams.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { positionText } from "../../lib/http/cursors.ts";
import { listTeams } from "../../lib/people/list-teams.ts";

export const handler = createHandler(operation, async ({ table, scope, paging }) => {
  const place = { after: positionText(paging), limit: paging.pageSize };
  const { teams, next } = await listTeams(table, scope.organizations, place);
  return { json: { teams, next_cursor: next === null ? null : paging.next(next) } };
});
