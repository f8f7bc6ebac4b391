import { RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { CfnTable } from "aws-cdk-lib/aws-dynamodb";
import { AnyPrincipal, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { tableShape } from "../../lib/contract/table.ts";
import type { StackOptions } from "../options.ts";

/** The single table, and the key that encrypts all data if the operator wants a customer-managed one. */
export class Data extends Construct {
  readonly table: CfnTable;
  /**
   * Encrypts the table, the queues and the events bucket. Logs contain no customer content and are not encrypted with
   * it.
   */
  readonly encryptionKey: Key | undefined;

  constructor(
    scope: Construct,
    id: string,
    {
      customerManagedKey,
      pointInTimeRecovery,
    }: Pick<StackOptions, "customerManagedKey" | "pointInTimeRecovery">,
  ) {
    super(scope, id);
    this.encryptionKey = customerManagedKey ? createKey(this) : undefined;
    this.table = new CfnTable(this, "Table", {
      ...schema,
      billingMode: "PAY_PER_REQUEST",
      timeToLiveSpecification: { enabled: true, attributeName: tableShape.expiryAttribute },
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: pointInTimeRecovery },
      deletionProtectionEnabled: true,
      ...(this.encryptionKey && {
        sseSpecification: { sseEnabled: true, sseType: "KMS", kmsMasterKeyId: this.encryptionKey.keyArn },
      }),
    });
    // A failed first deployment leaves the table behind: its deletion protection would block a rollback.
    this.table.applyRemovalPolicy(RemovalPolicy.RETAIN);
    Validations.of(this.table).acknowledge({
      id: "CloudFormation-Validate::E3039",
      reason:
        "The rule does not know vector indexes, whose search schema uses the two attributes it calls unused.",
    });
    if (!pointInTimeRecovery)
      Validations.of(this.table).acknowledge({
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

/**
 * Every principal of the account that may use the table, a queue or the bucket may use the key, and only through them.
 */
function createKey(scope: Construct): Key {
  const { account, region, urlSuffix } = Stack.of(scope);
  const key = new Key(scope, "EncryptionKey", {
    description: "Encrypts the review API's table, queues and events bucket",
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
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
          "kms:ViaService": ["dynamodb", "sqs", "s3"].map((service) => `${service}.${region}.${urlSuffix}`),
        },
      },
    }),
  );
  return key;
}
