import { describe, expect, test } from "vitest";
import { indexLimits, learningLimits } from "../../lib/contract/limits.ts";
import type { ModelClient } from "../../lib/index/bedrock-client.ts";
import { createBedrockEmbedder } from "../../lib/index/bedrock-embedder.ts";
import { cosine, embedAll, embeddedText, embeddedTexts, normalised } from "../../lib/index/embedder.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { limitConcurrency } from "../../lib/runtime/limit-concurrency.ts";

const lengthOf = (vector: readonly number[]) => Math.hypot(...vector);

describe("the local embedder", () => {
  test("the local embedder gives every text a stable vector of 256 numbers and length 1", async () => {
    for (const text of ["Use the logger", "", "   ", "!!!", "日本語のテキスト", "a".repeat(10_000), "𝒳 ü"]) {
      const vector = await localEmbedder.embed(text);
      expect(vector).toHaveLength(256);
      expect(lengthOf(vector)).toBeCloseTo(1, 3);
      expect(await localEmbedder.embed(text)).toEqual(vector);
    }
  });

  test("the local embedder never changes without a new name", async () => {
    const vector = await localEmbedder.embed("Retry HTTP calls with an idempotency key");
    const at = (index: number) => vector[index];
    expect([localEmbedder.id, at(157), at(15), at(207), at(64), at(73)]).toEqual([
      "local-2",
      0.548308,
      0.330239,
      0.314604,
      0.288287,
      -0.288287,
    ]);
  });

  test("the local embedder matches words across their forms and inside identifiers", async () => {
    const near = async (one: string, other: string) =>
      cosine(await localEmbedder.embed(one), await localEmbedder.embed(other));
    expect(await near("retry failed payments", "retries of a failing payment")).toBeGreaterThan(0.4);
    expect(await near("rate limiter", "createRateLimiter(rate_limit)")).toBeGreaterThan(0.4);
    expect(await near("rate limiter", "colour of the button")).toBeLessThan(0.2);
    // These words are almost only a suffix: without it nothing would distinguish them.
    expect(await near("fling", "flies")).toBeLessThan(0.5);
  });
});

describe("Bedrock's embedder", () => {
  /** Replaces the client; `answer` receives the model's input. */
  const clientOf = (answer: (body: { inputText: string }) => unknown): ModelClient => ({
    invoke: async (_, input) => JSON.stringify(await answer(JSON.parse(input))),
  });

  test("Bedrock's embedder asks Titan for 256 normalised dimensions, and its space is named after the model", async () => {
    const asked: unknown[] = [];
    const client = clientOf((body) => {
      asked.push(body);
      return { embedding: new Array(256).fill(0.5), inputTextTokenCount: 3 };
    });
    const embedder = createBedrockEmbedder("amazon.titan-embed-text-v2:0", client);
    const vector = await embedder.embed("hello");
    expect(embedder.id).toBe("bedrock:amazon.titan-embed-text-v2:0");
    expect(asked).toEqual([{ inputText: "hello", dimensions: 256, normalize: true }]);
    expect(lengthOf(vector)).toBeCloseTo(1, 5);
  });

  test("Bedrock's embedder has at most 20 calls in progress, and every call is made", async () => {
    let running = 0;
    let most = 0;
    const client = clientOf(async ({ inputText }) => {
      running++;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
      if (inputText === "13") throw new Error("planted");
      return { embedding: new Array(256).fill(1) };
    });
    const embedder = createBedrockEmbedder("model", client);
    const all = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) => embedder.embed(String(index))),
    );
    expect(most).toBe(20);
    expect(all.filter(({ status }) => status === "rejected")).toHaveLength(1);
  });

  test("Bedrock's embedder refuses a too long text by name, and takes every piece of the longest Learning", async () => {
    const lengths: number[] = [];
    const client = clientOf(({ inputText }) => {
      lengths.push(Buffer.byteLength(inputText));
      return { embedding: new Array(256).fill(1) };
    });
    const embedder = createBedrockEmbedder("model", client);
    await expect(embedder.embed("日".repeat(10_000))).rejects.toThrow(/^inputText: has 30000 bytes/);
    const { textCharactersMax, marksCharactersMax, fileCharactersMax } = learningLimits;
    const text = `${"🧪".repeat(textCharactersMax)}${"x".repeat(marksCharactersMax)}`;
    await embedAll(embedder, embeddedTexts({ text, file: "é".repeat(fileCharactersMax) }));
    expect(lengths.length).toBeGreaterThan(5);
    expect(lengths.length).toBeLessThanOrEqual(indexLimits.piecesMax);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(indexLimits.embeddedBytesMax);
  });

  test.each([[{}], [{ embedding: [1, 2] }], [{ embedding: "no" }]])(
    "Bedrock's embedder refuses the answer %j",
    async (answer) => {
      await expect(
        createBedrockEmbedder(
          "model",
          clientOf(() => answer),
        ).embed("x"),
      ).rejects.toThrow();
    },
  );
});

test("numbers are rounded to at most eight characters", () => {
  const vector = normalised(Array.from({ length: 256 }, (_, index) => index / 7));
  expect(Math.max(...vector.map((value) => String(Math.abs(value)).length))).toBeLessThanOrEqual(8);
});

test("the path of a Learning is embedded with its text", () => {
  expect(embeddedText({ text: "text", file: "a/b.ts" })).toBe("a/b.ts\ntext");
  expect(embeddedText({ text: "text", file: null })).toBe("text");
});

test("a concurrency slot is free again when its work has failed", async () => {
  const one = limitConcurrency(1);
  await expect(one(() => Promise.reject(new Error("planted")))).rejects.toThrow("planted");
  expect(await one(async () => "next")).toBe("next");
});
