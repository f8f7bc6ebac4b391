import { beforeEach, describe, expect, test, vi } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { indexLimits } from "../../lib/contract/limits.ts";
import { tableShape } from "../../lib/contract/table.ts";
import type { Embedder } from "../../lib/index/embedder.ts";
import { measureLag as measure } from "../../lib/index/lag.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { reconcileSome as reconcile, reconcileAll } from "../../lib/index/reconcile.ts";
import { learningUuid } from "../../lib/learnings/identity.ts";
import { updateLearning } from "../../lib/learnings/update.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { vectorKey } from "../../lib/store/layout.ts";
import type { Table } from "../../lib/store/table.ts";
import { checkTable } from "../learnings/check-table.ts";
import { type Home, item, newHome, verbsOf } from "../learnings/fixture.ts";
import { TestClock } from "../support/clock.ts";
import { openStore, useStore } from "../support/engine.ts";
import { asFunction, grantedTable } from "../support/granted-table.ts";
import { learningOf, organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";

process.env.LOG_LEVEL ??= "silent";
const engine = useStore();
const clock = new TestClock();
let table: Table;
let home: Home;
beforeEach(async () => {
  ({ table } = await openStore(engine().endpoint, { clock }));
  home = await newHome(new World(() => table, clock));
});

/** As the worker runs them. */
const reconcileSome: typeof reconcile = (given, ...rest) =>
  asFunction("reconcileIndex", () => reconcile({ ...given, table: grantedTable(given.table) }, ...rest));
const measureLag: typeof measure = (given) =>
  asFunction("reconcileIndex", () => measure({ ...given, table: grantedTable(given.table) }));

const deps = (embedder: Embedder = localEmbedder) => ({
  table,
  clock,
  random: systemRandom,
  embedder,
});
const counted = { looked_at: 0, missing: 0, stale: 0, orphaned: 0, failed: 0 };
async function write(count: number, embedder: Embedder = localEmbedder) {
  const organization = await organizationOf(table, home.uuid);
  const author = { organization, authorId: "ann" };
  const data = Array.from({ length: count }, (_, index) => item(`number ${index}`));
  const { results } = await verbsOf(table, { clock, embedder }).post(author, ...data);
  return { organization, results, ids: results.map(({ id }) => id ?? "") };
}
const broken: Embedder = {
  id: localEmbedder.id,
  embed: () => Promise.reject(new Error("The model is away.")),
};

describe("a long text", () => {
  const long = (word: string, pieces: number) =>
    `${word} `.repeat((pieces * 6_000) / (word.length + 1)).trim();
  const piecesIn = async () => {
    const { items } = await table.queryPage({ pk: kinds.vector.partition({ organization: home.uuid }) });
    return items.map(({ sk }) => sk.split("#")[1] ?? "0");
  };
  async function taught(text: string) {
    const organization = await organizationOf(table, home.uuid);
    const verbs = verbsOf(table, { clock });
    const { results } = await verbs.post({ organization, authorId: "ann" }, item(text));
    return { organization, verbs, id: results[0]?.id ?? "" };
  }

  test("a long text has a vector for each piece; a shorter text has fewer, and none is left after deletion", async () => {
    const { organization, verbs, id } = await taught(long("pear", 1.6));
    expect(await piecesIn()).toEqual(["0", "1"]);
    await verbs.patch(organization, id, "short");
    expect(await piecesIn()).toEqual(["0"]);
    await verbs.patch(organization, id, long("plum", 1.6));
    expect(await piecesIn()).toEqual(["0", "1"]);
    await checkTable(table, { embedder: localEmbedder });
    await verbs.remove(organization, id);
    expect(await piecesIn()).toEqual([]);
  });

  test("a long text gets a lost piece back, and pieces of an earlier text are deleted", async () => {
    const { verbs, organization, id } = await taught(long("pear", 1.6));
    const second = await table.get(vectorKey(home.uuid, id, 1));
    if (!second) throw new Error("It has two pieces.");
    await table.writeMany([
      { delete: vectorKey(home.uuid, id, 1) },
      { put: { ...second, ...vectorKey(home.uuid, id, 4), digest: "of an earlier text" } },
    ]);
    expect(await reconcileAll(deps())).toEqual({ ...counted, looked_at: 1, stale: 1 });
    expect(await piecesIn()).toEqual(["0", "1"]);
    await table.write({ delete: vectorKey(home.uuid, id, 1) });
    expect(await verbs.post({ organization, authorId: "ann" }, item(long("pear", 1.6)))).toMatchObject({
      results: [{ status: "duplicate" }],
    });
    expect(await piecesIn()).toEqual(["0", "1"]);
    expect(await reconcileAll(deps())).toEqual({ ...counted, looked_at: 1 });
  });

  test("a long text whose embedding fails during a change is indexed later, without pieces of the old text", async () => {
    const { organization, id } = await taught(long("pear", 1.6));
    await verbsOf(table, { clock, embedder: broken })
      .patch(organization, id, "short")
      .catch(() => {});
    await reconcileAll(deps());
    expect(await piecesIn()).toEqual(["0"]);
    await checkTable(table, { embedder: localEmbedder });
  });

  test("a long text leaves no piece behind when a late writer indexed it after its deletion", async () => {
    const { organization, verbs, id } = await taught(long("pear", 1.6));
    const { items } = await table.queryPage({ pk: kinds.vector.partition({ organization: home.uuid }) });
    await verbs.remove(organization, id);
    await table.writeMany(items.map((late) => ({ put: late })));
    await verbs.remove(organization, id);
    expect(await piecesIn()).toEqual([]);
    await table.writeMany(items.map((late) => ({ put: late })));
    expect(await reconcileAll(deps())).toEqual({ ...counted, looked_at: 1, orphaned: 1 });
    expect(await piecesIn()).toEqual([]);
  });
});

test("a change of only the file is indexed too, by the same request again or by the reconciler", async () => {
  const organization = await organizationOf(table, home.uuid);
  const { results } = await verbsOf(table, { clock }).post({ organization, authorId: "ann" }, item("text"));
  const id = results[0]?.id ?? "";
  const request = { organizations: [organization], readable: "*" as const, id, text: "text" };
  const vector = async () =>
    (await table.get(vectorKey(home.uuid, id)))?.[tableShape.vectorIndex.vectorAttribute];
  const change = (file: string, embedder: Embedder) =>
    updateLearning(verbsOf(table, { clock, embedder }).deps, { ...request, file });
  await expect(change("src/a.ts", broken)).rejects.toThrow();
  await change("src/a.ts", localEmbedder);
  expect(await vector()).toEqual(await localEmbedder.embed("src/a.ts\ntext"));
  await expect(change("src/b.ts", broken)).rejects.toThrow();
  await reconcileAll(deps());
  expect(await vector()).toEqual(await localEmbedder.embed("src/b.ts\ntext"));
  expect(await reconcileAll(deps())).toEqual({ ...counted, looked_at: 1 });
});

describe("the reconciler", () => {
  test("the reconciler finds nothing to do if the index is correct", async () => {
    await write(30);
    expect(await reconcileAll(deps())).toEqual({ ...counted, looked_at: 30 });
  });

  test("the reconciler repairs missing, stale and orphaned vectors, and counts them", async () => {
    const { ids } = await write(6);
    const vector = (index: number) => vectorKey(home.uuid, ids[index] ?? "");
    const third = await table.get(vector(2));
    if (!third) throw new Error("It was not indexed.");
    await table.writeMany([
      { delete: vector(0) },
      { delete: vector(1) },
      { put: { ...third, digest: "old" } },
      { put: { ...third, sk: "00000000-0000-5000-8000-000000000000" } },
      { put: { ...third, sk: "ffffffff-ffff-5fff-bfff-ffffffffffff" } },
    ]);
    expect(await reconcileAll(deps())).toEqual({
      looked_at: 8,
      missing: 2,
      stale: 1,
      orphaned: 2,
      failed: 0,
    });
    await checkTable(table, { embedder: localEmbedder });
  });

  test("the reconciler indexes what a writer could not, after the writer's time is over", async () => {
    // The full pass is finished and paused.
    await reconcileSome(deps());
    const { results } = await write(3, broken);
    expect(results.map(({ error }) => error?.code)).toEqual(new Array(3).fill("INDEXING_FAILED"));
    expect(await reconcileSome(deps())).toEqual(counted);
    clock.advance(indexLimits.leftBehindAfterMs);
    expect(await reconcileSome(deps())).toMatchObject({ missing: 3, failed: 0 });
    await checkTable(table, { embedder: localEmbedder });
  });

  test("the reconciler counts failures, retries them, and finishes when the model is available again", async () => {
    await write(3, broken);
    clock.advance(indexLimits.leftBehindAfterMs);
    expect(await reconcileSome(deps(broken))).toMatchObject({ missing: 0, failed: expect.any(Number) });
    expect(await reconcileSome(deps())).toMatchObject({ missing: 3, failed: 0 });
    await checkTable(table, { embedder: localEmbedder });
  });

  test("sending a failed batch again also repairs the index", async () => {
    await write(3, broken);
    const { results } = await write(3);
    expect(results.map(({ status }) => status)).toEqual(["duplicate", "duplicate", "duplicate"]);
    await checkTable(table, { embedder: localEmbedder });
  });

  test("a change of embedder indexes everything again in the background", async () => {
    await write(40);
    await reconcileSome(deps());
    const other: Embedder = { id: "other-1", embed: localEmbedder.embed };
    expect(await reconcileSome(deps(other))).toMatchObject({ looked_at: 40, stale: 40 });
    await checkTable(table, { embedder: other });
    expect(await reconcileSome(deps(other))).toEqual(counted);
  });

  test("the full pass pauses when it is finished, and starts again a day later", async () => {
    const { ids } = await write(2);
    expect(await reconcileSome(deps())).toMatchObject({ looked_at: 2 });
    await table.write({ delete: vectorKey(home.uuid, ids[0] ?? "") });
    expect(await reconcileSome(deps())).toEqual(counted);
    clock.advance(indexLimits.fullPassEveryMs);
    expect(await reconcileSome(deps())).toMatchObject({ looked_at: 2, missing: 1 });
    await checkTable(table, { embedder: localEmbedder });
  });

  test("the full pass covers very many organizations without Learnings, a limited number in each run", async () => {
    const { ids } = await write(1);
    await table.write({ delete: vectorKey(home.uuid, ids[0] ?? "") });
    const row = { ...home.name, name: "empty" };
    const rows = Array.from({ length: indexLimits.organizationsPerPieceMax }, (_, index) => ({
      put: { ...row, pk: kinds.organizationDirectory.partition(), sk: `!${index}`, uuid: `empty-${index}` },
    }));
    await table.writeMany(rows);
    let asked = 0;
    const counting: Table = {
      ...table,
      queryPage: async (range, resume) => {
        if (!range.pk.includes("#empty-")) return await table.queryPage(range, resume);
        asked++;
        return { items: [] };
      },
    };
    expect(await reconcileSome({ ...deps(), table: counting })).toMatchObject({ missing: 0 });
    expect(asked).toBe(2 * indexLimits.organizationsPerPieceMax);
    expect(await reconcileSome({ ...deps(), table: counting })).toMatchObject({ looked_at: 1, missing: 1 });
    expect(await reconcileSome({ ...deps(), table: counting })).toEqual(counted);
    await checkTable(table, { embedder: localEmbedder });
  });

  describe("with more to do than one run takes", () => {
    /** Simulates a partition of `count` items without writing them; a page has 500. */
    const crowded = (pk: string, count: number, more: (sk: string) => object) => {
      const pages: string[] = [];
      const queryPage: Table["queryPage"] = async (range, resume) => {
        if (range.pk !== pk) return await table.queryPage(range, resume);
        const after = resume?.sk ?? ("after" in range ? range.after : "");
        pages.push(after);
        const first = after === "" ? 0 : Number.parseInt(after, 16) + 1;
        const items = Array.from({ length: Math.min(500, count - first) }, (_, index) => {
          const sk = (first + index).toString(16).padStart(8, "0");
          return { pk, sk, ...more(sk) };
        });
        const last = items.at(-1);
        return first + items.length < count && last ? { items, resume: last } : { items };
      };
      return { pages, deps: { ...deps(), table: { ...table, queryPage } } };
    };

    test("a run checks a limited number of Learnings, and the next run continues after them", async () => {
      const aside = { organization: home.uuid, text: "x", state: "private", digest: "d", revision: "r" };
      const { deps: many } = crowded(
        kinds.learning.partition({ organization: home.uuid }),
        2_300,
        () => aside,
      );
      expect(await reconcileSome(many)).toEqual({ ...counted, looked_at: indexLimits.inspectedPerPieceMax });
      expect(await reconcileSome(many)).toEqual({ ...counted, looked_at: 300 });
      expect(await reconcileSome(many)).toEqual(counted);
      expect(await reconcileAll(many)).toEqual({ ...counted, looked_at: 2_300 });
    });

    test("a run that has time goes on with the next pieces until everything is checked", async () => {
      const aside = { organization: home.uuid, text: "x", state: "private", digest: "d", revision: "r" };
      const { deps: many } = crowded(
        kinds.learning.partition({ organization: home.uuid }),
        5_300,
        () => aside,
      );
      const now = clock.nowMs();
      expect(await reconcileSome(many, now)).toMatchObject({ looked_at: indexLimits.inspectedPerPieceMax });
      expect(await reconcileSome(many, now + 1)).toEqual({ ...counted, looked_at: 3_300 });
    });

    test("a run ends with the first piece that fails, so that a model in trouble is asked once a minute", async () => {
      await write(3, broken);
      clock.advance(indexLimits.leftBehindAfterMs);
      let asked = 0;
      const failing: Embedder = {
        ...broken,
        embed: async (text) => {
          asked++;
          return await broken.embed(text);
        },
      };
      const report = await reconcileSome(deps(failing), clock.nowMs() + 60_000);
      expect(report.failed).toBeGreaterThan(0);
      expect(asked).toBeLessThanOrEqual(6);
    });

    test("a run takes and counts a limited number of markers, which is enough to raise an alarm", async () => {
      const marker = { organization: home.uuid, id: "00", left_behind_at_ms: clock.nowMs() - 7_000 };
      const stale = crowded(kinds.stale.partition({ shard: 0 }), 2_000, (revision) => ({
        ...marker,
        revision,
      }));
      expect(await measureLag(stale.deps)).toEqual({
        index_stale: indexLimits.staleMarkersPerPieceMax,
        index_lag_seconds: 7,
      });
      expect(stale.pages).toHaveLength(2);
      expect(await reconcileSome(stale.deps)).toMatchObject({ failed: 0 });
      expect(stale.pages).toHaveLength(4);
    });
  });

  test("the reconciler is safe with concurrent writers: a changed Learning ends with its newest text", async () => {
    const { organization, ids } = await write(1);
    const id = ids[0] ?? "";
    await table.write({ delete: vectorKey(home.uuid, id) });
    const { deps: writer } = verbsOf(table, { clock });
    const slow: Embedder = {
      id: localEmbedder.id,
      embed: async (text) => {
        // Between the reconciler's read and its write, a writer changes and indexes the text.
        if (text === "number 0")
          await updateLearning(writer, {
            organizations: [organization],
            readable: "*",
            id,
            text: "changed meanwhile",
          });
        return await localEmbedder.embed(text);
      },
    };
    await reconcileSome(deps(slow));
    expect((await learningOf(table, home.uuid, id))?.text).toBe("changed meanwhile");
    await reconcileSome(deps());
    await checkTable(table, { embedder: localEmbedder });
  });

  test("the reconciler is safe with a concurrent deletion: it restores nothing", async () => {
    const { organization, ids } = await write(1);
    const id = ids[0] ?? "";
    await table.write({ delete: vectorKey(home.uuid, id) });
    const { remove } = verbsOf(table, { clock });
    const slow: Embedder = {
      id: localEmbedder.id,
      embed: async (text) => {
        await remove(organization, id);
        return await localEmbedder.embed(text);
      },
    };
    await reconcileSome(deps(slow));
    await reconcileSome(deps());
    expect(await table.get(vectorKey(home.uuid, id))).toBeUndefined();
    await checkTable(table, { embedder: localEmbedder });
  });
});

describe("a damaged item", () => {
  test("a damaged item counts as failed, and blocks neither the full pass nor the rest of its organization", async () => {
    const { ids } = await write(5);
    const [first = "", second = "", third = "", , fifth = ""] = ids.toSorted();
    await table.writeMany([
      { put: { pk: kinds.learning.partition({ organization: home.uuid }), sk: second, state: "nowhere" } },
      { put: { ...vectorKey(home.uuid, third), digest: 7 } },
      { put: { ...vectorKey(home.uuid, "00000000-0000-5000-8000-000000000000"), digest: 7 } },
      { put: { pk: kinds.organizationDirectory.partition(), sk: "#", uuid: 7 } },
      { delete: vectorKey(home.uuid, first) },
      { delete: vectorKey(home.uuid, fifth) },
    ]);

    const report = await reconcileSome(deps());

    // The unreadable vector is created again; the vector without a record is deleted.
    expect(report).toMatchObject({ looked_at: 6, missing: 3, failed: 1 });
    expect(await table.get(kinds.reconciler.key())).toMatchObject({ organization: null });
    expect(await table.get(vectorKey(home.uuid, "00000000-0000-5000-8000-000000000000"))).toBeUndefined();
    clock.advance(indexLimits.fullPassEveryMs);
    expect(await reconcileSome(deps())).toEqual({ ...counted, looked_at: 5, failed: 1 });
  });
});

describe("a late writer", () => {
  test("a late writer whose vector comes after a newer one leaves a marker, and the newest text wins", async () => {
    const organization = await organizationOf(table, home.uuid);
    // The full pass is finished and paused: only the marker shows the problem.
    await reconcileSome(deps());
    const { repository_id, learning: first } = item("first");
    const id = learningUuid(home.uuid, repository_id, first, 1);
    const { patch } = verbsOf(table, { clock });
    const slow: Embedder = {
      id: localEmbedder.id,
      embed: async (text) => {
        const vector = await localEmbedder.embed(text);
        // The record is already written while the embedding is awaited; then a second change overtakes it.
        await new Promise((resolve) => setTimeout(resolve, 300));
        await patch(organization, id, "second");
        return vector;
      },
    };
    await verbsOf(table, { clock, embedder: slow }).post({ organization, authorId: "ann" }, item("first"));
    clock.advance(indexLimits.leftBehindAfterMs);
    await reconcileSome(deps());
    expect((await learningOf(table, home.uuid, id))?.text).toBe("second");
    await checkTable(table, { embedder: localEmbedder });
  });
});

describe("an item that can never be repaired", () => {
  /** The embedding fails for every text but one. */
  const onlyLast: Embedder = {
    id: localEmbedder.id,
    embed: (text) => (text.includes("number 2") ? localEmbedder.embed(text) : broken.embed(text)),
  };

  test("items that always fail do not block others: the next run continues after the markers of the last run", async () => {
    vi.spyOn(indexLimits, "staleMarkersPerPieceMax", "get").mockReturnValue(1 as never);
    await write(3, broken);
    clock.advance(indexLimits.leftBehindAfterMs + 1);
    const reports = [];
    for (let run = 0; run < 3; run++) reports.push(await reconcileSome(deps(onlyLast)));
    vi.restoreAllMocks();
    expect(reports.reduce((sum, { missing }) => sum + missing, 0)).toBe(1);
  });

  test("a damaged record, vector or marker does not stop the full pass; a damaged vector is created again", async () => {
    const { ids } = await write(5);
    const [bad = "", worse = "", missing = ""] = ids.toSorted();
    await table.writeMany([
      { put: { pk: kinds.learning.partition({ organization: home.uuid }), sk: bad, state: 7 } },
      { put: { ...vectorKey(home.uuid, worse), digest: 7 } },
      { delete: vectorKey(home.uuid, missing) },
      { put: { pk: kinds.stale.partition({ shard: 0 }), sk: "0" } },
    ]);
    const report = await reconcileAll(deps());
    expect(report).toMatchObject({ looked_at: 5, missing: 2, failed: 1 });
    expect(await table.get(vectorKey(home.uuid, worse))).toMatchObject({ digest: expect.any(String) });
  });
});
