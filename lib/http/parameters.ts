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
