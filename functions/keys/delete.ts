import { keyPrefetch, revokeWithinReach } from "../../lib/access/manage-keys.ts";
import { deleteKey as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    await revokeWithinReach(call, call.prefetched[0]);
    return { empty: true };
  },
  { prefetch: keyPrefetch },
);
