import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import { firewall } from "../../lib/contract/platform.ts";
import { gatewayBody } from "./gateway-responses.ts";

/**
 * The stack option `waf`: known bad addresses, known exploits, and a bound for each address. Not AWS's
 * "common" rules: they refuse bodies over 8 KB and text that looks like code, which is what Learnings are.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, restApi: RestApi) {
    super(scope, id);
    const acl = new CfnWebACL(this, "WebAcl", {
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: visible("WebAcl"),
      customResponseBodies: {
        tooManyRequests: { contentType: "APPLICATION_JSON", content: gatewayBody("RATE_LIMIT_EXCEEDED") },
      },
      rules: [
        managed(0, "AWSManagedRulesAmazonIpReputationList", []),
        managed(1, "AWSManagedRulesKnownBadInputsRuleSet", bodyRules),
        callsPerAddress(2),
      ],
    });
    new CfnWebACLAssociation(this, "Association", {
      resourceArn: restApi.deploymentStage.stageArn,
      webAclArn: acl.attrArn,
    });
  }
}

/** A Learning may well be about these exploits: in bodies they are counted, not refused. */
const bodyRules = ["JavaDeserializationRCE_BODY", "Log4JRCE_BODY"];

const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples keep whole requests, keys included.
  sampledRequestsEnabled: false,
});

const managed = (priority: number, name: string, counted: readonly string[]): CfnWebACL.RuleProperty => ({
  name,
  priority,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: "AWS",
      name,
      ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  visibilityConfig: visible(name),
});

const callsPerAddress = (priority: number): CfnWebACL.RuleProperty => ({
  name: "CallsPerAddress",
  priority,
  action: {
    block: {
      customResponse: {
        responseCode: 429,
        customResponseBodyKey: "tooManyRequests",
        responseHeaders: [{ name: "retry-after", value: String(firewall.windowSeconds) }],
      },
    },
  },
  statement: {
    rateBasedStatement: {
      aggregateKeyType: "IP",
      limit: firewall.requestsPerAddressMax,
      evaluationWindowSec: firewall.windowSeconds,
    },
  },
  visibilityConfig: visible("CallsPerAddress"),
});
