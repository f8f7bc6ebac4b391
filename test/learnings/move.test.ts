import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { learningLimits } from "../../lib/contract/limits.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { firstPosition, type LearningPosition, walkLearnings } from "../../lib/learnings/export/walk.ts";
import { relistMoved } from "../../lib/learnings/move-learnings.ts";
import { CorruptItem } from "../../lib/store/items/parse.ts";
import { queryAll } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";
import { checkTable } from "./check-table.ts";
import { item, newHome, verbsOf } from "./fixture.ts";

const clock = new TestClock();
const store = useStore({ clock });
const world = new World(() => store().table, clock);

const listed = async (workspaceId: string) =>
  (
    await Array.fromAsync(
      queryAll(store().table, {
        pk: kinds.listedLearning.partition({ tenant: workspaceTenant(workspaceId) }),
      }),
    )
  )
    .filter((entry) => !("moved_to" in entry))
    .map(({ text }) => text);

const walkOf = (workspaceId: string, from: LearningPosition) =>
  walkLearnings(
    { table: store().table, clock },
    {
      owner: workspaceTenant(workspaceId),
      from,
      limit: 100,
      wanted: () => true,
      isFiltered: false,
      signal: AbortSignal.timeout(10_000),
    },
  );

test("a Learning that a request in progress listed with the old tenant is moved two minutes later", async () => {
  const [from, to] = [await world.workspace("from"), await world.workspace("to")];
  const home = await newHome(world, { workspace_id: from });
  const { table } = store();
  const { post, patch } = verbsOf(table, { clock });
  const before = await organizationOf(table, home.uuid);
  const data = Array.from({ length: 60 }, (_, index) => item(`early ${index}`));
  const { results } = await post({ organization: before, authorId: "ann" }, ...data);
  await world.organization(home.name.provider_organization_id, { workspace_id: to });
  expect(await listed(from)).toEqual([]);
  expect(await listed(to)).toEqual(data.map(({ learning }) => learning));

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

test("a resumed export of the new tenant returns Learnings that were moved late, after the export finished", async () => {
  const [from, to] = [await world.workspace("resumed-from"), await world.workspace("resumed-to")];
  const home = await newHome(world, { workspace_id: from });
  const { table } = store();
  const before = await organizationOf(table, home.uuid);
  await world.organization(home.name.provider_organization_id, { workspace_id: to });
  const { post } = verbsOf(table, { clock });
  clock.advance(1);
  // As many as two transactions hold.
  const late = Array.from({ length: 30 }, (_, index) => `late ${10 + index}`);
  await post({ organization: before, authorId: "ann" }, ...late.map((text) => item(text)));
  const neighbour = await newHome(world, { workspace_id: to });
  clock.advance(1);
  await post({ organization: await organizationOf(table, neighbour.uuid), authorId: "ann" }, item("later"));
  // The schedule runs late: by then the writes in between are settled for an export.
  clock.advance(2 * learningLimits.settledAfterMs);
  const { learnings, position } = await walkOf(to, firstPosition);
  expect(learnings.map(({ text }) => text)).toEqual(["later"]);

  await relistMoved(world.deps);

  const resumed = await walkOf(to, { place: position.settled, settled: position.settled });
  expect(resumed.learnings.map(({ text }) => text).toSorted()).toEqual(late);
});

test("a run that lists Learnings again ends in its time, and the next run continues", async () => {
  const [from, to] = [await world.workspace("timed-from"), await world.workspace("timed-to")];
  const home = await newHome(world, { workspace_id: from });
  const { table } = store();
  const before = await organizationOf(table, home.uuid);
  await world.organization(home.name.provider_organization_id, { workspace_id: to });
  const { post } = verbsOf(table, { clock });
  const late = Array.from({ length: 2 * learningLimits.movedTogetherMax }, (_, index) =>
    item(`late ${index}`),
  );
  await post({ organization: before, authorId: "ann" }, ...late);
  clock.advance(learningLimits.settledAfterMs + 1);
  // There is time for one transaction.
  const transact: typeof table.transact = async (...given) => {
    await table.transact(...given);
    clock.advance(1_000);
  };
  await relistMoved({ ...world.deps, table: { ...table, transact } }, clock.nowMs() + 1_000);
  expect(await listed(to)).toHaveLength(learningLimits.movedTogetherMax);
  await relistMoved(world.deps);
  expect([await listed(from), (await listed(to)).length]).toEqual([[], late.length]);
  await checkTable(table);
});

test("one organization whose Learnings cannot be listed again does not block the others", async () => {
  const { table } = store();
  const workspace_id = await world.workspace("held-up");
  const homes = [await newHome(world, { workspace_id }), await newHome(world, { workspace_id })];
  const [first = "", second = ""] = homes.map(({ uuid }) => uuid).toSorted();
  const due = new Date(clock.nowMs()).toISOString();
  const rows = [first, second].map((organization) => ({
    ...kinds.relist.key({ dueAt: due, organization }),
    organization,
  }));
  const damaged = { pk: kinds.learning.partition({ organization: first }), sk: "damaged" };
  await table.writeMany([...rows, damaged].map((put) => ({ put })));
  clock.advance(1);
  await expect(relistMoved(world.deps)).rejects.toThrow(CorruptItem);
  expect(await table.getMany(rows)).toMatchObject([{ organization: first }, undefined]);
  await table.write({ delete: damaged });
  await relistMoved(world.deps);
  expect(await table.getMany(rows)).toEqual([undefined, undefined]);
});

test("a walk of the new tenant that ends before the Learnings arrive returns them when it is resumed", async () => {
  const [from, to] = [await world.workspace("slow-from"), await world.workspace("slow-to")];
  const home = await newHome(world, { workspace_id: from });
  const neighbour = await newHome(world, { workspace_id: to });
  const { table } = store();
  const { post } = verbsOf(table, { clock });
  await post({ organization: await organizationOf(table, home.uuid), authorId: "ann" }, item("mine"));
  clock.advance(1);
  await post({ organization: await organizationOf(table, neighbour.uuid), authorId: "ann" }, item("theirs"));
  clock.advance(2 * learningLimits.settledAfterMs);
  const { position } = await walkOf(to, firstPosition);

  await world.organization(home.name.provider_organization_id, { workspace_id: to });

  const resumed = await walkOf(to, { place: position.settled, settled: position.settled });
  expect(resumed.learnings.map(({ text }) => text)).toEqual(["mine"]);
});

test("a move during changes of the same Learnings loses and duplicates nothing", async () => {
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
    ...ids.slice(12, 18).map((learning_id) =>
      world.sendEvent("learning.used", {
        ...home.name,
        learning_id,
        used_at: "2026-11-15T00:00:00Z",
        count: 2,
      }),
    ),
  ]);
  clock.advance(learningLimits.settledAfterMs + 1);
  await relistMoved(world.deps);
  expect(await listed(from)).toEqual([]);
  expect(await listed(to)).toHaveLength(26);
  await checkTable(table);
});
