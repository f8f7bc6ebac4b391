import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { mcpRoute } from "../lib/contract/mcp.ts";
import { operations } from "../lib/contract/operations.ts";
import { referenceRoutes } from "../lib/contract/reference.ts";
import { answerUnrouted } from "../lib/http/fallback.ts";
import { gatewayRequestIdOf } from "../lib/http/headers.ts";
import { beginInvocation } from "../lib/runtime/invocation.ts";

/** Handles every request that is neither for an operation of the contract nor for its reference. */
export const handler = async (event: APIGatewayProxyEvent, context: Context) => {
  beginInvocation(context, gatewayRequestIdOf(event) ?? undefined);
  return answerUnrouted([...operations, mcpRoute, ...referenceRoutes], event);
};
