import { endWithinReach, keyPrefetch } from "../../lib/access/manage-keys.ts";
import { deleteKey as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const { endsItself, principal, input } = call;
    await endWithinReach(call, endsItself ? principal.key.id : input.path.key_id);
    return { empty: true };
  },
  { prefetch: keyPrefetch },
);
