import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import { type StackOptions, stackTags } from "../../../infra/options.ts";
import { tableShape } from "../../contract/table.ts";
import type { AwsIdentity } from "../../runtime/aws-identity.ts";
import { OperatorError } from "../../runtime/operator-error.ts";

/** The option `tableName`: a restore does not bring back all settings of a table. Names each one with its command. */
export async function checkRestoredTable(
  identity: AwsIdentity,
  tableName: string,
  options: StackOptions,
): Promise<void> {
  const client = new DynamoDBClient(identity);
  try {
    const table = await describe(client, tableName);
    const problems = [
      ...shapeProblems(table),
      ...vectorIndexProblems(table),
      ...(table.DeletionProtectionEnabled || options.ephemeral
        ? []
        : [`it can be deleted: ${command("update-table", tableName)} --deletion-protection-enabled`]),
      ...(await expiryProblems(client, tableName)),
      ...(options.pointInTimeRecovery ? await recoveryProblems(client, tableName) : []),
      ...(await tagProblems(client, table.TableArn ?? "", stackTags(options))),
    ];
    if (problems.length > 0)
      throw new OperatorError(`The table ${tableName} is not ready; ${problems.join("; ")}.`);
  } finally {
    client.destroy();
  }
}

const command = (verb: string, tableName: string): string => `aws dynamodb ${verb} --table-name ${tableName}`;

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription> {
  try {
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }));
    return Table;
  } catch (error) {
    if (error instanceof Error && error.name === "ResourceNotFoundException")
      throw new OperatorError(`There is no table ${TableName} in this account and region. Check tableName.`);
    throw error;
  }
}

function shapeProblems({ TableStatus, KeySchema = [], BillingModeSummary }: TableDescription): string[] {
  const keys = KeySchema.map(({ AttributeName }) => AttributeName).join(", ");
  const { partitionKey, sortKey } = tableShape;
  return [
    ...(TableStatus === "ACTIVE" ? [] : [`its status is ${TableStatus}: wait until it is ACTIVE`]),
    ...(keys === `${partitionKey}, ${sortKey}`
      ? []
      : [`its keys are ${keys}: it is not a table of this service`]),
    ...(BillingModeSummary?.BillingMode === "PAY_PER_REQUEST"
      ? []
      : [
          "it is not on demand, which vector indexes require: restore with --billing-mode-override PAY_PER_REQUEST",
        ]),
  ];
}

function vectorIndexProblems({ VectorIndexes = [] }: TableDescription): string[] {
  const { name, dimensions } = tableShape.vectorIndex;
  const index = VectorIndexes.find(({ IndexName }) => IndexName === name);
  if (!index) return [`it has no vector index ${name}: restore again, without an override of indexes`];
  if (index.Dimensions !== dimensions)
    return [`its vector index has ${index.Dimensions} dimensions instead of ${dimensions}`];
  if (index.IndexStatus !== "ACTIVE" || index.Backfilling)
    return [`its vector index is ${index.IndexStatus}${index.Backfilling ? " and backfilling" : ""}: wait`];
  return [];
}

async function expiryProblems(client: DynamoDBClient, TableName: string): Promise<string[]> {
  const { TimeToLiveDescription: expiry } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  const { expiryAttribute: name } = tableShape;
  if (/^ENABL/.test(expiry?.TimeToLiveStatus ?? "") && expiry?.AttributeName === name) return [];
  const set = `--time-to-live-specification Enabled=true,AttributeName=${name}`;
  return [`its items never expire: ${command("update-time-to-live", TableName)} ${set}`];
}

async function recoveryProblems(client: DynamoDBClient, TableName: string): Promise<string[]> {
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  if (backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === "ENABLED") return [];
  const set = "--point-in-time-recovery-specification PointInTimeRecoveryEnabled=true";
  return [`it has no point-in-time recovery: ${command("update-continuous-backups", TableName)} ${set}`];
}

async function tagProblems(
  client: DynamoDBClient,
  ResourceArn: string,
  wanted: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { Tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn }));
  const there = new Map(Tags.map(({ Key, Value }) => [Key, Value]));
  const missing = Object.entries(wanted).filter(([key, value]) => there.get(key) !== value);
  if (missing.length === 0) return [];
  const list = missing.map(([key, value]) => `"Key=${key},Value=${value}"`).join(" ");
  return [`it lacks tags: aws dynamodb tag-resource --resource-arn ${ResourceArn} --tags ${list}`];
}
