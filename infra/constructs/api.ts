import { Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import {
  AccessLogFormat,
  AuthorizationType,
  AwsIntegration,
  CfnRestApi,
  EndpointType,
  type Integration,
  type IResource,
  LogGroupLogDestination,
  type Method,
  MethodLoggingLevel,
  ResponseTransferMode,
  RestApi,
} from "aws-cdk-lib/aws-apigateway";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import {
  chainGrants,
  deniedAttributes,
  operationTransactions,
  ownGrants,
} from "../../lib/contract/grants.ts";
import { mcpRoute } from "../../lib/contract/mcp.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import {
  apiGatewayLimits,
  binaryMediaTypes,
  environmentVariables,
  fallbackSource,
  functionSettings,
  retention,
  throttle,
} from "../../lib/contract/platform.ts";
import { referenceRoutes, referenceSource } from "../../lib/contract/reference.ts";
import type { StackOptions } from "../options.ts";
import type { FunctionFactory } from "./function-factory.ts";
import { addGatewayResponses, gatewayAnswers, mountOf } from "./gateway-responses.ts";
import type { ServiceFunction } from "./service-function.ts";

export type ApiProps = {
  readonly functionFactory: FunctionFactory;
  readonly operations: readonly Operation[];
  readonly options: StackOptions;
};

/** The regional REST API: a route and a function for every operation, and one fallback for everything else. */
export class Api extends Construct {
  readonly restApi: RestApi;
  readonly accessLogs: LogGroup;
  readonly functions: ReadonlyMap<string, ServiceFunction>;
  readonly fallback: ServiceFunction;
  readonly mcp: ServiceFunction;
  /** The public address, without a slash at the end. */
  readonly url: string;

  constructor(scope: Construct, id: string, { functionFactory, operations, options }: ApiProps) {
    super(scope, id);
    this.accessLogs = new LogGroup(this, "AccessLogs", {
      retention: retention.logDays,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.restApi = createRestApi(this, this.accessLogs, options);
    const { domainName } = options;
    this.url =
      domainName === undefined
        ? this.restApi.url.replace(/\/$/, "")
        : `https://${domainName}${mountOf(options)}`;
    addGatewayResponses(this.restApi, gatewayAnswers(options));
    const environment = edgeVariables(options);

    this.functions = new Map(
      operations.map((operation) => [
        operation.id,
        operationFunction(this, functionFactory, operation, environment),
      ]),
    );
    // The path is checked before the key, so the fallback needs no table.
    this.fallback = functionFactory.create(this, {
      id: "fallback",
      source: fallbackSource,
      description: "Answers unknown paths and methods",
      ...functionSettings.fallback,
      tableGrants: [],
      environment,
    });

    const reference = functionFactory.create(this, {
      id: "reference",
      source: referenceSource,
      description: "Serves the API reference, the OpenAPI document and the dashboard",
      ...functionSettings.reference,
      tableGrants: [],
      environment: corsVariable(options),
    });

    // It calls the API with the caller's key, so it has no grant at all.
    this.mcp = functionFactory.create(this, {
      id: "mcp",
      source: mcpRoute.source,
      description: `${mcpRoute.method} ${mcpRoute.path}`,
      ...functionSettings.mcp,
      tableGrants: [],
      environment: { ...environment, [environmentVariables.apiUrl]: innerAddress(this.restApi, options) },
    });

    const integrate = createIntegrations(this, [
      ...this.functions.values(),
      this.fallback,
      reference,
      this.mcp,
    ]);
    for (const operation of operations) {
      const target = this.functions.get(operation.id);
      if (target) addRoute(this.restApi, operation, integrate(target, operation.streaming));
    }
    addMcpRoute(this.restApi, integrate(this.mcp));
    addReferenceRoutes(this.restApi, integrate(reference));
    addFallbackRoutes(this.restApi, integrate(this.fallback));
  }
}

type Integrate = (target: ServiceFunction, streaming?: boolean) => Integration;

/**
 * The gateway invokes the functions with one role. CDK's own Lambda integration would add a permission, a resource of
 * the stack, for every method. Invoking for a stream needs the same action.
 */
function createIntegrations(scope: Construct, functions: readonly ServiceFunction[]): Integrate {
  const credentialsRole = new Role(scope, "InvokeRole", {
    assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
    description: "Lets API Gateway invoke the functions of the review API",
    inlinePolicies: {
      Invoke: new PolicyDocument({
        statements: [
          new PolicyStatement({
            actions: ["lambda:InvokeFunction"],
            resources: functions.map(({ lambda }) => lambda.functionArn),
          }),
        ],
      }),
    },
  });
  return ({ lambda }, streaming = false) =>
    new AwsIntegration({
      service: "lambda",
      proxy: true,
      path: streaming
        ? `2021-11-15/functions/${lambda.functionArn}/response-streaming-invocations`
        : `2015-03-31/functions/${lambda.functionArn}/invocations`,
      options: {
        credentialsRole,
        ...(streaming
          ? {
              responseTransferMode: ResponseTransferMode.STREAM,
              timeout: Duration.seconds(functionSettings.streaming.timeoutSeconds),
            }
          : { timeout: Duration.millis(apiGatewayLimits.integrationMsMax) }),
      },
    });
}

/**
 * The address at which a function of the API calls it. It names no stage resource: the stage needs the deployment, which
 * needs every method and so every function. At the domain only if the API's own address is closed.
 */
const innerAddress = (restApi: RestApi, options: StackOptions): string => {
  const { region, urlSuffix } = Stack.of(restApi);
  return options.disableExecuteApiEndpoint
    ? `https://${options.domainName}${mountOf(options)}`
    : `https://${restApi.restApiId}.execute-api.${region}.${urlSuffix}/${options.stage}`;
};

const corsVariable = ({ corsOrigins }: StackOptions) => ({
  [environmentVariables.corsOrigins]: corsOrigins?.join(","),
});

const edgeVariables = (options: StackOptions) => ({
  ...corsVariable(options),
  [environmentVariables.keyHeaderNames]: options.keyHeaderNames?.join(","),
});

function createRestApi(scope: Construct, accessLogs: LogGroup, options: StackOptions): RestApi {
  const restApi = new RestApi(scope, "RestApi", {
    restApiName: options.stackName,
    description: "Review metrics, Learnings and administration",
    endpointTypes: [EndpointType.REGIONAL],
    binaryMediaTypes: [...binaryMediaTypes],
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

/** TLS 1.2 or later: the default endpoint would also accept 1.0. AWS requires an access mode with such a policy. */
function requireModernTls({ node: { defaultChild } }: RestApi): void {
  if (!CfnRestApi.isCfnRestApi(defaultChild)) throw new TypeError("Missing the REST API; this is a bug.");
  defaultChild.securityPolicy = "SecurityPolicy_TLS13_1_2_2021_06";
  defaultChild.endpointAccessMode = "BASIC";
}

/** API Gateway would create this log group itself at the first error and keep it forever. */
function addExecutionLogs(scope: Construct, restApi: RestApi, stage: string): void {
  const logGroup = new LogGroup(scope, "ExecutionLogs", {
    logGroupName: `API-Gateway-Execution-Logs_${restApi.restApiId}/${stage}`,
    retention: retention.logDays,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
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
    tableGrants: [...chainGrants, ...ownGrants(operation)],
    deniedAttributes: deniedAttributes(operation),
    ...operationTransactions(operation),
    ...(operation.uses && { uses: operation.uses }),
    environment,
  });
}

function addRoute(restApi: RestApi, operation: Operation, integration: Integration): void {
  const method = restApi.root.resourceForPath(operation.path).addMethod(operation.method, integration, {
    operationName: operation.id,
    authorizationType: AuthorizationType.NONE,
    requestParameters: pathParametersOf(operation.path),
  });
  acknowledgeMethod(method, "The function authenticates the key in x-service-api-key; see lib/access.");
}

const pathParametersOf = (path: string): Record<string, boolean> =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [`method.request.path.${name}`, true]),
  );

function addMcpRoute(restApi: RestApi, integration: Integration): void {
  const method = restApi.root.resourceForPath(mcpRoute.path).addMethod(mcpRoute.method, integration, {
    authorizationType: AuthorizationType.NONE,
  });
  acknowledgeMethod(method, "The function passes the key on to the API, which authenticates it.");
}

function addReferenceRoutes(restApi: RestApi, integration: Integration): void {
  for (const { method, path } of referenceRoutes) {
    const made = restApi.root.resourceForPath(path).addMethod(method, integration, {
      authorizationType: AuthorizationType.NONE,
      requestParameters: pathParametersOf(path),
    });
    acknowledgeMethod(
      made,
      "The reference and the dashboard are public: they hold no data, and a page reads it with the key it is given.",
    );
  }
}

/** `ANY` on every resource answers 405, on `{proxy+}` and the root 404; no method uses a mock. */
function addFallbackRoutes(restApi: RestApi, integration: Integration): void {
  restApi.root.addResource("{proxy+}");
  for (const resource of resourcesOf(restApi.root)) {
    const method = resource.addMethod("ANY", integration, { authorizationType: AuthorizationType.NONE });
    acknowledgeMethod(method, "Answers 404, 405 or a preflight request and touches no data.");
  }
}

function resourcesOf(root: IResource): IResource[] {
  const children = root.node.children.filter(isResource);
  return [root, ...children.flatMap(resourcesOf)];
}

const isResource = (construct: object): construct is IResource =>
  "addMethod" in construct && "path" in construct;

function acknowledgeMethod(method: Method, reason: string): void {
  Validations.of(method).acknowledge(
    { id: "AwsSolutions-APIG4", reason },
    { id: "AwsSolutions-COG4", reason },
  );
}

function acknowledgeApi(restApi: RestApi, { waf, apiGatewayLogRole }: StackOptions): void {
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
