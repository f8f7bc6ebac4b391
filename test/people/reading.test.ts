import { describe, expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { changeRoles } from "../../lib/people/change-roles.ts";
import { listMembers, poolSeats } from "../../lib/people/list-members.ts";
import { listPeople } from "../../lib/people/list-people.ts";
import { readRoles } from "../../lib/people/role-records.ts";
import { memberReadsPartKey, poolGuardKey } from "../../lib/store/layout.ts";
import type { Item, Table } from "../../lib/store/table.ts";
import { organizationItem } from "../access/principals.ts";
import { openStore, useStore } from "../support/engine.ts";
import { organizationOf } from "../support/stored.ts";
import { github, World } from "../support/world.ts";
import { readableRepositories } from "./readable.ts";

const store = useStore();
const everybody = { seat: "all", role: "all" } as const;

describe("what a member can read", () => {
  const part = (index: number, parts: number, ...repository_ids: string[]): Item => ({
    ...memberReadsPartKey("org", "ann", index),
    all: false,
    parts,
    repository_ids,
  });

  test("an unknown member can read nothing", async () => {
    expect(await readableRepositories(store().table, "org", "nobody")).toEqual(new Set());
  });

  test("two lists of readable repositories never mix: a list replaced while it is read is read again", async () => {
    const { table } = store();
    const write = (items: readonly Item[]) => table.writeMany(items.map((put) => ({ put })));
    await write([part(0, 2, "a"), part(1, 2, "b")]);
    let reads = 0;
    const replacing: Table = {
      ...table,
      transactGet: async (keys) => {
        if (reads++ === 0) await write([part(0, 3, "x"), part(1, 3, "y"), part(2, 3, "z")]);
        return table.transactGet(keys);
      },
    };
    expect(await readableRepositories(replacing, "org", "ann")).toEqual(new Set(["x", "y", "z"]));
    expect(reads).toBe(2);
  });
});

test("a pool without a guard has all its seats free, and an unknown pool has none", async () => {
  const { table } = store();
  const organization = organizationItem("seats", { seats_purchased: 7 });
  expect(await poolSeats(table, "o#seats", organization)).toEqual({ seatsPurchased: 7, seatsAssigned: 0 });
  expect(await poolSeats(table, "w#nowhere", undefined)).toEqual({ seatsPurchased: 0, seatsAssigned: 0 });
  await table.write({ put: { ...poolGuardKey("o#seats"), seats_free: 4, seats_short: 0 } });
  expect(await poolSeats(table, "o#seats", organization)).toEqual({ seatsPurchased: 7, seatsAssigned: 3 });
});

test("reading the roles of an organization without a people guard is an internal error", async () => {
  await expect(readRoles(store().table, "nobody")).rejects.toThrow(
    new RangeError("The organization nobody has no people guard."),
  );
});

describe("a role that is created and assigned while roles and members are read", () => {
  /** Reads of the guard and the roles return older data than reads of the members. */
  async function reading() {
    const { table } = await openStore(store().endpoint);
    const world = new World(() => table);
    const uuid = await world.organization("one");
    await world.member(github("one"), "ann", { role: "cr_admin" });
    await world.member(github("one"), "bob");
    const organization = await organizationOf(table, uuid);
    const context = { ...world.deps, ...operatorOrigin };
    const make = async (name: string) => {
      const role = await world.role(uuid, name, { permissions: [] });
      await changeRoles(context, organization, { role, userIds: ["bob"] });
      return role;
    };
    return { table, uuid, organization, make };
  }

  test("a role created during the read is not listed yet, instead of being listed without its permissions", async () => {
    const { table, uuid, make } = await reading();
    const before = await table.get(kinds.people.key({ organization: uuid }));
    const id = await make("late");
    expect((await readRoles({ ...table, get: async () => before }, uuid)).custom).toEqual([]);
    expect((await readRoles(table, uuid)).custom).toMatchObject([{ id, name: "late" }]);
  });

  test("a member whose new role has no known name yet shows the role's id", async () => {
    const { table, uuid, organization, make } = await reading();
    const id = await make("late");
    const members = (from: Table) => listMembers(from, organization, everybody, { after: null, limit: 9 });
    const early: Table = {
      ...table,
      queryPage: async (range) =>
        range.beginsWith === kinds.role.range({ organization: uuid }).beginsWith
          ? { items: [] }
          : table.queryPage(range),
    };
    const bob = { user_id: "bob", role: id, role_type: "custom" };
    expect((await members(early)).records[1]).toMatchObject({ ...bob, role_name: id });
    expect((await members(table)).records[1]).toMatchObject({ ...bob, role_name: "late" });
  });
});

test("people of a workspace are paged without deleted memberships, and with null for an unknown username", async () => {
  const { table } = await openStore(store().endpoint);
  const world = new World(() => table);
  await world.workspace("acme");
  const uuid = await world.organization("one", { workspace_id: "acme" });
  for (const user of ["ann", "bob", "cem"]) await world.member(github("one"), user, { username: null });
  const organizations = [await organizationOf(table, uuid)];
  const page = (after: string | null, limit: number) =>
    listPeople(table, { tenant: "w#acme", organizations }, everybody, { after, limit });

  const first = await page(null, 2);
  const second = await page(first.next, 2);
  await table.write({ delete: kinds.member.key({ organization: uuid, userId: "bob" }) });
  const without = await page(null, 5);

  const person = (name: string) => ({
    email: `${name}@example.com`,
    username: null,
    seat_assigned: false,
    organizations: [{ provider: "github", org_id: "one", user_id: name, role: "cr_member" }],
  });
  expect(first.records).toEqual([person("ann"), person("bob")]);
  expect([second.records, second.next]).toEqual([[person("cem")], null]);
  expect(without.records).toEqual([person("ann"), person("cem")]);
});
