import { toIssuedRecord } from "../../lib/access/key-record.ts";
import { keyNotFound } from "../../lib/access/manage-keys.ts";
import { keyRotated } from "../../lib/access/policy.ts";
import { repeatedRotation, rotateOwnKey } from "../../lib/access/rotate-key.ts";
import { rotateKey as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const { path, body } = call.input;
    if (path.key_id !== call.principal.key.id) throw keyNotFound();
    return { json: toIssuedRecord(await rotateOwnKey(call, body), call) };
  },
  {
    permit: (call) => {
      const { key, value } = call.principal;
      if (value.state === "current") return undefined;
      if (call.input.path.key_id !== key.id) throw keyRotated();
      repeatedRotation(call, call.input.body);
      return "uncounted";
    },
  },
);
