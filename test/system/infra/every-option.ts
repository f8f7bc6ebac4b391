import type { StackOptions } from "../../../infra/options.ts";

/**
 * Every option, with another value than its default. The type requires every option: a new one does not compile until it
 * is here. Only `ephemeral` keeps its default: it has a set of its own, because it changes what a stack keeps.
 */
export const everyOption: Readonly<Record<keyof StackOptions, string>> = {
  stackName: "Other",
  stage: "blue",
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:eu-west-1:111122223333:certificate/0a1b",
  basePath: "review",
  disableExecuteApiEndpoint: "true",
  hostedZoneId: "Z0ABC",
  corsOrigins: "https://app.example.com",
  keyHeaderNames: "x-api-key",
  waf: "true",
  customerManagedKey: "true",
  alarmEmail: "ops@example.com",
  alarmTopicArn: "arn:aws:sns:eu-west-1:444455556666:pager",
  auditRetentionDays: "90",
  bedrockModelId: "amazon.titan-embed-text-v2:1",
  bedrockRegion: "eu-central-1",
  reservedConcurrency: "ingest=30",
  eventWorkers: "30",
  apiGatewayLogRole: "false",
  ephemeral: "false",
  tableName: "restored",
  tags: "team=reviews",
  platformAccounts: "444455556666",
  pointInTimeRecovery: "false",
  tracing: "true",
  commit: "0a1b2c3",
};

const { tableName: _, ...withoutTable } = everyOption;

/** The same for a stack of a developer or a pull request, which has its own table. */
export const everyEphemeralOption = { ...withoutTable, ephemeral: "true" };
