import { beforeEach, describe, expect, test, vi } from "vitest";
import { operatorOrigin } from "../../../lib/audit/entry.ts";
import { msPerDay } from "../../../lib/contract/days.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { eventLimits } from "../../../lib/contract/limits.ts";
import { type PoolKey, workspaceTenant } from "../../../lib/contract/tenants.ts";
import type { OutgoingEvent } from "../../../lib/events/send.ts";
import { seatGroups } from "../../../lib/operator/seat-groups.ts";
import { roleWrites } from "../../../lib/people/roles.ts";
import { fillSeats, readPool } from "../../../lib/people/seats.ts";
import { findIdleSeats } from "../../../lib/report/seats.ts";
import { toTimestamp } from "../../../lib/runtime/clock.ts";
import { poolGuardKey } from "../../../lib/store/layout.ts";
import { type Key, queryAll, type Table, TransactionRefused } from "../../../lib/store/table.ts";
import {
  createIngestHarness,
  deliver,
  event,
  everything,
  type IngestHarness,
  memberSaved,
  organizationName,
  organizationSaved,
  repositorySaved,
  uuidOf,
  workspaceSaved,
} from "../../events/support.ts";
import { checkPeople } from "../../people/checks.ts";
import { decideSeats } from "../../people/decide-seats.ts";
import { openStore, useStore } from "../../support/engine.ts";
import { finalized } from "../../support/event-data.ts";
import { organizationOf } from "../../support/stored.ts";

const store = useStore();
let harness: IngestHarness;
beforeEach(async () => {
  harness = createIngestHarness((await openStore(store().endpoint)).table);
});

const acme = workspaceTenant("acme");
const own: PoolKey = `o#${uuidOf()}`;
const isPerson = ({ sk }: Key): boolean => sk.startsWith("PERSON#");
const people = (count: number, data: Record<string, unknown> = {}, at = 3) =>
  Array.from({ length: count }, (_, index) =>
    memberSaved(at, { user_id: `u${index}`, email: `p${index}@acme.test`, ...data }),
  );

const decide = async (userIds: readonly string[], assigned: boolean) =>
  await decideSeats(harness, await organizationOf(harness.table, uuidOf()), userIds, assigned);

describe("seats while they last", () => {
  test("many organizations at once never take more seats than the workspace bought, and use all of them", async () => {
    const organizations = ["1", "2", "3", "4", "5"].map((id) => ({
      ...organizationName(id),
      workspace_id: "acme",
    }));
    await deliver(harness, [
      workspaceSaved(1, { seats_purchased: 12 }),
      ...organizations.map((each) => organizationSaved(2, each)),
    ]);

    // Some people are in several organizations; every organization is a separate message group.
    const teamOf = (index: number) =>
      [0, 1, 2, 3].map((person) => ({ user_id: `u${person}`, email: `p${person + index * 3}@acme.test` }));
    await Promise.all(
      organizations.map((each, index) =>
        deliver(
          harness,
          teamOf(index).map((member) => memberSaved(3, { ...each, ...member })),
        ),
      ),
    );

    const items = await everything(harness.table);
    checkPeople(items);
    expect(items.filter((item) => isPerson(item) && item.seat)).toHaveLength(12);
    expect(await readPool(harness.table, acme)).toMatchObject({ seats_free: 0, seats_short: 4 });
  });

  test("buying fewer seats takes none away, and nobody gets a new seat until one is free", async () => {
    await deliver(harness, [
      organizationSaved(1, { seats_purchased: 3 }),
      ...people(3),
      organizationSaved(4, { seats_purchased: 1 }),
    ]);
    expect(await readPool(harness.table, own)).toMatchObject({ seats_free: -2, seats_short: 0 });

    await deliver(harness, [
      memberSaved(5, { user_id: "late", email: null }),
      memberSaved(6, { user_id: "u0", active: false }),
    ]);
    expect(await readPool(harness.table, own)).toMatchObject({ seats_free: -1, seats_short: 1 });

    await deliver(harness, [organizationSaved(7, { seats_purchased: 3 })]);
    expect(await readPool(harness.table, own)).toMatchObject({ seats_free: 0, seats_short: 0 });
    checkPeople(await everything(harness.table));
  });

  test("buying hundreds of seats seats exactly that many people; a worker stops reading at a full pool", async () => {
    await deliver(harness, [organizationSaved(1, { seats_purchased: 0 }), ...people(110)]);
    const buying = organizationSaved(9, { seats_purchased: 100 });
    const gets: number[] = [];
    const getMany: Table["getMany"] = async (keys, ...rest) => {
      const isFirst = keys.some(isPerson) && gets.push(keys.length) === 1;
      if (isFirst) await deliver(harness, [buying]);
      return harness.table.getMany(keys, ...rest);
    };

    await deliver({ ...harness, table: { ...harness.table, getMany } }, [buying]);

    const items = await everything(harness.table);
    checkPeople(items);
    expect(items.filter((item) => isPerson(item) && item.seat)).toHaveLength(100);
    expect(gets).toEqual([1 + eventLimits.peopleSeatedTogetherMax]);
  });

  test("a damaged person is skipped: the next person gets a seat", async () => {
    await deliver(harness, [organizationSaved(1, { seats_purchased: 0 }), ...people(2)]);
    const [damaged] = await Array.fromAsync(queryAll(harness.table, kinds.person.range({ pool: own })));
    if (!damaged) throw new Error("There is nobody.");
    await harness.table.write({
      update: { pk: damaged.pk, sk: damaged.sk },
      change: { set: [["seat", "yes"]] },
    });
    await deliver(harness, [organizationSaved(4, { seats_purchased: 2 })]);
    const seats = (await everything(harness.table)).filter(isPerson).map(({ seat }) => seat);
    expect(seats).toEqual(["yes", true]);
    expect(await readPool(harness.table, own)).toMatchObject({ seats_free: 1, seats_short: 1 });
  });

  test("the filling of seats ends and reports the pool if the guard counts people whom nobody finds", async () => {
    const lines: string[] = [];
    await deliver(harness, [organizationSaved(1, { seats_purchased: 1 })]);
    await harness.table.write({ update: poolGuardKey(own), change: { set: [["seats_short", 1]] } });
    vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(String(text)) > 0);
    await fillSeats(harness, own);
    vi.restoreAllMocks();
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: "error",
        pool: own,
        message: expect.stringContaining("no such person exists"),
      }),
    ]);
  });

  test("if all candidates were decided about in the meantime, the next people in order get seats", async () => {
    await deliver(harness, [
      organizationSaved(1, { seats_purchased: 0 }),
      ...people(1 + eventLimits.peopleSeatedTogetherMax),
    ]);
    let overtaken = false;
    const getMany: Table["getMany"] = async (keys, ...rest) => {
      const found = keys.filter(isPerson);
      if (found.length > 1 && !overtaken) {
        overtaken = true;
        const userIds = found.map(({ sk }) => sk.slice(sk.lastIndexOf("#") + 1));
        await decide(userIds, false);
      }
      return harness.table.getMany(keys, ...rest);
    };

    await deliver({ ...harness, table: { ...harness.table, getMany } }, [
      organizationSaved(9, { seats_purchased: 5 }),
    ]);

    expect(await readPool(harness.table, own)).toMatchObject({ seats_free: 4, seats_short: 0 });
    checkPeople(await everything(harness.table));
  });

  test("workers that fill the same free seats at once give no seat twice", async () => {
    await deliver(harness, [organizationSaved(1, { seats_purchased: 1 }), ...people(8)]);
    const buying = organizationSaved(9, { seats_purchased: 5 });
    await Promise.all([deliver(harness, [buying]), deliver(harness, [buying]), deliver(harness, [buying])]);
    checkPeople(await everything(harness.table));
    expect(await readPool(harness.table, own)).toMatchObject({ seats_free: 0, seats_short: 3 });
  });
});

describe("a decision that found no seat free, while seats are bought", () => {
  const full = [organizationSaved(1, { seats_purchased: 0, seat_assignment_mode: "automatic" })];
  const inAcme = { ...organizationName(), workspace_id: "acme" };

  /** `slow` has decided; before its transaction is sent, `buying` is applied completely. */
  async function overtaken(slow: OutgoingEvent, buying: OutgoingEvent): Promise<void> {
    let isOvertaken = false;
    const transact: Table["transact"] = async (writes, ...rest) => {
      const decides = writes.some((write) => "put" in write && write.put.sk.startsWith("MEMBER#"));
      if (decides && !isOvertaken) {
        isOvertaken = true;
        await deliver(harness, [buying]);
      }
      return harness.table.transact(writes, ...rest);
    };
    await deliver({ ...harness, table: { ...harness.table, transact } }, [slow]);
    expect(isOvertaken).toBe(true);
  }

  test("a new member gets a seat that is bought during the decision", async () => {
    await deliver(harness, full);
    await overtaken(memberSaved(3), organizationSaved(9, { seats_purchased: 1 }));
    checkPeople(await everything(harness.table));
    expect(await readPool(harness.table, own)).toMatchObject({ seats_free: 0, seats_short: 0 });
  });

  test("the author of a reviewed pull request gets a seat that is bought during the decision", async () => {
    await deliver(harness, [...full, repositorySaved(2), memberSaved(3, { seat_assigned: false })]);
    const reviewed = event("pull_request.finalized", 4, {
      ...finalized(organizationName(), "1", { repository_id: "9001", author_id: "4411" }),
    });
    await overtaken(reviewed, organizationSaved(9, { seats_purchased: 1 }));
    checkPeople(await everything(harness.table));
    expect(await readPool(harness.table, own)).toMatchObject({ seats_free: 0, seats_short: 0 });
  });

  test("people who move into a workspace get the seats that are bought during the decision", async () => {
    await deliver(harness, [workspaceSaved(1, { seats_purchased: 1 }), organizationSaved(1), ...people(4)]);
    await overtaken(organizationSaved(5, inAcme), workspaceSaved(9, { seats_purchased: 3 }));
    checkPeople(await everything(harness.table));
    expect(await readPool(harness.table, acme)).toMatchObject({ seats_free: 0, seats_short: 1 });
  });

  test("a person who is short of a seat and changes address gets a seat under the new address", async () => {
    await deliver(harness, [
      workspaceSaved(1, { seats_purchased: 0 }),
      organizationSaved(2, inAcme),
      memberSaved(3, { email: "zoe@acme.test" }),
    ]);
    // Decided while no seat was free; written after a seat was bought and its worker looked for candidates.
    const hold = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<void>();
    const transact: Table["transact"] = async (writes, ...rest) => {
      const buying = deliver({ ...harness, table: { ...harness.table, queryPage } }, [
        workspaceSaved(9, { seats_purchased: 1 }),
      ]);
      filled ??= buying;
      await looked.promise;
      await harness.table.transact(writes, ...rest).finally(() => hold.resolve());
    };
    const queryPage: Table["queryPage"] = async (range, resume) => {
      const page = await harness.table.queryPage(range, resume);
      if (range.beginsWith !== "PERSON#") return page;
      looked.resolve();
      await hold.promise;
      return page;
    };
    let filled: Promise<void> | undefined;
    await deliver({ ...harness, table: { ...harness.table, transact } }, [
      memberSaved(5, { email: "ann@acme.test" }),
    ]);
    await filled;
    checkPeople(await everything(harness.table));
    expect(await readPool(harness.table, acme)).toMatchObject({ seats_free: 0, seats_short: 0 });
  });
});

describe("idle seats", () => {
  test("a seat is as old as its audit entry says, whatever gave the seat", async () => {
    const join = (user_id: string, seat_assigned: boolean) =>
      memberSaved(3, { user_id, email: null, seat_assigned });
    await deliver(harness, [
      organizationSaved(1, { seat_assignment_mode: "automatic" }),
      repositorySaved(2),
      join("wished", true),
      ...["reviewed", "decided"].map((user_id) => join(user_id, false)),
      event("pull_request.finalized", 4, {
        ...finalized(organizationName(), "1", { repository_id: "9001", author_id: "reviewed" }),
      }),
    ]);
    await decide(["decided"], true);
    const decidedAt = toTimestamp(harness.clock.now);
    const audited = { ...harness, ...operatorOrigin, retentionDays: 400 };
    const idleAfter = async (ms: number) => {
      const groups = await seatGroups({ table: harness.table, audited }, undefined);
      const [found] = await Promise.all(
        groups.map((group) => findIdleSeats(group, { days: 1, nowMs: harness.clock.now + ms })),
      );
      const uses = found?.idle.map(({ userIds, use }) => [...userIds, use?.seat_since]);
      return { held: found?.held, uses: uses?.toSorted() };
    };
    const wished = ["wished", memberSaved(3).occurred_at];
    const given = ["decided", "reviewed"].map((id) => [id, decidedAt]);
    expect(await idleAfter(msPerDay / 2)).toEqual({ held: 3, uses: [wished] });
    expect(await idleAfter(msPerDay + 1)).toEqual({ held: 3, uses: [...given, wished] });
  });
});

describe("decisions at once", () => {
  test("four callers who assign everyone at once fill exactly all seats, and later events keep it so", async () => {
    await deliver(harness, [
      organizationSaved(1, { seats_purchased: 25 }),
      ...people(60, { seat_assigned: false }),
    ]);
    const everyone = Array.from({ length: 60 }, (_, index) => `u${index}`);

    await Promise.all([0, 15, 30, 45].map((start) => decide(everyone.slice(start, start + 15), true)));

    expect(await readPool(harness.table, own)).toMatchObject({ seats_free: 0, seats_short: 0 });
    await deliver(harness, people(60, { seat_assigned: true }, 2));
    expect((await readPool(harness.table, own))?.seats_short).toBe(35);
    checkPeople(await everything(harness.table));
  });

  test("if the last two admins are demoted at once, one stays admin", async () => {
    await deliver(harness, [organizationSaved(1), ...people(2)]);
    const uuid = uuidOf();
    const demotions = await Promise.allSettled(
      ["u0", "u1"].map(async (userId) => {
        const item = await harness.table.get(kinds.member.key({ organization: uuid, userId }));
        await harness.table.transact(roleWrites(uuid, item ? [item] : [], "cr_member"));
      }),
    );
    const refused = demotions.filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject([{ reason: expect.any(TransactionRefused) }]);
    expect(await harness.table.get(kinds.people.key({ organization: uuid }))).toMatchObject({
      counts: { cr_admin: 1, cr_member: 1 },
    });
    checkPeople(await everything(harness.table));
  });
});
