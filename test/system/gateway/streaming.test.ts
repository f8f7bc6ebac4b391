import { once } from "node:events";
import { request } from "node:http";
import { Readable, type Writable } from "node:stream";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import { describe, expect, test } from "vitest";
import { installLambdaRuntime } from "../../../lib/local/lambda.ts";
import { call, mirror, useGateway } from "./support.ts";

installLambdaRuntime();
const start = useGateway();

const streamed = (
  write: (stream: Writable) => Promise<void> | void,
  prelude: Record<string, unknown> = { statusCode: 200 },
) =>
  awslambda.streamifyResponse(async (_event, stream) =>
    write(awslambda.HttpResponseStream.from(stream, prelude)),
  );

describe("a middy handler in streaming mode", () => {
  const handler = (answer: () => object) =>
    middy({ executionMode: executionModeStreamifyResponse }).handler(async () => answer());

  test("a middy handler in streaming mode sends its status, its headers and sixteen mebibytes unchanged", async () => {
    const body = Buffer.from("é😀\u0000".repeat(16 * 1024 * 150));
    const url = await start({
      streamed: handler(() => ({
        statusCode: 201,
        headers: { "content-type": "text/plain", "x-a": "1" },
        body: Readable.from([body.subarray(0, 7), body.subarray(7)]),
      })),
    });
    const answer = await call(url, "/v1/stream");
    expect([answer.status, answer.headers["x-a"], answer.headers["content-type"]]).toEqual([
      201,
      "1",
      "text/plain",
    ]);
    expect(answer.body.equals(body)).toBe(true);
  });

  test("a middy handler in streaming mode may have an empty body", async () => {
    const url = await start({ streamed: handler(() => ({ statusCode: 204 })) });
    const answer = await call(url, "/v1/stream");
    expect([answer.status, answer.body.length]).toEqual([204, 0]);
  });
});

describe("bytes", () => {
  test("characters that are split at any byte arrive whole", async () => {
    const text = Buffer.from("aé€😀".repeat(10));
    const url = await start({
      streamed: streamed(async (stream) => {
        for (const byte of text) {
          stream.write(Buffer.from([byte]));
          // Each byte is sent before the next one is written.
          await new Promise((resolve) => setImmediate(resolve));
        }
        stream.end();
      }),
    });
    expect((await call(url, "/v1/stream")).body.toString()).toBe(text.toString());
  });

  test("NUL bytes in the body belong to the body", async () => {
    const url = await start({ streamed: streamed((stream) => void stream.end(Buffer.alloc(20))) });
    expect((await call(url, "/v1/stream")).body).toEqual(Buffer.alloc(20));
  });
});

describe("faults", () => {
  const rejected = (error: Error) => Promise.reject(error);

  test("a throw before the first byte is a 502", async () => {
    const url = await start({ streamed: streamed(() => rejected(new Error("early"))) });
    expect((await call(url, "/v1/stream")).status).toBe(502);
  });

  test("a throw after the first byte breaks the connection, so that the answer does not look complete", async () => {
    const url = await start({
      streamed: streamed((stream) => {
        stream.write("half");
        return rejected(new Error("late"));
      }),
    });
    await expect(call(url, "/v1/stream")).rejects.toThrow("aborted");
  });

  test("bytes without a prelude are a 502, and so is a prelude over 16 KB", async () => {
    const bare = await start({
      streamed: awslambda.streamifyResponse(async (_event, stream) => void stream.end("just text")),
    });
    expect((await call(bare, "/v1/stream")).status).toBe(502);
    const long = { statusCode: 200, headers: { "x-long": "x".repeat(17_000) } };
    const big = await start({ streamed: streamed((stream) => void stream.end("body"), long) });
    expect((await call(big, "/v1/stream")).status).toBe(502);
  });

  test("a buffered handler on a streamed route, and the reverse, is a 502", async () => {
    const url = await start({ streamed: mirror, buffered: streamed((stream) => void stream.end("body")) });
    expect((await call(url, "/v1/stream")).status).toBe(502);
    expect((await call(url, "/v1/things/1")).status).toBe(502);
  });
});

describe("a client that leaves", () => {
  test("a client that leaves during an answer affects nobody: the handler ends, the next caller is served", async () => {
    let ended = false;
    const chunk = Buffer.alloc(256 * 1024, "x");
    const url = await start({
      streamed: streamed(async (stream) => {
        for (let sent = 0; sent < 64; sent++) if (!stream.write(chunk)) await once(stream, "drain");
        stream.end();
        await once(stream, "finish");
        ended = true;
      }),
    });
    const outgoing = request(`${url}/v1/stream`);
    outgoing.on("error", () => undefined);
    outgoing.end();
    const [incoming] = await once(outgoing, "response");
    incoming.on("error", () => undefined);
    await once(incoming, "data");
    outgoing.destroy();

    await expect.poll(() => ended).toBe(true);
    expect((await call(url, "/v1/stream")).body.length).toBe(64 * chunk.length);
  });

  test("a client that leaves in the middle of its own request is dropped", async () => {
    const url = await start({ buffered: mirror });
    const outgoing = request(`${url}/v1/things`, { method: "POST", headers: { "content-length": "100" } });
    outgoing.on("error", () => undefined);
    outgoing.write("half");
    await new Promise((resolve) => setTimeout(resolve, 20));
    outgoing.destroy();
    expect((await call(url, "/v1/things/1")).status).toBe(200);
  });
});
