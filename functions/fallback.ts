import type { APIGatewayProxyEvent } from "aws-lambda";
import { operations } from "../lib/contract/operations.ts";
import { answerUnrouted } from "../lib/http/fallback.ts";

/** Everything that is no operation of the contract ends here. */
export const handler = async (event: APIGatewayProxyEvent) => answerUnrouted(operations, event);
