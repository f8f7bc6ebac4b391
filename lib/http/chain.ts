import type { MiddyfiedHandler } from "@middy/core";
import type httpJsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Answer, Check, Middleware } from "./middleware/middleware.ts";
import type { OperationResult } from "./operation-result.ts";

declare const bodyIsRead: unique symbol;
/** Shows the compiler that `event.body` is parsed, or that the operation takes no body. No value has this field. */
export type BodyIsRead = { readonly [bodyIsRead]: true };
type BodySteps<Has> = [accept: Check<Has>, parse: ReturnType<typeof httpJsonBodyParser>];

/** middy with narrower types: here, a chain in the wrong order or without a step does not compile. */
export type Chain<Has> = {
  use<Adds>(middleware: Middleware<Has, Adds>): Chain<Has & Adds>;
  use(bodySteps: BodySteps<Has> | []): Chain<Has & BodyIsRead>;
  handler(run: (event: APIGatewayProxyEvent, context: Context & Has) => Promise<OperationResult>): void;
};

export type ChainHandler = MiddyfiedHandler<APIGatewayProxyEvent, Answer, Error, Context>;

export const chain = (handler: ChainHandler): Chain<unknown> => handler;
