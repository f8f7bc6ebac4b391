import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { localEmbedder } from "../../lib/index/local-embedder.ts";

const configured = () => import("../../lib/index/configured-embedder.ts");
beforeEach(() => {
  vi.resetModules();
  vi.stubEnv("AWS_REGION", "eu-test-1");
});
afterEach(() => vi.unstubAllEnvs());

describe("the embedder of a function", () => {
  test("is Bedrock's where a model is named, whatever stands beside it, and made once", async () => {
    vi.stubEnv("BEDROCK_MODEL_ID", "titan");
    const { configuredEmbedder, useFallbackEmbedder } = await configured();
    useFallbackEmbedder(localEmbedder);
    expect(configuredEmbedder().id).toBe("bedrock:titan");
    expect(configuredEmbedder()).toBe(configuredEmbedder());
  });

  test("is the local one where none is named and the local service runs it", async () => {
    vi.stubEnv("BEDROCK_MODEL_ID", "");
    const { configuredEmbedder, useFallbackEmbedder } = await configured();
    useFallbackEmbedder(localEmbedder);
    expect(configuredEmbedder()).toBe(localEmbedder);
  });

  test("is missed by name where there is neither", async () => {
    vi.stubEnv("BEDROCK_MODEL_ID", "");
    const { configuredEmbedder } = await configured();
    expect(() => configuredEmbedder()).toThrow("BEDROCK_MODEL_ID is not set");
  });
});
