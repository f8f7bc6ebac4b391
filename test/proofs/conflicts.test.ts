import { afterAll, afterEach, describe, expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import { eventLimits, peopleLimits } from "../../lib/contract/limits.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { assignSeatsByEmail, assignSeatsToMembers } from "../../lib/people/assign-seats.ts";
import { changeRoles } from "../../lib/people/change-roles.ts";
import { StoreUnavailable, type Table, TransactionRefused } from "../../lib/store/table.ts";
import { everything } from "../events/support.ts";
import { checkPeople } from "../people/checks.ts";
import { useStore } from "../support/engine.ts";
import { organizationOf } from "../support/stored.ts";
import { github, type OrganizationId, World } from "../support/world.ts";

/** A concurrent writer is faster: the data that was read has changed by the time of the write. */
const store = useStore();
const world = new World(() => store().table);
let made = 0;

let races = 0;
let decided = 0;
afterEach(({ task }) => {
  races++;
  if (task.result?.state === "pass") decided++;
});
afterAll(() => console.info(`conflicts: ${decided} of ${races} races ended as they must`));

type Rival = (attempt: number) => Promise<unknown>;

/** The rival writes before every transaction, until the rival has nothing left to do. */
function rivalled(table: Table, rival: Rival): { table: Table; attempts: () => number } {
  let attempts = 0;
  return {
    attempts: () => attempts,
    table: {
      ...table,
      transact: async (writes) => {
        await rival(++attempts);
        await table.transact(writes);
      },
    },
  };
}

const once =
  (work: () => Promise<unknown>): Rival =>
  async (attempt) =>
    attempt === 1 ? await work() : undefined;

async function place(change: Record<string, unknown>, members: Readonly<Record<string, object>>) {
  const name = github(`conflict-${made++}`);
  const uuid = await world.organization(name.provider_organization_id, change);
  for (const [user, data] of Object.entries(members)) await world.member(name, user, data);
  return { name, uuid };
}

const stored = (uuid: string) => organizationOf(store().table, uuid);
const contextOf = (table: Table) => ({ ...world.deps, ...operatorOrigin, table });

type Deed = (
  table: Table,
) => Promise<{ succeeded: string[]; failed: ReadonlyArray<{ id: string; code: string }> }>;

const seats =
  (uuid: string, action: "assign" | "unassign", ...ids: string[]): Deed =>
  async (table) =>
    await assignSeatsToMembers(contextOf(table), await stored(uuid), { action, userIds: ids });
const roles =
  (uuid: string, role: string, ...ids: string[]): Deed =>
  async (table) =>
    await changeRoles(contextOf(table), await stored(uuid), { role, userIds: ids });

/** Returns the outcome for each, after checking that all counts still agree with the people. */
async function play(deed: Deed, rival: Rival) {
  const { table, attempts } = rivalled(store().table, rival);
  const { succeeded, failed } = await deed(table);
  checkPeople(await everything(store().table));
  return { succeeded, failed: failed.map(({ id, code }) => `${id} ${code}`), attempts: attempts() };
}
const mine = (deed: Deed) => () => deed(store().table);

describe("seats during a concurrent change", () => {
  test("the last seat goes to the first caller; the other one gets NO_SEATS_AVAILABLE", async () => {
    const { uuid } = await place({ seats_purchased: 1 }, { ann: {}, bob: {} });
    const outcome = await play(seats(uuid, "assign", "ann"), once(mine(seats(uuid, "assign", "bob"))));
    expect(outcome).toEqual({ succeeded: [], failed: ["ann NO_SEATS_AVAILABLE"], attempts: 1 });
  });

  test("two callers who assign a seat to the same person use one seat, and both succeed", async () => {
    const { uuid } = await place({ seats_purchased: 1 }, { ann: {} });
    const outcome = await play(seats(uuid, "assign", "ann"), once(mine(seats(uuid, "assign", "ann"))));
    expect(outcome).toEqual({ succeeded: ["ann"], failed: [], attempts: 1 });
  });

  test("a seat that is taken away meanwhile is assigned again: the last decision counts", async () => {
    const { uuid } = await place({ seats_purchased: 2 }, { ann: { seat_assigned: true }, bob: {} });
    const rival = once(mine(seats(uuid, "unassign", "ann", "bob")));
    expect(await play(seats(uuid, "assign", "ann", "bob"), rival)).toMatchObject({
      succeeded: ["ann", "bob"],
      attempts: 2,
    });
  });

  test("the second of several transactions still counts the seats that the first one took", async () => {
    const ids = Array.from({ length: peopleLimits.changedTogetherMax + 2 }, (_, index) => `u${index}`);
    const members = Object.fromEntries(["bob", ...ids].map((id) => [id, { email: null }]));
    const { uuid } = await place({ seats_purchased: ids.length }, members);
    const rival: Rival = async (attempt) =>
      attempt === 2 ? await seats(uuid, "assign", "bob")(store().table) : undefined;
    const { succeeded, failed } = await play(seats(uuid, "assign", ...ids), rival);
    expect([succeeded.length, failed]).toEqual([ids.length - 1, [`${ids.at(-1)} NO_SEATS_AVAILABLE`]]);
  });

  test("seats of a workspace by address are not oversold against a key of one of its organizations", async () => {
    const id = `conflicts-${made}`;
    await world.workspace(id, { seats_purchased: 1 });
    const { uuid } = await place({ workspace_id: id }, { ann: {}, bob: {} });
    const workspace = { tenant: workspaceTenant(id), organizations: [await stored(uuid)] };
    const deed: Deed = (table) =>
      assignSeatsByEmail(contextOf(table), workspace, { action: "assign", emails: ["ann@example.com"] });
    const outcome = await play(deed, once(mine(seats(uuid, "assign", "bob"))));
    expect(outcome.failed).toEqual(["ann@example.com NO_SEATS_AVAILABLE"]);
  });
});

describe("roles during a concurrent change", () => {
  const admins = { ann: { role: "cr_admin" }, bob: { role: "cr_admin" } };

  test("of the two last admins who step down at once, one stays", async () => {
    const { uuid } = await place({}, admins);
    const outcome = await play(roles(uuid, "cr_member", "ann"), once(mine(roles(uuid, "cr_member", "bob"))));
    expect(outcome).toEqual({ succeeded: [], failed: ["ann LAST_ADMIN"], attempts: 1 });
  });

  test("two callers who give the same role both succeed", async () => {
    const { uuid } = await place({}, admins);
    const outcome = await play(roles(uuid, "cr_member", "bob"), once(mine(roles(uuid, "cr_member", "bob"))));
    expect(outcome).toMatchObject({ succeeded: ["bob"], failed: [] });
  });

  test("a member who leaves meanwhile is not found, and the roles of the others change", async () => {
    const { uuid, name } = await place({}, { ...admins, cid: {} });
    const rival = once(() => world.member(name, "cid", { active: false }));
    const outcome = await play(roles(uuid, "cr_admin", "cid", "bob"), rival);
    expect([outcome.succeeded, outcome.failed]).toEqual([["bob"], ["cid USER_NOT_FOUND"]]);
  });

  test("a member who becomes the billing admin meanwhile keeps that role", async () => {
    const { uuid, name } = await place({}, { ...admins, cid: {} });
    const outcome = await play(
      roles(uuid, "cr_admin", "cid", "bob"),
      once(() => sendFirst(name)),
    );
    expect([outcome.succeeded, outcome.failed]).toEqual([["bob"], ["cid BILLING_ADMIN_PROTECTED"]]);
  });

  /** A role in an event counts only as the first value, so this must be the earliest event. */
  const sendFirst = async (name: OrganizationId) => {
    const early = new World(() => store().table, {
      ...world.deps.clock,
      nowMs: () => Date.parse("2020-01-01"),
    });
    await early.member(name, "cid", { role: "cr_billing_admin" });
  };
});

test.each([
  ["seats", (uuid: string) => seats(uuid, "assign", "ann", "bob")],
  ["roles", (uuid: string) => roles(uuid, "cr_admin", "ann", "bob")],
] as const)(
  "%s with a rival who always writes first end in a 503, with nothing partly done",
  async (_, deed) => {
    const { uuid } = await place({ seats_purchased: 5 }, { ann: {}, bob: {} });
    const before = await everything(store().table);
    const { table, attempts } = rivalled(store().table, async () => {
      throw new TransactionRefused([{ refused: true }]);
    });
    await expect(deed(uuid)(table)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(attempts()).toBe(eventLimits.decisionsMax);
    expect(await everything(store().table)).toEqual(before);
  },
);
