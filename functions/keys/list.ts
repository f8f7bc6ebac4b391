import { listingOf, listKeys } from "../../lib/access/list-keys.ts";
import { listKeys as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { positionInPartition } from "../../lib/http/cursors.ts";

export const handler = createHandler(operation, async (call) => {
  const { paging } = call;
  const place = { after: positionInPartition(paging), limit: paging.pageSize };
  const { records, next } = await listKeys(call, listingOf(call), place);
  return { json: { keys: records, next_cursor: next && paging.next(next) } };
});
