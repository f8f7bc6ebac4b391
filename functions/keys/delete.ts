import { keyPrefetch, revokeWithinReach } from "../../lib/access/manage-keys.ts";
import { deleteKey as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { apiKeyKey } from "../../lib/store/layout.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    await revokeWithinReach(call, call.prefetched.get(apiKeyKey(call.input.path.key_id)));
    return { empty: true };
  },
  { prefetch: keyPrefetch },
);
