import { describe, expect, test } from "vitest";
import { call, mirror, mirrored, useGateway } from "./support.ts";

const start = useGateway();
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("paths", () => {
  test("path and path parameters stay percent-encoded, the query arrives decoded", async () => {
    const url = await start({ buffered: mirror });
    const answer = await call(url, "/v1/things/a%2Fb%20%C3%A9/parts?q=%C3%A9%2Fx+y&flag");
    const { event } = mirrored(answer);
    expect(event.path).toBe("/v1/things/a%2Fb%20%C3%A9/parts");
    expect(event.pathParameters).toEqual({ thing_id: "a%2Fb%20%C3%A9" });
    expect(event.resource).toBe("/v1/things/{thing_id}/parts");
    expect(event.requestContext.resourcePath).toBe("/v1/things/{thing_id}/parts");
    expect(event.queryStringParameters).toEqual({ q: "é/x y", flag: "" });
  });

  test("a literal segment takes precedence over a parameter", async () => {
    const url = await start({ buffered: mirror });
    const { event } = mirrored(await call(url, "/v1/things/special"));
    expect(event.resource).toBe("/v1/things/special");
    expect(event.pathParameters).toBeNull();
  });

  test.each([
    ["GET", "/v1/nothing", "/{proxy+}", { proxy: "v1/nothing" }],
    ["GET", "/v1/things/1/parts/", "/{proxy+}", { proxy: "v1/things/1/parts/" }],
    ["GET", "/v1/things//parts", "/{proxy+}", { proxy: "v1/things//parts" }],
    ["GET", "/", "/", null],
    ["GET", "/v1", "/v1", null],
    ["DELETE", "/v1/things/1/parts", "/v1/things/{thing_id}/parts", { thing_id: "1" }],
    ["OPTIONS", "/v1/things", "/v1/things", null],
  ])("%s %s goes to the fallback function as %s", async (method, path, resource, pathParameters) => {
    const url = await start({ buffered: async () => ({ statusCode: 418 }), fallback: mirror });
    const { event, context } = mirrored(await call(url, path, { method }));
    expect(context.functionName).toBe("fallback");
    expect(event).toMatchObject({ httpMethod: method, path, resource, pathParameters });
  });

  test("HEAD reaches the fallback function and returns no body", async () => {
    const url = await start({ fallback: async () => ({ statusCode: 405, body: "text" }) });
    const answer = await call(url, "/v1/things", { method: "HEAD" });
    expect([answer.status, answer.body.length]).toEqual([405, 0]);
  });
});

describe("maps", () => {
  test("single-value maps keep the last value, multi-value maps all of them", async () => {
    const url = await start({ buffered: mirror });
    const headers = ["X-Colour", "red", "X-Colour", "blue"];
    const { event } = mirrored(await call(url, "/v1/things/1?a=1&b=2&a=3", { headers }));
    expect(event.queryStringParameters).toEqual({ a: "3", b: "2" });
    expect(event.multiValueQueryStringParameters).toEqual({ a: ["1", "3"], b: ["2"] });
    expect(event.headers["X-Colour"]).toBe("blue");
    expect(event.multiValueHeaders["X-Colour"]).toEqual(["red", "blue"]);
  });

  test("empty maps are null, and so is a missing body", async () => {
    const url = await start({ buffered: mirror });
    const { event } = mirrored(await call(url, "/v1/things/special"));
    expect(event).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      stageVariables: null,
      body: null,
      isBase64Encoded: false,
    });
  });

  test("header names keep their original case, including unknown names", async () => {
    const url = await start({ buffered: mirror });
    const headers = ["X-SERVICE-api-Key", "one", "x-service-api-key", "two"];
    const { event } = mirrored(await call(url, "/v1/things/1?__proto__=p&constructor=c", { headers }));
    expect(event.headers).toMatchObject({ "X-SERVICE-api-Key": "one", "x-service-api-key": "two" });
    expect(Object.entries(event.queryStringParameters ?? {})).toEqual([
      ["__proto__", "p"],
      ["constructor", "c"],
    ]);
  });

  test("headers of the connection do not reach the function, forwarding headers do", async () => {
    const url = await start({ buffered: mirror });
    const headers = ["Content-Type", "text/plain", "TE", "trailers"];
    const answer = await call(url, "/v1/things", { method: "POST", headers, body: "é" });
    const { event } = mirrored(answer);
    const names = Object.keys(event.headers).map((name) => name.toLowerCase());
    expect(names).toEqual(
      expect.arrayContaining([
        "host",
        "content-type",
        "x-forwarded-for",
        "x-forwarded-port",
        "x-forwarded-proto",
      ]),
    );
    for (const dropped of ["connection", "content-length", "te", "transfer-encoding"])
      expect(names).not.toContain(dropped);
  });
});

test("a caller cannot fake its address: the gateway adds the address that it saw", async () => {
  const url = await start({ buffered: mirror });
  const headers = ["x-forwarded-for", "10.1.1.1", "X-Forwarded-Proto", "https"];
  const { event } = mirrored(await call(url, "/v1/things/1", { headers }));
  expect(event.multiValueHeaders).toMatchObject({
    "X-Forwarded-For": ["10.1.1.1, 127.0.0.1"],
    "X-Forwarded-Proto": ["http"],
  });
  expect(event.requestContext.identity.sourceIp).toBe("127.0.0.1");
});

describe("request context and Lambda context", () => {
  test("the request has its id, caller and time; the function its name, its id and its deadline", async () => {
    const url = await start({ buffered: mirror });
    const answer = await call(url, "/v1/things/1", { headers: ["User-Agent", "probe/1"] });
    const { event, context } = mirrored(answer);
    expect(event.requestContext).toMatchObject({
      httpMethod: "GET",
      path: "/v1/things/1",
      stage: "live",
      identity: { sourceIp: "127.0.0.1", userAgent: "probe/1" },
    });
    expect(event.requestContext.requestId).toMatch(uuid);
    expect(event.requestContext.requestTime).toMatch(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
    expect(answer.headers["x-amzn-requestid"]).toBe(event.requestContext.requestId);
    expect(context.functionName).toBe("buffered");
    expect(context.awsRequestId).toMatch(uuid);
    expect(context.remainingMs).toBeGreaterThan(0);
    expect(context.remainingMs).toBeLessThanOrEqual(28_000);
  });
});

describe("bodies", () => {
  test("text arrives as text, whatever chunks it was sent in", async () => {
    const url = await start({ buffered: mirror });
    const text = "é😀".repeat(40_000);
    const { event } = mirrored(await call(url, "/v1/things", { method: "POST", body: text }));
    expect(event.body).toBe(text);
    expect(event.isBase64Encoded).toBe(false);
  });

  test("a binary media type arrives in base64", async () => {
    const url = await start({ buffered: mirror }, { binaryMediaTypes: ["image/*"] });
    const body = Buffer.from([0, 255, 128]);
    const post = async (type: string) =>
      mirrored(await call(url, "/v1/things", { method: "POST", headers: ["content-type", type], body }))
        .event;
    expect(await post("image/png; q=1")).toMatchObject({ body: "AP+A", isBase64Encoded: true });
    expect(await post("application/json")).toMatchObject({ isBase64Encoded: false });
  });

  test("a body over 10 MiB is refused by the gateway; the function is not called", async () => {
    let calls = 0;
    const url = await start({
      buffered: async () => {
        calls++;
        return { statusCode: 200 };
      },
    });
    const post = (bytes: number) =>
      call(url, "/v1/things", { method: "POST", body: Buffer.alloc(bytes, "x") });
    const refused = await post(10 * 1024 * 1024 + 1);
    expect([refused.status, JSON.parse(refused.body.toString())]).toEqual([
      413,
      { message: "Request Too Long" },
    ]);
    expect((await post(6 * 1024 * 1024)).status).toBe(413);
    expect(calls).toBe(0);
    expect((await post(5 * 1024 * 1024)).status).toBe(200);
    expect(calls).toBe(1);
  });
});
