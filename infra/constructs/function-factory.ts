import { Stack, Validations } from "aws-cdk-lib";
import type { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Code } from "aws-cdk-lib/aws-lambda";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { TableGrant } from "../../lib/contract/grants.ts";
import { environmentVariables } from "../../lib/contract/platform.ts";
import type { WorkerResource } from "../../lib/contract/workers.ts";
import type { StackOptions } from "../options.ts";
import type { Data } from "./data.ts";
import { attributesDenied, tableStatements } from "./grants.ts";
import type { Ingestion } from "./ingestion.ts";
import { allow } from "./roles.ts";
import { ServiceFunction, type ServiceFunctionProps } from "./service-function.ts";

/** Where a function's code comes from: its bundle, or a small placeholder in tests. */
export type CodeOf = (source: string) => Code;

export type FunctionProps = Pick<
  ServiceFunctionProps,
  "description" | "timeoutSeconds" | "memoryMegabytes"
> & {
  /** Id in the contract; names the construct and the reserved concurrency. */
  readonly id: string;
  readonly source: string;
  readonly tableGrants: readonly TableGrant[];
  /** Attributes of the table's items that it may not write. */
  readonly deniedAttributes?: readonly string[];
  readonly uses?: readonly WorkerResource[];
  readonly environment?: ServiceFunctionProps["environment"];
};

export type FunctionFactoryProps = {
  readonly data: Data;
  readonly ingestion: Ingestion;
  readonly codeOf: CodeOf;
  /** The release of each function, by its source; log lines include it. */
  readonly releases?: ReadonlyMap<string, string>;
  readonly options: StackOptions;
  readonly logGroup: LogGroup;
  /** The public address of the API, for functions that call it. */
  readonly apiUrl?: string;
};

type Provision = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly statements: readonly PolicyStatement[];
};

/** Creates the stack's functions: shared settings are here, individual settings come with the props. */
export class FunctionFactory {
  readonly #props: FunctionFactoryProps;

  constructor(props: FunctionFactoryProps) {
    this.#props = props;
  }

  create(scope: Construct, props: FunctionProps): ServiceFunction {
    const { codeOf, options, data, logGroup } = this.#props;
    const { uses = [], tableGrants } = props;
    const provisions = uses.map((resource) => this.#provide(scope, resource));
    const made = new ServiceFunction(scope, constructName(props.id), {
      code: codeOf(props.source),
      description: props.description,
      timeoutSeconds: props.timeoutSeconds,
      memoryMegabytes: props.memoryMegabytes,
      environment: {
        [environmentVariables.metricsNamespace]: options.stackName,
        [environmentVariables.release]: this.#props.releases?.get(props.source),
        ...(tableGrants.some(({ actions }) => actions.length > 0) && this.#tableVariables()),
        ...Object.assign({}, ...provisions.map(({ environment }) => environment)),
        ...props.environment,
      },
      statements: [
        ...tableStatements(data.table.arn, tableGrants),
        ...attributesDenied(data.table.arn, props.deniedAttributes ?? []),
        ...provisions.flatMap(({ statements }) => statements),
      ],
      logGroup,
      reservedConcurrency: options.reservedConcurrency[props.id],
      tracing: options.tracing,
    });
    if (uses.includes("eventsBucket")) acknowledgeObjects(made);
    return made;
  }

  #tableVariables(): Record<string, string> {
    return {
      [environmentVariables.tableName]: this.#props.data.table.name,
      [environmentVariables.auditRetentionDays]: String(this.#props.options.auditRetentionDays),
    };
  }

  #provide(scope: Construct, resource: WorkerResource): Provision {
    const { options, ingestion } = this.#props;
    const { deadLetterQueue, eventsBucket } = ingestion;
    switch (resource) {
      case "eventsQueue":
        // The event source mapping reads the queue with the function's role.
        return {
          environment: {},
          statements: [
            allow(
              ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
              ingestion.eventsQueue.queueArn,
            ),
          ],
        };
      case "deadLetterQueue":
        return {
          environment: { [environmentVariables.deadLetterQueueUrl]: deadLetterQueue.queueUrl },
          statements: [allow(["sqs:SendMessage"], deadLetterQueue.queueArn)],
        };
      case "eventsBucket":
        return {
          environment: { [environmentVariables.eventsBucket]: eventsBucket.bucketName },
          // Without permission to list, a missing object looks like a forbidden one and would always be retried.
          statements: [
            allow(["s3:GetObject"], eventsBucket.arnForObjects("*")),
            allow(["s3:ListBucket"], eventsBucket.bucketArn),
          ],
        };
      case "publicApi":
        return {
          environment: { [environmentVariables.apiUrl]: this.#props.apiUrl },
          statements: [],
        };
      case "embedder":
        return {
          environment: {
            [environmentVariables.bedrockModelId]: options.bedrockModelId,
            ...(options.bedrockRegion !== undefined && {
              [environmentVariables.bedrockRegion]: options.bedrockRegion,
            }),
          },
          statements: [allow(["bedrock:InvokeModel"], modelArn(scope, options))],
        };
    }
  }
}

const constructName = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1);

const modelArn = (
  scope: Construct,
  { bedrockModelId: modelId, bedrockRegion: region }: StackOptions,
): string =>
  Stack.of(scope).formatArn({
    service: "bedrock",
    account: "",
    ...(region !== undefined && { region }),
    resource: "foundation-model",
    resourceName: modelId,
  });

function acknowledgeObjects(made: ServiceFunction): void {
  Validations.of(made).acknowledge({
    id: "AwsSolutions-IAM5[Resource::<EventsBucket.Arn>/*]",
    reason:
      "An event names its object, so the worker may read any object of this bucket, and only of this one.",
  });
}
