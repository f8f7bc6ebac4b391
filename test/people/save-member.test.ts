import { beforeEach, describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { eventLimits } from "../../lib/contract/limits.ts";
import { type PoolKey, workspaceTenant } from "../../lib/contract/tenants.ts";
import { roleWrites } from "../../lib/people/roles.ts";
import { readPool } from "../../lib/people/seats.ts";
import { parseMember, parsePeopleGuard, parsePerson } from "../../lib/store/items/people.ts";
import { personKey } from "../../lib/store/layout.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import type { Item, Table } from "../../lib/store/table.ts";
import {
  createIngestHarness,
  deliver,
  everything,
  type IngestHarness,
  memberSaved,
  organizationName,
  organizationSaved,
  uuidOf,
  workspaceSaved,
} from "../events/support.ts";
import { openStore, type TestStore, useStore } from "../support/engine.ts";
import { organizationOf } from "../support/stored.ts";
import { checkPeople } from "./checks.ts";
import { decideSeats } from "./decide-seats.ts";
import { readableRepositories } from "./readable.ts";

const store = useStore();
let opened: TestStore;
let harness: IngestHarness;
beforeEach(async () => {
  opened = await openStore(store().endpoint);
  harness = createIngestHarness(opened.table);
});

const uuid = uuidOf();
const ownPool: PoolKey = `o#${uuid}`;
const acme = workspaceTenant("acme");

function found(item: Item | undefined): Item {
  if (!item) throw new Error("There is no such item.");
  return item;
}
const member = async (userId = "4411") =>
  parseMember(found(await harness.table.get(kinds.member.key({ organization: uuid, userId }))));
const guard = async () =>
  parsePeopleGuard(found(await harness.table.get(kinds.people.key({ organization: uuid }))));
const personItem = async (pool: PoolKey, userId = "4411", email: string | null = "ann@acme.test") =>
  found(await harness.table.get(personKey(pool, { organization: uuid, userId, email })));
const person = async (...given: Parameters<typeof personItem>) => parsePerson(await personItem(...given));

const decideSeat = async (assigned: boolean) =>
  await decideSeats(harness, await organizationOf(harness.table, uuid), ["4411"], assigned);

describe("a member's role", () => {
  test.each([
    ["is the role that the event names", "cr_billing_admin", "cr_billing_admin"],
    ["is the default without one", null, "cr_member"],
    [
      "is the default if the organization has no such role",
      "3b241101-e2bb-4255-8caf-4136c566a962",
      "cr_member",
    ],
  ])("a member's role %s", async (_, given, role) => {
    await deliver(harness, [organizationSaved(1), memberSaved(2, { role: given })]);
    expect((await member()).role).toBe(role);
    checkPeople(await everything(harness.table));
  });

  test.each(["admin", "constructor", ""])(
    "an event with the role %j, neither a system role nor a UUID, is refused",
    async (role) => {
      await deliver(harness, [organizationSaved(1), memberSaved(2, { role })]);
      expect(harness.letters.map(({ reason }) => reason)).toEqual([
        "role: must be a role's UUID or one of: cr_admin, cr_member, cr_billing_admin",
      ]);
      expect(
        await harness.table.get(kinds.member.key({ organization: uuid, userId: "4411" })),
      ).toBeUndefined();
    },
  );

  test("the organization's own default role takes precedence over cr_member", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const set = [["default_role", "reviewer"] as const, [["counts", "reviewer"], 0] as const];
    await harness.table.write({ update: kinds.people.key({ organization: uuid }), change: { set } });
    await deliver(harness, [memberSaved(2, { role: null })]);
    expect((await member()).role).toBe("reviewer");
    expect((await guard()).counts.reviewer).toBe(1);
  });

  test("a member's role stays as the earliest event set it, or as an admin decided it here", async () => {
    await deliver(harness, [
      organizationSaved(1),
      memberSaved(5, { role: "cr_member" }),
      memberSaved(9, { role: "cr_admin" }),
    ]);
    expect((await member()).role).toBe("cr_member");
    await deliver(harness, [memberSaved(3, { role: "cr_admin" }), memberSaved(3, { user_id: "2" })]);
    expect((await member()).role).toBe("cr_admin");

    await harness.table.transact(
      roleWrites(
        uuid,
        [found(await harness.table.get(kinds.member.key({ organization: uuid, userId: "4411" })))],
        "cr_member",
      ),
    );
    await deliver(harness, [
      memberSaved(2, { role: "cr_billing_admin" }),
      memberSaved(10, { role: "cr_admin" }),
    ]);

    expect(await member()).toMatchObject({ role: "cr_member", role_decided: true });
    checkPeople(await everything(harness.table));
  });

  test("a role deleted while its member was inactive becomes the default role when the member returns", async () => {
    const custom = "3b241101-e2bb-4255-8caf-4136c566a962";
    await deliver(harness, [organizationSaved(1)]);
    await harness.table.write({
      update: kinds.people.key({ organization: uuid }),
      change: { set: [[["counts", custom], 0]] },
    });
    await deliver(harness, [memberSaved(2, { role: custom }), memberSaved(3, { active: false })]);
    await harness.table.write({
      update: kinds.people.key({ organization: uuid }),
      change: { remove: [["counts", custom]] },
      when: { equals: [["counts", custom], 0] },
    });
    await deliver(harness, [memberSaved(4)]);
    expect((await member()).role).toBe("cr_member");
    checkPeople(await everything(harness.table));
  });
});

describe("a member who leaves", () => {
  test("a member who leaves counts in no role and holds no seat, and gets both back on return", async () => {
    await deliver(harness, [organizationSaved(1), memberSaved(2)]);
    expect(await guard()).toMatchObject({ counts: { cr_admin: 1 }, seats_free: 49 });

    await deliver(harness, [memberSaved(3, { active: false })]);
    expect(await guard()).toMatchObject({ counts: { cr_admin: 0 }, seats_free: 50 });
    expect(await member()).toMatchObject({ active: false, role: "cr_admin", pool: null });
    checkPeople(await everything(harness.table));

    await deliver(harness, [memberSaved(4, { role: "cr_member", seat_assigned: false })]);
    expect(await guard()).toMatchObject({ counts: { cr_admin: 1 }, seats_free: 49 });
    checkPeople(await everything(harness.table));
  });

  test.each([true, false])("a member who returns keeps the seat decision (%s)", async (decided) => {
    await deliver(harness, [organizationSaved(1), memberSaved(2, { seat_assigned: !decided })]);
    await decideSeat(decided);
    await deliver(harness, [memberSaved(3, { active: false }), memberSaved(4, { seat_assigned: !decided })]);
    expect(await person(ownPool)).toMatchObject({ seat: decided, seat_decided: decided });
    checkPeople(await everything(harness.table));
  });

  test("the last admin can leave, because the platform's event is authoritative", async () => {
    await deliver(harness, [organizationSaved(1), memberSaved(2), memberSaved(3, { active: false })]);
    expect((await guard()).counts.cr_admin).toBe(0);
  });
});

describe("people of a workspace", () => {
  const second = { ...organizationName("1002"), workspace_id: "acme" };

  beforeEach(() =>
    deliver(harness, [
      workspaceSaved(1, { seats_purchased: 2 }),
      organizationSaved(2, { workspace_id: "acme" }),
      organizationSaved(2, second),
    ]),
  );

  test("members with the same e-mail address in any letter case are one person with one seat", async () => {
    await deliver(harness, [
      memberSaved(3),
      memberSaved(3, { ...second, user_id: "77", email: "ANN@ACME.test" }),
    ]);
    expect(await person(acme)).toMatchObject({
      email: "ann@acme.test",
      seat: true,
      memberships: [
        { organization: uuid, user_id: "4411" },
        { organization: uuidOf("1002"), user_id: "77" },
      ].sort((left, right) => (left.organization < right.organization ? -1 : 1)),
    });
    expect(await readPool(harness.table, acme)).toMatchObject({ seats_free: 1 });
    expect((await guard()).seats_free).toBe(50);
  });

  test("a person whose two memberships are saved at the same moment keeps both", async () => {
    const other = memberSaved(3, { ...second, user_id: "77" });
    let overtaken = false;
    const transact: Table["transact"] = async (writes) => {
      if (!overtaken) {
        overtaken = true;
        await deliver(harness, [other]);
      }
      await harness.table.transact(writes);
    };

    await deliver({ ...harness, table: { ...harness.table, transact } }, [memberSaved(3)]);

    expect((await person(acme)).memberships).toHaveLength(2);
    checkPeople(await everything(harness.table));
  });

  test.each([
    ["4411", "77"],
    ["77", "4411"],
  ])("two accounts in one organization are one person, whichever came first (%s, %s)", async (...ids) => {
    for (const user_id of ids) await deliver(harness, [memberSaved(3, { user_id })]);
    expect((await person(acme)).memberships).toMatchObject([{ user_id: "4411" }, { user_id: "77" }]);
    expect(await readPool(harness.table, acme)).toMatchObject({ seats_free: 1 });
    checkPeople(await everything(harness.table));
  });

  test("a member who leaves during a change of address is removed, and no person remains", async () => {
    await deliver(harness, [memberSaved(3)]);
    const getMany: Table["getMany"] = async (keys, ...rest) => {
      const atPerson = keys.some(({ sk }) => sk.startsWith("PERSON#"));
      if (atPerson && (await member()).active) await deliver(harness, [memberSaved(6, { active: false })]);
      return harness.table.getMany(keys, ...rest);
    };

    await deliver({ ...harness, table: { ...harness.table, getMany } }, [
      memberSaved(5, { email: "ann@new.test" }),
    ]);

    expect(await member()).toMatchObject({ active: false, pool: null });
    expect(await readPool(harness.table, acme)).toMatchObject({ seats_free: 2 });
    checkPeople(await everything(harness.table));
  });

  test("members without an e-mail address are one person for each membership", async () => {
    const none = { email: null };
    await deliver(harness, [
      memberSaved(3, none),
      memberSaved(3, { ...second, ...none }),
      memberSaved(3, { user_id: "5", email: "" }),
    ]);
    checkPeople(await everything(harness.table));
    expect(await readPool(harness.table, acme)).toMatchObject({ seats_free: 0, seats_short: 1 });
  });

  test("people keep their seat when their address changes, even if more seats are assigned than bought", async () => {
    await deliver(harness, [memberSaved(3), memberSaved(3, { user_id: "2", email: "bob@acme.test" })]);
    await deliver(harness, [workspaceSaved(4, { seats_purchased: 0 })]);
    await deliver(harness, [memberSaved(5, { email: "ann@new.test" })]);
    expect(await person(acme, "4411", "ann@new.test")).toMatchObject({ seat: true });
    expect(await readPool(harness.table, acme)).toMatchObject({ seats_free: -2 });
    checkPeople(await everything(harness.table));
  });

  test("people keep the decision about their seat when the organization leaves", async () => {
    await deliver(harness, [memberSaved(3)]);
    await decideSeat(false);
    await deliver(harness, [organizationSaved(5)]);
    expect(await person(ownPool)).toMatchObject({ seat: false, seat_decided: false });
    checkPeople(await everything(harness.table));
  });
});

describe("the repositories a member can read", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => `repository-${String(index).padStart(8, "0")}`);
  const reads = () => readableRepositories(harness.table, uuid, "4411");

  test("the newest event sets the readable repositories: all, a few, or none", async () => {
    await deliver(harness, [organizationSaved(1), memberSaved(2, { readable_repository_ids: "*" })]);
    expect(await reads()).toBe("*");
    await deliver(harness, [
      memberSaved(4, { readable_repository_ids: ["b", "a", "b"] }),
      memberSaved(3, { readable_repository_ids: ["z"] }),
    ]);
    expect(await reads()).toEqual(new Set(["a", "b"]));
    await deliver(harness, [memberSaved(5, { readable_repository_ids: [] })]);
    expect(await reads()).toEqual(new Set());
  });

  test("readable repositories can exceed one item, and shrink again without leftover items", async () => {
    const ids = many(60_000);
    await deliver(harness, [organizationSaved(1), memberSaved(2, { readable_repository_ids: ids })]);
    expect(await reads()).toEqual(new Set(ids));
    const parts = async () =>
      (await everything(harness.table)).filter(({ sk }) => sk.startsWith("READS#")).length;
    expect(await parts()).toBe(Math.ceil((60_000 * 23) / eventLimits.readablePartBytesMax));

    await deliver(harness, [memberSaved(3, { readable_repository_ids: ["9001"] })]);
    expect(await reads()).toEqual(new Set(["9001"]));
    expect(await parts()).toBe(1);
  });

  test("more readable repositories than one transaction holds are refused with a reason", async () => {
    await deliver(harness, [
      organizationSaved(1),
      memberSaved(2, { readable_repository_ids: many(150_000) }),
    ]);
    expect(harness.letters).toMatchObject([{ reason: expect.stringContaining("readable_repository_ids") }]);
  });

  test("unchanged readable repositories are not written again", async () => {
    const meter = new StoreMeter();
    const counted = createIngestHarness(opened.table.metered(meter));
    const ids = many(4_000);
    await deliver(harness, [organizationSaved(1), memberSaved(2, { readable_repository_ids: ids })]);
    await deliver(counted, [memberSaved(3, { readable_repository_ids: ids.toReversed(), username: "anna" })]);
    expect(meter.writeUnits).toBeLessThan(20);
    expect((await member()).username).toBe("anna");
  });
});

test("a member is saved even if a read does not see the guard of its pool yet", async () => {
  await deliver(harness, [organizationSaved(1)]);
  let isHidden = true;
  const getMany: Table["getMany"] = async (keys, ...rest) => {
    const items = await harness.table.getMany(keys, ...rest);
    if (!isHidden || !keys.some(({ sk }) => sk.startsWith("PERSON#"))) return items;
    isHidden = false;
    return items.map((item) => (item?.sk === kinds.people.key({ organization: uuid }).sk ? undefined : item));
  };
  await deliver({ ...harness, table: { ...harness.table, getMany } }, [memberSaved(2)]);
  expect(isHidden).toBe(false);
  expect((await person(ownPool, "4411", null)).seat).toBe(true);
});
