import { describePrincipal } from "../../lib/access/describe.ts";
import { whoami as operation } from "../../lib/contract/operations/keys.ts";
import { lambda } from "../../lib/http/lambda.ts";

export const handler = lambda(operation, async ({ principal }) => ({ json: describePrincipal(principal) }));
