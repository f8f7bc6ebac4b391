import { expect, test } from "vitest";
import { operator } from "../../lib/audit/entry.ts";
import { completeMove, resumeMoves } from "../../lib/organizations/move.ts";
import { changeOrganizationSettings } from "../../lib/organizations/settings.ts";
import { parseOrganization } from "../../lib/store/items/organization.ts";
import { movingKey, organizationKey } from "../../lib/store/layout.ts";
import type { Table } from "../../lib/store/table.ts";
import { openStore, useStore } from "../support/engine.ts";
import { World } from "../support/world.ts";

const store = useStore();

test("settings of an organization that is not there are nobody's", async () => {
  const { table } = await openStore(store().endpoint);
  const { clock, chance, retentionDays } = new World(() => table).deps;
  const context = { table, clock, chance, retentionDays, actor: operator, ipAddress: null, requestId: null };
  expect(await changeOrganizationSettings(context, "nobody", { approval_delay_days: 3 })).toBeUndefined();
});

test("a move of an organization that is gone is passed over, and one that nobody began is none", async () => {
  const { table } = await openStore(store().endpoint);
  const world = new World(() => table);
  await table.write({ put: movingKey("00000000-0000-5000-8000-000000000000") });
  expect(await resumeMoves(world.deps)).toBe(0);
  const uuid = await world.organization("settled");
  const item = await table.get(organizationKey(uuid));
  if (!item) throw new Error("The organization is there.");
  const refusing: Table = {
    ...table,
    transact: () => Promise.reject(new TypeError("nothing is to be written")),
  };
  await completeMove({ ...world.deps, table: refusing }, parseOrganization(item));
});

test("a move whose end cannot be written is not ended, and says so", async () => {
  const { table } = await openStore(store().endpoint);
  const world = new World(() => table);
  const uuid = await world.organization("unsettled");
  const item = await table.get(organizationKey(uuid));
  if (!item) throw new Error("The organization is there.");
  const error = new TypeError("planted");
  const failing: Table = { ...table, transact: () => Promise.reject(error) };
  const moving = { ...parseOrganization(item), leaving: "w#elsewhere" as const };
  await expect(completeMove({ ...world.deps, table: failing }, moving)).rejects.toBe(error);
});
