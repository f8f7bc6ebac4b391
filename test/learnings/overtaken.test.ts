import { beforeAll, expect, test } from "vitest";
import { useLearning } from "../../lib/learnings/events/use.ts";
import type { Table } from "../../lib/store/table.ts";
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
