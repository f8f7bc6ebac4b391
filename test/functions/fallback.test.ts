import { afterEach, describe, expect, test } from "vitest";
import { useApi } from "../support/api.ts";

const api = useApi();

describe("a request without an operation", () => {
  test.each([
    "/v1",
    "/v1/",
    "/v1/organisations",
    "/v1/organizations/",
    "/v1/organizations/x/repositories/y",
    "/v2/whoami",
    "/v1/whoami/x",
  ])("a request for %s is a 404 in our error shape, before the key is checked", async (target) => {
    const answer = await api.call(target);
    expect([answer.status, answer.codes]).toEqual([404, ["NOT_FOUND"]]);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])(
    "%s on a GET path is a 405 that names the allowed methods",
    async (method) => {
      const answer = await api.call("/v1/whoami", { method });
      expect([answer.status, answer.codes, answer.headers.allow]).toEqual([
        405,
        ["METHOD_NOT_ALLOWED"],
        "GET",
      ]);
    },
  );

  test("a literal path is not mistaken for a path with a parameter", async () => {
    const answer = await api.call("/v1/roles/permissions", { method: "PATCH" });
    expect([answer.status, answer.headers.allow]).toEqual([405, "GET"]);
    const other = await api.call("/v1/roles/cr_admin", { method: "POST" });
    expect([other.status, other.headers.allow]).toEqual([405, "GET, PATCH, DELETE"]);
  });

  test("HEAD is a 405 without a body", async () => {
    const answer = await api.call("/v1/whoami", { method: "HEAD" });
    expect([answer.status, answer.headers.allow, answer.body.length]).toEqual([405, "GET", 0]);
  });

  test("Learnings keep their own error shape", async () => {
    const answer = await api.call("/v1/learnings/x/y");
    expect(answer.json).toEqual({ errors: [{ code: "NOT_FOUND", message: expect.any(String) }] });
  });
});

describe("requests from pages on other origins", () => {
  afterEach(() => {
    delete process.env.CORS_ORIGINS;
  });
  const preflight = (origin: string) =>
    api.call("/v1/whoami", {
      method: "OPTIONS",
      rawHeaders: ["Origin", origin, "Access-Control-Request-Method", "GET"],
    });

  test("requests from pages on other origins are allowed only for the origins that the deployment names", async () => {
    process.env.CORS_ORIGINS = "https://app.example.com,https://other.example.com";
    const welcome = await preflight("https://app.example.com");
    expect([welcome.status, welcome.headers]).toEqual([
      204,
      expect.objectContaining({
        "access-control-allow-origin": "https://app.example.com",
        "access-control-allow-methods": "GET",
        "access-control-allow-headers": expect.stringContaining("x-service-api-key"),
      }),
    ]);
    expect((await preflight("https://evil.example.com")).status).toBe(405);
    const answer = await api.call("/v1/whoami", { rawHeaders: ["origin", "https://other.example.com"] });
    expect(answer.headers["access-control-allow-origin"]).toBe("https://other.example.com");
    expect(
      (await api.call("/v1/whoami", { rawHeaders: ["origin", "https://evil.example.com"] })).headers,
    ).not.toHaveProperty("access-control-allow-origin");
  });

  test("an MCP client in a page may send its bearer token and the protocol's headers, to MCP only", async () => {
    process.env.CORS_ORIGINS = "https://app.example.com";
    const allowedAt = async (path: string) => {
      const rawHeaders = ["Origin", "https://app.example.com", "Access-Control-Request-Method", "POST"];
      const answer = await api.call(path, { method: "OPTIONS", rawHeaders });
      return [answer.status, answer.headers["access-control-allow-headers"]?.split(", ")];
    };
    const usual = ["x-service-api-key", "content-type", "x-request-id"];
    expect(await allowedAt("/v1/learnings")).toEqual([204, usual]);
    expect(await allowedAt("/mcp")).toEqual([
      204,
      [
        ...usual,
        ...["authorization", "mcp-protocol-version", "mcp-method", "mcp-name"],
        ...["mcp-session-id", "last-event-id"],
      ],
    ]);
  });

  test("requests from pages on other origins are not allowed by default", async () => {
    expect((await preflight("https://app.example.com")).status).toBe(405);
  });
});
