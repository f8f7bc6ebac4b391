import { Stack } from "aws-cdk-lib";
import type { Role } from "aws-cdk-lib/aws-iam";
import { apiGatewayLimits, binaryMediaTypes, functionSettings } from "../../lib/contract/platform.ts";
import type { StackOptions } from "../options.ts";
import { gatewayAnswers, gatewayResponses } from "./gateway-responses.ts";
import type { ServiceFunction } from "./service-function.ts";

type Target = Pick<ServiceFunction, "lambda">;

/** A method of a path, and the function that answers it. */
export type Route = {
  readonly method: string;
  readonly path: string;
  readonly target: Target;
  readonly operationId?: string;
  readonly streaming?: boolean;
};

export type ApiDefinitionProps = {
  readonly routes: readonly Route[];
  /** Answers every path and method that `routes` does not list. */
  readonly fallback: Target;
  /** The role with which the gateway invokes the functions. */
  readonly invokeRole: Role;
  readonly options: StackOptions;
};

type PathItem = Readonly<Record<string, object>>;

/**
 * TLS 1.2 or later: the default endpoint would also accept 1.0. AWS requires an access mode with such a policy. Change
 * it in a release of its own: API Gateway applies it for about 15 minutes and may refuse other updates meanwhile.
 */
export const tls = { securityPolicy: "SecurityPolicy_TLS13_1_2_2021_06", endpointAccessMode: "BASIC" };

/**
 * The API in the form that API Gateway imports: OpenAPI with AWS's extensions. All of it is one resource of the stack;
 * a resource for every path and method would soon reach CloudFormation's limit. It is not the document for callers.
 */
export function apiDefinition({ routes, fallback, invokeRole, options }: ApiDefinitionProps): object {
  const integrate = integrationsWith(invokeRole);
  const paths = new Map<string, PathItem>();
  const add = (path: string, method: string, answered: object) =>
    paths.set(path, { ...paths.get(path), [method]: { ...parametersOf(path), responses: {}, ...answered } });
  for (const { path, method, target, operationId, streaming } of routes)
    add(path, method.toLowerCase(), { ...(operationId && { operationId }), ...integrate(target, streaming) });
  for (const path of ["/", "/{proxy+}", ...routes.flatMap((route) => pathsDownTo(route.path))])
    add(path, "x-amazon-apigateway-any-method", integrate(fallback));
  const endpoint = {
    "x-amazon-apigateway-endpoint-configuration": {
      disableExecuteApiEndpoint: options.disableExecuteApiEndpoint,
    },
  };
  return {
    openapi: "3.0.1",
    info: { title: options.stackName, version: "1" },
    // An import of OpenAPI 3.0 reads the extension here, one of Swagger 2.0 at the top level.
    servers: [{ url: "/", ...endpoint }],
    ...endpoint,
    paths: Object.fromEntries(paths),
    "x-amazon-apigateway-gateway-responses": gatewayResponses(gatewayAnswers(options)),
    "x-amazon-apigateway-binary-media-types": binaryMediaTypes,
    // An import sets what it names. The resource names these too, so that a later import cannot reset them.
    "x-amazon-apigateway-security-policy": tls.securityPolicy,
    "x-amazon-apigateway-endpoint-access-mode": tls.endpointAccessMode,
  };
}

/** The path and every path above it: API Gateway has a resource for each, which needs its own answer. */
const pathsDownTo = (path: string): string[] => {
  const segments = path.split("/").slice(1);
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join("/")}`);
};

function parametersOf(path: string): object {
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name);
  if (names.length === 0) return {};
  return {
    parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
  };
}

/** With one role for all functions: a permission for every method would be one more resource each. */
const integrationsWith =
  (invokeRole: Role) =>
  ({ lambda }: Target, streaming = false): object => {
    const { partition, region } = Stack.of(lambda);
    // Invoking for a stream needs the same right.
    const invocation = streaming
      ? `2021-11-15/functions/${lambda.functionArn}/response-streaming-invocations`
      : `2015-03-31/functions/${lambda.functionArn}/invocations`;
    return {
      "x-amazon-apigateway-integration": {
        type: "aws_proxy",
        httpMethod: "POST",
        uri: `arn:${partition}:apigateway:${region}:lambda:path/${invocation}`,
        credentials: invokeRole.roleArn,
        timeoutInMillis: streaming
          ? functionSettings.streaming.timeoutSeconds * 1_000
          : apiGatewayLimits.integrationMsMax,
        ...(streaming && { responseTransferMode: "STREAM" }),
      },
    };
  };
