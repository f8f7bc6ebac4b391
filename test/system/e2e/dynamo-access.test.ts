import { expect, test } from "vitest";
import { Account } from "./account.ts";
import { accessesOf } from "./dynamo-access.ts";

const Key = { pk: { S: "ORG#1" }, sk: { S: "ORG" } };
const named = {
  TableName: "t",
  Key,
  ConditionExpression: "#a = :a AND attribute_exists(#b.#c)",
  ExpressionAttributeNames: { "#a": "plan", "#b": "state", "#c": "inner" },
};
const account = new Account({ Resources: {}, Outputs: {} }, "t");
const attributesOf = (operation: string, input: object) =>
  accessesOf(account, operation, input).map(({ action, attributes }) => [action, attributes]);

test("the emulated IAM sees the attributes that the condition of a delete names", () => {
  expect(attributesOf("DeleteItem", named)).toEqual([["dynamodb:DeleteItem", ["plan", "state"]]]);
});

test.each(["Delete", "ConditionCheck"])(
  "the emulated IAM gives every part of a transaction the attributes that a %s in it names",
  (kind) => {
    const put = { Put: { TableName: "t", Item: { ...Key, name: { S: "n" } } } };
    const attributes = ["name", "pk", "plan", "sk", "state"];
    expect(attributesOf("TransactWriteItems", { TransactItems: [put, { [kind]: named }] })).toEqual([
      ["dynamodb:PutItem", attributes],
      [`dynamodb:${kind}Item`, attributes],
    ]);
  },
);
