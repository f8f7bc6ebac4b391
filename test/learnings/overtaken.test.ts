import { beforeAll, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import { closePrivateLearnings } from "../../lib/learnings/events/pull-request.ts";
import { useLearning } from "../../lib/learnings/events/use.ts";
import { pullRequestDigest } from "../../lib/learnings/identity.ts";
import { replaceWrites } from "../../lib/learnings/record.ts";
import { textWrite } from "../../lib/learnings/text-owner.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { required } from "../../lib/runtime/required.ts";
import { parseLearning } from "../../lib/store/items/learning.ts";
import { vectorKey } from "../../lib/store/layout.ts";
import { type Table, TransactionRefused } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { overtakenBy as overtakes } from "../support/overtaken.ts";
import { learningOf, organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";
import { checkTable } from "./check-table.ts";
import { type Home, item, newHome, verbsOf } from "./fixture.ts";

const store = useStore();
const world = new World(() => store().table);
let home: Home;
beforeAll(async () => {
  home = await newHome(world);
});

const authorOf = async () => ({
  organization: await organizationOf(store().table, home.uuid),
  authorId: "ann",
});
async function learn(text: string): Promise<string> {
  const { results } = await verbsOf(store().table).post(await authorOf(), item(text));
  return results[0]?.id ?? "";
}

const overtakenBy = (other: () => Promise<unknown>): Table => overtakes(store().table, other);

test("a use that is delivered twice counts once, also both at once", async () => {
  const learning_id = await learn("Used.");
  const use = { ...home.name, learning_id, used_at: "2026-01-01T00:00:00.000Z", count: 3 };
  const deliver = (id: string, table: Table = store().table) =>
    useLearning({ ...world.deps, table }, use, `${use.used_at}#${id}`);
  await deliver("first");
  await deliver("first");
  expect(await learningOf(store().table, home.uuid, learning_id)).toMatchObject({
    usage_count: 3,
    last_used_at: use.used_at,
  });
  // Reads of several items are no snapshot: the marker may be read before the other delivery and the count after it.
  let isOvertaken = false;
  const getMany: Table["getMany"] = async (keys, ...options) => {
    if (isOvertaken) return await store().table.getMany(keys, ...options);
    isOvertaken = true;
    const [first] = await store().table.getMany(keys.slice(0, 1), ...options);
    await deliver("second");
    return [first, ...(await store().table.getMany(keys.slice(1), ...options))];
  };
  await deliver("second", { ...store().table, getMany });
  expect(await learningOf(store().table, home.uuid, learning_id)).toMatchObject({ usage_count: 6 });
  await checkTable(store().table);
});

test("of a change and a creation with one text at once only one gets the text", async () => {
  const { organization } = await authorOf();
  const id = await learn("Before.");
  const verbs = verbsOf(overtakenBy(() => learn("The same.")));
  await expect(verbs.patch(organization, id, "The same.")).rejects.toMatchObject({ code: "LEARNING_EXISTS" });
  expect(await learningOf(store().table, home.uuid, id)).toMatchObject({ text: "Before." });
  await checkTable(store().table);
});

const prUrl = "https://git.test/pull/1";
const pullRequestKey = () =>
  kinds.pullRequestLearnings.key({ organization: home.uuid, digest: pullRequestDigest(prUrl) });
const at = (day: number) => `2026-10-0${day}T00:00:00.000Z#event`;
const capture = async (text: string, pr_url = prUrl) => {
  const { schema, apply } = required(eventTypes["learning.captured"], "type of event");
  const fields = { ...home.name, repository_id: home.repository, learning: text, author_id: "bob", pr_url };
  const data = schema.parse({ ...fields, source: "pull_request" });
  const id = systemRandom.uuid();
  await apply({ ...world.deps, table: store().table }, [
    { id, version: `2026-10-01T00:00:00.000Z#${id}`, data },
  ]);
};
const end = (status: "merged" | "closed", day: number, table: Table = store().table) =>
  closePrivateLearnings(
    { ...world.deps, table },
    { organization: home.uuid, prUrl, status, version: at(day) },
  );
const readPullRequest = () => store().table.get(pullRequestKey());
const learnings = async () => {
  const { items } = await store().table.queryPage({
    pk: kinds.learning.partition({ organization: home.uuid }),
  });
  return Object.fromEntries(items.map(parseLearning).map(({ text, state }) => [text, state]));
};

test("of two ends of a pull request the newest counts, and a merge is final", async () => {
  home = await newHome(world);
  await end("closed", 3);
  await end("closed", 2);
  expect(await readPullRequest()).toMatchObject({ status: "closed", version: at(3) });
  await end("merged", 1);
  await end("closed", 4);
  expect(await readPullRequest()).toMatchObject({ status: "merged", version: at(1) });
});

test.each([true, false])(
  "a close that a merge overtakes drops nothing (another pull request keeps it: %s)",
  async (isKept) => {
    home = await newHome(world);
    await capture("Overtaken.");
    if (isKept) await capture("Overtaken.", "https://git.test/pull/2");
    const change = { set: [["status", "merged"] as const] };
    const merge = () => store().table.write({ update: pullRequestKey(), change });
    await end("closed", 2, overtakenBy(merge));
    expect(await learnings()).toEqual({ "Overtaken.": "approved" });
  },
);

test("a merge counts for a text that another pull request captures while the merge is applied", async () => {
  home = await newHome(world);
  await capture("Again.");
  await end("closed", 2);
  const again = () => capture("Again.", "https://git.test/pull/2");
  // After the Learning was read as absent, and before its text is.
  const { table } = store();
  let isCaptured = false;
  const get: Table["get"] = async (key, ...more) => {
    if (!isCaptured && key.pk === kinds.text.partition({ organization: home.uuid })) {
      isCaptured = true;
      await again();
    }
    return await table.get(key, ...more);
  };
  await end("merged", 4, { ...table, get });
  expect(isCaptured).toBe(true);
  expect(await learnings()).toEqual({ "Again.": "approved" });
});

test("a merge whose pull request is forgotten meanwhile leaves nothing of it", async () => {
  home = await newHome(world);
  await capture("Forgotten.");
  const late = overtakenBy(() => store().table.write({ delete: pullRequestKey() }));
  await expect(end("merged", 2, late)).rejects.toThrow("pull request that ended");
  expect(await readPullRequest()).toBeUndefined();
});

test("a text that somebody takes meanwhile is not forgotten with the Learning before", async () => {
  const { table } = store();
  const key = kinds.text.key({ organization: home.uuid, digest: "digest" });
  const write = async (change: Parameters<typeof textWrite>[3]) =>
    textWrite(home.uuid, "digest", await table.get(key), change);
  await table.transact([await write({ learningId: null, takes: 1 })]);
  const late = await write({ learningId: null, frees: 1 });
  await table.transact([await write({ learningId: "other", takes: 2 })]);
  await expect(table.transact([late])).rejects.toThrow(TransactionRefused);
  expect(await table.get(key)).toMatchObject({ learning_id: "other", generations: [1, 2] });
});

test("a new Learning never takes the place of another", async () => {
  home = await newHome(world);
  const stored = await learningOf(store().table, home.uuid, await learn("There."));
  const again = replaceWrites(undefined, { ...required(stored, "Learning"), text: "Late." });
  await expect(store().table.transact(again)).rejects.toThrow(TransactionRefused);
});

test("orphans of the index are removed, but no vector of a Learning that is created meanwhile", async () => {
  const { organization } = await authorOf();
  const { table } = store();
  const id = "9f3c1c53-6ab2-4bb0-8f0c-111111111111";
  const left = { ...vectorKey(home.uuid, id), revision: "deleted" };
  await table.write({ put: left });
  const created = { ...left, revision: "created" };
  const late = overtakes(table, () => table.write({ put: created }), "write");
  await verbsOf(late).remove(organization, id);
  expect(await table.get(vectorKey(home.uuid, id))).toMatchObject(created);
  await verbsOf(table).remove(organization, id);
  expect(await table.get(vectorKey(home.uuid, id))).toBeUndefined();
});
