import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { awsLimits } from "../../lib/contract/limits.ts";
import { AwsFault, NoAnswer } from "../../lib/runtime/aws-fault.ts";
import { endpointOf, environmentIdentity } from "../../lib/runtime/aws-identity.ts";
import { type AwsClientOptions, callJson, createAwsClient } from "../../lib/runtime/aws-request.ts";
import { type AwsServer, type ServerTurn, startAwsServer, testIdentity } from "../support/aws-server.ts";
import { seededChance, TestClock } from "../support/clock.ts";

const undo: Array<() => unknown> = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A client and the server it talks to; the clock is real to the signature's day and does not wait. */
async function pair(
  turn: (count: number) => ServerTurn,
  options: Partial<AwsClientOptions> & { readonly signedFor?: string } = {},
) {
  const server: AwsServer = await startAwsServer(options.signedFor ?? "dynamodb", (_, count) => turn(count));
  const client = createAwsClient({
    service: "dynamodb",
    identity: testIdentity,
    endpoint: server.url,
    answerMsMax: 2_000,
    attemptsMax: awsLimits.attemptsMax,
    clock: new TestClock(),
    chance: seededChance(1),
    ...options,
  });
  undo.push(server.close, client.destroy);
  return { server, client };
}

const ok = { status: 200, body: "{}" };
const get = { method: "GET", path: "/" } as const;

describe("a request", () => {
  test.each([
    ["dynamodb", "dynamodb", "/"],
    ["sqs", "sqs", "/"],
    ["bedrock-runtime", "bedrock", `/model/${encodeURIComponent("amazon.titan-embed-text-v2:0")}/invoke`],
    ["s3", "s3", `/events/${encodeURIComponent("a b+c=é:1.json")}`],
  ] as const)("to %s is signed as AWS would verify it", async (service, signedFor, path) => {
    const { server, client } = await pair(() => ok, { service, signedFor });
    await client.send({ method: "POST", path, headers: { "content-type": "a/b" }, body: '{"é":"😀"}' });
    await client.send({ method: "GET", path });
    expect(server.problems).toEqual([]);
    expect(server.requests.map(({ method, target, body }) => [method, target, body.toString()])).toEqual([
      ["POST", path, '{"é":"😀"}'],
      ["GET", path, ""],
    ]);
    expect(server.requests[0]?.headers).toMatchObject({
      "content-type": "a/b",
      "x-amz-security-token": "session",
      host: new URL(server.url).host,
    });
  });

  test("with other credentials is refused: the server does verify", async () => {
    const identity = {
      ...testIdentity,
      credentials: async () => ({ accessKeyId: "AKIDTEST", secretAccessKey: "x" }),
    };
    const { server, client } = await pair(() => ok, { identity });
    await expect(client.send(get)).rejects.toMatchObject({ name: "InvalidSignatureException", status: 403 });
    expect(server.problems).toEqual(["the signature does not fit"]);
  });

  test("in JSON names its operation, and may be answered with nothing", async () => {
    const { server, client } = await pair((count) =>
      count === 1 ? { status: 200, body: '{"a":1}' } : { status: 200 },
    );
    expect(await callJson(client, "AmazonSQS.DeleteMessage", { QueueUrl: "q" })).toEqual({ a: 1 });
    expect(await callJson(client, "AmazonSQS.DeleteMessage", { QueueUrl: "q" })).toEqual({});
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      target: "/",
      headers: { "x-amz-target": "AmazonSQS.DeleteMessage", "content-type": "application/x-amz-json-1.0" },
      body: Buffer.from('{"QueueUrl":"q"}'),
    });
  });

  test("in JSON that is answered with something else fails without quoting it", async () => {
    const { client } = await pair(() => ({ status: 200, body: "<planted>" }));
    await expect(callJson(client, "DynamoDB_20120810.GetItem", {})).rejects.toThrow(
      new NoAnswer("The answer is not JSON."),
    );
  });

  test("to an https endpoint begins with the handshake of TLS, and not a byte of it is sent in the clear", async () => {
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
    const { client } = await pair(() => ok, { endpoint: `https://127.0.0.1:${port}`, attemptsMax: 1 });
    await expect(client.send(get)).rejects.toBeInstanceOf(NoAnswer);
    const handshake = 22;
    expect(received.map(([first]) => first)).toEqual([handshake]);
  });

  test("uses the connection of the one before", async () => {
    const { server, client } = await pair(() => ok);
    for (let count = 0; count < 5; count++) await client.send(get);
    expect(server.connections()).toBe(1);
  });
});

describe("an error", () => {
  const dynamo = "com.amazonaws.dynamodb.v20120810#";
  test.each<[string, AwsFault["kind"], ServerTurn]>([
    [
      "ProvisionedThroughputExceededException",
      "throttled",
      { status: 400, body: `{"__type":"${dynamo}ProvisionedThroughputExceededException"}` },
    ],
    [
      "RequestThrottled",
      "throttled",
      { status: 403, body: '{"__type":"com.amazonaws.sqs#RequestThrottled"}' },
    ],
    [
      "ThrottlingException",
      "throttled",
      { status: 429, headers: { "x-amzn-errortype": "ThrottlingException:http://internal.amazon.com/" } },
    ],
    [
      "ModelNotReadyException",
      "throttled",
      { status: 429, headers: { "x-amzn-errortype": "ModelNotReadyException" } },
    ],
    ["SlowDown", "throttled", { status: 503, body: "<?xml?><Error><Code>SlowDown</Code></Error>" }],
    ["InternalError", "unavailable", { status: 500, body: "<Error><Code>InternalError</Code></Error>" }],
    [
      "ModelTimeoutException",
      "unavailable",
      { status: 408, headers: { "x-amzn-errortype": "ModelTimeoutException" } },
    ],
    ["Status502", "unavailable", { status: 502, body: "<html>Bad gateway</html>" }],
    [
      "ValidationException",
      "refused",
      { status: 400, body: '{"__type":"ValidationException","message":"no"}' },
    ],
    ["AccessDenied", "refused", { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" }],
    ["NoSuchKey", "refused", { status: 404, body: "<Error><Code>NoSuchKey</Code></Error>" }],
  ])("called %s is %s, and only a passing one is tried again", async (name, kind, turn) => {
    const { server, client } = await pair(() => turn);
    await expect(client.send(get)).rejects.toMatchObject({ name, kind });
    expect(server.requests).toHaveLength(kind === "refused" ? 1 : awsLimits.attemptsMax);
    expect(server.problems).toEqual([]);
  });

  test("that passes is not noticed", async () => {
    const { client } = await pair((count) => (count < awsLimits.attemptsMax ? { status: 503 } : ok));
    expect(await client.send(get)).toMatchObject({ status: 200 });
  });

  test("keeps what the answer said out of what Lambda prints of an error that ends a function", async () => {
    const body =
      '{"__type":"TransactionCanceledException","message":"Cancelled","CancellationReasons":[{"Item":{"text":{"S":"planted"}}}]}';
    const { client } = await pair(() => ({ status: 400, body }));
    const fault = await client.send(get).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(AwsFault);
    expect(fault instanceof AwsFault && fault.detail("CancellationReasons")).toEqual([
      { Item: { text: { S: "planted" } } },
    ]);
    expect(JSON.stringify({ ...Object(fault) }) + String(fault)).not.toContain("planted");
  });
});

describe("no answer", () => {
  test.each(["hang up", "break off", "stay silent"] as const)("(%s) is tried again", async (turn) => {
    const { server, client } = await pair((count) => (count === 1 ? turn : ok), { answerMsMax: 100 });
    expect(await client.send(get)).toMatchObject({ status: 200 });
    expect(server.requests).toHaveLength(2);
  });

  test.each(["hang up", "break off", "stay silent"] as const)(
    "(%s) to the last try is a fault of its own, and one try may be all",
    async (turn) => {
      const { server, client } = await pair(() => turn, { answerMsMax: 50, attemptsMax: 1 });
      await expect(client.send(get)).rejects.toBeInstanceOf(NoAnswer);
      expect(server.requests).toHaveLength(1);
    },
  );

  test("from nobody at all is the same fault", async () => {
    const { client } = await pair(() => ok, { endpoint: "http://127.0.0.1:9" });
    await expect(client.send(get)).rejects.toBeInstanceOf(NoAnswer);
  });
});

describe("a caller who gives up", () => {
  test("is answered at once, and nothing is tried again", async () => {
    const { server, client } = await pair(() => "stay silent");
    const patience = new AbortController();
    const sending = client.send({ ...get, signal: patience.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    patience.abort();
    await expect(sending).rejects.toMatchObject({ name: "AbortError" });
    expect(server.requests).toHaveLength(1);
  });

  test("before it began sends nothing", async () => {
    const { server, client } = await pair(() => ok);
    await expect(client.send({ ...get, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(server.requests).toEqual([]);
  });
});

describe("the environment", () => {
  const set = (variables: Readonly<Record<string, string | undefined>>) => {
    const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
    for (const [name, value] of Object.entries(variables)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    undo.push(() => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });
  };

  test("gives region and credentials, read anew for every request", async () => {
    set({
      AWS_REGION: "eu-test-2",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
      AWS_SESSION_TOKEN: "c",
    });
    const { region, credentials } = environmentIdentity();
    expect([region, await credentials()]).toEqual([
      "eu-test-2",
      { accessKeyId: "a", secretAccessKey: "b", sessionToken: "c" },
    ]);
    process.env.AWS_ACCESS_KEY_ID = "rotated";
    expect(await credentials()).toMatchObject({ accessKeyId: "rotated" });
  });

  test("without credentials nothing else is tried", async () => {
    set({ AWS_REGION: "eu-test-2", AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined });
    const { server, client } = await pair(() => ok, { identity: undefined });
    await expect(client.send(get)).rejects.toThrow("AWS_ACCESS_KEY_ID is not set");
    expect(server.requests).toEqual([]);
  });

  test("may send a service elsewhere, by the names that AWS's SDKs know", () => {
    set({
      AWS_ENDPOINT_URL: undefined,
      AWS_ENDPOINT_URL_S3: undefined,
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: undefined,
    });
    expect(endpointOf("s3", "eu-west-1", "bucket.")).toBe("https://bucket.s3.eu-west-1.amazonaws.com");
    expect(endpointOf("sqs", "cn-north-1")).toBe("https://sqs.cn-north-1.amazonaws.com.cn");
    set({ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "http://127.0.0.1:1" });
    expect(endpointOf("bedrock-runtime", "eu-west-1")).toBe("http://127.0.0.1:1");
    set({ AWS_ENDPOINT_URL: "http://127.0.0.1:2" });
    expect(endpointOf("s3", "eu-west-1", "bucket.")).toBe("http://127.0.0.1:2");
  });
});
