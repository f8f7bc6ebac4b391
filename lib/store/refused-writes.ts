import { AwsError, cancellationReasons } from "../runtime/aws-error.ts";
import { ConditionFailed, TransactionRefused } from "./table.ts";
import { itemInError } from "./values.ts";

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
