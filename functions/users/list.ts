import { listUsers as operation } from "../../lib/contract/operations/users.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { positionText } from "../../lib/http/cursors.ts";
import { listUsers } from "../../lib/people/list-users.ts";

export const handler = createHandler(operation, async (call) => {
  const { input, paging } = call;
  const filters = { seat: input.query.seat_filter, role: input.query.role_filter };
  const place = { after: positionText(paging), limit: paging.pageSize };
  const { next, ...page } = await listUsers(call, filters, place);
  return { json: { ...page, next_cursor: next && paging.next(next) } };
});
