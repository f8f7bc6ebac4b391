import { endWithinReach, keyPrefetch } from "../../lib/access/manage-keys.ts";
import { deleteKey as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    await endWithinReach(call, call.prefetched[0]);
    return { empty: true };
  },
  { prefetch: keyPrefetch },
);
