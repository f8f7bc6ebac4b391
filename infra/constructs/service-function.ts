import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import { type PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { retention } from "../../lib/contract/platform.ts";

export type ServiceFunctionProps = {
  readonly code: Code;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** Variables without a value are left out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly statements: readonly PolicyStatement[];
  readonly reservedConcurrency: number | undefined;
  readonly tracing: boolean;
};

/**
 * One Lambda with its own role and log group; the role allows what `statements` say, logging, and tracing if it is on.
 */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, "Logs", {
      retention: retention.logDays,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      description: `${id} of the review API`,
    });
    logGroup.grantWrite(role);
    for (const statement of props.statements) role.addToPolicy(statement);
    this.lambda = new LambdaFunction(this, "Function", {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: "index.handler",
      code: props.code,
      timeout: Duration.seconds(props.timeoutSeconds),
      memorySize: props.memoryMegabytes,
      environment: withValues(props.environment),
      role,
      logGroup,
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
      ...(props.tracing && { tracing: Tracing.ACTIVE }),
    });
    if (!props.tracing) return;
    Validations.of(role).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason: "X-Ray has no resources: its two actions can only be granted on all of them.",
    });
  }
}

function withValues(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) values[name] = value;
  return values;
}
