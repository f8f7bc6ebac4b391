import type { APIGatewayProxyEvent } from "aws-lambda";
import { requestLimits } from "../contract/limits.ts";
import type { Operation } from "../contract/operation.ts";
import { valueAt } from "../contract/schema-sentences.ts";

export const bytesMaxOf = ({ bodyBytesMax = requestLimits.bodyBytesMax }: Operation): number => bodyBytesMax;

export const bytesOf = ({ body, isBase64Encoded }: APIGatewayProxyEvent): number =>
  Buffer.byteLength(body ?? "", isBase64Encoded ? "base64" : "utf8");

/** The fields of the body that only some kinds of key may send. */
export const restrictedFields = (operation: Operation, event: APIGatewayProxyEvent): string[] =>
  Object.keys(operation.keysOfParameter ?? {}).filter(
    (name) =>
      operation.body && name in operation.body.shape && peekBody(operation, event, name) !== undefined,
  );

/** A field of the body, before `acceptBody` and the parser; undefined if the body is missing, too large or not JSON. */
export function peekBody(operation: Operation, event: APIGatewayProxyEvent, field: string): unknown {
  const { body, isBase64Encoded } = event;
  if (!body || bytesOf(event) > bytesMaxOf(operation)) return undefined;
  try {
    return valueAt(JSON.parse(isBase64Encoded ? Buffer.from(body, "base64").toString() : body), [field]);
  } catch {
    return undefined;
  }
}

/** Level by level: what recurses later, such as JSON.stringify, would run out of stack. */
export function isNestedDeeper(value: unknown, levelsMax: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= levelsMax && level.length > 0; depth++)
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  return level.length > 0;
}
