import { Duration, Validations } from "aws-cdk-lib";
import { type PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { allow, functionRole } from "./roles.ts";

export type ServiceFunctionProps = {
  readonly code: Code;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** Variables without a value are left out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly statements: readonly PolicyStatement[];
  /** Shared: the names of its streams contain the function's name. */
  readonly logGroup: LogGroup;
  readonly reservedConcurrency: number | undefined;
  readonly tracing: boolean;
};

/**
 * One Lambda with its own role; the role allows what `statements` say, logging, and tracing if it is on. Its policy is
 * inline, and CDK cannot add to it: a policy of its own would be one more resource of the stack for each function.
 */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const statements = [
      allow(["logs:CreateLogStream", "logs:PutLogEvents"], props.logGroup.logGroupArn),
      ...props.statements,
      ...(props.tracing ? [allow(["xray:PutTraceSegments", "xray:PutTelemetryRecords"], "*")] : []),
    ];
    const role = functionRole(this, "Role", statements, `${id} of the review API`);
    // By its ARN: a function that is given the role itself also names it in DependsOn, which says nothing new.
    const givenRole = Role.fromRoleArn(this, "GivenRole", role.roleArn, { mutable: false });
    this.lambda = new LambdaFunction(this, "Function", {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: "index.handler",
      code: props.code,
      timeout: Duration.seconds(props.timeoutSeconds),
      memorySize: props.memoryMegabytes,
      environment: withValues(props.environment),
      role: givenRole,
      logGroup: props.logGroup,
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
