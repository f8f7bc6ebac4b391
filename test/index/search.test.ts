import { beforeAll, describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { indexLimits } from "../../lib/contract/limits.ts";
import type { Embedder } from "../../lib/index/embedder.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { searchForReview as searchLearnings, shownScore } from "../../lib/learnings/search.ts";
import { type Home, item, newHome, verbsOf } from "../learnings/fixture.ts";
import { useStore } from "../support/engine.ts";
import { asFunction, grantedTable, grantedVectors } from "../support/granted-table.ts";
import { organizationOf } from "../support/stored.ts";
import { vectorsOf } from "../support/vectors.ts";
import { World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table);

const deps = (embedder: Embedder = localEmbedder) => ({
  table: grantedTable(store().table),
  embedder,
  vectors: grantedVectors(vectorsOf(store())),
});
const searchForReview: typeof searchLearnings = (...given) =>
  asFunction("searchForReview", () => searchLearnings(...given));
const search = async ({ name }: Home, text: string, more: object = {}) =>
  (await searchForReview(deps(), { ...name, repository_id: "repo-1", text, k: 5, ...more })).learnings;
const textsOf = (found: ReadonlyArray<{ learning: string }>) => found.map(({ learning }) => learning);

async function write(home: Home, ...data: unknown[]): Promise<string[]> {
  const { table } = store();
  const organization = await organizationOf(table, home.uuid);
  const { results } = await verbsOf(table).post({ organization, authorId: "ann" }, ...data);
  return results.map(({ id }) => id ?? "");
}

test.each([
  [1.00004, 1],
  [1.2, 1],
  [-0.1, 0],
  [0.123456, 0.1235],
])("a score of %d is shown as %d: from 0 to 1, with four decimals", (score, shown) => {
  expect(shownScore(score)).toBe(shown);
});

describe("the reviewer's search", () => {
  let home: Home;
  let other: Home;
  beforeAll(async () => {
    home = await newHome(world);
    other = await newHome(world);
    await world.repository(home.name, "repo-2");
    await write(
      home,
      item("Retry payments with an idempotency key", { file: "src/pay.ts" }),
      item("Colours come from the design tokens"),
      item("Retry payments in the second repository", { repository_id: "repo-2" }),
    );
    await write(other, item("Retry payments of another organization"));
  });

  test("the search returns the best first, with scores, from this organization and repository only", async () => {
    const found = await search(home, "we retry the payment here", { file_paths: ["src/pay.ts"] });
    expect(textsOf(found)).toEqual([
      "Retry payments with an idempotency key",
      "Colours come from the design tokens",
    ]);
    expect(found[0]).toMatchObject({ file: "src/pay.ts", source_url: null });
    const [best = 0, next = 0] = found.map(({ score }) => score);
    expect(best).toBeGreaterThan(next);
    expect(best).toBeLessThanOrEqual(1);
  });

  test("the search finds a long Learning once by its end, and a Learning by the end of a long change", async () => {
    const here = await newHome(world);
    const filler = (word: string) => `${word} `.repeat(1_150);
    const tail = "Colours of buttons come from the design tokens.";
    const long = `${filler("banana")}${tail}`.trim();
    await write(
      here,
      item(long),
      item("Log with the structured logger"),
      item("Pin the base image by digest"),
    );
    const [best, ...others] = await search(here, "which colours do buttons have in the design");
    expect(best?.learning).toBe(long);
    expect(others.filter(({ learning }) => learning === long)).toEqual([]);
    const change = `${"apple pear ".repeat(2_000)}\n+ FROM node:latest # base image without a digest`;
    expect(textsOf(await search(here, change))[0]).toBe("Pin the base image by digest");
  });

  test("the search leaves out results below min_score: nonsense finds nothing", async () => {
    expect(await search(home, "qwfp zxcv", { min_score: 0.4 })).toEqual([]);
    const [found, another] = await search(home, "retry payments with a key", { min_score: 0.4 });
    expect([found?.learning, another]).toEqual(["Retry payments with an idempotency key", undefined]);
  });

  describe("a change that is too long", () => {
    const { searchBytesMax } = indexLimits;
    async function searchedOf(text: string) {
      const { text_cut } = await searchForReview(deps(), {
        ...home.name,
        repository_id: "repo-1",
        text,
        k: 1,
      });
      return text_cut;
    }

    test("is searched up to its last whole file that fits, and the answer says so", async () => {
      for (const header of ["diff --git a/x b/x\n--- a/x\n+++ b/x\n", "--- a/x\n+++ b/x\n"]) {
        const files = [60_000, 130_000, 100_000].map((bytes) => header.padEnd(bytes, "+ a line\n"));
        const text = files.join("\n");
        expect(await searchedOf(text)).toEqual({ searched_bytes: 190_001, text_bytes: 290_002 });
        expect(await searchedOf(files.slice(0, 2).join("\n"))).toBeUndefined();
      }
    });

    test("is searched by its beginning if it is one file, cut between characters", async () => {
      const text = "é".repeat(searchBytesMax);
      expect(await searchedOf(`x${text}`)).toEqual({
        searched_bytes: searchBytesMax - 1,
        text_bytes: 2 * searchBytesMax + 1,
      });
    });

    test("is searched by its beginning if its first file is too long", async () => {
      const git = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n";
      const removed = "--- a/x\n+++ b/x\n--- a comment of SQL\n";
      for (const header of [git, removed]) {
        const large = header.padEnd(searchBytesMax + 9, "+ a line\n");
        expect(await searchedOf(large)).toMatchObject({ searched_bytes: searchBytesMax });
        expect(await searchedOf(`${large}\n${git}`)).toMatchObject({ searched_bytes: searchBytesMax });
      }
    });

    test("is searched whole if it just fits", async () => {
      expect(await searchedOf("x".repeat(searchBytesMax))).toBeUndefined();
      expect(await searchedOf("x".repeat(searchBytesMax + 1))).toMatchObject({
        searched_bytes: searchBytesMax,
      });
    });
  });

  test("the search returns at most k results", async () => {
    expect(await search(home, "payment", { k: 1 })).toHaveLength(1);
  });

  test("the search is empty if nothing is indexed, and refuses invalid input", async () => {
    expect(await search(home, "payment", { repository_id: "unknown" })).toEqual([]);
    for (const wrong of [
      { k: 0 },
      { k: 51 },
      { text: 7 },
      { provider: "sourceforge" },
      { surprise: 1 },
      { min_score: 2 },
    ])
      await expect(search(home, "x", wrong)).rejects.toThrow();
    await expect(searchForReview(deps(), "payment")).rejects.toThrow(/^request: /);
  });

  test("a change of very many files is still searched by its text", async () => {
    const asked: string[] = [];
    const embedder: Embedder = {
      ...localEmbedder,
      embed: (text) => {
        asked.push(text);
        return localEmbedder.embed(text);
      },
    };
    const file_paths = Array.from({ length: 300 }, (_, index) => `src/generated/of/${index}/client.ts`);
    await searchForReview(deps(embedder), {
      ...home.name,
      repository_id: "repo-1",
      text: "we retry the payment here",
      file_paths,
      k: 1,
    });
    const [text = ""] = asked;
    expect(text).toMatch(/^src\/generated\/of\/0\/client\.ts\n/);
    // Bedrock's embedder ignores text beyond this limit.
    expect(text.indexOf("payment")).toBeLessThan(indexLimits.embeddedBytesMax / 2);
  });

  test("a change without words finds nothing, and no embedder is called", async () => {
    const away = { ...localEmbedder, embed: () => Promise.reject(new Error("Titan takes no empty text.")) };
    const answer = await searchForReview(deps(away), {
      ...home.name,
      repository_id: "repo-1",
      text: " \n",
      k: 5,
    });
    expect(answer).toEqual({ learnings: [] });
  });

  test("the search never returns deleted, unapproved or outdated Learnings, even if the index still has them", async () => {
    const here = await newHome(world);
    const { table } = store();
    const texts = ["deleted", "disapproved", "changed", "kept"].map((state) => `rate limiter ${state}`);
    const [deleted = "", disapproved = "", changed = ""] = await write(
      here,
      ...texts.map((text) => item(text)),
    );
    // Changes the records without the index, as if the index lagged.
    await table.write({ delete: kinds.learning.key({ organization: here.uuid, learningId: deleted }) });
    const set = (id: string, name: string, value: string) =>
      table.write({
        update: kinds.learning.key({ organization: here.uuid, learningId: id }),
        change: { set: [[name, value]] },
      });
    await set(disapproved, "state", "disapproved");
    await set(changed, "digest", "of another text");
    expect(textsOf(await search(here, "rate limiter"))).toEqual(["rate limiter kept"]);
  });

  test("vectors of another embedder are not searched", async () => {
    const answer = await searchForReview(deps({ ...localEmbedder, id: "other" }), {
      ...home.name,
      repository_id: "repo-1",
      text: "payment",
      k: 5,
    });
    expect(answer).toEqual({ learnings: [] });
  });
});
