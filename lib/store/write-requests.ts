import {
  DeleteCommand,
  type DeleteCommandOutput,
  PutCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { required } from "../runtime/required.ts";
import type { StoreClient } from "./client.ts";
import { compileChange, compileCondition, Placeholders } from "./expressions.ts";
import type { TransactionWrite, Write } from "./table.ts";
import { bareKey, refuseReservedNames } from "./values.ts";

export const capacityRequest = { ReturnConsumedCapacity: "TOTAL" } as const;

type TransactionAction = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

export function compileWrite(write: TransactionWrite, TableName: string): TransactionAction {
  const placeholders = new Placeholders();
  const ConditionExpression = write.when && compileCondition(write.when, placeholders);
  const UpdateExpression = "update" in write ? compileChange(write.change, placeholders) : "";
  const common = {
    TableName,
    ...(ConditionExpression &&
      ({ ConditionExpression, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const)),
    ...placeholders.attributes(),
  };
  if ("put" in write) {
    refuseReservedNames(write.put);
    return { Put: { ...common, Item: write.put } };
  }
  if ("delete" in write) return { Delete: { ...common, Key: bareKey(write.delete) } };
  if ("update" in write) return { Update: { ...common, Key: bareKey(write.update), UpdateExpression } };
  const condition = { ConditionExpression: required(ConditionExpression, "condition of a check") };
  return { ConditionCheck: { ...common, ...condition, Key: bareKey(write.check) } };
}

/** A write as a single request. */
export type SingleWrite = {
  readonly operation: "PutItem" | "UpdateItem" | "DeleteItem";
  /** Makes one attempt. All three operations have the same answer. */
  send(client: StoreClient, signal?: AbortSignal): Promise<DeleteCommandOutput>;
};

/** An action of a transaction is also the input of the single operation. */
export function singleWrite(
  single: Write,
  TableName: string,
  returning: "old" | "new" | undefined,
): SingleWrite {
  const { Put, Delete, Update } = compileWrite(single, TableName);
  const old = { ...capacityRequest, ...(returning && ({ ReturnValues: "ALL_OLD" } as const)) };
  if (Put) {
    const input = { ...Put, ...old };
    return { operation: "PutItem", send: (client, signal) => client.send(new PutCommand(input), signal) };
  }
  if (Delete) {
    const input = { ...Delete, ...old };
    return {
      operation: "DeleteItem",
      send: (client, signal) => client.send(new DeleteCommand(input), signal),
    };
  }
  const after = returning === "new" ? ({ ReturnValues: "ALL_NEW" } as const) : {};
  const input = { ...required(Update, "update"), ...old, ...after };
  return { operation: "UpdateItem", send: (client, signal) => client.send(new UpdateCommand(input), signal) };
}
