import { environmentVariables } from "../contract/platform.ts";
import { optionalVariable } from "./environment.ts";

/** What every log line says of the invocation that wrote it: the ids that lead to and from AWS's own records. */
export type InvocationFields = {
  readonly lambda_request_id?: string;
  readonly gateway_request_id?: string;
  readonly cold_start?: boolean;
  readonly trace_id?: string;
  readonly release?: string;
};

type Invocation = Pick<InvocationFields, "lambda_request_id" | "gateway_request_id" | "cold_start">;

/** Lambda gives a process one invocation at a time. The local service runs several; there the ids lead nowhere. */
let current: Invocation = {};
let isFirst = true;

/** Every handler begins with this. `context` is Lambda's, whose request id Lambda's own lines of the run carry. */
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
  return { ...current, ...(traceId !== undefined && { trace_id: traceId }), ...(release && { release }) };
}

const lambdaRequestIdIn = (context: unknown): Pick<InvocationFields, "lambda_request_id"> =>
  typeof context === "object" && context !== null && "awsRequestId" in context
    ? { lambda_request_id: String(context.awsRequestId) }
    : {};

/** Lambda names a trace for every invocation, and X-Ray keeps only the sampled ones. */
function keptTraceId(): string | undefined {
  const header = optionalVariable("_X_AMZN_TRACE_ID");
  return header?.includes("Sampled=1") ? /Root=([\w-]+)/.exec(header)?.[1] : undefined;
}
