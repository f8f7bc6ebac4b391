import type { Request } from "@middy/core";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { OperationResult } from "../operation-result.ts";
import type { HandlerResult } from "../respond.ts";

/** The operation returns the first; the last `after` and `onError` replace it by the second. */
export type Answer = OperationResult | HandlerResult;

/** middy's request, whose context has what the steps before have added. */
export type ChainRequest<Has> = Request<APIGatewayProxyEvent, Answer, Error, Context & Has>;

type Hook<Has> = (request: ChainRequest<Has>) => void | Promise<void>;

/** A middy middleware that needs `Needs` in the context and adds nothing. */
export type Check<Needs> = { readonly before: Hook<Needs> };

/** A middy middleware that needs `Needs` in the context and adds `Adds`. After an error, anything may be missing. */
export type Middleware<Needs, Adds> = {
  readonly before: AddingHook<Needs, Adds>;
  readonly after?: Hook<Needs & Adds>;
  readonly onError?: Hook<Partial<Needs & Adds>>;
};

type Additions<Needs, Adds> = (request: ChainRequest<Needs>) => Adds | Promise<Adds>;
type AddingHook<Needs, Adds> = Hook<Needs> & { readonly additions: Additions<Needs, Adds> };

/** Adds what `additions` returns to the context. middy would send a value that a hook itself returns as the answer. */
export function adds<Needs, Adds extends object>(additions: Additions<Needs, Adds>): AddingHook<Needs, Adds> {
  const hook: Hook<Needs> = async (request) => {
    Object.assign(request.context, await additions(request));
  };
  return Object.assign(hook, { additions });
}
