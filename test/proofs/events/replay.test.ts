import { describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { auditLimits } from "../../../lib/contract/limits.ts";
import type { OutgoingEvent } from "../../../lib/events/send.ts";
import { moveLogs } from "../../../lib/organizations/move-log.ts";
import type { Item } from "../../../lib/store/table.ts";
import {
  createIngestHarness,
  deliver,
  everything,
  instanceSaved,
  memberSaved,
  organizationName,
  organizationSaved,
  repositorySaved,
  workspaceSaved,
} from "../../events/support.ts";
import { checkPeople } from "../../people/checks.ts";
import { openStore, useStore } from "../../support/engine.ts";
import fc from "../../support/property.ts";
import { seedOfRun, timeoutMs, volume } from "../../support/volume.ts";

const store = useStore();

/** Two workspaces, an instance, four organizations (two change tenant), people who join, leave and change. */
const history: readonly OutgoingEvent[] = [
  workspaceSaved(1, { seats_purchased: 1 }),
  workspaceSaved(30, { seats_purchased: 40, name: "Acme Ltd" }),
  workspaceSaved(2, { id: "birch", name: "Birch" }),
  instanceSaved(1),
  instanceSaved(20, { name: "Forge 2" }),
  organizationSaved(3, { seat_assignment_mode: "automatic", approval_delay_days: 7 }),
  organizationSaved(10, { workspace_id: "acme", approval_delay_days: 3 }),
  organizationSaved(25, { workspace_id: "birch", name: "Widgets & Sons" }),
  organizationSaved(4, { provider_organization_id: "1002", workspace_id: "acme", name: "Gadgets" }),
  organizationSaved(28, { provider_organization_id: "1002", workspace_id: null, seats_purchased: 9 }),
  organizationSaved(5, { provider: "gitlab", instance_id: "forge", seats_purchased: 0 }),
  organizationSaved(22, { provider: "gitlab", instance_id: "forge", seats_purchased: 4, active: false }),
  organizationSaved(6, { provider_organization_id: "1003", workspace_id: "acme", name: "Tools" }),
  organizationSaved(6, { provider_organization_id: "1009", workspace_id: "never", name: "Lost" }),
  repositorySaved(7),
  repositorySaved(12, { name: "web2", approval_delay_days: 4 }),
  repositorySaved(8, { repository_id: "a#b%c", provider: "gitlab", instance_id: "forge" }),
  repositorySaved(9, { provider_organization_id: "1008" }),
  memberSaved(8, { role: null }),
  memberSaved(14, { role: "cr_member", seat_assigned: false, email: "ann2@acme.test" }),
  memberSaved(16, { email: "ANN2@acme.test", readable_repository_ids: "*" }),
  memberSaved(8, { user_id: "2", email: "bob@acme.test", role: "00000000-0000-4000-8000-00000000dead" }),
  memberSaved(18, { user_id: "2", email: "bob@acme.test", active: false }),
  memberSaved(21, { user_id: "2", email: "bob@acme.test", role: "cr_admin" }),
  memberSaved(9, { user_id: "3", email: null, seat_assigned: false }),
  memberSaved(19, { user_id: "3", email: "carl@acme.test", active: false }),
  memberSaved(9, { ...organizationName("1002"), user_id: "77", email: "ann@acme.test" }),
  memberSaved(10, { ...organizationName("1002"), user_id: "78", email: "ann@acme.test" }),
  memberSaved(9, {
    ...organizationName("1003"),
    user_id: "88",
    email: "ann2@ACME.test",
    seat_assigned: false,
  }),
  memberSaved(9, { ...organizationName("1003"), user_id: "89", email: null, role: "cr_billing_admin" }),
  memberSaved(11, {
    ...organizationName("1003"),
    user_id: "90",
    email: "bob@acme.test",
    seat_assigned: true,
  }),
  memberSaved(9, { provider: "gitlab", instance_id: "forge", user_id: "77", role: "cr_billing_admin" }),
  memberSaved(11, { provider: "gitlab", instance_id: "forge", user_id: "78", readable_repository_ids: [] }),
  memberSaved(9, { ...organizationName("1008"), user_id: "1" }),
];

async function tableAfter(events: readonly OutgoingEvent[]) {
  const { table, client } = await openStore(store().endpoint);
  const harness = createIngestHarness(table);
  await deliver(harness, events);
  // An organization that moved is complete when its audit log has come along, which the schedule does later.
  harness.clock.advance(auditLimits.settledAfterMs);
  await moveLogs(harness);
  const items = await everything(table);
  client.destroy();
  expect(items.filter(({ pk }) => pk === kinds.movingLog.partition())).toEqual([]);
  // A clock reminder exists only if the organization moved in this order of events.
  // The audit log and the count of visibility changes depend on the order of events, not on the final state.
  const isOfTheWay = (item: Item) =>
    item.pk === kinds.relist.partition() ||
    item.pk.startsWith("AUDIT#") ||
    // The tenants that the organization was in, and left.
    item.sk.startsWith("LEFT#") ||
    item.sk === kinds.scopeEpochs.sk;
  const ended = items
    .filter((item) => !isOfTheWay(item))
    .map((item): Item => ({ ...item, visible_epoch: undefined, arrived: undefined }));
  return { items: ended, letters: harness.letters };
}

describe("replaying a history", () => {
  test("a replay gives the state of the newest events; events whose dependency never arrived stay waiting", async () => {
    const { items, letters } = await tableAfter(history);

    checkPeople(items);
    expect(letters).toEqual([]);
    const waiting = items.filter(({ pk }) => pk.startsWith("WAITING#")).map(({ event_id }) => event_id);
    const lost = history
      .filter(({ data }) => /"(never|1008)"/.test(JSON.stringify(data)))
      .map(({ id }) => id);
    expect(waiting.sort()).toEqual(lost.sort());
  });

  test(
    "replaying a history in any order, with any repeats, gives the same table",
    async () => {
      const { items: expected } = await tableAfter(history);
      const anyOrder = fc
        .tuple(
          fc.shuffledSubarray([...history], { minLength: history.length }),
          fc.shuffledSubarray([...history]),
          fc.shuffledSubarray([...history], { maxLength: 5 }),
        )
        .map(([first, again, last]) => [...first.slice(0, 20), ...last, ...first.slice(20), ...again]);

      await fc.assert(
        fc.asyncProperty(anyOrder, async (events) => {
          const { items, letters } = await tableAfter(events);
          expect(letters).toEqual([]);
          checkPeople(items);
          expect(items).toEqual(expected);
        }),
        { numRuns: volume(4, 100), seed: 20261115 + seedOfRun() },
      );
    },
    timeoutMs,
  );
});
