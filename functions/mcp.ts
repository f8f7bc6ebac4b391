import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { gatewayRequestIdOf } from "../lib/http/headers.ts";
import { serveMcp } from "../lib/mcp/serve.ts";
import { beginInvocation } from "../lib/runtime/invocation.ts";

/** The Model Context Protocol for assistants: it has no right of its own and calls the API with the caller's key. */
export const handler = async (event: APIGatewayProxyEvent, context: Context) => {
  beginInvocation(context, gatewayRequestIdOf(event) ?? undefined);
  return await serveMcp(event, context);
};
