import { ResponseType } from "aws-cdk-lib/aws-apigateway";
import { type ErrorCode, errorCodes, errorPagePath } from "../../lib/contract/errors.ts";
import { firewall } from "../../lib/contract/platform.ts";
import type { StackOptions } from "../options.ts";

/** Our codes replace API Gateway's wording and its 403 for an unknown path; other cases get one of the two defaults. */
const answers: ReadonlyArray<readonly [ResponseType, ErrorCode, retryAfterSeconds?: number]> = [
  [ResponseType.DEFAULT_4XX, "INVALID_REQUEST"],
  [ResponseType.DEFAULT_5XX, "INTERNAL_ERROR"],
  [ResponseType.BAD_REQUEST_BODY, "INVALID_REQUEST"],
  [ResponseType.BAD_REQUEST_PARAMETERS, "INVALID_REQUEST"],
  // Only the firewall's limit for each address; its other refusals are answers of WAF itself.
  [ResponseType.WAF_FILTERED, "RATE_LIMIT_EXCEEDED", firewall.windowSeconds],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, "NOT_FOUND"],
  [ResponseType.RESOURCE_NOT_FOUND, "NOT_FOUND"],
  [ResponseType.REQUEST_TOO_LARGE, "PAYLOAD_TOO_LARGE"],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE"],
  [ResponseType.THROTTLED, "RATE_LIMIT_EXCEEDED"],
  [ResponseType.QUOTA_EXCEEDED, "RATE_LIMIT_EXCEEDED"],
  [ResponseType.INTEGRATION_FAILURE, "SERVICE_UNAVAILABLE"],
  [ResponseType.INTEGRATION_TIMEOUT, "SERVICE_UNAVAILABLE"],
];

/** Gateway responses cannot distinguish paths, so the body has both error shapes: callers read theirs. */
export function gatewayBody(code: ErrorCode): string {
  const problem = { code, message: errorCodes[code].meaning };
  return JSON.stringify({ error: problem, errors: [problem] });
}

/** The headers of an answer that no function gives, whose values do not depend on the request. */
export const fixedHeaders = (
  code: ErrorCode,
  { openToBrowsers, mount }: GatewayAnswers,
): Record<string, string> => ({
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "strict-transport-security": "max-age=63072000; includeSubDomains",
  link: `<${mount}${errorPagePath(code)}>; rel="help"; type="text/html"`,
  // These answers contain no customer data, so any page may read why its call failed.
  ...(openToBrowsers && { "access-control-allow-origin": "*" }),
});

/** Quoted values are literals, the others come from the request's context. */
function gatewayHeaders(
  code: ErrorCode,
  answered: GatewayAnswers,
  retryAfterSeconds: number,
): Record<string, string> {
  const { status } = errorCodes[code];
  const fixed = {
    ...fixedHeaders(code, answered),
    ...((status === 429 || status === 503) && { "retry-after": String(retryAfterSeconds) }),
  };
  const literals = Object.entries(fixed).map(([name, value]) => [name, `'${value}'`] as const);
  return { "x-request-id": "context.requestId", ...Object.fromEntries(literals) };
}

/** The path prefix of the API at the address that the stack publishes. */
export const mountOf = ({ domainName, basePath, stage }: StackOptions): string => {
  const segment = domainName === undefined ? stage : basePath;
  return segment === undefined ? "" : `/${segment}`;
};

export const gatewayAnswers = (options: StackOptions): GatewayAnswers => ({
  openToBrowsers: options.corsOrigins !== undefined,
  mount: mountOf(options),
});

export type GatewayAnswers = {
  readonly openToBrowsers: boolean;
  /** The path prefix of the API: the stage, or a domain's base path, or empty. */
  readonly mount: string;
};

/** By their type, as an import of the API names them. */
export const gatewayResponses = (answered: GatewayAnswers): Readonly<Record<string, object>> =>
  Object.fromEntries(
    answers.map(([{ responseType }, code, retryAfterSeconds = 1]) => [
      responseType,
      {
        statusCode: String(errorCodes[code].status),
        responseParameters: Object.fromEntries(
          Object.entries(gatewayHeaders(code, answered, retryAfterSeconds)).map(([name, value]) => [
            `gatewayresponse.header.${name}`,
            value,
          ]),
        ),
        responseTemplates: { "application/json": gatewayBody(code) },
      },
    ]),
  );
