import { expect, test } from "vitest";
import { organizationTenant, workspaceTenant } from "../../lib/contract/tenants.ts";
import { readPool } from "../../lib/people/seats.ts";
import { parsePerson } from "../../lib/store/items/people.ts";
import { personKey } from "../../lib/store/layout.ts";
import type { Table } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { overtakenBy } from "../support/overtaken.ts";
import { scanAll } from "../support/scan-all.ts";
import { github, World } from "../support/world.ts";
import { checkPeople } from "./checks.ts";

const store = useStore();
const world = new World(() => store().table);
const on = (table: Table) => new World(() => table);
const overtaken = (other: () => Promise<unknown>) => on(overtakenBy(store().table, other));
const check = async () => checkPeople(await scanAll(store().table));

async function personOf(tenant: Parameters<typeof personKey>[0], name: Parameters<typeof personKey>[1]) {
  const item = await store().table.get(personKey(tenant, name));
  return item && parsePerson(item);
}

const wanting = { seat_assigned: true };

test("of two members who take the last seat at once, one waits", async () => {
  const uuid = await world.organization("last", { seats_purchased: 1 });
  await overtaken(() => world.member(github("last"), "bob", wanting)).member(github("last"), "ann", wanting);
  const pool = organizationTenant(uuid);
  expect(await readPool(store().table, pool)).toMatchObject({ seats_free: 0, seats_short: 1 });
  await check();
});

test("a seat bought while a member finds none free goes to that member", async () => {
  const uuid = await world.organization("bought", { seats_purchased: 0 });
  const buy = () => world.organization("bought", { seats_purchased: 1 });
  await overtaken(buy).member(github("bought"), "ann", wanting);
  expect(
    await personOf(organizationTenant(uuid), { organization: uuid, userId: "ann", email: null }),
  ).toMatchObject({
    seat: true,
  });
  await check();
});

test("a seat bought while a waiting person's address changes goes to that person", async () => {
  await world.workspace("waiting", { seats_purchased: 0 });
  const uuid = await world.organization("waiting", { workspace_id: "waiting" });
  await world.member(github("waiting"), "ann", wanting);
  // The purchase is interrupted before anybody gets the seat.
  const queryPage = () => Promise.reject(new Error("interrupted"));
  const buy = () =>
    expect(on({ ...store().table, queryPage }).workspace("waiting", { seats_purchased: 1 })).rejects.toThrow(
      "interrupted",
    );
  await overtaken(buy).member(github("waiting"), "ann", { ...wanting, email: "new@example.com" });
  const name = { organization: uuid, userId: "ann", email: "new@example.com" };
  expect(await personOf(workspaceTenant("waiting"), name)).toMatchObject({ seat: true });
  await check();
});

test("a person who joins an organization while they leave their only other one stays", async () => {
  await world.workspace("joined");
  const [, uuid = ""] = [
    await world.organization("left", { workspace_id: "joined" }),
    await world.organization("joined", { workspace_id: "joined" }),
  ];
  await world.member(github("left"), "ann");
  const join = () => world.member(github("joined"), "ann");
  await overtaken(join).member(github("left"), "ann", { active: false });
  const person = await personOf(workspaceTenant("joined"), {
    organization: uuid,
    userId: "ann",
    email: "ann@example.com",
  });
  expect(person?.memberships.map(({ organization }) => organization)).toEqual([uuid]);
  await check();
});
