import { expect, test } from "vitest";
import { learningLimits } from "../../lib/contract/limits.ts";
import { relistMoved } from "../../lib/learnings/move-learnings.ts";
import { learningListPartition, workspaceTenant } from "../../lib/store/layout.ts";
import { queryAll } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { World } from "../support/world.ts";
import { checkTable } from "./check-table.ts";
import { item, newHome, organizationOf, verbsOf } from "./fixture.ts";

const clock = new TestClock();
const store = useStore({ clock });
const world = new World(() => store().table, clock);

const listed = async (workspaceId: string) =>
  (
    await Array.fromAsync(
      queryAll(store().table, { pk: learningListPartition(workspaceTenant(workspaceId)) }),
    )
  )
    .filter((entry) => !("moved_to" in entry))
    .map(({ text }) => text);

test("a Learning listed with the old tenant by a request that was under way follows two minutes later", async () => {
  const [from, to] = [await world.workspace("from"), await world.workspace("to")];
  const home = await newHome(world, { workspace_id: from });
  const { table } = store();
  const { post, patch } = verbsOf(table, { clock });
  const before = await organizationOf(table, home.uuid);
  const data = Array.from({ length: 60 }, (_, index) => item(`early ${index}`));
  const { results } = await post({ organization: before, authorId: "ann" }, ...data);
  await world.organization(home.name.provider_organization_id, { workspace_id: to });
  expect(await listed(from)).toEqual([]);
  expect(await listed(to)).toHaveLength(60);

  await post({ organization: before, authorId: "ann" }, item("late"));
  await patch(before, results[0]?.id ?? "", "late too");
  expect(await listed(from)).toEqual(["late", "late too"]);
  await relistMoved(world.deps);
  expect(await listed(from)).toEqual(["late", "late too"]);
  clock.advance(learningLimits.settledAfterMs + 1);
  await relistMoved(world.deps);
  expect(await listed(from)).toEqual([]);
  expect(await listed(to)).toHaveLength(61);
  await relistMoved(world.deps);
  await checkTable(table);
});

test("a move beside changes of the same Learnings loses and doubles nothing", async () => {
  const [from, to] = [await world.workspace("busy-from"), await world.workspace("busy-to")];
  const home = await newHome(world, { workspace_id: from });
  const { table } = store();
  const { post, patch, remove } = verbsOf(table, { clock });
  const before = await organizationOf(table, home.uuid);
  const data = Array.from({ length: 30 }, (_, index) => item(`busy ${index}`));
  const { results } = await post({ organization: before, authorId: "ann" }, ...data);
  const ids = results.map(({ id }) => id ?? "");
  await Promise.all([
    world.organization(home.name.provider_organization_id, { workspace_id: to }),
    ...ids.slice(0, 8).map((id, index) => patch(before, id, `changed ${index}`)),
    ...ids.slice(8, 12).map((id) => remove(before, id)),
    ...ids
      .slice(12, 18)
      .map((learning_id) =>
        world.tell("learning.used", { ...home.name, learning_id, used_at: "2026-11-15T00:00:00Z", count: 2 }),
      ),
  ]);
  clock.advance(learningLimits.settledAfterMs + 1);
  await relistMoved(world.deps);
  expect(await listed(from)).toEqual([]);
  expect(await listed(to)).toHaveLength(26);
  await checkTable(table);
});
