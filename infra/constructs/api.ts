import { RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import {
  AccessLogFormat,
  ApiDefinition,
  CfnRestApi,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApiMode,
  SpecRestApi,
} from "aws-cdk-lib/aws-apigateway";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { deniedAttributes, operationGrants } from "../../lib/contract/grants.ts";
import { mcpRoute } from "../../lib/contract/mcp.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import {
  environmentVariables,
  fallbackSource,
  functionSettings,
  throttle,
} from "../../lib/contract/platform.ts";
import { referenceRoutes, referenceSource } from "../../lib/contract/reference.ts";
import type { StackOptions } from "../options.ts";
import { type ApiDefinitionProps, apiDefinition, type Route, tls } from "./api-definition.ts";
import type { FunctionFactory, FunctionProps } from "./function-factory.ts";
import { keptLogs } from "./function-logs.ts";
import { mountOf } from "./gateway-responses.ts";
import { invokeRole } from "./roles.ts";
import type { ServiceFunction } from "./service-function.ts";

export type ApiProps = {
  readonly functionFactory: FunctionFactory;
  readonly operations: readonly Operation[];
  readonly options: StackOptions;
};

/** The regional REST API: a route and a function for every operation, and one fallback for everything else. */
export class Api extends Construct {
  readonly restApi: SpecRestApi;
  readonly accessLogs: LogGroup;
  readonly functions: ReadonlyMap<string, ServiceFunction>;
  readonly fallback: ServiceFunction;
  readonly mcp: ServiceFunction;
  /** The public address, without a slash at the end. */
  readonly url: string;

  constructor(scope: Construct, id: string, { functionFactory, operations, options }: ApiProps) {
    super(scope, id);
    this.accessLogs = new LogGroup(this, "AccessLogs", keptLogs);
    const environment = edgeVariables(options);
    // The edge's functions read no table: the fallback answers before the key is checked, and the others need none.
    const create = (id: string, props: Omit<FunctionProps, "id" | "tableGrants">) =>
      functionFactory.create(this, { id, tableGrants: [], ...props });

    this.functions = new Map(
      operations.map((operation) => [
        operation.id,
        operationFunction(this, functionFactory, operation, environment),
      ]),
    );
    this.fallback = create("fallback", {
      source: fallbackSource,
      description: "Answers unknown paths and methods",
      ...functionSettings.fallback,
      environment,
    });
    const reference = create("reference", {
      source: referenceSource,
      description: "Serves the API reference, the OpenAPI document and the dashboard",
      ...functionSettings.reference,
      environment: corsVariable(options),
    });
    // It calls the API with the caller's key.
    this.mcp = create("mcp", {
      source: mcpRoute.source,
      description: `${mcpRoute.method} ${mcpRoute.path}`,
      ...functionSettings.mcp,
      environment: { ...environment, [environmentVariables.apiUrl]: innerAddress(this, options) },
    });

    const called = [...this.functions.values(), this.fallback, reference, this.mcp];
    const arns = called.map(({ lambda }) => lambda.functionArn);
    this.restApi = createRestApi(this, this.accessLogs, options, {
      routes: [
        ...operationRoutes(operations, this.functions),
        { method: mcpRoute.method, path: mcpRoute.path, target: this.mcp },
        ...referenceRoutes.map(({ method, path }) => ({ method, path, target: reference })),
      ],
      fallback: this.fallback,
      invokeRole: invokeRole(this, arns, "Lets API Gateway invoke the functions of the review API"),
      options,
    });
    const { domainName } = options;
    this.url =
      domainName === undefined
        ? this.restApi.url.replace(/\/$/, "")
        : `https://${domainName}${mountOf(options)}`;
  }
}

const operationRoutes = (
  operations: readonly Operation[],
  functions: ReadonlyMap<string, ServiceFunction>,
): Route[] =>
  operations.flatMap(({ id: operationId, method, path, streaming }) => {
    const target = functions.get(operationId);
    return target ? [{ method, path, target, operationId, streaming }] : [];
  });

/**
 * The address at which a function of the API calls it. The function puts the API's id in: the template cannot, because
 * the API names its functions. At the domain only if the API's own address is closed.
 */
const innerAddress = (scope: Construct, options: StackOptions): string => {
  const { region, urlSuffix } = Stack.of(scope);
  return options.disableExecuteApiEndpoint
    ? `https://${options.domainName}${mountOf(options)}`
    : `https://${mcpRoute.apiIdPlaceholder}.execute-api.${region}.${urlSuffix}/${options.stage}`;
};

const corsVariable = ({ corsOrigins }: StackOptions) => ({
  [environmentVariables.corsOrigins]: corsOrigins?.join(","),
});

const edgeVariables = (options: StackOptions) => ({
  ...corsVariable(options),
  [environmentVariables.keyHeaderNames]: options.keyHeaderNames?.join(","),
});

function createRestApi(
  scope: Construct,
  accessLogs: LogGroup,
  options: StackOptions,
  definition: ApiDefinitionProps,
): SpecRestApi {
  const restApi = new SpecRestApi(scope, "RestApi", {
    apiDefinition: ApiDefinition.fromInline(apiDefinition(definition)),
    // A path that leaves the definition leaves the API.
    mode: RestApiMode.OVERWRITE,
    restApiName: options.stackName,
    description: "Review metrics, Learnings and administration",
    endpointTypes: [EndpointType.REGIONAL],
    disableExecuteApiEndpoint: options.disableExecuteApiEndpoint,
    // Logging needs the account's logging role. The role is always retained: CloudFormation cannot reset the account's
    // setting, and a setting that names a deleted role would stop the logs of every other API in the account.
    cloudWatchRole: options.apiGatewayLogRole,
    ...(options.apiGatewayLogRole && {
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
    }),
    deployOptions: {
      stageName: options.stage,
      throttlingRateLimit: throttle.requestsPerSecond,
      throttlingBurstLimit: throttle.burstRequests,
      accessLogDestination: new LogGroupLogDestination(accessLogs),
      accessLogFormat: accessLogFormat,
      // Execution logs of errors only: with data tracing they would contain keys and bodies.
      loggingLevel: MethodLoggingLevel.ERROR,
      dataTraceEnabled: false,
      // Metrics of the whole API are free; these would be four for every method, each charged.
      metricsEnabled: false,
      tracingEnabled: options.tracing,
    },
  });
  requireModernTls(restApi);
  addExecutionLogs(scope, restApi, options.stage);
  // Replaced by our own output, which includes the custom domain.
  restApi.node.tryRemoveChild("Endpoint");
  acknowledgeApi(restApi, options);
  return restApi;
}

export function requireModernTls({ node: { defaultChild } }: SpecRestApi): void {
  if (!CfnRestApi.isCfnRestApi(defaultChild)) throw new TypeError("Missing the REST API; this is a bug.");
  Object.assign(defaultChild, tls);
}

/** API Gateway would create this log group itself at the first error and keep it forever. */
function addExecutionLogs(scope: Construct, restApi: SpecRestApi, stage: string): void {
  const logGroup = new LogGroup(scope, "ExecutionLogs", {
    logGroupName: `API-Gateway-Execution-Logs_${restApi.restApiId}/${stage}`,
    ...keptLogs,
  });
  restApi.deploymentStage.node.addDependency(logGroup);
}

/** No query string, header or user agent: cursors and keys stay out of the logs, and every line stays valid JSON. */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: "$context.requestId",
    extendedRequestId: "$context.extendedRequestId",
    // Both are Lambda's id of the invocation; the second is also present if no function answered.
    lambdaRequestId: "$context.integration.requestId",
    awsEndpointRequestId: "$context.awsEndpointRequestId",
    traceId: "$context.xrayTraceId",
    time: "$context.requestTimeEpoch",
    ip: "$context.identity.sourceIp",
    method: "$context.httpMethod",
    resource: "$context.resourcePath",
    status: "$context.status",
    responseBytes: "$context.responseLength",
    latencyMs: "$context.responseLatency",
    integrationLatencyMs: "$context.integrationLatency",
    integrationStatus: "$context.integration.status",
    // Of Lambda itself: 429 if it had no free place for the call.
    lambdaStatus: "$context.integrationStatus",
    gatewayError: "$context.error.responseType",
  }),
);

function operationFunction(
  scope: Construct,
  functionFactory: FunctionFactory,
  operation: Operation,
  environment: Readonly<Record<string, string | undefined>>,
): ServiceFunction {
  return functionFactory.create(scope, {
    id: operation.id,
    source: operation.source,
    description: `${operation.method} ${operation.path}`,
    ...(operation.streaming ? functionSettings.streaming : functionSettings.operation),
    tableGrants: operationGrants(operation),
    deniedAttributes: deniedAttributes(operation),
    ...(operation.uses && { uses: operation.uses }),
    environment,
  });
}

function acknowledgeApi(restApi: SpecRestApi, { waf, apiGatewayLogRole }: StackOptions): void {
  Validations.of(restApi).acknowledge({
    id: "AwsSolutions-APIG2",
    reason: "The functions check every request against the contract, and answer all its problems at once.",
  });
  if (apiGatewayLogRole)
    Validations.of(restApi.node.findChild("CloudWatchRole")).acknowledge({
      id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
      reason: "API Gateway takes one logging role for an account's APIs, and AWS keeps this policy for it.",
    });
  if (!waf)
    Validations.of(restApi.deploymentStage).acknowledge({
      id: "AwsSolutions-APIG3",
      reason: "A web application firewall is a stack option (waf), off unless the operator pays for it.",
    });
}
