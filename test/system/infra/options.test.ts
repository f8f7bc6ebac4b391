import { expect, test } from "vitest";
import { InvalidOptions, parseOptions } from "../../../infra/options.ts";

const given = (options: Readonly<Record<string, unknown>>) => parseOptions((name) => options[name]);

test("without options the stack is secure", () => {
  expect(given({})).toEqual({
    apiGatewayLogRole: true,
    ephemeral: false,
    tags: {},
    disableExecuteApiEndpoint: false,
    eventWorkers: 20,
    tracing: false,
    stackName: "ReviewApi",
    stage: "live",
    waf: false,
    customerManagedKey: false,
    auditRetentionDays: 400,
    bedrockModelId: "amazon.titan-embed-text-v2:0",
    reservedConcurrency: {},
    pointInTimeRecovery: true,
  });
});

test("text on the command line and values in cdk.json mean the same", () => {
  const text = {
    corsOrigins: "https://a.example, https://b.example",
    keyHeaderNames: "X-Api-Key",
    waf: "true",
    auditRetentionDays: "90",
    reservedConcurrency: "ingest=20, whoami=5",
  };
  const values = {
    corsOrigins: ["https://a.example", "https://b.example"],
    keyHeaderNames: ["x-api-key"],
    waf: true,
    auditRetentionDays: 90,
    reservedConcurrency: { ingest: 20, whoami: 5 },
  };
  expect(given(text)).toEqual(given(values));
});

test.each([
  [{ stackName: "1st" }, "stackName must be 1 to 64 letters"],
  [{ stage: "a b" }, "stage must be 1 to 64 letters"],
  [{ domainName: "api.example.com" }, "domainName goes together with certificateArn"],
  [
    { certificateArn: "arn:aws:acm:eu-west-1:1:certificate/a" },
    "domainName goes together with certificateArn",
  ],
  [{ domainName: "not a host", certificateArn: "arn:aws:acm:x" }, "domainName must be a host name"],
  [{ domainName: "a.example", certificateArn: "arn:aws:iam::1:x" }, "certificateArn must be the ARN"],
  [{ hostedZoneId: "Z1" }, "hostedZoneId is for the record of domainName"],
  [{ basePath: "review" }, "basePath is a path of domainName, which is missing"],
  [{ basePath: "a/b" }, "basePath must be one path segment"],
  [{ disableExecuteApiEndpoint: "true" }, "disableExecuteApiEndpoint needs domainName"],
  [{ bedrockRegion: "Ireland" }, "bedrockRegion must be an AWS region such as eu-west-1"],
  [{ eventWorkers: "1" }, "eventWorkers must be a whole number from 2 to 1000"],
  [{ commit: "a b" }, "commit must be 1 to 64"],
  [{ corsOrigins: "https://a.example/path" }, "corsOrigins.0 must be an origin"],
  [{ corsOrigins: "" }, "corsOrigins.0 must be an origin"],
  [{ keyHeaderNames: "x_key" }, "keyHeaderNames.0 must be a header name"],
  [{ keyHeaderNames: "Host" }, "keyHeaderNames.0 must not be a header with a meaning of its own"],
  [{ tableName: "a b" }, "tableName must be the name of a DynamoDB table"],
  [
    { tags: "aws:x=1" },
    "tags.aws:x must be a list such as team=reviews,costCenter=42, with no key that begins with aws:",
  ],
  [{ platformAccounts: "1234" }, "platformAccounts.0 must be an AWS account id of twelve digits"],
  [{ waf: "yes" }, "waf must be true or false"],
  [{ alarmEmail: "ops" }, "alarmEmail must be an e-mail address"],
  [{ alarmTopicArn: "pager" }, "alarmTopicArn must be the ARN of a standard SNS topic"],
  [
    { alarmTopicArn: "arn:aws:sns:eu-west-1:444455556666:pager.fifo" },
    "alarmTopicArn must be the ARN of a standard SNS topic",
  ],
  [{ auditRetentionDays: "1e2" }, "auditRetentionDays must be a whole number from 1 to 3650"],
  [{ auditRetentionDays: "0" }, "auditRetentionDays must be a whole number from 1 to 3650"],
  [{ bedrockModelId: "cohere.embed-v4:0" }, "bedrockModelId must begin with amazon.titan-embed-text-v2"],
  [{ bedrockModelId: "amazon.titan-embed-text-v1" }, "bedrockModelId must begin with"],
  [{ reservedConcurrency: "nobody=1" }, "reservedConcurrency must name functions out of: "],
  [{ reservedConcurrency: "ingest=0" }, "reservedConcurrency.ingest must be a whole number from 1 to 900"],
  [{ reservedConcurrency: "ingest=19" }, "reservedConcurrency must give ingest at least 20"],
  [
    { reservedConcurrency: "ingest=800,whoami=101" },
    "reservedConcurrency must leave 100 of the account's 1000",
  ],
])("%o is refused with a sentence that names it", (options, sentence) => {
  expect(() => given(options)).toThrow(InvalidOptions);
  expect(() => given(options)).toThrow(sentence);
});

test("all invalid options are reported at once", () => {
  expect(() => given({ waf: "maybe", stage: "-" })).toThrow(/stage must.*waf must/s);
});
