import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { localEmbedder } from "../../lib/index/local-embedder.ts";

const configured = () => import("../../lib/index/configured-embedder.ts");
beforeEach(() => {
  vi.resetModules();
  vi.stubEnv("AWS_REGION", "eu-test-1");
});
afterEach(() => vi.unstubAllEnvs());

describe("the embedder of a function", () => {
  test("a function uses Bedrock's embedder whenever a model is configured, and creates it once", async () => {
    vi.stubEnv("BEDROCK_MODEL_ID", "titan");
    const { configuredEmbedder, useFallbackEmbedder } = await configured();
    useFallbackEmbedder(localEmbedder);
    expect(configuredEmbedder().id).toBe("bedrock:titan");
    expect(configuredEmbedder()).toBe(configuredEmbedder());
  });

  test("a function uses the local embedder if no model is configured and the local service runs it", async () => {
    vi.stubEnv("BEDROCK_MODEL_ID", "");
    const { configuredEmbedder, useFallbackEmbedder } = await configured();
    useFallbackEmbedder(localEmbedder);
    expect(configuredEmbedder()).toBe(localEmbedder);
  });

  test("a function without any embedder fails with the name of the missing setting", async () => {
    vi.stubEnv("BEDROCK_MODEL_ID", "");
    const { configuredEmbedder } = await configured();
    expect(() => configuredEmbedder()).toThrow("BEDROCK_MODEL_ID is not set");
  });
});
