import { keyPrefetch, revokeWithinReach } from "../../lib/access/manage-keys.ts";
import * as kinds from "../../lib/contract/items.ts";
import { deleteKey as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    await revokeWithinReach(call, call.prefetched.get(kinds.apiKey.key({ keyId: call.input.path.key_id })));
    return { empty: true };
  },
  { prefetch: keyPrefetch },
);
