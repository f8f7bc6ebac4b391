import { toKeyRecord } from "../../lib/access/key-record.ts";
import { keyPrefetch, rotateWithinReach } from "../../lib/access/manage-keys.ts";
import { rotateKey as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const rotated = await rotateWithinReach(call, call.prefetched[0], call.input.body.grace_seconds);
    const record = toKeyRecord(rotated.key, rotated.organizations, call.clock.nowMs());
    return { json: { key: rotated.text, ...record } };
  },
  { prefetch: keyPrefetch },
);
