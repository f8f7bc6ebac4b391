import { environmentVariables } from "../contract/platform.ts";
import { optionalVariable } from "./environment.ts";

/** Fields of every log line about its invocation: the ids that connect the line with AWS's own records. */
export type InvocationFields = {
  /** Functions share log groups. */
  readonly function?: string;
  readonly lambda_request_id?: string;
  readonly gateway_request_id?: string;
  readonly cold_start?: boolean;
  readonly trace_id?: string;
  readonly release?: string;
};

type Invocation = Pick<InvocationFields, "lambda_request_id" | "gateway_request_id" | "cold_start">;

/** Lambda gives a process one invocation at a time. The local service runs several; there the ids refer to nothing. */
let current: Invocation = {};
let isFirst = true;

/**
 * Every handler calls this first. `context` is Lambda's; Lambda's own log lines of the run have the same request id.
 */
export function beginInvocation(context: unknown, gatewayRequestId?: string): void {
  current = {
    ...lambdaRequestIdIn(context),
    ...(gatewayRequestId !== undefined && { gateway_request_id: gatewayRequestId }),
    cold_start: isFirst,
  };
  isFirst = false;
}

export function invocationFields(): InvocationFields {
  const traceId = keptTraceId();
  const release = optionalVariable(environmentVariables.release);
  const name = optionalVariable("AWS_LAMBDA_FUNCTION_NAME");
  return {
    ...(name && { function: name }),
    ...current,
    ...(traceId !== undefined && { trace_id: traceId }),
    ...(release && { release }),
  };
}

const lambdaRequestIdIn = (context: unknown): Pick<InvocationFields, "lambda_request_id"> =>
  typeof context === "object" && context !== null && "awsRequestId" in context
    ? { lambda_request_id: String(context.awsRequestId) }
    : {};

/** Lambda gives every invocation a trace id, but X-Ray keeps only the sampled traces. */
function keptTraceId(): string | undefined {
  const header = optionalVariable("_X_AMZN_TRACE_ID");
  return header?.includes("Sampled=1") ? /Root=([\w-]+)/.exec(header)?.[1] : undefined;
}
