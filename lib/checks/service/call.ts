import * as z from "zod";
import type { ErrorCode } from "../../contract/errors.ts";
import type { Operation } from "../../contract/operation.ts";
import type { OperationId } from "../../contract/operations.ts";
import { systemClock } from "../../runtime/clock.ts";
import { CheckFailed } from "./check.ts";

export type CallAnswer = {
  readonly status: number;
  readonly text: string;
  readonly requestId: string | null;
};
export type CallRequest = {
  readonly key: string;
  /** The path and the query; without it, the path with names of things that do not exist. */
  readonly target?: string;
  readonly body?: object;
};

const answerMsMax = 60_000;

/** The JSON of an answer that matches the contract. */
export async function callSuccessfully(
  baseUrl: string,
  operation: Operation,
  request: CallRequest,
): Promise<unknown> {
  const { status, schema } = operation.answer;
  const { text } = await callExpecting(String(status), baseUrl, operation, request);
  if (text === "") return undefined;
  const json = parse(operation, text);
  const problem = schema?.safeParse(json).error;
  if (problem)
    throw new CheckFailed(
      `The answer is not what the contract says: ${problem.issues[0]?.path.join(".")}. The deployed release is ` +
        "not the release of this checkout: deploy this checkout, or run verify from the checkout of the deployed release.",
    );
  return json;
}

/** After a 429 waits for one full window of the rate limit: another run may have used it up. */
export async function callExpecting(
  status: string,
  baseUrl: string,
  operation: Operation,
  request: CallRequest,
): Promise<CallAnswer> {
  let answer = await send(baseUrl, operation, request);
  if (answer.status === 429) {
    await systemClock.sleep(operation.rateLimit.windowSeconds * 1000);
    answer = await send(baseUrl, operation, request);
  }
  if (String(answer.status) !== status) throw unexpected(operation, answer, status);
  return answer;
}

export function parse({ id }: Operation, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CheckFailed(
      `${id} answered ${text.length} characters that are not whole JSON: ${text.slice(0, 100)} A proxy or a firewall may ` +
        "have changed the answer: call the stack's ApiUrl from another network.",
    );
  }
}

async function send(baseUrl: string, { method, path }: Operation, request: CallRequest): Promise<CallAnswer> {
  const url = `${baseUrl}${request.target ?? path.replaceAll(/\{\w+\}/g, "none")}`;
  const headers = {
    ...(request.key && { "x-service-api-key": request.key }),
    ...(request.body && { "content-type": "application/json" }),
    // The largest possible answer: nothing is compressed.
    "accept-encoding": "identity",
  };
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(request.body && { body: JSON.stringify(request.body) }),
      signal: AbortSignal.timeout(answerMsMax),
      redirect: "error",
    });
    const text = await response.text();
    return { status: response.status, text, requestId: response.headers.get("x-request-id") };
  } catch (error) {
    const reason =
      error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : "";
    throw new CheckFailed(
      `${method} ${url} got no answer (${reason}). Is the service deployed and reachable from here?`,
    );
  }
}

const trace = 'docs/operate/runbook.md, "From a request id to its trace"';

const problem = z.object({ code: z.string(), message: z.string() });
const refusal = z.union([
  z.object({ error: problem }).transform(({ error }) => error),
  z.object({ errors: z.tuple([problem], problem) }).transform(({ errors: [first] }) => first),
]);

/** The service's error for a refused call; undefined if the answer does not come from the service. */
function refusalIn(text: string): z.output<typeof problem> | undefined {
  try {
    return refusal.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** What to do about an unexpected status. */
function advice({ id }: Operation, { status, requestId }: CallAnswer, code: string | undefined): string {
  const needsEmbedding = id === ("searchLearnings" satisfies OperationId) && status === 503;
  if (needsEmbedding || code === ("INDEX_REFRESH_FAILED" satisfies ErrorCode))
    return "The embedding model did not answer: first repair what the check of the embedding reports.";
  if (status >= 500)
    return (
      `The log of the function ${id} says why: look for request ${requestId} (${trace}). AccessDenied there means a missing ` +
      "grant. No line there means that API Gateway answered by itself: the access log says why."
    );
  if (status === 429) return "Other callers use up the limit of this key: run verify again in a minute.";
  if (status === 403 || status === 404 || status === 405)
    return `Either an older release is deployed, or something before the function answers (a firewall, a proxy, another base path). Request ${requestId}: ${trace}.`;
  return `Look for request ${requestId} in the log of the function ${id} (${trace}).`;
}

function unexpected(operation: Operation, answer: CallAnswer, wanted: string): CheckFailed {
  const said = refusalIn(answer.text);
  const words = said ? `${said.code}: ${said.message.replace(/\.$/, "")}` : answer.text.slice(0, 200);
  return new CheckFailed(
    `${operation.id} answered ${answer.status} instead of ${wanted} (${words}). ${advice(operation, answer, said?.code)}`,
  );
}
