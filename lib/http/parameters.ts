import type { APIGatewayProxyEvent } from "aws-lambda";

/** Path parameters arrive percent-encoded from a REST API. */
export const pathValues = ({ pathParameters }: APIGatewayProxyEvent): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(pathParameters ?? {}).map(([name, value]) => [name, decoded(value)]));

/** A broken escape is not an error here: the raw text matches no id, and the message of the field says so. */
function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Names of the query's parameters, and `name=value` for policies that depend on the value. */
export const sentParameters = ({ multiValueQueryStringParameters }: APIGatewayProxyEvent): string[] =>
  Object.entries(multiValueQueryStringParameters ?? {}).flatMap(([name, values = []]) => [
    name,
    ...values.map((value) => `${name}=${value}`),
  ]);

/** The key that the path names, if the operation is about one key. */
export const keyInPath = ({ path }: { readonly path: unknown }): string | undefined =>
  textField(path, "key_id");

export function textField(part: unknown, name: string): string | undefined {
  const value = fieldOf(part, name);
  return typeof value === "string" ? value : undefined;
}

export function listField(part: unknown, name: string): string[] | undefined {
  const value = fieldOf(part, name);
  return Array.isArray(value) ? value.map(String) : undefined;
}

export const fieldOf = (part: unknown, name: string): unknown =>
  typeof part === "object" && part !== null && Object.hasOwn(part, name)
    ? Reflect.get(part, name)
    : undefined;
