import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, test, vi } from "vitest";
import { awsLimits } from "../../lib/contract/limits.ts";
import { awsClientConfig, sendRepeatedly } from "../../lib/runtime/aws-client.ts";
import { AwsConnections } from "../../lib/runtime/aws-connections.ts";
import { AwsError, NoAnswer } from "../../lib/runtime/aws-error.ts";
import { environmentIdentity } from "../../lib/runtime/aws-identity.ts";
import { createLocalStoreClient, createStoreClient, type StoreClient } from "../../lib/store/client.ts";
import { type AwsServer, type ServerTurn, startAwsServer, testIdentity } from "../support/aws-server.ts";
import { seededRandom, TestClock } from "../support/clock.ts";

const undo: Array<() => unknown> = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
  vi.unstubAllEnvs();
});

type ClientOptions = Parameters<typeof createStoreClient>[0];

/** The store's client and the server that it calls. */
async function pair(turn: (count: number) => ServerTurn, options: ClientOptions = {}) {
  const server: AwsServer = await startAwsServer("dynamodb", (_, count) => turn(count));
  const client = createStoreClient({
    identity: testIdentity,
    endpoint: server.url,
    answerMsMax: 2_000,
    ...options,
  });
  undo.push(server.close, client.destroy);
  const get = (signal?: AbortSignal) =>
    client.send(new GetCommand({ TableName: "t", Key: { pk: "a", sk: "é" } }), signal);
  return { server, client, get };
}

const ok = { status: 200, body: '{"Item":{"pk":{"S":"a"},"n":{"N":"1"}}}' };

test("requests and answers are not copied for a log of the SDK", () => {
  // The SDK's logger middleware filters and copies both if `info` exists.
  expect(awsClientConfig({ identity: testIdentity, answerMsMax: 1 }).logger.info).toBeUndefined();
});

describe("a request", () => {
  test("a request is signed as AWS would verify it, in DynamoDB's own JSON", async () => {
    const { server, client, get } = await pair(() => ok);
    expect(await get()).toMatchObject({ Item: { pk: "a", n: 1 } });
    await client.send(new PutCommand({ TableName: "t", Item: { pk: "é😀", bytes: Uint8Array.of(255) } }));
    expect(server.problems).toEqual([]);
    expect(
      server.requests.map(({ method, target, headers, body }) => [
        method,
        target,
        headers["x-amz-target"],
        JSON.parse(String(body)),
      ]),
    ).toEqual([
      ["POST", "/", "DynamoDB_20120810.GetItem", { TableName: "t", Key: { pk: { S: "a" }, sk: { S: "é" } } }],
      [
        "POST",
        "/",
        "DynamoDB_20120810.PutItem",
        { TableName: "t", Item: { pk: { S: "é😀" }, bytes: { B: "/w==" } } },
      ],
    ]);
    expect(server.requests[0]?.headers).toMatchObject({
      "x-amz-security-token": "session",
      host: new URL(server.url).host,
    });
  });

  test("a request with other credentials is refused: the test server verifies signatures", async () => {
    const credentials = async () => ({ accessKeyId: "AKIDTEST", secretAccessKey: "x" });
    const { server, get } = await pair(() => ok, { identity: { ...testIdentity, credentials } });
    await expect(get()).rejects.toMatchObject({ name: "InvalidSignatureException", status: 403 });
    expect(server.problems).toEqual(["the signature does not fit"]);
  });

  test("a request to an https endpoint begins with the TLS handshake and sends no byte in plain text", async () => {
    const received: Buffer[] = [];
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (bytes) => {
        received.push(bytes);
        socket.destroy();
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    undo.push(() => server.close());
    const address = server.address();
    const port = address && typeof address === "object" ? address.port : 0;
    const { get } = await pair(() => ok, { endpoint: `https://127.0.0.1:${port}` });
    await expect(get()).rejects.toBeInstanceOf(NoAnswer);
    const handshake = 22;
    expect(received.map(([first]) => first)).toEqual([handshake]);
  });

  test("a request reuses the connection of the previous request", async () => {
    const { server, get } = await pair(() => ok);
    for (let count = 0; count < 5; count++) await get();
    expect(server.connections()).toBe(1);
  });
});

test("an idle connection is used again, until it was idle for too long", async () => {
  const server = await startAwsServer("dynamodb", () => ok);
  const clock = new TestClock();
  const connections = new AwsConnections(clock);
  undo.push(server.close, () => connections.destroy());
  const connectionsAfterRequest = async (idleMs: number) => {
    clock.advance(idleMs);
    connections.closeStale();
    const idle = once(connections.plain, "free");
    request(server.url, { agent: connections.plain }, (answer) => answer.resume()).end();
    await idle;
    return server.connections();
  };
  const { trustedIdleMs, idleConnectionMsMax } = awsLimits;
  expect(await connectionsAfterRequest(0)).toBe(1);
  expect(await connectionsAfterRequest(trustedIdleMs - 1)).toBe(1);
  expect(await connectionsAfterRequest(idleConnectionMsMax)).toBe(1);
  expect(await connectionsAfterRequest(idleConnectionMsMax + 1)).toBe(2);
});

describe("a connection that was idle for a while", () => {
  const getLater = async (make: (url: string) => StoreClient, lateMs: number) => {
    const server = await startAwsServer("dynamodb", (_, count) => (count === 2 ? "stay silent" : ok));
    const client = make(server.url);
    undo.push(server.close, client.destroy, () => vi.useRealTimers());
    const get = () => client.send(new GetCommand({ TableName: "t", Key: { pk: "a" } }));
    await get();
    vi.useFakeTimers({
      toFake: ["Date", "setTimeout", "clearTimeout"],
      now: Date.now() + awsLimits.trustedIdleMs,
    });
    let outcome = "waits";
    get().catch((error: unknown) => {
      outcome = error instanceof NoAnswer ? "no answer" : String(error);
    });
    while (server.requests.length < 2) await setImmediate();
    await vi.advanceTimersByTimeAsync(lateMs);
    // The connection ends in a later turn of the event loop.
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    return { outcome, connections: server.connections() };
  };
  const aws = (endpoint: string) => createStoreClient({ identity: testIdentity, endpoint });
  const local = (endpoint: string) => createLocalStoreClient(endpoint, testIdentity);
  const { reusedAnswerMsMax, localStoreAnswerMsMax } = awsLimits;

  test.each([
    ["AWS", "waits", reusedAnswerMsMax - 1, aws],
    ["AWS", "no answer", reusedAnswerMsMax, aws],
    ["an engine on this machine", "waits", localStoreAnswerMsMax - 1, local],
    ["an engine on this machine", "no answer", localStoreAnswerMsMax, local],
  ])("a connection that was idle for a while, to %s: %s after %d ms", async (_, outcome, lateMs, make) => {
    expect(await getLater(make, lateMs)).toEqual({ outcome, connections: 1 });
  });
});

describe("an error", () => {
  const dynamo = "com.amazonaws.dynamodb.v20120810#";
  test.each<[string, AwsError["kind"], ServerTurn]>([
    [
      "ProvisionedThroughputExceededException",
      "throttled",
      { status: 400, body: `{"__type":"${dynamo}ProvisionedThroughputExceededException"}` },
    ],
    ["ThrottlingException", "throttled", { status: 400, body: `{"__type":"${dynamo}ThrottlingException"}` }],
    ["RequestLimitExceeded", "throttled", { status: 400, body: '{"__type":"RequestLimitExceeded"}' }],
    ["Unheard", "throttled", { status: 429, body: '{"__type":"Unheard"}' }],
    [
      "InternalServerError",
      "unavailable",
      { status: 500, body: `{"__type":"${dynamo}InternalServerError"}` },
    ],
    ["Status502", "unavailable", { status: 502, body: "<html>Bad gateway</html>" }],
    ["Status403", "refused", { status: 403, body: "<html>Forbidden</html>" }],
    [
      "ValidationException",
      "refused",
      { status: 400, body: '{"__type":"ValidationException","message":"no"}' },
    ],
    ["AccessDeniedException", "refused", { status: 400, body: '{"__type":"AccessDeniedException"}' }],
  ])("an error called %s is %s, and the SDK does not retry by itself", async (name, kind, turn) => {
    const { server, get } = await pair(() => turn);
    await expect(get()).rejects.toMatchObject({ name, kind });
    expect(server.requests).toHaveLength(1);
    expect(server.problems).toEqual([]);
  });

  test("an error does not show the text of the answer, because Lambda prints the error when a function ends", async () => {
    const body =
      '{"__type":"TransactionCanceledException","message":"Cancelled","CancellationReasons":[{"Item":{"text":{"S":"planted"}}}]}';
    const { get } = await pair(() => ({ status: 400, body }));
    const fault = await get().catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(AwsError);
    expect(fault instanceof AwsError && fault.detail("CancellationReasons")).toEqual([
      { Item: { text: { S: "planted" } } },
    ]);
    expect(JSON.stringify({ ...Object(fault) }) + String(fault)).not.toContain("planted");
    expect(Object(fault).cause).toBeUndefined();
  });

  test("an error about our clock is temporary, and the next request is signed with the service's time", async () => {
    const aheadMs = 3_600_000;
    const date = new Date(Date.now() + aheadMs).toUTCString();
    const skewed = { status: 400, headers: { date }, body: '{"__type":"InvalidSignatureException"}' };
    const { server, get } = await pair((count) => (count === 1 ? skewed : ok));
    await expect(get()).rejects.toMatchObject({ kind: "skewed" });
    expect(await get()).toMatchObject({ Item: { pk: "a" } });
    const [first = 0, second = 0] = server.requests.map(({ headers }) => signedAtMs(headers["x-amz-date"]));
    expect(second - first).toBeGreaterThan(aheadMs - 60_000);
  });
});

const signedAtMs = (date: unknown): number =>
  Date.parse(String(date).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

describe("a missing answer", () => {
  test.each(["hang up", "break off", "stay silent", "drip"] as const)(
    "a missing answer (%s) is a separate error that names the host and keeps its cause",
    async (turn) => {
      const { server, get } = await pair(() => turn, { answerMsMax: 300 });
      const fault = await get().catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(NoAnswer);
      expect(fault).toMatchObject({ message: "127.0.0.1 did not answer.", cause: expect.any(Error) });
      // On a busy machine the wait can end before the request arrives: sent at most once is what matters.
      expect(server.requests.length).toBeLessThanOrEqual(1);
    },
  );

  test("a missing answer from an unreachable server is the same error", async () => {
    const { get } = await pair(() => ok, { endpoint: "http://127.0.0.1:9" });
    await expect(get()).rejects.toBeInstanceOf(NoAnswer);
  });

  test("an unreadable answer counts as a missing answer, and is not quoted", async () => {
    const { get } = await pair(() => ({ status: 200, body: "<planted>" }));
    await expect(get()).rejects.toEqual(new NoAnswer("The answer cannot be read."));
  });
});

describe("a caller who aborts", () => {
  test("a caller who aborts gets the error at once", async () => {
    const { server, get } = await pair(() => "stay silent");
    const patience = new AbortController();
    const sending = get(patience.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    patience.abort();
    await expect(sending).rejects.toMatchObject({ name: "AbortError" });
  });

  test("a caller who aborts before the start causes no request", async () => {
    const { server, get } = await pair(() => ok);
    await expect(get(AbortSignal.abort())).rejects.toThrow();
    expect(server.requests).toEqual([]);
  });
});

describe("an idempotent request", () => {
  const attempts = () => ({
    attemptsMax: awsLimits.attemptsMax,
    clock: new TestClock(),
    random: seededRandom(1),
  });
  const unavailable = new AwsError({ name: "InternalError", status: 500 });

  test("an idempotent request is sent again while the error is temporary, a bounded number of times", async () => {
    for (const error of [new NoAnswer("lost"), unavailable]) {
      const send = vi.fn().mockRejectedValueOnce(error).mockResolvedValue("done");
      expect(await sendRepeatedly(attempts(), send)).toBe("done");
      const failing = vi.fn().mockRejectedValue(error);
      await expect(sendRepeatedly(attempts(), failing)).rejects.toBe(error);
      expect(failing).toHaveBeenCalledTimes(awsLimits.attemptsMax);
    }
  });

  test("an idempotent request is not sent again after an error of the SDK itself, which stays as it is", async () => {
    // The SDK adds such metadata to every error that a request ends with.
    const error = Object.assign(new TypeError("planted"), { $metadata: { attempts: 1 } });
    const send = vi.fn().mockRejectedValue(error);
    await expect(sendRepeatedly(attempts(), send)).rejects.toBe(error);
    expect(send).toHaveBeenCalledTimes(1);
  });

  test("an idempotent request is not sent again when it is refused, or when the caller has aborted", async () => {
    const refused = new AwsError({ name: "AccessDenied", status: 403 });
    const send = vi.fn().mockRejectedValue(refused);
    await expect(sendRepeatedly(attempts(), send)).rejects.toBe(refused);
    expect(send).toHaveBeenCalledTimes(1);
    const failing = vi.fn().mockRejectedValue(unavailable);
    await expect(
      sendRepeatedly({ attemptsMax: 3, signal: AbortSignal.abort(new Error("enough")) }, failing),
    ).rejects.toThrow("enough");
    expect(failing).toHaveBeenCalledTimes(1);
  });
});

describe("the environment", () => {
  const credentials = (id: string) => {
    vi.stubEnv("AWS_REGION", testIdentity.region);
    vi.stubEnv("AWS_ACCESS_KEY_ID", id);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "kept");
    vi.stubEnv("AWS_SESSION_TOKEN", `session of ${id}`);
  };

  test("the environment provides region and credentials, read again for every signature", async () => {
    credentials("AKIDTEST");
    const { server, get } = await pair(() => ok, { identity: environmentIdentity() });
    await get();
    credentials("AKIDROTATED");
    await get().catch(() => undefined);
    expect(server.requests.map(({ headers }) => headers["x-amz-security-token"])).toEqual([
      "session of AKIDTEST",
      "session of AKIDROTATED",
    ]);
    expect(server.problems).toEqual(["accessKeyId is AKIDROTATED, not AKIDTEST"]);
  });

  test("the environment is the only source of credentials", async () => {
    credentials("");
    const { server, get } = await pair(() => ok, { identity: environmentIdentity() });
    await expect(get()).rejects.toThrow("AWS_ACCESS_KEY_ID is not set");
    expect(server.requests).toEqual([]);
  });
});
