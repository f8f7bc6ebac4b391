import * as z from "zod";
import { everyKey, operation } from "../operation.ts";
import { organizationSelector } from "../parameters.ts";
import { whoamiRecord } from "../records.ts";

export const whoami = operation({
  id: "whoami",
  source: "keys/whoami",
  method: "GET",
  path: "/v1/whoami",
  tag: "Keys",
  summary: "Describe the key of this request",
  description: "Works with every valid key, also with agentic ones. Never shows the key itself.",
  query: z.strictObject({ ...organizationSelector }),
  answer: { status: 200, description: "The key and what it may do", schema: whoamiRecord },
  keys: { ...everyKey, agentic: "accepted" },
  plan: "any",
  needs: null,
  organization: "ignored",
  instanceScope: "authorized",
  rateLimit: { bucket: "whoami", requestsMax: 60, windowSeconds: 60, owner: "key" },
  streaming: false,
  tableActions: [],
  errors: [],
});
