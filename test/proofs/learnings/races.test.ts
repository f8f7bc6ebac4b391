import { describe, expect, test } from "vitest";
import { ApiError } from "../../../lib/contract/api-error.ts";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { reconcileAll } from "../../../lib/index/reconcile.ts";
import { checkTable } from "../../learnings/check-table.ts";
import { item, newHome, verbsOf } from "../../learnings/fixture.ts";
import { seededRandom } from "../../support/clock.ts";
import { useStore } from "../../support/engine.ts";
import { organizationOf } from "../../support/stored.ts";
import { isLong, volume } from "../../support/volume.ts";
import { World } from "../../support/world.ts";

const store = useStore();
const world = new World(() => store().table);
const batches = volume(15, 50);

describe("concurrent requests", () => {
  test(`${batches} identical batches create one Learning for each text`, async () => {
    const home = await newHome(world);
    const { table } = store();
    const { post } = verbsOf(table);
    const author = { organization: await organizationOf(table, home.uuid), authorId: "ann" };
    const data = Array.from({ length: 5 }, (_, index) => item(`text ${index}`));
    const answers = await Promise.all(Array.from({ length: batches }, () => post(author, ...data)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => "success"));
    expect(answers.reduce((sum, { created_count }) => sum + created_count, 0)).toBe(5);
    expect(new Set(answers.flatMap(({ results }) => results.map(({ id }) => id))).size).toBe(5);
    await checkTable(table, { embedder: localEmbedder });
  });

  test("overlapping batches store every text once", async () => {
    const home = await newHome(world);
    const { table } = store();
    const { post } = verbsOf(table);
    const author = { organization: await organizationOf(table, home.uuid), authorId: "ann" };
    const window = (start: number) =>
      Array.from({ length: 25 }, (_, index) => item(`overlap ${start + index}`));
    const answers = await Promise.all([0, 5, 10, 15, 20, 25].map((start) => post(author, ...window(start))));
    expect(answers.every(({ failed_count }) => failed_count === 0)).toBe(true);
    expect(answers.reduce((sum, { created_count }) => sum + created_count, 0)).toBe(50);
    await checkTable(table, { embedder: localEmbedder });
  });

  test.each(isLong ? [1, 2, 3] : [1])(
    "POST, PATCH and DELETE on the same few texts keep every promise (seed %i)",
    async (seed) => {
      const home = await newHome(world);
      const { table } = store();
      const { post, patch, remove, deps } = verbsOf(table);
      const organization = await organizationOf(table, home.uuid);
      const author = { organization, authorId: "ann" };
      const random = seededRandom(seed);
      const texts = ["A", "B", "C"];
      const text = () => texts[random.below(texts.length)] ?? "A";
      const ids = new Set<string>();
      const id = () =>
        [...ids][random.below(Math.max(1, ids.size))] ?? "00000000-0000-5000-8000-000000000000";
      const act = async () => {
        const what = random.below(4);
        if (what === 0) return await patch(organization, id(), text());
        if (what === 1) return await remove(organization, id());
        const { results } = await post(author, item(text()), item(text()));
        for (const result of results) if (result.id) ids.add(result.id);
        return results;
      };
      for (let round = 0; round < 12; round++) {
        const outcomes = await Promise.allSettled(Array.from({ length: 6 }, act));
        const reasons = outcomes.flatMap((outcome) =>
          outcome.status === "rejected" ? [outcome.reason] : [],
        );
        for (const reason of reasons) {
          expect(reason).toBeInstanceOf(ApiError);
          expect(["LEARNING_NOT_FOUND", "LEARNING_EXISTS"]).toContain(reason.code);
        }
      }
      // A late writer may leave the index to the reconciler, but never the records.
      await checkTable(table);
      await reconcileAll(deps);
      await checkTable(table, { embedder: localEmbedder });
    },
  );
});
