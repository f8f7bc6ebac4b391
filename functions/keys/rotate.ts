import { toIssuedRecord } from "../../lib/access/key-record.ts";
import { keyPrefetch, rotateWithinReach } from "../../lib/access/manage-keys.ts";
import * as kinds from "../../lib/contract/items.ts";
import { rotateKey as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const { path, body } = call.input;
    const key = call.prefetched.get(kinds.apiKey.key({ keyId: path.key_id }));
    const rotated = await rotateWithinReach(call, key, body.grace_seconds);
    return { json: toIssuedRecord(rotated, call.clock.nowMs()) };
  },
  { prefetch: keyPrefetch },
);
