import { App, CfnOutput, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { ApiDefinition, RestApiMode, SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import { AttributeType, BillingMode, Table } from "aws-cdk-lib/aws-dynamodb";
import type { Role } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { tableShape } from "../lib/contract/table.ts";
import { requireModernTls } from "./constructs/api.ts";
import { type ApiDefinitionProps, apiDefinition, type Route } from "./constructs/api-definition.ts";
import { attributesDenied, tableStatements } from "./constructs/grants.ts";
import { functionRole, invokeRole } from "./constructs/roles.ts";
import { parseOptions } from "./options.ts";

/** Outputs of the stack that `npm run prove` makes. */
export const proofOutputs = {
  closedApiId: "ClosedApiId",
  closedUrl: "ClosedUrl",
  openUrl: "OpenUrl",
  tableName: "TableName",
  transactionFunction: "TransactionFunction",
  throttledFunction: "ThrottledFunction",
  functionRoleArn: "FunctionRoleArn",
} as const;

/** Partitions and an attribute of the proof's role. */
export const proofGrants = { partitions: ["A#", "B#"], deniedAttribute: "plan" } as const;

const answering = "exports.handler = async () => ({ statusCode: 200, body: '{}' });";

/** The runtime has AWS's SDK. Returns "done", or the name of AWS's error. */
const transacting = `const sdk = require("@aws-sdk/client-dynamodb");
const client = new sdk.DynamoDBClient();
exports.handler = ({ command, input }) =>
  client.send(new sdk[command](input)).then(() => "done", (error) => error.name);`;

/** The bytes of the streamed answer. */
export const streamedBytes = 16 * 1024 ** 2;
const streaming = `exports.handler = awslambda.streamifyResponse(async (event, stream) => {
  const head = { statusCode: 200, headers: { "content-type": "application/octet-stream" } };
  const out = awslambda.HttpResponseStream.from(stream, head);
  for (let part = 0; part < 16; part++) out.write(Buffer.alloc(${streamedBytes / 16}, "x"));
  out.end();
});`;

/**
 * A small stack of what only AWS can show, from the same parts as the service: the import of an API with a TLS policy and
 * a closed endpoint, a role with conditions on keys and attributes, a function without concurrency, a streamed answer.
 */
export function proofTemplate(stackName: string, closedPath: string): object {
  const app = new App({ analyticsReporting: false });
  const stack = new Stack(app, stackName);
  const table = new Table(stack, "Table", {
    partitionKey: { name: tableShape.partitionKey, type: AttributeType.STRING },
    sortKey: { name: tableShape.sortKey, type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  // No role may write logs: a log group would stay.
  const reads = tableStatements(table.tableArn, [{ actions: ["GetItem"], partitions: ["A#"] }]);
  const role = functionRole(stack, "FunctionRole", reads);
  const answers = inlineFunction(stack, "Answering", answering, { role });
  const throttled = inlineFunction(stack, "Throttled", answering, { role, reservedConcurrentExecutions: 0 });
  const streams = inlineFunction(stack, "Streaming", streaming, { role });
  const transacts = inlineFunction(stack, "Transacting", transacting, {
    role: functionRole(stack, "TransactingRole", [
      ...tableStatements(table.tableArn, [
        { actions: ["PutItem"], partitions: proofGrants.partitions, inside: "TransactWriteItems" },
      ]),
      ...attributesDenied(table.tableArn, [proofGrants.deniedAttribute]),
    ]),
  });
  const shared = {
    fallback: { lambda: answers },
    invokeRole: invokeRole(
      stack,
      [answers, throttled, streams].map(({ functionArn }) => functionArn),
    ),
  };
  const route = (path: string, lambda: LambdaFunction, isStreamed = false): Route => ({
    method: "GET",
    path,
    target: { lambda },
    streaming: isStreamed,
  });
  const openRoutes = [route("/throttled", throttled), route("/streamed", streams, true)];
  const closed = proofApi(stack, "Closed", { ...shared, routes: [route(closedPath, answers)] });
  const open = proofApi(stack, "Open", { ...shared, routes: openRoutes });
  const values: Readonly<Record<keyof typeof proofOutputs, string>> = {
    closedApiId: closed.restApiId,
    closedUrl: closed.url,
    openUrl: open.url,
    tableName: table.tableName,
    transactionFunction: transacts.functionName,
    throttledFunction: throttled.functionName,
    functionRoleArn: role.roleArn,
  };
  for (const [name, id] of Object.entries(proofOutputs))
    new CfnOutput(stack, id, { value: Reflect.get(values, name) });
  // It has no assets, so the account need not be bootstrapped.
  const { Parameters: _, Rules: __, ...template } = app.synth().getStackByName(stackName).template;
  return template;
}

const inlineFunction = (
  stack: Stack,
  id: string,
  code: string,
  props: { readonly role: Role; readonly reservedConcurrentExecutions?: number },
) =>
  new LambdaFunction(stack, id, {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: "index.handler",
    code: Code.fromInline(code),
    timeout: Duration.seconds(60),
    memorySize: 1769,
    ...props,
  });

function proofApi(stack: Stack, id: "Closed" | "Open", definition: Omit<ApiDefinitionProps, "options">) {
  const isClosed = id === "Closed";
  const options = parseOptions(
    (name) => ({ stackName: `${stack.stackName}-${id}`, ...(isClosed && closedOptions) })[name],
  );
  const api = new SpecRestApi(stack, id, {
    apiDefinition: ApiDefinition.fromInline(apiDefinition({ ...definition, options })),
    mode: RestApiMode.OVERWRITE,
    restApiName: options.stackName,
    disableExecuteApiEndpoint: isClosed,
    // An account has one logging role, which is not the proof's.
    cloudWatchRole: false,
    deployOptions: { stageName: options.stage },
  });
  requireModernTls(api);
  return api;
}

/** A closed endpoint needs a domain, which the proof does not make. */
const closedOptions: Readonly<Record<string, unknown>> = {
  disableExecuteApiEndpoint: true,
  domainName: "closed.example.com",
  certificateArn: "arn:aws:acm:us-east-1:111122223333:certificate/0a1b",
};
