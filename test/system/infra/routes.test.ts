import { describe, expect, test } from "vitest";
import { errorCodes } from "../../../lib/contract/errors.ts";
import { mcpRoute } from "../../../lib/contract/mcp.ts";
import type { Operation } from "../../../lib/contract/operation.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { apiGatewayLimits, firewall, functionSettings } from "../../../lib/contract/platform.ts";
import { referenceRoutes } from "../../../lib/contract/reference.ts";
import { baseHeaders } from "../../../lib/http/headers.ts";
import { plainTemplate } from "./built-templates.ts";
import {
  definitionOf,
  gatewayResponsesOf,
  ofType,
  partOf,
  pathsOf,
  properties,
  roleStatementsOf,
  routesOf,
} from "./support.ts";

const contract: readonly Operation[] = operations;

describe("routes", () => {
  test.each(contract)("$method $path leads to its own function", (operation) => {
    const route = routesOf(plainTemplate()).filter(
      ({ method, path }) => method === operation.method && path === operation.path,
    );
    expect(route).toEqual([
      {
        method: operation.method,
        path: operation.path,
        authorization: "NONE",
        parameters: [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        integration: "aws_proxy",
        functionId: partOf(operation.id, "Function"),
        streaming: operation.streaming,
        roleId: "InvokeRole",
        invocation: operation.streaming ? "response-streaming-invocations" : "invocations",
        timeoutMs: operation.streaming
          ? functionSettings.streaming.timeoutSeconds * 1000
          : apiGatewayLimits.integrationMsMax,
      },
    ]);
  });

  test("only the contract's operations, MCP and the reference lead to a function other than the fallback", () => {
    const routes = routesOf(plainTemplate()).filter(({ functionId }) => functionId !== "FallbackFunction");
    const known = [...contract, mcpRoute, ...referenceRoutes].map(({ method, path }) => `${method} ${path}`);
    expect(routes.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(known.toSorted());
  });

  test("every other request reaches the fallback: ANY on every path, above it, on {proxy+} and on the root", () => {
    const template = plainTemplate();
    const above = (path: string) => path.split("/").map((_, index, all) => all.slice(0, index + 1).join("/"));
    expect(pathsOf(template)).toEqual(
      expect.arrayContaining([...contract.flatMap(({ path }) => above(path).slice(1)), "/"]),
    );
    const caught = routesOf(template).filter(({ functionId }) => functionId === "FallbackFunction");
    expect(caught.every(({ method }) => method === "ANY")).toBe(true);
    expect(caught.map(({ path }) => path).toSorted()).toEqual(pathsOf(template).toSorted());
    expect(pathsOf(template)).toContain("/{proxy+}");
  });

  test("the gateway's role may invoke the functions of the routes, and nothing else", () => {
    const template = plainTemplate();
    const [statement, ...others] = roleStatementsOf(template, "InvokeRole");
    const invoked = [...new Set(routesOf(template).map(({ functionId }) => functionId))];
    expect(others).toEqual([]);
    expect(statement?.Action).toEqual(["lambda:InvokeFunction"]);
    expect(statement?.Resource.map((each) => JSON.stringify(each)).toSorted()).toEqual(
      invoked.map((id) => JSON.stringify({ "Fn::GetAtt": [id, "Arn"] })).toSorted(),
    );
    expect(properties(template, "InvokeRole").AssumeRolePolicyDocument).toMatchObject({
      Statement: [{ Principal: { Service: "apigateway.amazonaws.com" } }],
    });
  });

  test("callers need TLS 1.2 or later, also at the gateway's own address", () => {
    const { SecurityPolicy } = properties(plainTemplate(), "RestApi");
    expect(SecurityPolicy).toMatch(/^SecurityPolicy_TLS13_1_[23]_/);
    expect(properties(plainTemplate(), "RestApi").EndpointAccessMode).toBe("BASIC");
    // The same: an import that changes the policy keeps the API updating for 15 minutes.
    expect(definitionOf(plainTemplate())).toMatchObject({
      "x-amazon-apigateway-security-policy": SecurityPolicy,
      "x-amazon-apigateway-endpoint-access-mode": "BASIC",
    });
  });

  test("nothing updates the API beside its import: one resource holds it, and the deployment comes after", () => {
    const types = new Set(Object.values(plainTemplate().Resources).map(({ Type }) => Type));
    const parts = ["Method", "Resource", "Model", "GatewayResponse", "RequestValidator", "Authorizer"];
    expect(parts.filter((part) => types.has(`AWS::ApiGateway::${part}`))).toEqual([]);
    const [[, deployment] = []] = ofType(plainTemplate(), "AWS::ApiGateway::Deployment");
    expect(deployment?.Properties.RestApiId).toEqual({ Ref: "RestApi" });
  });

  test("no method is a mock or is answered by API Gateway itself", () => {
    const integrations = new Set(routesOf(plainTemplate()).map(({ integration }) => integration));
    expect([...integrations]).toEqual(["aws_proxy"]);
  });

  test("the gateway treats every body as binary, so compressed answers reach every caller", () => {
    expect(definitionOf(plainTemplate())["x-amazon-apigateway-binary-media-types"]).toEqual(["*/*"]);
    expect(properties(plainTemplate(), "RestApi")).not.toHaveProperty("MinimumCompressionSize");
  });

  test("the stage throttles, logs access without secrets, and keeps data traces off", () => {
    const [[, stage] = []] = ofType(plainTemplate(), "AWS::ApiGateway::Stage");
    expect(stage?.Properties).toMatchObject({
      StageName: "live",
      MethodSettings: [
        {
          HttpMethod: "*",
          ResourcePath: "/*",
          ThrottlingRateLimit: 1000,
          ThrottlingBurstLimit: 500,
          DataTraceEnabled: false,
          LoggingLevel: "ERROR",
          // Metrics per method cost money, and nothing uses them.
          MetricsEnabled: false,
        },
      ],
    });
    const format = JSON.stringify(stage?.Properties.AccessLogSetting);
    for (const name of [
      "requestId",
      "extendedRequestId",
      "integration.requestId",
      "awsEndpointRequestId",
      "xrayTraceId",
    ])
      expect(format).toContain(`$context.${name}`);
    expect(format).not.toMatch(/header|querystring|\$context\.path\b|authorizer|userAgent/);
  });
});

describe("gateway responses", () => {
  const responses = () => gatewayResponsesOf(plainTemplate());

  test.each([
    ["MISSING_AUTHENTICATION_TOKEN", "NOT_FOUND"],
    ["RESOURCE_NOT_FOUND", "NOT_FOUND"],
    ["REQUEST_TOO_LARGE", "PAYLOAD_TOO_LARGE"],
    ["THROTTLED", "RATE_LIMIT_EXCEEDED"],
    ["QUOTA_EXCEEDED", "RATE_LIMIT_EXCEEDED"],
    ["INTEGRATION_TIMEOUT", "SERVICE_UNAVAILABLE"],
    ["INTEGRATION_FAILURE", "SERVICE_UNAVAILABLE"],
    ["BAD_REQUEST_BODY", "INVALID_REQUEST"],
    ["BAD_REQUEST_PARAMETERS", "INVALID_REQUEST"],
    ["UNSUPPORTED_MEDIA_TYPE", "UNSUPPORTED_MEDIA_TYPE"],
    ["WAF_FILTERED", "RATE_LIMIT_EXCEEDED"],
    ["DEFAULT_4XX", "INVALID_REQUEST"],
    ["DEFAULT_5XX", "INTERNAL_ERROR"],
  ] as const)("%s is answered as %s, in both error shapes", (type, code) => {
    const { status, meaning } = errorCodes[code];
    const problem = { code, message: meaning };
    expect(responses().get(type)).toMatchObject({
      statusCode: String(status),
      responseTemplates: { "application/json": JSON.stringify({ error: problem, errors: [problem] }) },
    });
  });

  test("no gateway response is a 403", () => {
    expect([...responses().values()].filter(({ statusCode }) => statusCode === "403")).toEqual([]);
  });

  test("gateway responses have every answer's headers, their code's page, and Retry-After if waiting helps", () => {
    const literal = (value: string) => `'${value}'`;
    const codeOf = (templates: unknown) =>
      /"code":"(\w+)"/.exec(JSON.stringify(templates).replaceAll("\\", ""))?.[1];
    const { "x-request-id": _, ...fixed } = baseHeaders("any");
    for (const [type, { responseParameters, responseTemplates, statusCode }] of responses()) {
      const waits = statusCode === "429" || statusCode === "503";
      const link = `</live/docs/errors/${codeOf(responseTemplates)}>; rel="help"; type="text/html"`;
      const seconds = type === "WAF_FILTERED" ? String(firewall.windowSeconds) : "1";
      const headers = Object.entries({ ...fixed, link, ...(waits && { "retry-after": seconds }) });
      expect(responseParameters, type).toEqual({
        "gatewayresponse.header.x-request-id": "context.requestId",
        ...Object.fromEntries(
          headers.map(([name, value]) => [`gatewayresponse.header.${name}`, literal(value)]),
        ),
      });
    }
  });
});
