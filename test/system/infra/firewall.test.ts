import { describe, expect, test } from "vitest";
import * as z from "zod";
import { errorCodes } from "../../../lib/contract/errors.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { pathOf } from "../../../lib/contract/requests.ts";
import { baseHeaders } from "../../../lib/http/headers.ts";
import { absent } from "../../support/subject.ts";
import { gatewayResponsesOf, properties, type StackTemplate } from "./support.ts";
import { synthesize } from "./synthesize.ts";

const pattern = z.object({
  RegexMatchStatement: z.object({
    RegexString: z.string(),
    FieldToMatch: z.object({ UriPath: z.object({}) }),
  }),
});
const groupSchema = z.object({
  VendorName: z.literal("AWS"),
  Name: z.string(),
  Version: z.string().optional(),
  ScopeDownStatement: z
    .object({
      NotStatement: z.object({
        Statement: z.object({ OrStatement: z.object({ Statements: z.array(pattern) }) }),
      }),
    })
    .optional(),
});
const aclSchema = z.object({
  Rules: z.array(
    z.object({
      Name: z.string(),
      Priority: z.number(),
      Action: z.unknown().optional(),
      OverrideAction: z.unknown().optional(),
      Statement: z.object({
        ManagedRuleGroupStatement: groupSchema.optional(),
        RateBasedStatement: z.unknown().optional(),
        OrStatement: z.unknown().optional(),
      }),
    }),
  ),
});

const labelsSchema = z.object({
  Statements: z.array(
    z.object({ LabelMatchStatement: z.object({ Scope: z.enum(["LABEL", "NAMESPACE"]), Key: z.string() }) }),
  ),
});

const blockSchema = z.object({
  Block: z.object({
    CustomResponse: z.object({
      ResponseCode: z.number(),
      CustomResponseBodyKey: z.string(),
      ResponseHeaders: z.array(z.object({ Name: z.string(), Value: z.string() })),
    }),
  }),
});

/** The rules in the form that CloudFormation receives. */
const aclOf = (template: StackTemplate) => aclSchema.parse(properties(template, "WebAcl"));
const { Rules: rules } = aclOf(synthesize({ waf: "true" }));
const ruleOf = (template: StackTemplate, name: string) =>
  aclOf(template).Rules.find(({ Name }) => Name === name);
const groups = rules.flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement ?? []);

/**
 * Rules of AWS's groups, as "Baseline rule groups" and "IP reputation rule groups" of its WAF guide name them. Written
 * by hand: the expected exceptions are not derived from what the stack renders.
 */
const awsRules: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesAmazonIpReputationList: [
    ...["AWSManagedIPReputationList", "AWSManagedReconnaissanceList", "AWSManagedIPDDoSList"],
  ],
  AWSManagedRulesKnownBadInputsRuleSet: [
    ...["JavaDeserializationRCE_HEADER", "JavaDeserializationRCE_BODY", "JavaDeserializationRCE_URIPATH"],
    ...["JavaDeserializationRCE_QUERYSTRING", "Host_localhost_HEADER", "PROPFIND_METHOD"],
    ...["ExploitablePaths_URIPATH", "Log4JRCE_HEADER", "Log4JRCE_QUERYSTRING", "Log4JRCE_BODY"],
    ...["Log4JRCE_URIPATH", "ReactJSRCE_BODY"],
  ],
};

/** The prefix of the labels of each group, as the same pages name it. */
const addresses = "awswaf:managed:aws:amazon-ip-list:";
const badInputs = "awswaf:managed:aws:known-bad-inputs:";
/** The only rule that AWS itself sets to Count. */
const countedByAws = "AWSManagedIPDDoSList";

/** Names of the rules that inspect a request to this path. */
const rulesThatSee = (uriPath: string): readonly string[] =>
  groups.flatMap(({ Name, ScopeDownStatement }) => {
    const exempt = ScopeDownStatement?.NotStatement.Statement.OrStatement.Statements ?? [];
    const isSeen = !exempt.some(({ RegexMatchStatement }) =>
      new RegExp(RegexMatchStatement.RegexString).test(uriPath),
    );
    return isSeen ? (awsRules[Name] ?? [`${Name} is unknown`]) : [];
  });

const aboutAddresses = awsRules.AWSManagedRulesAmazonIpReputationList ?? [];
const all = Object.values(awsRules).flat();

const learning = absent.learning_id;
/** Requests whose text is the caller's own: Learnings, and searches by text or by a file's name. Written by hand. */
const freeText = [
  "/v1/learnings",
  "/v1/learnings/search",
  `/v1/learnings/${learning}`,
  `/v1/learnings/${learning}/approval`,
  "/v1/audit-logs",
  "/mcp",
];
const paths = new Set(operations.map((operation) => pathOf(operation, absent)));
const everythingElse = [
  ...paths.difference(new Set(freeText)),
  ...["/", "/docs", "/v1/nowhere", "/v1/learnings-of-others", "/v1/learnings/a/b/c"],
];

describe("the firewall", () => {
  test("the firewall has two groups of AWS, a rule that refuses their labels, a rate limit for each address", () => {
    expect(rules.map(({ Name }) => Name)).toEqual([
      "AWSManagedRulesAmazonIpReputationList",
      "AWSManagedRulesKnownBadInputsRuleSet",
      "RefusedByManagedRules",
      "CallsPerAddress",
    ]);
    expect(groups.map(({ Name }) => Name)).toEqual(Object.keys(awsRules));
  });

  test("the firewall pins the version of each group that AWS numbers", () => {
    const versions = Object.fromEntries(groups.map(({ Name, Version }) => [Name, Version]));
    expect(versions).toEqual({
      // AWS numbers all its groups except the lists of addresses.
      AWSManagedRulesAmazonIpReputationList: undefined,
      // The version with ReactJSRCE_BODY; public configurations use it and Version_1.25.
      AWSManagedRulesKnownBadInputsRuleSet: "Version_1.24",
    });
  });

  test("AWS's groups only label requests; a rule after them refuses what AWS itself would block", () => {
    const [list, inputs, refusal, limit] = rules;
    expect([list?.OverrideAction, inputs?.OverrideAction]).toEqual([{ Count: {} }, { Count: {} }]);
    const priorities = rules.map(({ Priority }) => Priority);
    expect(priorities).toEqual([0, 1, 2, 3]);
    expect(limit?.Statement.RateBasedStatement).toBeDefined();
    const { Statements } = labelsSchema.parse(refusal?.Statement.OrStatement);
    const isRefused = (label: string) =>
      Statements.some(({ LabelMatchStatement: { Scope, Key } }) =>
        Scope === "NAMESPACE" ? label.startsWith(Key) : label === Key,
      );
    const labels = [
      ...aboutAddresses.map((rule) => `${addresses}${rule}`),
      ...all.filter((rule) => !aboutAddresses.includes(rule)).map((rule) => `${badInputs}${rule}`),
    ];
    expect(labels.filter((label) => !isRefused(label))).toEqual([`${addresses}${countedByAws}`]);
    expect(isRefused("awswaf:managed:aws:known-bad-inputs-of-others:Rule")).toBe(false);
  });

  test("the refusal by AWS's rules is a 400 with the headers of every answer except the request id", () => {
    const { "x-request-id": _, ...fixed } = baseHeaders("any");
    const answerOf = (template: StackTemplate) => {
      const { Block } = blockSchema.parse(ruleOf(template, "RefusedByManagedRules")?.Action);
      const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } = Block.CustomResponse;
      const { CustomResponseBodies } = z
        .object({ CustomResponseBodies: z.record(z.string(), z.unknown()) })
        .parse(properties(template, "WebAcl"));
      return {
        status: ResponseCode,
        body: CustomResponseBodies[CustomResponseBodyKey],
        headers: Object.fromEntries(ResponseHeaders.map(({ Name, Value }) => [Name, Value])),
      };
    };
    const problem = { code: "INVALID_REQUEST", message: errorCodes.INVALID_REQUEST.meaning };
    const link = '</live/docs/errors/INVALID_REQUEST>; rel="help"; type="text/html"';
    const answer = {
      status: 400,
      body: {
        ContentType: "APPLICATION_JSON",
        Content: JSON.stringify({ error: problem, errors: [problem] }),
      },
      headers: { ...fixed, link },
    };
    expect(answerOf(synthesize({ waf: "true" }))).toEqual(answer);
    expect(answerOf(synthesize({ waf: "true", corsOrigins: "https://app.example.com" }))).toEqual({
      ...answer,
      headers: { ...answer.headers, "access-control-allow-origin": "*" },
    });
  });

  test("an address that calls too often gets the gateway's 429, with its request id and Retry-After", () => {
    const template = synthesize({ waf: "true" });
    expect(ruleOf(template, "CallsPerAddress")?.Action).toEqual({ Block: {} });
    const others = aclOf(template).Rules.filter(({ Action }) => JSON.stringify(Action) === '{"Block":{}}');
    expect(others.map(({ Name }) => Name)).toEqual(["CallsPerAddress"]);
    expect(gatewayResponsesOf(template).get("WAF_FILTERED")).toMatchObject({
      statusCode: "429",
      responseParameters: {
        "gatewayresponse.header.x-request-id": "context.requestId",
        "gatewayresponse.header.retry-after": "'300'",
      },
    });
  });

  test.each(freeText)(
    "only rules about addresses inspect %s, whatever its body or query contains, at any address",
    (path) => {
      for (const before of ["", "/live", "/review"])
        for (const after of ["", "/"])
          expect(rulesThatSee(`${before}${path}${after}`)).toEqual(aboutAddresses);
    },
  );

  test.each(everythingElse)("every rule inspects %s", (path) => {
    expect(rulesThatSee(path)).toEqual(all);
  });

  test("free text is sent to paths of operations and to MCP only", () => {
    expect(freeText.filter((path) => !paths.has(path))).toEqual(["/mcp"]);
  });
});

describe("what the firewall stores", () => {
  const template = synthesize({ waf: "true", keyHeaderNames: "x-api-key" });
  const acl = properties(template, "WebAcl");

  test("logs and samples hide keys and query strings, by the protection that covers both", () => {
    expect(acl.DataProtectionConfig).toEqual({
      DataProtections: [
        {
          Action: "SUBSTITUTION",
          Field: {
            FieldType: "SINGLE_HEADER",
            FieldKeys: ["x-service-api-key", "authorization", "x-api-key"],
          },
        },
        { Action: "SUBSTITUTION", Field: { FieldType: "QUERY_STRING" } },
      ],
    });
  });

  test("every rule keeps samples of what it refuses", () => {
    const stored = JSON.stringify(acl).match(/"SampledRequestsEnabled":\w+/g);
    expect(new Set(stored)).toEqual(new Set(['"SampledRequestsEnabled":true']));
    expect(stored).toHaveLength(rules.length + 1);
  });

  test("refused requests are logged for 90 days, in a group with the name that WAF requires", () => {
    expect(properties(template, "FirewallLogs")).toMatchObject({ RetentionInDays: 90 });
    expect(JSON.stringify(properties(template, "FirewallLogs").LogGroupName)).toContain("aws-waf-logs-");
    const logging = properties(template, "Logging");
    expect(logging).toMatchObject({
      ResourceArn: { "Fn::GetAtt": ["WebAcl", "Arn"] },
      LoggingFilter: {
        DefaultBehavior: "DROP",
        Filters: [{ Behavior: "KEEP", Conditions: [{ ActionCondition: { Action: "BLOCK" } }] }],
      },
    });
    expect(JSON.stringify(logging.LogDestinationConfigs)).toMatch(/:log-group:.*FirewallLogs/);
    expect(JSON.stringify(logging.LogDestinationConfigs)).not.toContain(":*");
  });
});
