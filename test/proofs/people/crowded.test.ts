import { beforeEach, describe, expect, test } from "vitest";
import { operatorOrigin } from "../../../lib/audit/entry.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { auditLimits, peopleLimits, requestLimits } from "../../../lib/contract/limits.ts";
import { workspaceTenant } from "../../../lib/contract/tenants.ts";
import { assignSeatsByEmail, assignSeatsToMembers } from "../../../lib/people/assign-seats.ts";
import { listMembers } from "../../../lib/people/list-members.ts";
import { parseMember, parsePerson } from "../../../lib/store/items/people.ts";
import { personKey } from "../../../lib/store/layout.ts";
import { queryAll, type Table } from "../../../lib/store/table.ts";
import {
  createIngestHarness,
  deliver,
  type IngestHarness,
  memberSaved,
  organizationName,
  organizationSaved,
  uuidOf,
  workspaceSaved,
} from "../../events/support.ts";
import { openStore, useStore } from "../../support/engine.ts";
import { organizationOf } from "../../support/stored.ts";

const store = useStore();
let harness: IngestHarness;
beforeEach(async () => {
  harness = createIngestHarness((await openStore(store().endpoint)).table);
});

const acme = workspaceTenant("acme");
const uuid = uuidOf();
const inAcme = { ...organizationName(), workspace_id: "acme" };
const audited = () => ({ ...harness, ...operatorOrigin, retentionDays: auditLimits.retentionDaysDefault });

/** Memberships of the maximum length, in organizations that no test reads. */
const foreign = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    organization: uuidOf("elsewhere"),
    user_id: "\u{1f600}".repeat(requestLimits.idBytesMax / 4 - 1) + String(index).padStart(4, "0"),
    seat_wanted: false,
  }));

/** Fills the person with this e-mail address to `upTo` memberships. */
async function crowd(email: string, upTo: number): Promise<void> {
  const key = personKey(acme, { organization: uuid, userId: "", email });
  const stored = await harness.table.get(key);
  if (!stored) throw new Error("There is no such person.");
  const { memberships } = parsePerson(stored);
  const more = foreign(upTo - memberships.length);
  await harness.table.write({ put: { ...stored, memberships: [...memberships, ...more] } });
}

const member = async (userId: string) => {
  const stored = await harness.table.get(kinds.member.key({ organization: uuid, userId }));
  if (!stored) throw new Error("There is no such member.");
  return parseMember(stored);
};
const people = async () =>
  (await Array.fromAsync(queryAll(harness.table, kinds.person.range({ pool: acme })))).map(parsePerson);
const seats = async () => {
  const organization = await organizationOf(harness.table, uuid);
  const all = { seat: "all", role: "all" } as const;
  const { records, seatsAssigned } = await listMembers(harness.table, organization, all, {
    after: null,
    limit: 100,
  });
  return {
    assigned: seatsAssigned,
    of: Object.fromEntries(records.map((each) => [each.user_id, each.seat_assigned])),
  };
};

describe("an e-mail address that very many memberships have", () => {
  const shared = { email: "noreply@acme.test" };
  beforeEach(async () => {
    await deliver(harness, [
      workspaceSaved(1),
      organizationSaved(2, inAcme),
      memberSaved(3, { user_id: "ann", ...shared }),
    ]);
    await crowd(shared.email, peopleLimits.membershipsMax);
  });

  test("beyond an address's room for memberships, a member is a person with their own seat, and can leave", async () => {
    await deliver(harness, [memberSaved(4, { user_id: "bob", ...shared })]);
    expect(await member("bob")).toMatchObject({ stands_alone: true, email: shared.email });
    expect((await people()).map(({ email, memberships }) => [email, memberships.length])).toEqual([
      [shared.email, peopleLimits.membershipsMax],
      [null, 1],
    ]);
    expect(await seats()).toEqual({ assigned: 2, of: { ann: true, bob: true } });

    await assignSeatsToMembers(audited(), await organizationOf(harness.table, uuid), {
      action: "unassign",
      userIds: ["bob"],
    });
    expect(await seats()).toEqual({ assigned: 1, of: { ann: true, bob: false } });

    await deliver(harness, [memberSaved(5, { user_id: "bob", ...shared, active: false })]);
    expect(await people()).toHaveLength(1);
    expect(await member("bob")).toMatchObject({ active: false, seat_decided: false });
  });

  test("a member who was stored alone rejoins their address when there is room and an event saves them", async () => {
    await deliver(harness, [
      memberSaved(4, { user_id: "bob", ...shared }),
      memberSaved(5, { user_id: "ann", ...shared, active: false }),
      memberSaved(6, { user_id: "bob", ...shared, username: "bobby" }),
    ]);
    expect((await member("bob")).stands_alone).toBeUndefined();
    const [person, ...others] = await people();
    expect(others).toEqual([]);
    expect(person?.memberships).toHaveLength(peopleLimits.membershipsMax);
    expect(person?.memberships).toContainEqual({ organization: uuid, user_id: "bob", seat_wanted: true });
    expect(await seats()).toEqual({ assigned: 1, of: { bob: true } });
  });
});

test("people with very many memberships are seated, unassigned and moved within the store's limits", async () => {
  const users = Array.from({ length: 10 }, (_, index) => `u${index}`);
  const emails = users.map((user) => `${user}@acme.test`);
  await deliver(harness, [
    workspaceSaved(1, { seats_purchased: 0 }),
    workspaceSaved(1, { id: "other", seats_purchased: 100 }),
    organizationSaved(2, inAcme),
    ...users.map((user_id, index) => memberSaved(3, { user_id, email: emails[index] })),
  ]);
  for (const email of emails) await crowd(email, peopleLimits.membershipsMax);

  await deliver(harness, [workspaceSaved(4, { seats_purchased: 100 })]);
  expect((await seats()).assigned).toBe(users.length);
  const together: number[] = [];
  const transact: Table["transact"] = (writes) => {
    together.push(writes.filter((write) => "put" in write && write.put.sk.startsWith("PERSON#")).length);
    return harness.table.transact(writes);
  };
  const outcomes = await assignSeatsByEmail(
    { ...audited(), table: { ...harness.table, transact } },
    { tenant: acme, organizations: [] },
    { action: "unassign", emails },
  );
  expect([outcomes.status, (await seats()).assigned]).toEqual(["success", 0]);
  const most = peopleLimits.membershipsTogetherMax / peopleLimits.membershipsMax;
  expect(together.filter((count) => count > 0)).toEqual([most, most]);
  await deliver(harness, [organizationSaved(5, { ...inAcme, workspace_id: "other" })]);
  const moved = await Array.fromAsync(
    queryAll(harness.table, kinds.person.range({ pool: workspaceTenant("other") })),
  );
  expect(moved.map((item) => parsePerson(item).email).toSorted()).toEqual(emails.toSorted());
});
