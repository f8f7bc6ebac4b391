import { Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { CfnTable } from "aws-cdk-lib/aws-dynamodb";
import { AnyPrincipal, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { tableShape } from "../../lib/contract/table.ts";
import type { StackOptions } from "../options.ts";

/** The single table, and the key that encrypts all data if the operator wants a customer-managed one. */
export class Data extends Construct {
  /** The table that the service uses: the stack's own, or a restored one. */
  readonly table: { readonly name: string; readonly arn: string };
  /** Of table, queues and events bucket. Logs contain no customer content and are not encrypted with it. */
  readonly encryptionKey: Key | undefined;

  constructor(
    scope: Construct,
    id: string,
    {
      customerManagedKey,
      pointInTimeRecovery,
      ephemeral,
      tableName,
    }: Pick<StackOptions, "customerManagedKey" | "pointInTimeRecovery" | "ephemeral" | "tableName">,
  ) {
    super(scope, id);
    this.encryptionKey = customerManagedKey ? createKey(this, ephemeral) : undefined;
    const own = new CfnTable(this, "Table", {
      ...schema,
      billingMode: "PAY_PER_REQUEST",
      timeToLiveSpecification: { enabled: true, attributeName: tableShape.expiryAttribute },
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: pointInTimeRecovery },
      deletionProtectionEnabled: !ephemeral,
      ...(this.encryptionKey && {
        sseSpecification: { sseEnabled: true, sseType: "KMS", kmsMasterKeyId: this.encryptionKey.keyArn },
      }),
    });
    // A failed first deployment leaves the table behind: its deletion protection would block a rollback.
    own.applyRemovalPolicy(RemovalPolicy.RETAIN);
    // The stack keeps its own table beside a restored one: without it, the way back would be a new, empty table.
    this.table =
      tableName === undefined
        ? { name: own.ref, arn: own.attrArn }
        : {
            name: tableName,
            arn: Stack.of(this).formatArn({
              service: "dynamodb",
              resource: "table",
              resourceName: tableName,
            }),
          };
    Validations.of(own).acknowledge({
      id: "CloudFormation-Validate::E3039",
      reason:
        "The rule does not know vector indexes, whose search schema uses the two attributes it calls unused.",
    });
    if (!pointInTimeRecovery)
      Validations.of(own).acknowledge({
        id: "AwsSolutions-DDB3",
        reason: "The operator switched point-in-time recovery off with the stack option of that name.",
      });
  }
}

const { partitionKey, sortKey, vectorIndex } = tableShape;

const schema = {
  keySchema: [
    { attributeName: partitionKey, keyType: "HASH" },
    { attributeName: sortKey, keyType: "RANGE" },
  ],
  attributeDefinitions: [partitionKey, sortKey, vectorIndex.hashAttribute, vectorIndex.filterAttribute].map(
    (attributeName) => ({ attributeName, attributeType: "S" }),
  ),
  vectorIndexes: [
    {
      indexName: vectorIndex.name,
      vectorAttribute: { attributeName: vectorIndex.vectorAttribute },
      searchSchema: [
        { attributeName: vectorIndex.hashAttribute, searchSchemaElementType: "HASH" },
        { attributeName: vectorIndex.filterAttribute, searchSchemaElementType: "INLINE_FILTER" },
      ],
      projection: { projectionType: "KEYS_ONLY" },
      dimensions: vectorIndex.dimensions,
      distanceFunction: vectorIndex.distance,
    },
  ],
};

/** Names of AWS services in conditions of keys. */
export function servicesOf(scope: Construct, names: readonly string[]): string[] {
  const { region, urlSuffix } = Stack.of(scope);
  return names.map((name) => `${name}.${region}.${urlSuffix}`);
}

/** Every principal that may use the table, a queue or the bucket may use the key, and only through them. */
function createKey(scope: Construct, ephemeral: boolean): Key {
  const { account } = Stack.of(scope);
  const key = new Key(scope, "EncryptionKey", {
    description: "Encrypts the review API's table, queues and events bucket",
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    // The shortest time that KMS allows between the order and the deletion.
    ...(ephemeral && { pendingWindow: Duration.days(7) }),
  });
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new AnyPrincipal()],
      actions: [
        "kms:Decrypt",
        "kms:DescribeKey",
        "kms:Encrypt",
        "kms:GenerateDataKey",
        "kms:ReEncryptFrom",
        "kms:ReEncryptTo",
        "kms:CreateGrant",
      ],
      resources: ["*"],
      conditions: {
        StringEquals: {
          "kms:CallerAccount": account,
          "kms:ViaService": servicesOf(scope, ["dynamodb", "sqs", "s3"]),
        },
      },
    }),
  );
  return key;
}
