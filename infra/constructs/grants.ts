import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { TableAction, TableGrant } from "../../lib/contract/grants.ts";
import { tableShape } from "../../lib/contract/table.ts";

/** The statements of a role, from the contract's grants: exact actions, restricted to partitions. */
export function tableStatements(tableArn: string, grants: readonly TableGrant[]): PolicyStatement[] {
  return grants.flatMap(({ actions, partitions, inside }) => {
    const onTable = actions.filter((action) => action !== "SearchVectors");
    const statements = onTable.length > 0 ? [statement(onTable, tableArn)] : [];
    for (const each of statements) {
      each.addConditions(leadingKeys(partitions));
      if (inside)
        each.addConditions({ "ForAnyValue:StringEquals": { "dynamodb:EnclosingOperation": [inside] } });
    }
    // A search has no leading keys, and its resource is the index.
    if (actions.includes("SearchVectors"))
      statements.push(statement(["SearchVectors"], `${tableArn}/index/${tableShape.vectorIndex.name}`));
    return statements;
  });
}

/** Denied in every item, alone and inside transactions: roles that may write an item still cannot write these. */
export const attributesDenied = (tableArn: string, attributes: readonly string[]): PolicyStatement[] =>
  attributes.length === 0
    ? []
    : [
        new PolicyStatement({
          effect: Effect.DENY,
          actions: ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:BatchWriteItem"],
          resources: [tableArn],
          conditions: { "ForAnyValue:StringEquals": { "dynamodb:Attributes": attributes } },
        }),
      ];

const statement = (actions: readonly TableAction[], resource: string): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.ALLOW,
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [resource],
  });

/** `ForAllValues` is also true if there is no key at all; the second condition excludes that case. */
const leadingKeys = (partitions: readonly string[]) => ({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": partitions },
  Null: { "dynamodb:LeadingKeys": "false" },
});
