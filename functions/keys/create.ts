import { toIssuedRecord } from "../../lib/access/key-record.ts";
import { makeKey, requireWithin } from "../../lib/access/make-key.ts";
import { createKey as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(
  operation,
  async (call) => ({ json: toIssuedRecord(await makeKey(call, call.input.body), call) }),
  { permit: (call) => requireWithin(call, call.input.body) },
);
