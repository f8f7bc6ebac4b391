import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { html, referencePath, referenceSecurityPolicy } from "../contract/reference.ts";
import { escaped } from "../reference/html.ts";
import { headerValues, mountOf } from "./headers.ts";

/** A person who opens an address in a browser gets a page; programs do not ask for HTML. */
export const wantsPage = (event: APIGatewayProxyEvent): boolean =>
  event.httpMethod === "GET" && headerValues(event, "accept").join(",").includes("text/html");

export function nothingHere(
  event: APIGatewayProxyEvent,
  headers: Readonly<Record<string, string>>,
  message: string,
): APIGatewayProxyResult {
  const docs = `${mountOf(event)}${referencePath}`;
  return {
    statusCode: 404,
    headers: { ...headers, "content-type": html, "content-security-policy": referenceSecurityPolicy },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>There is nothing here · Review API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${docs}/reference.css">
</head>
<body>
<main class="alone">
<h1>There is nothing here</h1>
<p>${escaped(message)}</p>
<p><a href="${docs}">Reference of the API</a> · <a href="${mountOf(event)}/dashboard">Dashboard</a></p>
</main>
</body>
</html>
`,
  };
}
