import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";

export const allow = (actions: string[], ...resources: string[]): PolicyStatement =>
  new PolicyStatement({ actions, resources });

/** A role whose only policy is inline: a policy of its own would be one more resource of the stack for each role. */
export const functionRole = (
  scope: Construct,
  id: string,
  statements: PolicyStatement[],
  description?: string,
): Role =>
  new Role(scope, id, {
    assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    ...(description && { description }),
    inlinePolicies: { Access: new PolicyDocument({ statements }) },
  });

/** The role with which API Gateway invokes functions. */
export const invokeRole = (scope: Construct, functionArns: string[], description?: string): Role =>
  new Role(scope, "InvokeRole", {
    assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
    ...(description && { description }),
    inlinePolicies: {
      Invoke: new PolicyDocument({ statements: [allow(["lambda:InvokeFunction"], ...functionArns)] }),
    },
  });
