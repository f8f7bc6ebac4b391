import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { indexLimits, learningLimits } from "../../lib/contract/limits.ts";
import { useFallbackEmbedder } from "../../lib/index/configured-embedder.ts";
import type { Embedder } from "../../lib/index/embedder.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { vectorKeys } from "../../lib/index/write-vectors.ts";
import type { Table } from "../../lib/store/table.ts";
import { useApi } from "../support/api.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";
import { organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";
import { checkTable } from "./check-table.ts";
import { item, newHome, resultsOf, verbsOf } from "./fixture.ts";

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
const table = () => api.store().table;
const embedded: string[] = [];
const counting: Embedder = {
  ...localEmbedder,
  embed: (text, signal) => {
    embedded.push(text);
    return localEmbedder.embed(text, signal);
  },
};
beforeAll(() => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
  useFallbackEmbedder(counting);
});
afterAll(() => useFallbackEmbedder(localEmbedder));
/** The longest text that is embedded as one piece. Other work of the process runs after three of them. */
const longText = (number: number) =>
  `Text ${number}. ${"It goes on. ".repeat(1_000)}`.slice(0, indexLimits.pieceBytesMax);

beforeEach(() => {
  engine.inject();
  embedded.splice(0);
});

describe("a call that the limiter refuses", () => {
  const fullLimiter = () =>
    engine.inject(({ operation, body }) =>
      operation === "UpdateItem" && body.includes("LIMIT#") ? "throttle" : undefined,
    );

  test("a refused POST or PATCH of Learnings embeds nothing", async () => {
    const home = await newHome(world);
    const key = await world.adminKey(home.uuid, "ann");
    const kept = "Retries need a limit.";
    const made = resultsOf(await api.call("/v1/learnings", { key, body: { data: [item(kept)] } }));
    const id = made.results[0]?.id ?? "";
    // A duplicate whose vector is missing is embedded again without any write before it.
    await table().writeMany(
      vectorKeys({ organization: home.uuid, id, text: kept }).map((each) => ({ delete: each })),
    );
    embedded.splice(0);
    fullLimiter();
    const body = { data: [item("A new text."), item(kept)] };
    expect((await api.call("/v1/learnings", { key, body })).status).toBe(429);
    const patch = { method: "PATCH", key, body: { learning: "Another text." } };
    expect((await api.call(`/v1/learnings/${id}`, patch)).status).toBe(429);
    expect(embedded).toEqual([]);

    engine.inject();
    expect((await api.call(`/v1/learnings/${id}`, patch)).status).toBe(200);
    expect(embedded).toEqual(["Another text."]);
    await checkTable(table(), { embedder: localEmbedder });
  });
});

describe("a batch that takes long to embed", () => {
  const texts = Array.from({ length: 8 }, (_, index) => item(longText(index)));
  const authorOf = async () => ({
    organization: await organizationOf(table(), (await newHome(world)).uuid),
    authorId: "ann",
  });

  test("every record of a batch is stored before its first text is embedded", async () => {
    const order: string[] = [];
    const sound = table();
    const watched: Table = {
      ...sound,
      get: sound.get.bind(sound),
      getMany: sound.getMany.bind(sound),
      transactGet: sound.transactGet.bind(sound),
      writeMany: sound.writeMany.bind(sound),
      transact: async (...words) => {
        await sound.transact(...words);
        order.push("stored");
      },
    };
    const embedder: Embedder = {
      ...localEmbedder,
      embed: (text) => {
        order.push("embedded");
        return localEmbedder.embed(text);
      },
    };
    await verbsOf(watched, { embedder }).post(await authorOf(), ...texts);
    expect(order.lastIndexOf("stored")).toBeLessThan(order.indexOf("embedded"));
    expect(order.filter((each) => each === "embedded")).toHaveLength(texts.length);
  });

  test("texts that are not embedded at the deadline are stored, and fail with INDEXING_FAILED", async () => {
    const deadline = new AbortController();
    let started = 0;
    const embedder: Embedder = {
      ...localEmbedder,
      async embed(text, signal) {
        const answer = await localEmbedder.embed(text, signal);
        if (++started === 3) deadline.abort(new Error("The time is up."));
        return answer;
      },
    };
    const author = await authorOf();
    const first = await verbsOf(table(), { embedder, signal: deadline.signal }).post(author, ...texts);
    expect(first.results.map(({ error }) => error?.code ?? "indexed")).toEqual([
      ...Array(2).fill("indexed"),
      ...Array(6).fill("INDEXING_FAILED"),
    ]);
    const again = await verbsOf(table()).post(author, ...texts);
    expect(again).toMatchObject({ status: "success", duplicate_count: texts.length });
    await checkTable(table(), { embedder: localEmbedder });
  });
});

test("the local embedder lets other work run between two texts, and stops when the time is up", async () => {
  const stop = new AbortController();
  const done: string[] = [];
  setImmediate(() => {
    done.push("other work");
    stop.abort(new Error("The time is up."));
  });
  const embeddings = ["one", "two", "three"].map(async (text) => {
    await localEmbedder.embed(text.repeat(learningLimits.charactersPerTurn), stop.signal);
    done.push(text);
  });
  const outcomes = await Promise.allSettled(embeddings);
  expect(done).toEqual(["other work", "one"]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
});

test("a batch is validated item by item, and no further when nobody waits for the answer", async () => {
  const stop = new AbortController();
  let read = 0;
  const items = Array.from({ length: 20 }, (_, index) => ({
    ...item(longText(index)),
    get file() {
      read++;
      return `file-${index}.ts`;
    },
  }));
  const author = {
    organization: await organizationOf(table(), (await newHome(world)).uuid),
    authorId: "ann",
  };
  const posted = verbsOf(table(), { signal: stop.signal }).post(author, ...items);
  setImmediate(() => stop.abort(new Error("The caller was refused.")));
  await expect(posted).rejects.toThrow("The caller was refused.");
  expect(read).toBeLessThan(10);
});
