import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { invokeBuffered } from "../../../lib/local/lambda.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { call, useGateway } from "./support.ts";

const start = useGateway();
const answerOf = async (answer: unknown, options = {}) =>
  call(await start({ buffered: async () => answer }, options), "/v1/things/1");

test("an idle connection is kept for a minute: a program that writes now and then meets no closed one", async () => {
  const { headers } = await answerOf({ statusCode: 200 });
  expect(headers["keep-alive"]).toBe("timeout=65");
});

describe("invalid answers", () => {
  test.each([
    ["no value", undefined],
    ["no statusCode", { body: "text" }],
    ["a statusCode that is no number", { statusCode: "ok" }],
    ["a body that is not text", { statusCode: 200, body: { a: 1 } }],
    ["a header that is no value", { statusCode: 200, headers: { "x-a": { b: 1 } } }],
  ])("a function's answer with %s is a 502", async (_name, answer) => {
    const { status, body } = await answerOf(answer);
    expect([status, JSON.parse(body.toString())]).toEqual([502, { message: "Internal server error" }]);
  });

  test("a header that HTTP cannot carry is a 502, without the other headers of that answer", async () => {
    const { status, headers } = await answerOf({
      statusCode: 200,
      headers: { "x-a": "1", "x-b": "two\nlines" },
    });
    expect([status, headers["x-a"]]).toEqual([502, undefined]);
  });

  test("a throw is a 502 without internal details, and the log gets the error", async () => {
    const faults: unknown[] = [];
    const boom = new Error("secret");
    const url = await start(
      { buffered: () => Promise.reject(boom) },
      { onFault: (route, error) => faults.push([route, error]) },
    );
    const { status, body } = await call(url, "/v1/things/1");
    expect([status, body.toString()]).toEqual([502, '{"message":"Internal server error"}']);
    expect(faults).toEqual([["GET /v1/things/{thing_id}", boom]]);
  });

  test("values that JSON cannot hold are lost: an undefined header is missing", async () => {
    const { status, headers } = await answerOf({ statusCode: 200, headers: { "x-a": undefined, "x-b": 1 } });
    expect([status, headers["x-a"], headers["x-b"]]).toEqual([200, undefined, "1"]);
  });

  test("an answer over 6 MB fails, one just below is accepted", async () => {
    const body = (bytes: number) => ({ statusCode: 200, body: "x".repeat(bytes) });
    expect((await answerOf(body(6_291_556))).status).toBe(502);
    expect((await answerOf(body(6_291_000))).body.length).toBe(6_291_000);
  });

  test("a function gets a copy of its event that was converted to JSON and back, and so is its answer", async () => {
    const event = { at: new Date(0), left: undefined, deep: { value: 1 } };
    const seen: unknown[] = [];
    const handler = async (given: unknown) => {
      seen.push(given);
      return { at: new Date(0), left: undefined, statusCode: 200 };
    };
    const options = { functionName: "copy", timeoutMs: 1_000, clock: systemClock, random: systemRandom };
    const answer = await invokeBuffered(handler, event, options);
    expect(seen).toStrictEqual([{ at: "1970-01-01T00:00:00.000Z", deep: { value: 1 } }]);
    expect(answer).toStrictEqual({ at: "1970-01-01T00:00:00.000Z", statusCode: 200 });
  });

  test("a function that does not answer in time is a 504", async () => {
    const impatient = {
      ...systemClock,
      sleep: (_ms: number, signal?: AbortSignal) => systemClock.sleep(20, signal),
    };
    const url = await start({ buffered: () => new Promise(() => undefined) }, { clock: impatient });
    const { status, body } = await call(url, "/v1/things/1");
    expect([status, body.toString()]).toEqual([504, '{"message":"Endpoint request timed out"}']);
  });
});

describe("headers of answers", () => {
  test("both header maps of an answer are sent; for a header in both, the multi-value map counts", async () => {
    const { rawHeaders } = await answerOf({
      statusCode: 200,
      headers: { "X-One": "1", "X-Both": "single" },
      multiValueHeaders: { "x-both": ["a", "b"], "Set-Cookie": ["c=1", "d=2"] },
    });
    const values = (name: string) =>
      rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
    expect(values("x-one")).toEqual(["1"]);
    expect(values("x-both")).toEqual(["a", "b"]);
    expect(values("set-cookie")).toEqual(["c=1", "d=2"]);
  });

  test("the gateway's own headers cannot be set by a function", async () => {
    const { headers } = await answerOf({
      statusCode: 401,
      headers: { "WWW-Authenticate": "Bearer", "Content-Length": "3", "Transfer-Encoding": "chunked" },
      body: "hello",
    });
    expect(headers).toMatchObject({
      "x-amzn-remapped-www-authenticate": "Bearer",
      "x-amzn-remapped-content-length": "3",
      "content-length": "5",
    });
    expect(headers["www-authenticate"]).toBeUndefined();
  });

  test("an answer without a content type gets the JSON content type", async () => {
    expect((await answerOf({ statusCode: 200, body: "{}" })).headers["content-type"]).toBe(
      "application/json",
    );
  });

  test("an answer without content has no content type", async () => {
    expect((await answerOf({ statusCode: 204, body: "" })).headers).not.toHaveProperty("content-type");
  });
});

describe("base64", () => {
  const packed = gzipSync("hello");
  const answer = {
    statusCode: 200,
    headers: { "content-encoding": "gzip" },
    body: packed.toString("base64"),
    isBase64Encoded: true,
  };

  test("base64 is decoded if the media type is binary", async () => {
    expect((await answerOf(answer, { binaryMediaTypes: ["*/*"] })).body).toEqual(packed);
  });

  test("base64 stays text if the media type is not binary, which is how a forgotten media type looks on AWS", async () => {
    expect((await answerOf(answer)).body.toString()).toBe(packed.toString("base64"));
  });
});
