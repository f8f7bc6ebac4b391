import { beforeAll, describe, expect, test } from "vitest";
import { authenticate } from "../../lib/access/authenticate.ts";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { changeOrganizationSettings } from "../../lib/organizations/settings.ts";
import { assignSeatsToMembers } from "../../lib/people/assign-seats.ts";
import { parsePerson } from "../../lib/store/items/people.ts";
import { personKey } from "../../lib/store/layout.ts";
import type { Key } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { overtakenBy, putOf } from "../support/overtaken.ts";
import { organizationOf } from "../support/stored.ts";
import { github, World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table);

async function company(name: string, change: object = {}) {
  const uuid = await world.organization(name, {
    seat_assignment_mode: "automatic",
    seats_purchased: 2,
    ...change,
  });
  await world.repository(github(name), "r1");
  const reviewed = (author: string | null, more: object = {}, sender = world) =>
    sender.pullRequest(github(name), `${author}`, {
      repository_id: "r1",
      author_id: author,
      author_username: author,
      comments: [],
      ...more,
    });
  const seated = async (userId: string) => {
    const item = await store().table.get(personKey(`o#${uuid}`, { organization: uuid, userId, email: null }));
    return item !== undefined && parsePerson(item).seat;
  };
  return { id: github(name), uuid, reviewed, seated };
}

describe("in automatic mode", () => {
  beforeAll(() => world.workspace("unused"));

  test("a reviewed pull request gives its author a seat, once, and only while seats last", async () => {
    const { id, reviewed, seated } = await company("giving");
    for (const user of ["ann", "bob", "cid"]) await world.member(id, user);
    for (const user of ["ann", "ann", "bob", "cid"]) await reviewed(user);
    expect([await seated("ann"), await seated("bob"), await seated("cid")]).toEqual([true, true, false]);
    await world.organization("giving", { seat_assignment_mode: "automatic", seats_purchased: 3 });
    expect(await seated("cid")).toBe(true);
  });

  test("a member saved before or after the reviewed pull request ends with the same seat", async () => {
    const { id, reviewed, seated } = await company("order");
    await reviewed("late");
    await world.member(id, "late");
    await world.member(id, "early");
    await reviewed("early");
    expect([await seated("late"), await seated("early")]).toEqual([true, true]);
  });

  test("a member saved at the same moment as the reviewed pull request gets a seat too", async () => {
    const { id, reviewed, seated } = await company("moment", { seats_purchased: 50 });
    const users = Array.from({ length: 12 }, (_, index) => `u${index}`);
    await Promise.all(users.flatMap((user) => [world.member(id, user), reviewed(user)]));
    expect(await Promise.all(users.map(seated))).toEqual(users.map(() => true));
  });

  test("an admin's seat decision stays in automatic mode", async () => {
    const { id, uuid, reviewed, seated } = await company("decided");
    await world.member(id, "ann");
    await reviewed("ann");
    const organization = await organizationOf(store().table, uuid);
    await assignSeatsToMembers({ ...world.deps, ...operatorOrigin }, organization, {
      action: "unassign",
      userIds: ["ann"],
    });
    await reviewed("ann", { review_iterations: 2 });
    expect(await seated("ann")).toBe(false);
  });

  test("a pull request that was not reviewed, or has no author, gives no seat", async () => {
    const { id, reviewed, seated } = await company("none");
    await world.member(id, "ann");
    await reviewed("ann", { reviewed: false });
    await reviewed(null);
    expect(await seated("ann")).toBe(false);
  });
});

describe("a mark from automatic mode, after the mode became manual", () => {
  const madeManual = async (name: string) => {
    const all = await company(name);
    await world.member(all.id, "ann");
    const key = await world.key({ kind: "user", organization: all.uuid, owner: "ann" });
    await all.reviewed("ann");
    await changeOrganizationSettings({ ...world.deps, ...operatorOrigin }, all.uuid, {
      seat_assignment_mode: "manual",
    });
    return { ...all, key };
  };

  test("a member who leaves is saved, and their user key stops working", async () => {
    const { id, key } = await madeManual("leaving");
    await world.member(id, "ann", { active: false });
    await expect(authenticate(world.deps, { text: key.text })).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
  });

  test("after a change to manual mode seated authors keep their seats, and marked authors get none", async () => {
    const { id, reviewed, seated, uuid } = await company("kept");
    await reviewed("late");
    await world.member(id, "ann");
    await reviewed("ann");
    await changeOrganizationSettings({ ...world.deps, ...operatorOrigin }, uuid, {
      seat_assignment_mode: "manual",
    });
    for (const user of ["ann", "late"]) await world.member(id, user, { username: `${user}2` });
    expect([await seated("ann"), await seated("late")]).toEqual([true, false]);
  });
});

describe("a mode that becomes manual while a seat is being given", () => {
  /** Before the transaction that puts this item, an admin changes the mode. */
  const overtaken = (uuid: string, key: Key): World => {
    const manual = { seat_assignment_mode: "manual" } as const;
    const change = () => changeOrganizationSettings({ ...world.deps, ...operatorOrigin }, uuid, manual);
    const table = overtakenBy(store().table, change, putOf(key));
    return new World(() => table);
  };

  test("a change to manual mode gives the author no seat, whether their mark or their seat is written late", async () => {
    for (const late of ["mark", "seat"] as const) {
      const { id, uuid, reviewed, seated } = await company(`late-${late}`);
      await world.member(id, "ann");
      const mark = kinds.tagged.key({ organization: uuid, userId: "ann" });
      await reviewed(
        "ann",
        {},
        overtaken(uuid, late === "mark" ? mark : kinds.member.key({ organization: uuid, userId: "ann" })),
      );
      expect(await seated("ann")).toBe(false);
      // Back in automatic mode, a mark written before the change counts; a later mark does not.
      expect((await store().table.get(mark)) !== undefined).toBe(late === "seat");
    }
  });

  test("a change to manual mode gives no seat to a marked member who is saved", async () => {
    const { id, uuid, reviewed, seated } = await company("late-save");
    await reviewed("ann");
    await overtaken(uuid, kinds.member.key({ organization: uuid, userId: "ann" })).member(id, "ann");
    expect(await seated("ann")).toBe(false);
  });
});

test("in manual mode a reviewed pull request gives no seat", async () => {
  const { id, reviewed, seated } = await company("manual", { seat_assignment_mode: "manual" });
  await world.member(id, "ann");
  await reviewed("ann");
  expect(await seated("ann")).toBe(false);
});
