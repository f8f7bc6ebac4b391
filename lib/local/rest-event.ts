import type { APIGatewayProxyEvent } from "aws-lambda";
import { type Clock, toTimestamp } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { Match } from "./routes.ts";

export type RestRequest = {
  readonly method: string;
  /** As received: percent-encoded, with the query. */
  readonly target: string;
  /** Name, value, name, value, in the received order and case. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceAddress: string;
  readonly port: number;
};

export type EventOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly stage: string;
  /** Media types whose bodies are base64-encoded between gateway and function. */
  readonly binaryMediaTypes: readonly string[];
};

/** Headers of a single connection, or set by the gateway itself: they never reach a function. */
const droppedHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-forwarded-port",
  "x-forwarded-proto",
]);

export const pathOf = (target: string): string => target.split("?", 1)[0] ?? "/";

/** A REST API (version 1) proxy event, as API Gateway would create it from this request. */
export function restEvent(request: RestRequest, match: Match, options: EventOptions): APIGatewayProxyEvent {
  const path = pathOf(request.target);
  const headers = collect(headerPairs(request));
  const query = collect([...new URLSearchParams(request.target.slice(path.length))]);
  const isBase64Encoded =
    request.body.length > 0 &&
    isBinary(lastOf(headers, "content-type") ?? "application/json", options.binaryMediaTypes);
  return {
    resource: match.resource,
    path,
    httpMethod: request.method,
    headers: headers.single ?? {},
    multiValueHeaders: headers.multi ?? {},
    queryStringParameters: query.single,
    multiValueQueryStringParameters: query.multi,
    pathParameters: Object.keys(match.pathParameters).length > 0 ? { ...match.pathParameters } : null,
    stageVariables: null,
    requestContext: requestContext(request, match, lastOf(headers, "user-agent") ?? null, options),
    body: request.body.length === 0 ? null : request.body.toString(isBase64Encoded ? "base64" : "utf8"),
    isBase64Encoded,
  };
}

function requestContext(
  request: RestRequest,
  match: Match,
  userAgent: string | null,
  { clock, random, stage }: EventOptions,
): APIGatewayProxyEvent["requestContext"] {
  const nowMs = clock.nowMs();
  return {
    accountId: "000000000000",
    apiId: "local",
    authorizer: null,
    domainName: "127.0.0.1",
    extendedRequestId: Buffer.from(random.bytes(11)).toString("base64"),
    httpMethod: request.method,
    identity: {
      accessKey: null,
      accountId: null,
      apiKey: null,
      apiKeyId: null,
      caller: null,
      clientCert: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: request.sourceAddress,
      user: null,
      userAgent,
      userArn: null,
    },
    path: pathOf(request.target),
    protocol: "HTTP/1.1",
    requestId: random.uuid(),
    requestTime: commonLogTime(toTimestamp(nowMs)),
    requestTimeEpoch: nowMs,
    resourceId: "local",
    resourcePath: match.resource,
    stage,
  };
}

function headerPairs({
  rawHeaders,
  sourceAddress,
  port,
}: RestRequest): ReadonlyArray<readonly [string, string]> {
  const pairs: Array<readonly [string, string]> = [];
  const forwardedFor: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const value = rawHeaders[index + 1] ?? "";
    // The caller's own list of forwarders comes first; it is not verified, so nothing may trust it.
    if (name.toLowerCase() === "x-forwarded-for") forwardedFor.push(value);
    else if (!droppedHeaders.has(name.toLowerCase())) pairs.push([name, value]);
  }
  return [
    ...pairs,
    ["X-Forwarded-For", [...forwardedFor, sourceAddress].join(", ")],
    ["X-Forwarded-Port", String(port)],
    ["X-Forwarded-Proto", "http"],
  ];
}

type Maps = {
  readonly single: Record<string, string> | null;
  readonly multi: Record<string, string[]> | null;
};

/** The single-value map keeps the last value, the other map keeps all; without any value both are null. */
function collect(pairs: Iterable<readonly [string, string]>): Maps {
  // A null prototype, so that a parameter named __proto__ is an ordinary name.
  const single: Record<string, string> = Object.create(null);
  const multi: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    single[name] = value;
    const values = multi[name];
    if (values) values.push(value);
    else multi[name] = [value];
  }
  return Object.keys(single).length > 0 ? { single, multi } : { single: null, multi: null };
}

const lastOf = ({ single }: Maps, lowerCaseName: string): string | undefined =>
  Object.entries(single ?? {}).findLast(([name]) => name.toLowerCase() === lowerCaseName)?.[1];

export function isBinary(contentType: string, binaryMediaTypes: readonly string[]): boolean {
  const mediaType = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  return binaryMediaTypes.some(
    (type) =>
      type === "*/*" ||
      type === mediaType ||
      (type.endsWith("/*") && mediaType.startsWith(type.slice(0, -1))),
  );
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** 2026-11-15T02:03:04.000Z is 15/Nov/2026:02:03:04 +0000 in access logs and in events. */
function commonLogTime(timestamp: string): string {
  const month = months[Number(timestamp.slice(5, 7)) - 1];
  return `${timestamp.slice(8, 10)}/${month}/${timestamp.slice(0, 4)}:${timestamp.slice(11, 19)} +0000`;
}
