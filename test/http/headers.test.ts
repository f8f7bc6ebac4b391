import type { APIGatewayProxyEvent } from "aws-lambda";
import { describe, expect, test } from "vitest";
import { deprecationHeaders, helpHeader, ownPathOf } from "../../lib/http/headers.ts";
import { gatewayEvent } from "../support/gateway-event.ts";

/** An event of `resource` that was requested at `path` of the host. */
function eventAt(resource: string, path: string, pathParameters: Readonly<Record<string, string>> = {}) {
  const event = gatewayEvent({ target: path, resource, pathParameters });
  return { ...event, requestContext: { ...event.requestContext, path } };
}

describe("the link in a legacy key's answer leads to the page at the called address", () => {
  test.each([
    ["a domain of the operator's own, or the local service", "/v1/whoami", "/v1/whoami", ""],
    ["API Gateway's own address, below its stage", "/v1/whoami", "/live/v1/whoami", "/live"],
    ["a domain with a base path", "/v1/roles/{role_id}", "/reviews/api/v1/roles/a%2Fb", "/reviews/api"],
    ["a path with a slash at its end", "/v1/whoami", "/live/v1/whoami/", "/live"],
  ])(
    "the link in a legacy key's answer leads to the page at the called address: %s",
    (_, resource, path, mount) => {
      expect(deprecationHeaders(eventAt(resource, path))).toEqual({
        deprecation: "true",
        link: `<${mount}/docs/errors/LEGACY_API_KEY>; rel="deprecation"; type="text/html"`,
      });
    },
  );
});

describe("the API's own path", () => {
  const at = (resource: string, path: string, proxy?: string) =>
    ownPathOf({
      resource,
      path,
      pathParameters: proxy === undefined ? null : { proxy },
    } as APIGatewayProxyEvent);

  test.each([
    ["at the root of a domain, or at API Gateway's own address", ""],
    ["below the base path of a domain", "/review"],
  ])("the API's own path is the path of the routes, %s", (_, before) => {
    expect(at("/v1/roles/{role_id}", `${before}/v1/roles/0a1b`)).toBe("/v1/roles/0a1b");
    expect(at("/docs", `${before}/docs`)).toBe("/docs");
    expect(at("/", `${before}/`)).toBe("/");
    expect(at("/{proxy+}", `${before}/v2/nowhere`, "v2/nowhere")).toBe("/v2/nowhere");
  });
});

describe("the link of an error leads to the page of its code at the called address", () => {
  test.each([
    ["an operation", "/v1/whoami", "/live/v1/whoami", {}, "/live"],
    ["the root, below a stage", "/", "/live/", {}, "/live"],
    ["the root of a domain", "/", "/", {}, ""],
    ["an unknown path", "/{proxy+}", "/live/v2/some/where", { proxy: "v2/some/where" }, "/live"],
    ["an unknown path with a slash at its end", "/{proxy+}", "/live/v2/", { proxy: "v2/" }, "/live"],
    ["an unknown path of a domain with a base path", "/{proxy+}", "/a/b/v2", { proxy: "v2" }, "/a/b"],
  ])(
    "the link of an error leads to the page of its code at the called address: %s",
    (_, resource, path, parameters, mount) => {
      expect(helpHeader(eventAt(resource, path, parameters), "NOT_FOUND")).toEqual({
        link: `<${mount}/docs/errors/NOT_FOUND>; rel="help"; type="text/html"`,
      });
    },
  );
});
