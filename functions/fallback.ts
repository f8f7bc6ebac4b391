import type { APIGatewayProxyEvent } from "aws-lambda";
import { operations } from "../lib/contract/operations.ts";
import { referenceRoutes } from "../lib/contract/reference.ts";
import { answerUnrouted } from "../lib/http/fallback.ts";

/** Everything that is neither an operation of the contract nor its reference ends here. */
export const handler = async (event: APIGatewayProxyEvent) =>
  answerUnrouted([...operations, ...referenceRoutes], event);
