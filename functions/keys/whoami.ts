import { describePrincipal } from "../../lib/access/describe.ts";
import { whoami as operation } from "../../lib/contract/operations/keys.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(operation, async ({ principal }) => ({
  json: describePrincipal(principal),
}));
