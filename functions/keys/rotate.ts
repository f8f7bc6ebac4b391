import { toKeyRecord } from "../../lib/access/key-record.ts";
import { keyAlongside, rotateWithinReach } from "../../lib/access/manage-keys.ts";
import { rotateKey as operation } from "../../lib/contract/operations/keys.ts";
import { lambda } from "../../lib/http/lambda.ts";

export const handler = lambda(
  operation,
  async (call) => {
    const rotated = await rotateWithinReach(call, call.alongside[0], call.input.body.grace_seconds);
    const record = toKeyRecord(rotated.key, rotated.organizations, call.clock.nowMs());
    return { json: { key: rotated.text, ...record } };
  },
  { alongside: keyAlongside },
);
