import { expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { listOrganizations } from "../../lib/organizations/list.ts";
import { completeMove, resumeMoves } from "../../lib/organizations/move.ts";
import { changeApprovalDelay } from "../../lib/organizations/repository-settings.ts";
import { saveRepository } from "../../lib/organizations/save-repository.ts";
import { changeOrganizationSettings } from "../../lib/organizations/settings.ts";
import { CorruptItem } from "../../lib/store/items/parse.ts";
import type { Table } from "../../lib/store/table.ts";
import { organizationItem } from "../access/principals.ts";
import { openStore, useStore } from "../support/engine.ts";
import { organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";

const store = useStore();
const repository = {
  repository_id: "r1",
  name: "web",
  full_name: "acme/web",
  private: true,
  url: "https://git.example.com/acme/web",
  active: true,
};

test("changing the settings of an unknown organization returns undefined", async () => {
  const { table } = await openStore(store().endpoint);
  const context = { ...new World(() => table).deps, ...operatorOrigin };
  expect(await changeOrganizationSettings(context, "nobody", { approval_delay_days: 3 })).toBeUndefined();
});

test("changing the delay of an unknown repository returns undefined", async () => {
  const { table } = await openStore(store().endpoint);
  const world = new World(() => table);
  const uuid = await world.organization("empty");
  const context = { ...world.deps, ...operatorOrigin };
  expect(await changeApprovalDelay(context, uuid, "nowhere", 3)).toBeUndefined();
  expect(await changeApprovalDelay(context, "nobody", "nowhere", 3)).toBeUndefined();
});

test("a repository's delay that was decided here stays, whatever later or earlier events say", async () => {
  const { table } = await openStore(store().endpoint);
  const world = new World(() => table);
  const uuid = await world.organization("deciding");
  const save = (approval_delay_days: number, version: string) =>
    saveRepository(world.deps, uuid, { ...repository, approval_delay_days }, version);
  await save(1, "2026-02#b");
  await changeApprovalDelay({ ...world.deps, ...operatorOrigin }, uuid, repository.repository_id, 7);
  await save(2, "2026-01#a");
  await save(3, "2026-03#c");
  expect(
    await table.get(kinds.repository.key({ organization: uuid, repositoryId: repository.repository_id })),
  ).toMatchObject({
    approval_delay_days: 7,
    first_version: "2026-01#a",
    version: "2026-03#c",
  });
});

test("organizations are listed in the order of their UUIDs, whatever their input order", () => {
  const organizations = ["2", "3", "1"].map((id) => organizationItem(id));
  const page = (after: string | null) => listOrganizations(organizations, { after, limit: 2 });
  const ids = ({ entries }: ReturnType<typeof page>) => entries.map(({ id }) => id);
  expect([ids(page(null)), page(null).next]).toEqual([["uuid-1", "uuid-2"], "uuid-2"]);
  expect([ids(page("uuid-2")), page("uuid-2").next]).toEqual([["uuid-3"], null]);
});

test("a move of a deleted organization is skipped, and completing a move that never began writes nothing", async () => {
  const { table } = await openStore(store().endpoint);
  const world = new World(() => table);
  await table.write({ put: kinds.moving.key({ organization: "00000000-0000-5000-8000-000000000000" }) });
  expect(await resumeMoves(world.deps)).toBe(0);
  const uuid = await world.organization("settled");
  const refusing: Table = {
    ...table,
    transact: () => Promise.reject(new TypeError("nothing is to be written")),
  };
  await completeMove({ ...world.deps, table: refusing }, await organizationOf(table, uuid));
});

test("a move that cannot continue does not block other moves", async () => {
  const { table } = await openStore(store().endpoint);
  const world = new World(() => table);
  const uuid = await world.organization("behind it");
  const damaged = "00000000-0000-5000-8000-000000000000";
  await table.writeMany([damaged, uuid].map((each) => ({ put: kinds.moving.key({ organization: each }) })));
  await table.write({ put: kinds.organization.key({ organization: damaged }) });
  await table.write({
    update: kinds.organization.key({ organization: uuid }),
    change: { set: [["leaving", "w#elsewhere"]] },
  });
  await expect(resumeMoves(world.deps)).rejects.toThrow(CorruptItem);
  expect(await table.get(kinds.organization.key({ organization: uuid }))).not.toHaveProperty("leaving");
  expect(await table.get(kinds.moving.key({ organization: damaged }))).toBeDefined();
});

test("a move whose end cannot be written rejects with that error", async () => {
  const { table } = await openStore(store().endpoint);
  const world = new World(() => table);
  const uuid = await world.organization("unsettled");
  const error = new TypeError("planted");
  const failing: Table = { ...table, transact: () => Promise.reject(error) };
  const moving = { ...(await organizationOf(table, uuid)), leaving: "w#elsewhere" as const };
  await expect(completeMove({ ...world.deps, table: failing }, moving)).rejects.toBe(error);
});
