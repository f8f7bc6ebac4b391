import * as z from "zod";

/** What happens to a call on its way to AWS. */
export const faults = [
  "throttle",
  "conflict",
  "server error",
  /** The call never reaches AWS. */
  "lost before",
  /** AWS does the work; the caller never gets the answer. */
  "lost after",
  /** A condition fails although the stored data satisfies it. */
  "condition",
  /** Another caller does the same a moment before. */
  "twin",
  /** AWS takes a batch except for its first element, and returns that one as unprocessed. */
  "partial",
  /** AWS does the work; the answer comes after the caller has given up. */
  "slow",
] as const;
export type Fault = (typeof faults)[number];

export type Call = {
  /** `file:line:column` of the caller. */
  readonly site: string;
  /** The operation's name in DynamoDB or in the other service. */
  readonly operation: string;
  readonly body: string;
};
export type FaultInjector = (call: Call) => Fault | undefined;

export type Answer = { readonly status: number; readonly headers: object; readonly body: Buffer };

const writes = ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"];

/** What can happen to such a call on AWS. */
export function canHappen(fault: Fault, { operation, body }: Call): boolean {
  switch (fault) {
    case "conflict":
      return writes.includes(operation) || operation === "TransactGetItems";
    case "condition":
    case "twin":
      return writes.includes(operation) && body.includes('"ConditionExpression"');
    case "partial":
      return (
        operation === "SendMessageBatch" || (operation.startsWith("Batch") && halved(body) !== undefined)
      );
    default:
      return true;
  }
}

const answered = (status: number, type: string, more: object = {}): Answer => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify({ __type: type, message: "planted secret: hunter2", ...more })),
});

const answeredInXml = (status: number, code: string): Answer => ({
  status,
  headers: {},
  body: Buffer.from(`<Error><Code>${code}</Code><Message>planted secret: hunter2</Message></Error>`),
});

const cancelled = (Code: string): Answer =>
  answered(400, "TransactionCanceledException", { CancellationReasons: [{ Code }] });

/** The answer of a service that refuses; undefined for other kinds of faults. */
export function refusalOf(fault: Fault, { operation }: Call): Answer | undefined {
  const isTransaction = operation === "TransactWriteItems";
  switch (fault) {
    case "throttle":
      if (operation.endsWith("Object")) return answeredInXml(503, "SlowDown");
      return answered(
        400,
        isDynamo(operation) ? "ProvisionedThroughputExceededException" : "ThrottlingException",
      );
    case "conflict":
      return isTransaction ? cancelled("TransactionConflict") : answered(400, "TransactionConflictException");
    case "condition":
      return isTransaction
        ? cancelled("ConditionalCheckFailed")
        : answered(400, "ConditionalCheckFailedException");
    case "server error":
      return operation.endsWith("Object")
        ? answeredInXml(500, "InternalError")
        : answered(500, "InternalServerError");
    default:
      return undefined;
  }
}

const isDynamo = (operation: string): boolean => !/^(\w*Message\w*|InvokeModel|\w+Object)$/.test(operation);

/** A transaction of another caller has its own token. */
export const withoutToken = (body: string): string => body.replace(/,"ClientRequestToken":"[^"]+"/, "");

const list = z.array(z.looseObject({}));
const batch = z.looseObject({
  RequestItems: z.record(z.string(), z.union([list, z.looseObject({ Keys: list })])),
});

/** A batch without its first element, and the answer in which DynamoDB returns that element. */
export function halved(body: string): { readonly taken: string; readonly left: object } | undefined {
  const input = batch.parse(JSON.parse(body));
  const [[table, asked] = ["", []]] = Object.entries(input.RequestItems);
  const all = Array.isArray(asked) ? asked : asked.Keys;
  if (all.length < 2) return undefined;
  const some = (elements: readonly object[]) => ({
    [table]: Array.isArray(asked) ? elements : { ...asked, Keys: elements },
  });
  return {
    taken: JSON.stringify({ ...input, RequestItems: some(all.slice(1)) }),
    left: { [Array.isArray(asked) ? "UnprocessedItems" : "UnprocessedKeys"]: some(all.slice(0, 1)) },
  };
}

export const withUnprocessed = (answer: Buffer, left: object): Buffer =>
  Buffer.from(JSON.stringify({ ...z.looseObject({}).parse(JSON.parse(answer.toString())), ...left }));
