import { listOrganizations as operation } from "../../lib/contract/operations/organizations.ts";
import { positionText } from "../../lib/http/cursors.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { listOrganizations } from "../../lib/organizations/list.ts";

export const handler = lambda(operation, async ({ scope, paging }) => {
  const request = { after: positionText(paging), limit: paging.pageSize };
  const { entries, next } = listOrganizations(scope.organizations, request);
  return { json: { organizations: entries, next_cursor: next === null ? null : paging.next(next) } };
});
