import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import * as z from "zod";
import { ReviewApiError } from "../client/client.ts";
import { ApiError, unauthorized } from "../contract/api-error.ts";
import { type ErrorCode, errorCodes } from "../contract/errors.ts";
import { mcpLimits, mcpRoute } from "../contract/mcp.ts";
import { environmentVariables, functionSettings } from "../contract/platform.ts";
import { isNestedDeeper } from "../http/body.ts";
import { corsHeaders, isForeignOrigin } from "../http/cors.ts";
import { type Deadline, openDeadline } from "../http/deadline.ts";
import { renderError, toApiError } from "../http/errors.ts";
import {
  baseHeaders,
  headerValues,
  helpHeader,
  keyHeaderValues,
  keyOrBearerOf,
  requestIdOf,
  sourceIpOf,
} from "../http/headers.ts";
import { requireJsonText } from "../http/middleware/accept-body.ts";
import { logRequest } from "../http/request-line.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { requiredVariable } from "../runtime/environment.ts";
import { describeError } from "../runtime/log.ts";
import { type Random, systemRandom } from "../runtime/random.ts";
import { caller } from "./access.ts";
import { Api } from "./api.ts";
import { isTimeout, isUnreachable } from "./result.ts";
import { createServer } from "./server.ts";
import { toolOf } from "./tools.ts";

/** A message of JSON-RPC, as far as this service must know it; the protocol's own code checks the rest. */
const message = z.looseObject({
  method: z.string().optional(),
  id: z.unknown().optional(),
  params: z.looseObject({ name: z.unknown().optional() }).optional(),
});
type Message = z.output<typeof message>;

/** What the function uses besides the event; tests control them. */
export type McpDeps = {
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: typeof globalThis.fetch;
};

const systemDeps: McpDeps = { clock: systemClock, random: systemRandom, fetch: globalThis.fetch };

/** Answers `POST /mcp`. Everything that needs a right is a call of the API with the caller's key. */
export async function serveMcp(
  event: APIGatewayProxyEvent,
  context: Pick<Context, "getRemainingTimeInMillis">,
  deps: McpDeps = systemDeps,
): Promise<APIGatewayProxyResult> {
  const { clock, random } = deps;
  const deadline = openDeadline(clock, functionSettings.operation.work, context.getRemainingTimeInMillis());
  const opened = { requestId: requestIdOf(event, random), startedAtMs: clock.nowMs() };
  const { requestId } = opened;
  const own = { ...baseHeaders(requestId), ...corsHeaders(event) };
  // The API sees this function's address: only this line tells the caller's.
  const fields: Record<string, unknown> = { ip_address: sourceIpOf(event) };
  try {
    const body = readMessage(event);
    const { method, params } = message.catch({}).parse(body);
    Object.assign(fields, { mcp_method: knownText(method), tool: toolNameOf(params?.name) });
    const { status, headers, text } = await answer(event, body, { requestId, deadline, deps });
    logRequest(clock, opened, { status }, { fields });
    return { statusCode: status, headers: { ...own, ...headers }, body: text };
  } catch (thrown) {
    const error = toApiError(fromApi(thrown), requestId);
    const { status, headers, body } = renderError(error, mcpRoute.path);
    const cause = status >= 500 ? { cause: describeError(error.cause ?? error) } : {};
    logRequest(clock, opened, { status, error }, { fields: { ...fields, ...cause } });
    return {
      statusCode: status,
      headers: { ...own, ...headers, ...helpHeader(event, error.code) },
      body: body.toString(),
    };
  } finally {
    deadline.dispose();
  }
}

type Call = { readonly requestId: string; readonly deadline: Deadline; readonly deps: McpDeps };

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

async function answer(
  event: APIGatewayProxyEvent,
  body: unknown,
  { requestId, deadline, deps }: Call,
): Promise<Answer> {
  const api = new Api({
    baseUrl: addressOf(event),
    key: requiredKey(event),
    requestId,
    fetch: deps.fetch,
    signal: deadline.hardDeadline,
    wrapUpSignal: deadline.softDeadline,
  });
  const parsed = message.catch({}).parse(body);
  const described = needsCaller(parsed) ? await describeCaller(api) : undefined;
  const server = createServer({ api, requestId, caller: described });
  const response = await exchange(server, protocolRequest(event), body);
  const text = await response.text();
  // Arguments are refused before the API sees the key: a key that does not exist must not learn about them.
  if (parsed.id !== undefined && !api.wasAsked) await describeCaller(api);
  if (api.refusedKey) throw new ApiError("UNAUTHORIZED", unauthorized);
  if (api.fault !== undefined) throw api.fault;
  if (Buffer.byteLength(text) > mcpLimits.answerBytesMax)
    throw new ApiError(
      "RESPONSE_TOO_LARGE",
      `The response would have more than ${mcpLimits.answerBytesMax} bytes. Ask for less, and send a shorter id.`,
    );
  const type = response.headers.get("content-type");
  return { status: response.status, headers: type === null ? {} : { "content-type": type }, text };
}

/** The package's own handler answers clients of 2025 with an event stream, so they get a transport that answers JSON. */
async function exchange(server: Server, request: Request, body: unknown): Promise<Response> {
  if (!(await isLegacyRequest(request, body)))
    return await createMcpHandler(() => server, {
      legacy: "reject",
      maxSubscriptions: 0,
      keepAliveMs: 0,
    }).fetch(request, { parsedBody: body });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return await transport.handleRequest(request, { parsedBody: body });
}

/**
 * Only the protocol's own headers: no code of a package sees the key. Every answer is JSON, so every `accept` is as good
 * as the one that the package wants.
 */
const protocolRequest = (event: APIGatewayProxyEvent): Request => {
  const headers = Object.keys(event.multiValueHeaders ?? {})
    .filter((name) => /^(?:content-type|mcp-[a-z-]+)$/i.test(name))
    .map((name): [string, string] => [name, headerValues(event, name).join(", ")]);
  headers.push(["accept", "application/json, text/event-stream"]);
  return new Request(`https://service${mcpRoute.path}`, { method: mcpRoute.method, headers });
};

/** The API's own address. Of the request it uses only the API's id, which the gateway sets and no caller can choose. */
const addressOf = ({ requestContext }: APIGatewayProxyEvent): string =>
  requiredVariable(environmentVariables.apiUrl).replace(mcpRoute.apiIdPlaceholder, () => {
    const { apiId } = requestContext;
    if (!/^[a-z0-9]+$/.test(apiId)) throw new RangeError("The gateway must name the API.");
    return apiId;
  });

function readMessage(event: APIGatewayProxyEvent): unknown {
  const home = new URL(addressOf(event));
  const ownOrigins = [
    home.origin,
    `http://localhost:${home.port}`,
    `https://${event.requestContext?.domainName}`,
  ];
  if (isForeignOrigin(event, ownOrigins))
    throw new ApiError("ORIGIN_FORBIDDEN", "A page of another origin must not call this address.");
  requiredKey(event);
  requireJsonText(event, mcpLimits.bodyBytesMax);
  const parsed = parseJson(
    Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8").toString(),
  );
  if (Array.isArray(parsed))
    throw new ApiError("INVALID_REQUEST", "body: must be one JSON-RPC message; batches are not taken.");
  if (isNestedDeeper(parsed, mcpLimits.nestingMax))
    throw new ApiError(
      "INVALID_REQUEST",
      `body: objects and lists may be nested ${mcpLimits.nestingMax} deep. No tool takes more.`,
    );
  return parsed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError("INVALID_REQUEST", "body: is not valid JSON.");
  }
}

const oneHeader =
  "Send the key in one header, not in two: in x-service-api-key, or in Authorization as a bearer token.";

function requiredKey(event: APIGatewayProxyEvent): string {
  const key = keyOrBearerOf(event);
  if (key !== undefined && /^[ -~]+$/.test(key)) return key;
  const sent = [...headerValues(event, "authorization"), ...keyHeaderValues(event)];
  throw new ApiError("UNAUTHORIZED", sent.length > 1 ? oneHeader : unauthorized);
}

/** The API authenticates a tool call itself, and a notification has no answer. Everything else counts as one whoami. */
const needsCaller = ({ method, id, params }: Message): boolean =>
  id !== undefined && !(method === "tools/call" && toolNameOf(params?.name) !== undefined);

const describeCaller = async (api: Api) => caller.parse(await (await api.send("whoami", {})).json());

const toolNameOf = (name: unknown): string | undefined =>
  typeof name === "string" && toolOf(name) ? name : undefined;

/** The log holds no text of callers. */
const knownText = (method: string | undefined): string | undefined =>
  method !== undefined && /^[a-zA-Z/_]{1,64}$/.test(method) ? method : undefined;

/** The API's answer to whoami is this answer, too. */
function fromApi(error: unknown): unknown {
  if (error instanceof ReviewApiError) {
    const { code, message: sentence, retryAfterSeconds } = error;
    if (isErrorCode(code))
      return new ApiError(code, sentence, retryAfterSeconds === null ? {} : { retryAfterSeconds });
  }
  return isUnreachable(error) || error instanceof ReviewApiError || isTimeout(error)
    ? new ApiError("SERVICE_UNAVAILABLE", "The service cannot answer right now. Retry the same request.", {
        cause: error,
      })
    : error;
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code);
