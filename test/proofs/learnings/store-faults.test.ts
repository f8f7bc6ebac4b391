import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { learningLimits } from "../../../lib/contract/limits.ts";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { reconcileAll } from "../../../lib/index/reconcile.ts";
import { vectorKey } from "../../../lib/store/layout.ts";
import { checkTable } from "../../learnings/check-table.ts";
import { type Home, item, newHome, pageOf, recordOf, resultsOf } from "../../learnings/fixture.ts";
import { useApi } from "../../support/api.ts";
import { type Fault, useFaultyEngine } from "../../support/faulty-engine.ts";
import { World } from "../../support/world.ts";

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
const table = () => api.store().table;
beforeAll(() => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
});
beforeEach(() => engine.inject());

async function caller(home: Home) {
  const key = await world.adminKey(home.uuid, "ann");
  return {
    post: (...data: unknown[]) => api.call("/v1/learnings", { key, body: { data } }),
    patch: (id: string, learning: string) =>
      api.call(`/v1/learnings/${id}`, { method: "PATCH", key, body: { learning } }),
    remove: (id: string) => api.call(`/v1/learnings/${id}`, { method: "DELETE", key }),
    list: () => api.call("/v1/learnings", { key }),
    log: async () =>
      z
        .object({ data: z.array(z.looseObject({})) })
        .parse((await api.call("/v1/audit-logs?resource_types=learning", { key })).json).data,
  };
}

const once = (operation: string, fault: Fault) => {
  let left = 1;
  engine.inject((call) => (call.operation === operation && left-- > 0 ? fault : undefined));
};
const always = (operation: string, fault: Fault) =>
  engine.inject((call) => (call.operation === operation ? fault : undefined));

const passing: readonly Fault[] = ["throttle", "conflict", "server_error", "lost_before", "lost_after"];

describe.each(["BatchGetItem", "TransactWriteItems", "BatchWriteItem"])("%s fails once", (operation) => {
  test.each(passing.filter((fault) => fault !== "conflict" || operation === "TransactWriteItems"))(
    `a single fault of ${operation} (%s) does not show in the answers`,
    async (fault) => {
      const home = await newHome(world);
      const { post, patch, remove } = await caller(home);
      once(operation, fault);
      const { results } = resultsOf(await post(item("A"), item("B")));
      expect(results.map(({ status }) => status)).toEqual(["created", "created"]);
      const [first = "", second = ""] = results.map(({ id }) => id ?? "");
      once(operation, fault);
      expect(recordOf(await patch(first, "C"))).toMatchObject({ id: first, learning: "C" });
      once(operation, fault);
      expect((await remove(second)).status).toBe(204);
      engine.inject();
      await checkTable(table(), { embedder: localEmbedder });
    },
  );
});

describe("a store that keeps failing", () => {
  test("a store that takes no transaction fails the items, or the whole request, and stores nothing", async () => {
    const home = await newHome(world);
    const { post, patch, remove, list } = await caller(home);
    const { results } = resultsOf(await post(item("A")));
    const id = results[0]?.id ?? "";
    always("TransactWriteItems", "throttle");
    const answer = resultsOf(await post(item("B"), { bad: true }));
    expect(answer).toMatchObject({ status: "failure", failed_count: 2 });
    expect(answer.results.map(({ error }) => error?.code)).toEqual(["STORAGE_FAILED", "INVALID_ITEM"]);
    expect((await patch(id, "C")).codes).toEqual(["SERVICE_UNAVAILABLE"]);
    expect((await remove(id)).codes).toEqual(["SERVICE_UNAVAILABLE"]);
    engine.inject();
    expect(pageOf(await list()).data.map(({ learning }) => learning)).toEqual(["A"]);
    await checkTable(table(), { embedder: localEmbedder });
  });

  test("an item that failed after the others were stored is in the audit log, with its code", async () => {
    const home = await newHome(world);
    const { post, log } = await caller(home);
    always("BatchWriteItem", "server_error");
    const { results } = resultsOf(await post(item("A")));
    expect(await log()).toMatchObject([
      {
        summary: "learning created: 1 stored but not indexed",
        metadata: { learning_ids: [], failed: [{ index: 0, id: results[0]?.id, code: "INDEXING_FAILED" }] },
      },
      { resource_id: results[0]?.id },
    ]);
    // Every transaction that includes B is refused.
    engine.inject(({ operation, body }) =>
      operation === "TransactWriteItems" && body.includes('"B"') ? "throttle" : undefined,
    );
    const data = [
      "B",
      ...Array.from({ length: learningLimits.writtenTogetherMax }, (_, index) => `C${index}`),
    ];
    const answer = resultsOf(await post(...data.map((text) => item(text))));
    engine.inject();
    const codes = answer.results.flatMap(({ index, id, error }) =>
      error ? [{ index, id, code: error.code }] : [],
    );
    expect(codes[0]).toMatchObject({ index: 0, code: "STORAGE_FAILED" });
    expect((await log())[0]).toMatchObject({
      summary: `learning created: ${codes.length} not stored`,
      metadata: { learning_ids: [], failed: codes },
    });
    // Nothing changed, so nothing is logged.
    const entriesBefore = (await log()).length;
    always("TransactWriteItems", "throttle");
    await post(item("D"));
    engine.inject();
    expect(await log()).toHaveLength(entriesBefore);
    // Send A again so that it is indexed: the next test checks the whole table.
    expect(resultsOf(await post(item("A"))).results).toMatchObject([{ status: "duplicate" }]);
  });

  test("an index that cannot be written is reported, and the same request repairs it", async () => {
    const home = await newHome(world);
    const { post, patch, remove, list } = await caller(home);
    always("BatchWriteItem", "server_error");
    const failed = resultsOf(await post(item("A")));
    expect(failed.results).toMatchObject([{ status: "failed", error: { code: "INDEXING_FAILED" } }]);
    const id = failed.results[0]?.id ?? "";
    expect(pageOf(await list()).data).toHaveLength(1);
    always("BatchWriteItem", "server_error");
    const repaired = await patch(id, "A");
    expect([repaired.status, repaired.codes]).toEqual([503, ["INDEX_REFRESH_FAILED"]]);
    engine.inject();
    expect(resultsOf(await post(item("A"))).results).toMatchObject([{ status: "duplicate", id }]);
    await checkTable(table(), { embedder: localEmbedder });

    // A change and a deletion update the index in their own transaction.
    always("BatchWriteItem", "server_error");
    expect(recordOf(await patch(id, "B"))).toMatchObject({ id, learning: "B" });
    await checkTable(table(), { embedder: localEmbedder });
    expect((await remove(id)).status).toBe(204);
    await checkTable(table(), { embedder: localEmbedder });

    // A concurrent writer indexed the Learning late: the next deletion finds the leftover vector.
    await table().write({ put: { ...vectorKey(home.uuid, id), revision: "late" } });
    always("DeleteItem", "server_error");
    const removed = await remove(id);
    expect([removed.status, removed.codes]).toEqual([503, ["INDEX_REFRESH_FAILED"]]);
    engine.inject();
    expect((await remove(id)).status).toBe(204);
    await checkTable(table(), { embedder: localEmbedder, markersMayRemain: true });
    await reconcileAll({ ...world.deps, embedder: localEmbedder });
    await checkTable(table(), { embedder: localEmbedder });
  });

  test("a store that cannot be read is a 503 before anything is written", async () => {
    const home = await newHome(world);
    const { post, list } = await caller(home);
    await list();
    let reads = 0;
    engine.inject(({ operation }) => (operation === "BatchGetItem" && reads++ > 0 ? "throttle" : undefined));
    expect((await post(item("A"))).codes).toEqual(["SERVICE_UNAVAILABLE"]);
    always("Query", "throttle");
    expect((await list()).codes).toEqual(["SERVICE_UNAVAILABLE"]);
    engine.inject();
    expect(pageOf(await list()).data).toEqual([]);
  });

  test("nothing is written if the limiter cannot be reached", async () => {
    const home = await newHome(world);
    const { post, list } = await caller(home);
    always("UpdateItem", "lost_before");
    expect((await post(item("A"))).codes).toEqual(["SERVICE_UNAVAILABLE"]);
    expect((await list()).status).toBe(200);
    engine.inject();
    expect(pageOf(await list()).data).toEqual([]);
  });
});
