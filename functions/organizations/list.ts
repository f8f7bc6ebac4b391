import { listOrganizations as operation } from "../../lib/contract/operations/organizations.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { positionText } from "../../lib/http/cursors.ts";
import { listOrganizations } from "../../lib/organizations/list.ts";

export const handler = createHandler(operation, async ({ scope, paging }) => {
  const request = { after: positionText(paging), limit: paging.pageSize };
  const { entries, next } = listOrganizations(scope.organizations, request);
  return { json: { organizations: entries, next_cursor: next === null ? null : paging.next(next) } };
});
