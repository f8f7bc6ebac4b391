import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { organizationTenant, type TenantKey, workspaceTenant } from "../../lib/contract/tenants.ts";
import { moveNews } from "../../lib/organizations/move-news.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { required } from "../../lib/runtime/required.ts";
import { parseNews } from "../../lib/store/items/webhook.ts";
import { newsPuts } from "../../lib/store/news.ts";
import { queryAll } from "../../lib/store/table.ts";
import { useApi } from "../support/api.ts";
import { overtakenBy } from "../support/overtaken.ts";
import { organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const notesIn = async (tenant: TenantKey) =>
  (await Array.fromAsync(queryAll(api.store().table, kinds.news.range({ tenant })))).map(parseNews);

/** A note that is this old; a negative age: due later. */
async function noted(tenant: TenantKey, organization: string, id: string, ageMs: number): Promise<void> {
  const nowMs = world.deps.clock.nowMs() - ageMs;
  const note = { type: "learning.pending", id, nowMs } as const;
  await api.store().table.writeMany(newsPuts({ tenant, organization }, note));
}
const namesIn = async (tenant: TenantKey) => (await notesIn(tenant)).map(({ id }) => id);
const placesIn = async (tenant: TenantKey) => (await notesIn(tenant)).map(({ sk }) => sk);

test("an organization that changes tenant takes its notes for webhooks along, and leaves those of others", async () => {
  await world.workspace("noted-from");
  await world.workspace("noted-to");
  const uuid = await world.organization("noted", { workspace_id: "noted-from" });
  const other = await world.organization("noted-other", { workspace_id: "noted-from" });
  const from = workspaceTenant("noted-from");
  await noted(from, uuid, "first", 90_000);
  await noted(from, other, "foreign", 80_000);
  await noted(from, uuid, "second#", 70_000);
  const beganAt = toTimestamp(world.deps.clock.nowMs());

  await world.organization("noted", { workspace_id: "noted-to" });

  expect((await notesIn(from)).map(({ id }) => id)).toEqual(["foreign"]);
  const moved = await notesIn(workspaceTenant("noted-to"));
  expect(moved.map(({ id, organization, type }) => [id, organization, type])).toEqual([
    ["first", uuid, "learning.pending"],
    ["second#", uuid, "learning.pending"],
  ]);
  // A webhook of the new tenant may have passed the old places.
  for (const { sk } of moved) expect(sk > beganAt).toBe(true);
});

test("the webhooks of an organization find its notes where they were, whatever its tenant", async () => {
  await world.workspace("noted-joined");
  const uuid = await world.organization("noted-alone");
  const own = organizationTenant(uuid);
  const joined = workspaceTenant("noted-joined");
  await noted(own, uuid, "passed", 90_000);
  await noted(own, uuid, "later", -90_000_000);
  const places = await placesIn(own);

  for (const workspace_id of ["noted-joined", null, "noted-joined"]) {
    await world.organization("noted-alone", { workspace_id });
    expect(await placesIn(own)).toEqual(places);
    expect(await namesIn(joined)).toEqual(workspace_id === null ? [] : ["passed", "later"]);
  }
  // A note that is due later keeps its place, so that whoever ends its key finds it.
  expect((await placesIn(joined)).at(-1)).toBe(places.at(-1));
});

test("a note of the last release, which has no copy, gets one", async () => {
  await world.workspace("noted-former");
  const uuid = await world.organization("noted-old", { workspace_id: "noted-former" });
  const former = workspaceTenant("noted-former");
  await noted(former, uuid, "old", 90_000);
  const { table } = api.store();
  for (const { tenant: _, ...note } of await notesIn(former)) await table.write({ put: note });
  await table.writeMany((await notesIn(organizationTenant(uuid))).map((note) => ({ delete: note })));

  await world.organization("noted-old", { workspace_id: null });

  expect(await namesIn(organizationTenant(uuid))).toEqual(["old"]);
  expect(await namesIn(former)).toEqual([]);
});

test("two runs of a move make one note of each", async () => {
  const uuid = await world.organization("noted-twice");
  const own = organizationTenant(uuid);
  const elsewhere = workspaceTenant("noted-before");
  for (let note = 0; note < 60; note++) await noted(elsewhere, uuid, `n${note}`, 60_000 - note);
  const organization = await organizationOf(api.store().table, uuid);

  await Promise.all([1, 2].map(() => moveNews(world.deps, organization, elsewhere)));
  await moveNews(world.deps, organization, elsewhere);

  expect(await notesIn(elsewhere)).toEqual([]);
  expect((await notesIn(own)).map(({ id }) => id)).toEqual(
    Array.from({ length: 60 }, (_, note) => `n${note}`),
  );
});

const later = { ...systemClock, nowMs: () => systemClock.nowMs() + 1_000 };
async function movedLate(uuid: string, from: TenantKey, other: () => Promise<unknown>): Promise<void> {
  const table = overtakenBy(api.store().table, other);
  const late = { ...world.deps, table, clock: later };
  await moveNews(late, await organizationOf(api.store().table, uuid), from);
}

test("a note of the last release gets one copy, also if another run moves it meanwhile", async () => {
  await world.workspace("noted-now");
  const uuid = await world.organization("noted-older", { workspace_id: "noted-now" });
  const [own, former] = [organizationTenant(uuid), workspaceTenant("noted-earlier")];
  const { table } = api.store();
  await noted(former, uuid, "old", 90_000);
  for (const { tenant: _, ...note } of await notesIn(former)) await table.write({ put: note });
  await table.writeMany((await notesIn(own)).map((note) => ({ delete: note })));
  const organization = await organizationOf(table, uuid);
  await movedLate(uuid, former, () => moveNews(world.deps, organization, former));
  expect(await namesIn(workspaceTenant("noted-now"))).toEqual(["old"]);
  expect(await namesIn(own)).toEqual(["old"]);
});

test("a note that another run copies meanwhile is copied once; one that ends meanwhile is not", async () => {
  await world.workspace("noted-here");
  const uuid = await world.organization("noted-moved", { workspace_id: "noted-here" });
  const own = organizationTenant(uuid);
  const joined = workspaceTenant("noted-here");
  const { table } = api.store();
  await noted(own, uuid, "copied", 90_000);
  const organization = await organizationOf(table, uuid);
  await movedLate(uuid, own, () => moveNews(world.deps, organization, own));
  expect(await namesIn(joined)).toEqual(["copied"]);
  await noted(own, uuid, "ended", 90_000);
  const [ended] = (await notesIn(own)).filter(({ id }) => id === "ended");
  await movedLate(uuid, own, () => table.write({ delete: required(ended, "note") }));
  for (const place of [own, joined]) expect(await namesIn(place)).toEqual(["copied"]);
});
