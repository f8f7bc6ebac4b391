import { ArnFormat, Stack } from "aws-cdk-lib";
import type { SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import { errorCodes } from "../../lib/contract/errors.ts";
import { mcpRoute } from "../../lib/contract/mcp.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { firewall } from "../../lib/contract/platform.ts";
import type { StackOptions } from "../options.ts";
import { keptLogs } from "./function-logs.ts";
import { fixedHeaders, gatewayAnswers, gatewayBody } from "./gateway-responses.ts";

export type FirewallProps = {
  readonly restApi: SpecRestApi;
  readonly operations: readonly Operation[];
  readonly options: StackOptions;
};

/**
 * The stack option `waf`: blocks known bad addresses and known exploits, and limits the rate of each address. Without
 * AWS's "common" rules: they refuse bodies over 8 KB and text that looks like code, which is what Learnings contain.
 *
 * Learnings, searches and file names are text about code, exploits included. The rules about attacks do not inspect
 * requests to these paths at all, so that no rule that AWS adds later can refuse one.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { restApi, operations, options }: FirewallProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, "WebAcl", {
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: visible("WebAcl"),
      dataProtectionConfig: { dataProtections: hidden(options) },
      customResponseBodies: {
        invalidRequest: { contentType: "APPLICATION_JSON", content: gatewayBody("INVALID_REQUEST") },
      },
      rules: [
        managed(0, { name: "AWSManagedRulesAmazonIpReputationList" }),
        managed(1, {
          name: firewall.knownBadInputs,
          version: firewall.knownBadInputsVersion,
          ...except([...pathsOfFreeText(operations).map(patternOf), mcpPattern]),
        }),
        refusedByManagedRules(2, options),
        callsPerAddress(3),
      ],
    });
    new CfnWebACLAssociation(this, "Association", {
      resourceArn: restApi.deploymentStage.stageArn,
      webAclArn: acl.attrArn,
    });
    addLog(this, acl, restApi);
  }
}

/** Headers in which callers send keys, rightly or by mistake. */
const keyHeaders = ["x-service-api-key", "authorization"];

/** Logs and samples hold neither keys nor query strings. WAF's own redaction would leave the samples alone. */
const hidden = ({ keyHeaderNames = [] }: StackOptions): CfnWebACL.DataProtectProperty[] => [
  {
    action: "SUBSTITUTION",
    field: { fieldType: "SINGLE_HEADER", fieldKeys: [...keyHeaders, ...keyHeaderNames] },
  },
  { action: "SUBSTITUTION", field: { fieldType: "QUERY_STRING" } },
];

/** The requests that the firewall refused. WAF writes only to groups with this prefix. */
function addLog(scope: Construct, acl: CfnWebACL, { restApiId }: SpecRestApi): void {
  const logGroup = new LogGroup(scope, "FirewallLogs", {
    // The API's id makes the name new after a teardown, which keeps the group.
    logGroupName: `aws-waf-logs-${Stack.of(scope).stackName}-${restApiId}`,
    ...keptLogs,
  });
  const { logGroupName } = logGroup;
  new CfnLoggingConfiguration(scope, "Logging", {
    resourceArn: acl.attrArn,
    // Without the `:*` at the end of the group's own ARN, which WAF refuses.
    logDestinationConfigs: [
      Stack.of(scope).formatArn({
        service: "logs",
        resource: "log-group",
        resourceName: logGroupName,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    ],
    loggingFilter: {
      DefaultBehavior: "DROP",
      Filters: [
        {
          Behavior: "KEEP",
          Requirement: "MEETS_ANY",
          Conditions: [{ ActionCondition: { Action: "BLOCK" } }],
        },
      ],
    },
  });
}

const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples store whole requests, except what `hidden` names.
  sampledRequestsEnabled: true,
});

const managed = (
  priority: number,
  group: Omit<CfnWebACL.ManagedRuleGroupStatementProperty, "vendorName">,
): CfnWebACL.RuleProperty => ({
  name: group.name,
  priority,
  // The group only labels its matches. `refusedByManagedRules` blocks them, with an answer of its own.
  overrideAction: { count: {} },
  statement: { managedRuleGroupStatement: { vendorName: "AWS", ...group } },
  visibilityConfig: visible(group.name),
});

/** Parameters in which callers write text or file names. */
const freeTextParameters = ["search", "file"];

/** The paths that receive a Learning's text, a search for one, or a file name. */
const pathsOfFreeText = (operations: readonly Operation[]): readonly string[] => [
  ...new Set(
    operations
      .filter(
        ({ path, body, query }) =>
          (body !== undefined && path.startsWith("/v1/learnings")) ||
          freeTextParameters.some((name) => Object.hasOwn(query?.shape ?? {}, name)),
      )
      .map(({ path }) => path),
  ),
];

/** With any prefix before the path: the stage at API Gateway's own address, a base path at a domain. */
const patternOf = (path: string): string => `${path.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`;

/** At most one segment before it: another path ends in the same segment. */
const mcpPattern = `^(/[^/]+)?${mcpRoute.path}/?$`;

function except(
  patterns: readonly string[],
): Pick<CfnWebACL.ManagedRuleGroupStatementProperty, "scopeDownStatement"> {
  const statements = patterns.map((regexString) => ({
    regexMatchStatement: {
      regexString,
      fieldToMatch: { uriPath: {} },
      textTransformations: [{ priority: 0, type: "NONE" }],
    },
  }));
  const [only, ...others] = statements;
  if (!only) return {};
  const statement = others.length > 0 ? { orStatement: { statements } } : only;
  return { scopeDownStatement: { notStatement: { statement } } };
}

/** Those that AWS itself would block. AWS only counts its third list, so the whole namespace does not fit. */
const refusedLabels: readonly CfnWebACL.LabelMatchStatementProperty[] = [
  { scope: "LABEL", key: "awswaf:managed:aws:amazon-ip-list:AWSManagedIPReputationList" },
  { scope: "LABEL", key: "awswaf:managed:aws:amazon-ip-list:AWSManagedReconnaissanceList" },
  { scope: "NAMESPACE", key: "awswaf:managed:aws:known-bad-inputs:" },
];

/** WAF's own answer: its headers are fixed texts, so it has no request id. */
const refusedByManagedRules = (priority: number, options: StackOptions): CfnWebACL.RuleProperty => ({
  name: "RefusedByManagedRules",
  priority,
  action: {
    block: {
      customResponse: {
        responseCode: errorCodes.INVALID_REQUEST.status,
        customResponseBodyKey: "invalidRequest",
        responseHeaders: Object.entries(fixedHeaders("INVALID_REQUEST", gatewayAnswers(options))).map(
          ([name, value]) => ({ name, value }),
        ),
      },
    },
  },
  statement: {
    orStatement: {
      statements: refusedLabels.map((labelMatchStatement) => ({ labelMatchStatement })),
    },
  },
  visibilityConfig: visible("RefusedByManagedRules"),
});

/** Without a response of its own: the gateway answers with its response WAF_FILTERED, which has a request id. */
const callsPerAddress = (priority: number): CfnWebACL.RuleProperty => ({
  name: "CallsPerAddress",
  priority,
  action: { block: {} },
  statement: {
    rateBasedStatement: {
      aggregateKeyType: "IP",
      limit: firewall.requestsPerAddressMax,
      evaluationWindowSec: firewall.windowSeconds,
    },
  },
  visibilityConfig: visible("CallsPerAddress"),
});
