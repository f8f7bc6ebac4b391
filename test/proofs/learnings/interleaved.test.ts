import { describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { tableShape } from "../../../lib/contract/table.ts";
import { eventTypes } from "../../../lib/events/event-types.ts";
import { embeddedText } from "../../../lib/index/embedder.ts";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { reconcileAll } from "../../../lib/index/reconcile.ts";
import { approveDue } from "../../../lib/learnings/approval.ts";
import { closePrivateLearnings } from "../../../lib/learnings/events/pull-request.ts";
import { updateLearning } from "../../../lib/learnings/update.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { TimeUp } from "../../../lib/runtime/time-up.ts";
import { parseLearning } from "../../../lib/store/items/learning.ts";
import { vectorKey } from "../../../lib/store/layout.ts";
import { queryAll, StoreUnavailable, type Table } from "../../../lib/store/table.ts";
import { checkTable } from "../../learnings/check-table.ts";
import { type Home, item, newHome, verbsOf } from "../../learnings/fixture.ts";
import { useStore } from "../../support/engine.ts";
import { overtakenBy } from "../../support/overtaken.ts";
import { learningOf, organizationOf } from "../../support/stored.ts";
import { World } from "../../support/world.ts";

const store = useStore();
const world = new World(() => store().table);
const storeOf = (table: Table) => ({ table, clock: systemClock, random: systemRandom });
const pr = "https://git.example.com/pull/1";

/** A new organization with one Learning. */
async function taught(text: string) {
  const home = await newHome(world);
  const { table } = store();
  const organization = await organizationOf(table, home.uuid);
  const verbs = verbsOf(table);
  const { results } = await verbs.post({ organization, authorId: "ann" }, item(text));
  return { ...verbs, table, home, organization, id: results[0]?.id ?? "" };
}

async function deliver(table: Table, type: string, data: object, occurredAt = "2026-11-01T00:00:00.000Z") {
  const known = eventTypes[type];
  if (!known) throw new Error(`There is no type ${type}.`);
  const id = systemRandom.uuid();
  await known.apply(storeOf(table), [{ id, version: `${occurredAt}#${id}`, data: known.schema.parse(data) }]);
}
const capture = (table: Table, { name }: Home, learning: string, more: object = {}) =>
  deliver(table, "learning.captured", {
    ...name,
    repository_id: "repo-1",
    learning,
    author_id: "bob",
    source: "pull_request",
    pr_url: pr,
    ...more,
  });
const settle = (table: Table, { uuid: organization }: Home, status: "merged" | "closed") =>
  closePrivateLearnings(storeOf(table), {
    organization,
    prUrl: pr,
    status,
    version: `2026-11-02T00:00:00.000Z#${systemRandom.uuid()}`,
  });
const states = async ({ uuid }: Home) => {
  const items = await Array.fromAsync(
    queryAll(store().table, { pk: kinds.learning.partition({ organization: uuid }) }),
  );
  return Object.fromEntries(items.map(parseLearning).map(({ text, state }) => [text, state]));
};

describe.each(["merged", "closed"] as const)("a pull request that is %s", (status) => {
  const end = status === "merged" ? "approved" : undefined;

  test.each([true, false])(
    `the end of a ${status} pull request decides about a Learning captured meanwhile (known before: %s)`,
    async (isKnown) => {
      const home = await newHome(world);
      const { table } = store();
      if (isKnown) await capture(table, home, "known");
      await capture(
        overtakenBy(table, () => settle(table, home, status)),
        home,
        "overtaken",
      );
      expect((await states(home)).overtaken).toBe(end);
      await checkTable(table);
    },
  );

  test(`the end of a ${status} pull request decides about a known Learning and about one captured meanwhile`, async () => {
    const home = await newHome(world);
    const { table } = store();
    await capture(table, home, "first");
    await settle(
      overtakenBy(table, () => capture(table, home, "second")),
      home,
      status,
    );
    expect(await states(home)).toEqual(end ? { first: end, second: end } : {});
    await checkTable(table);
  });

  test(`the end of a ${status} pull request decides about its Learning, even if that changes meanwhile`, async () => {
    const home = await newHome(world);
    const { table } = store();
    await capture(table, home, "first");
    const organization = await organizationOf(table, home.uuid);
    const [learning] = await Array.fromAsync(
      queryAll(table, { pk: kinds.learning.partition({ organization: home.uuid }) }),
    );
    const { patch } = verbsOf(table);
    await settle(
      overtakenBy(table, () => patch(organization, learning?.sk ?? "", "changed")),
      home,
      status,
    );
    expect(await states(home)).toEqual(end ? { changed: end } : {});
    await checkTable(table);
  });
});

describe("use", () => {
  const use = (home: Home, learning_id: string) =>
    deliver(store().table, "learning.used", {
      ...home.name,
      learning_id,
      used_at: "2026-11-10T00:00:00Z",
      count: 3,
    });

  test("use is not lost while a text is changed", async () => {
    const { table, home, organization, id } = await taught("used");
    const record = await verbsOf(overtakenBy(table, () => use(home, id))).patch(organization, id, "changed");
    expect(record).toMatchObject({
      learning: "changed",
      usage_count: 3,
      last_used_at: "2026-11-10T00:00:00.000Z",
    });
    await checkTable(table);
  });

  test("use is not lost while a Learning is approved", async () => {
    const home = await newHome(world, { approval_delay_days: 1 });
    const { table } = store();
    await capture(table, home, "waits", { source: "chat", pr_url: null });
    const [learning] = await Array.fromAsync(
      queryAll(table, { pk: kinds.learning.partition({ organization: home.uuid }) }),
    );
    const rethrow = (_: string, error: unknown) => {
      throw error;
    };
    await approveDue(storeOf(overtakenBy(table, () => use(home, learning?.sk ?? ""))), rethrow);
    expect(await learningOf(table, home.uuid, learning?.sk ?? "")).toMatchObject({
      state: "approved",
      usage_count: 3,
    });
    await checkTable(table);
  });
});

describe("a text that is taken while somebody else wants it", () => {
  test("a text taken meanwhile makes a POST a duplicate, and a PATCH a conflict", async () => {
    const home = await newHome(world);
    const { table } = store();
    const organization = await organizationOf(table, home.uuid);
    const author = { organization, authorId: "ann" };
    const { post, patch } = verbsOf(table);
    const { results } = await post(author, item("mine"));
    const id = results[0]?.id ?? "";

    const posted = await verbsOf(overtakenBy(table, () => patch(organization, id, "wanted"))).post(
      author,
      item("wanted"),
    );
    expect(posted.results).toMatchObject([{ status: "duplicate", id }]);
    const patched = verbsOf(overtakenBy(table, () => post(author, item("also wanted")))).patch(
      organization,
      id,
      "also wanted",
    );
    await expect(patched).rejects.toMatchObject({ code: "LEARNING_EXISTS" });
    await checkTable(table);
  });

  test("a text taken and deleted meanwhile is created", async () => {
    const home = await newHome(world);
    const { table } = store();
    const organization = await organizationOf(table, home.uuid);
    const author = { organization, authorId: "ann" };
    const { post, remove } = verbsOf(table);
    const meanwhile = async () => {
      const { results } = await post(author, item("brief"));
      await remove(organization, results[0]?.id ?? "");
    };
    const { results } = await verbsOf(overtakenBy(table, meanwhile)).post(author, item("brief"));
    expect(results).toMatchObject([{ status: "created" }]);
    await checkTable(table);
  });

  /** Owners are not read atomically: the first read is old, the others are already new. */
  function torn(table: Table, meanwhile: () => Promise<unknown>): Table {
    let happened = false;
    return {
      ...table,
      getMany: async (keys, options) => {
        if (happened || !keys[0]?.pk.startsWith("TEXT#")) return table.getMany(keys, options);
        happened = true;
        const before = await table.getMany(keys, options);
        await meanwhile();
        const after = await table.getMany(keys, options);
        return [...before.slice(0, 1), ...after.slice(1)];
      },
    };
  }

  test("a text that moves from one item of a batch to another meanwhile is decided again", async () => {
    const home = await newHome(world);
    const { table } = store();
    const organization = await organizationOf(table, home.uuid);
    const meanwhile = async () => {
      await capture(table, home, "given");
      const [learning] = await Array.fromAsync(
        queryAll(table, { pk: kinds.learning.partition({ organization: home.uuid }) }),
      );
      await verbsOf(table).patch(organization, learning?.sk ?? "", "taken");
    };
    const { results } = await verbsOf(torn(table, meanwhile)).post(
      { organization, authorId: "ann" },
      item("given"),
      item("taken"),
    );
    expect(results).toMatchObject([{ status: "created" }, { status: "duplicate", promoted: true }]);
    expect(await states(home)).toEqual({ given: "approved", taken: "approved" });
    for (const [index, text] of ["given", "taken"].entries()) {
      const stored = await table.get(vectorKey(home.uuid, results[index]?.id ?? ""));
      const expected = await localEmbedder.embed(embeddedText({ text, file: null }));
      expect(stored?.[tableShape.vectorIndex.vectorAttribute]).toEqual(expected);
    }
    await checkTable(table);
  });

  test("a text taken by the same change a moment earlier is no conflict", async () => {
    const { table, organization, patch, id } = await taught("mine");
    const overtakenRead = torn(table, () => patch(organization, id, "changed"));
    expect(await verbsOf(overtakenRead).patch(organization, id, "changed")).toMatchObject({
      id,
      learning: "changed",
    });
    await checkTable(table);
  });

  test("a Learning created again while its deletion is repeated stays in the index", async () => {
    const { table, home, organization, post, remove, id } = await taught("again");
    await remove(organization, id);
    let isCreated = false;
    const overtakenRead: Table = {
      ...table,
      getMany: async (keys, options) => {
        const isOfVectors = keys[0]?.pk.startsWith("VECTOR#") ?? false;
        if (isOfVectors && !isCreated) {
          isCreated = true;
          await post({ organization, authorId: "ann" }, item("again"));
        }
        return await table.getMany(keys, options);
      },
    };
    await verbsOf(overtakenRead).remove(organization, id);
    const created = await learningOf(table, home.uuid, id);
    expect(await table.get(vectorKey(home.uuid, id))).toMatchObject({ revision: created?.revision });
    await checkTable(table);
  });

  test("a change during a vector repair leaves a marker, even if the repairing process dies", async () => {
    const { table, home, organization, patch, id } = await taught("mine");
    await table.write({ delete: vectorKey(home.uuid, id) });
    let isOver = false;
    const dying: Table = {
      ...table,
      writeMany: async (writes) => {
        const isVector = writes.some((write) => "put" in write && write.put.pk.startsWith("VECTOR#"));
        if (isOver) throw new StoreUnavailable("gone", false);
        if (isVector) await patch(organization, id, "changed");
        isOver = isVector;
        await table.writeMany(writes);
      },
    };
    await verbsOf(dying).patch(organization, id, "mine");
    const markers = (await table.scanPage({})).items.filter(({ pk }) => pk.startsWith("STALE#"));
    expect(markers.map((marker) => marker.id)).toContain(id);
  });
});

test("an embedder that never answers does not keep a change from being stored", async () => {
  const { table, home, organization, deps, id } = await taught("mine");
  const time = new AbortController();
  const embed = () => {
    setImmediate(() => time.abort(new TimeUp()));
    return new Promise<never>(() => {});
  };
  const silent = { id: localEmbedder.id, embed };
  const request = { organizations: [organization], readable: "*", id, text: "changed" } as const;
  const changing = updateLearning({ ...deps, embedder: silent, signal: time.signal }, request);
  await expect(changing).rejects.toMatchObject({ code: "INDEX_REFRESH_FAILED" });
  expect(await learningOf(table, home.uuid, id)).toMatchObject({ text: "changed" });
  await reconcileAll({ ...storeOf(table), embedder: localEmbedder });
  await checkTable(table, { embedder: localEmbedder });
});
