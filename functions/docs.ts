import { fileURLToPath } from "node:url";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { gatewayRequestIdOf } from "../lib/http/headers.ts";
import { serveReference } from "../lib/http/reference.ts";
import { optionalVariable } from "../lib/runtime/environment.ts";
import { beginInvocation } from "../lib/runtime/invocation.ts";

/** On Lambda, the reference's files are next to the bundle; in a checkout, they are at their own paths. */
const root = optionalVariable("LAMBDA_TASK_ROOT") ?? fileURLToPath(new URL("..", import.meta.url));

const serve = serveReference(root);

/** The API reference and the OpenAPI document, for everybody. */
export const handler = async (event: APIGatewayProxyEvent, context: Context) => {
  beginInvocation(context, gatewayRequestIdOf(event) ?? undefined);
  return await serve(event);
};
