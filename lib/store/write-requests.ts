import {
  DeleteCommand,
  type DeleteCommandOutput,
  PutCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { StoreClient } from "./client.ts";
import { compileChange, compileCondition, Placeholders } from "./expressions.ts";
import type { TransactionWrite, Write } from "./table.ts";
import { bareKey, refuseReservedNames } from "./values.ts";

/** Every call asks what it cost. */
export const paid = { ReturnConsumedCapacity: "TOTAL" } as const;

/** A write as a request of its own. */
export type SingleWrite = {
  readonly operation: "PutItem" | "UpdateItem" | "DeleteItem";
  /** One try. All three operations answer alike. */
  send(client: StoreClient, signal?: AbortSignal): Promise<DeleteCommandOutput>;
};

export function singleWrite(
  single: Write,
  TableName: string,
  returning: "old" | "new" | undefined,
): SingleWrite {
  const { common, UpdateExpression } = compile(single, TableName);
  const old = { ...common, ...paid, ...(returning && ({ ReturnValues: "ALL_OLD" } as const)) };
  if ("put" in single) {
    const input = { ...old, Item: single.put };
    return { operation: "PutItem", send: (client, signal) => client.send(new PutCommand(input), signal) };
  }
  if ("delete" in single) {
    const input = { ...old, Key: bareKey(single.delete) };
    return {
      operation: "DeleteItem",
      send: (client, signal) => client.send(new DeleteCommand(input), signal),
    };
  }
  const input = {
    ...old,
    Key: bareKey(single.update),
    UpdateExpression,
    ...(returning === "new" && ({ ReturnValues: "ALL_NEW" } as const)),
  };
  return { operation: "UpdateItem", send: (client, signal) => client.send(new UpdateCommand(input), signal) };
}

type TransactionAction = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** A write as one action of a transaction. */
export function transactionAction(action: TransactionWrite, TableName: string): TransactionAction {
  const { common, UpdateExpression } = compile(action, TableName);
  if ("put" in action) return { Put: { ...common, Item: action.put } };
  if ("delete" in action) return { Delete: { ...common, Key: bareKey(action.delete) } };
  if ("update" in action) return { Update: { ...common, Key: bareKey(action.update), UpdateExpression } };
  const { ConditionExpression = "" } = common;
  return { ConditionCheck: { ...common, ConditionExpression, Key: bareKey(action.check) } };
}

function compile(write: TransactionWrite, TableName: string) {
  const placeholders = new Placeholders();
  const ConditionExpression = write.when && compileCondition(write.when, placeholders);
  const UpdateExpression = "update" in write ? compileChange(write.change, placeholders) : "";
  if ("put" in write) refuseReservedNames(write.put);
  return {
    UpdateExpression,
    common: {
      TableName,
      ...(ConditionExpression &&
        ({ ConditionExpression, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const)),
      ...placeholders.attributes(),
    },
  };
}
