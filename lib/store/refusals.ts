import { AwsError } from "../runtime/aws-error.ts";
import { ConditionFailed, TransactionRefused } from "./table.ts";
import { itemInError } from "./values.ts";

/** DynamoDB's reason why one action of a cancelled transaction was refused; the item is still in DynamoDB's format. */
export type CancellationReason = { readonly Code?: string; readonly Item?: object };

/** One for every action, in order. */
export function cancellationReasons(error: AwsError): readonly CancellationReason[] {
  const reasons = error.detail("CancellationReasons");
  return Array.isArray(reasons) ? reasons : [];
}

export function conditionFailure(error: unknown): ConditionFailed | undefined {
  if (!(error instanceof AwsError) || error.name !== "ConditionalCheckFailedException") return undefined;
  const item = error.detail("Item");
  return new ConditionFailed(typeof item === "object" && item ? itemInError(item) : undefined);
}

export function refusal(error: unknown): TransactionRefused | undefined {
  if (!(error instanceof AwsError) || error.name !== "TransactionCanceledException") return undefined;
  const reasons = cancellationReasons(error);
  if (!reasons.some(({ Code }) => Code === "ConditionalCheckFailed")) return undefined;
  return new TransactionRefused(
    reasons.map(({ Code, Item }) => {
      const refused = Code === "ConditionalCheckFailed";
      const item = Item && itemInError(Item);
      return item ? { refused, item } : { refused };
    }),
  );
}
