import { afterEach, describe, expect, test, vi } from "vitest";
import { indexLimits } from "../../lib/contract/limits.ts";
import { bedrockClient, createBedrockEmbedder } from "../../lib/index/bedrock-embedder.ts";
import { NoAnswer } from "../../lib/runtime/aws-error.ts";
import { type ServerTurn, startAwsServer, testIdentity } from "../support/aws-server.ts";

const undo: Array<() => unknown> = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function embedderOn(turn: (count: number) => ServerTurn, client = bedrockClient(testIdentity)) {
  const server = await startAwsServer("bedrock", (_, count) => turn(count));
  process.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME = server.url;
  undo.push(server.close, () => delete process.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME);
  return {
    server,
    embedder: createBedrockEmbedder("amazon.titan-embed-text-v2:0", client),
  };
}

const embedded = { status: 200, body: JSON.stringify({ embedding: new Array(256).fill(0.25) }) };
const refused = (status: number, name: string) => ({
  status,
  headers: { "x-amzn-errortype": `${name}:http://internal/` },
});

describe("Bedrock over the wire", () => {
  test("an embedding is one signed call to the model's own path", async () => {
    const { server, embedder } = await embedderOn(() => embedded);
    expect(await embedder.embed("hello")).toHaveLength(256);
    expect(server.problems).toEqual([]);
    expect(
      server.requests.map(({ method, target, body }) => [method, target, JSON.parse(String(body))]),
    ).toEqual([
      [
        "POST",
        "/model/amazon.titan-embed-text-v2%3A0/invoke",
        { inputText: "hello", dimensions: 256, normalize: true },
      ],
    ]);
  });

  test("a function calls the model in the region BEDROCK_REGION if it is set, else in its own region", async () => {
    const { region, credentials } = testIdentity;
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
    undo.push(() => vi.unstubAllEnvs());
    vi.stubEnv("AWS_ACCESS_KEY_ID", accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
    vi.stubEnv("AWS_SESSION_TOKEN", sessionToken);
    for (const [own, ofModel] of [
      ["xx-away-1", region],
      [region, ""],
    ]) {
      vi.stubEnv("AWS_REGION", own);
      vi.stubEnv("BEDROCK_REGION", ofModel);
      const { server, embedder } = await embedderOn(() => embedded, bedrockClient());
      expect(await embedder.embed("hello")).toHaveLength(256);
      expect(server.problems).toEqual([]);
    }
  });

  test.each([
    ["throttles", refused(429, "ThrottlingException")],
    ["is not ready", refused(429, "ModelNotReadyException")],
    ["fails", refused(500, "InternalServerException")],
    ["takes too long", refused(408, "ModelTimeoutException")],
    ["hangs up", "hang up" as const],
  ])("a model that %s once is called again", async (_, turn) => {
    const { server, embedder } = await embedderOn((count) => (count === 1 ? turn : embedded));
    expect(await embedder.embed("hello")).toHaveLength(256);
    expect(server.requests).toHaveLength(2);
  });

  test("a model that always throttles is an error after a few tries; a model that refuses is one at once", async () => {
    const throttling = await embedderOn(() => refused(429, "ThrottlingException"));
    await expect(throttling.embedder.embed("hello")).rejects.toMatchObject({ kind: "throttled" });
    expect(throttling.server.requests).toHaveLength(indexLimits.embeddingAttemptsMax);
    const refusing = await embedderOn(() => refused(403, "AccessDeniedException"));
    await expect(refusing.embedder.embed("hello")).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(refusing.server.requests).toHaveLength(1);
  });

  test("an answer that is not JSON is an error that does not quote the answer", async () => {
    const { embedder } = await embedderOn(() => ({ status: 200, body: "<planted>" }));
    await expect(embedder.embed("hello")).rejects.toEqual(
      new NoAnswer("The answer of the model is not JSON."),
    );
  });

  test("a caller whose time is up stops waiting", async () => {
    const { embedder } = await embedderOn(() => "stay silent");
    await expect(embedder.embed("hello", AbortSignal.timeout(20))).rejects.toThrow();
  });
});
