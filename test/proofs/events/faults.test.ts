import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { ingest } from "../../../lib/events/ingest.ts";
import type { OutgoingEvent } from "../../../lib/events/send.ts";
import { type Item, identityOf, type Table } from "../../../lib/store/table.ts";
import { type FaultKind, faultyTable } from "../../events/faulty-table.ts";
import {
  comparable,
  createIngestHarness,
  deliver,
  everything,
  memberSaved,
  organizationName,
  organizationSaved,
  repositorySaved,
  toMessages,
  workspaceSaved,
} from "../../events/support.ts";
import { checkPeople } from "../../people/checks.ts";
import { useStore } from "../../support/engine.ts";
import { isLong, volume } from "../../support/volume.ts";

const store = useStore();
const people = ["1", "2", "3", "4"];

const inAcme = { ...organizationName(), workspace_id: "acme" };
const team = people.map((user_id) => memberSaved(5, { user_id, email: `${user_id}@acme.test` }));

/** Each event does several steps in sequence, and can be interrupted between any two. */
const cases: ReadonlyArray<{
  readonly name: string;
  readonly before: readonly OutgoingEvent[];
  readonly event: OutgoingEvent;
}> = [
  {
    name: "a workspace arrives that an organization and its people wait for",
    event: workspaceSaved(1),
    before: [organizationSaved(2, inAcme), ...team.slice(0, 1), repositorySaved(4)],
  },
  { name: "an event comes before its organization", event: memberSaved(3), before: [] },
  {
    name: "a workspace buys seats that people are short of",
    event: workspaceSaved(9),
    before: [workspaceSaved(1, { seats_purchased: 1 }), organizationSaved(2, inAcme), ...team],
  },
  {
    name: "an organization buys seats that people are short of",
    event: organizationSaved(9),
    before: [organizationSaved(2, { seats_purchased: 1 }), ...team],
  },
  {
    name: "someone leaves and makes room for another",
    event: memberSaved(9, { user_id: "1", email: null, active: false }),
    before: [organizationSaved(2, { seats_purchased: 1 }), ...team.slice(0, 2)],
  },
  {
    name: "someone changes address into another person",
    event: memberSaved(9, { user_id: "1", email: "2@acme.test", readable_repository_ids: "*" }),
    before: [workspaceSaved(1, { seats_purchased: 2 }), organizationSaved(2, inAcme), ...team.slice(0, 3)],
  },
  {
    name: "an organization moves into a workspace, seats and all",
    event: organizationSaved(9, inAcme),
    before: [workspaceSaved(1, { seats_purchased: 3 }), organizationSaved(2), ...team],
  },
  {
    name: "an organization leaves a workspace where others wait for seats",
    event: organizationSaved(9, { seats_purchased: 2 }),
    before: [
      workspaceSaved(1, { seats_purchased: 4 }),
      organizationSaved(2, inAcme),
      organizationSaved(2, { ...inAcme, provider_organization_id: "1002" }),
      ...team,
      memberSaved(6, { ...organizationName("1002"), email: "5@acme.test" }),
    ],
  },
  {
    name: "an earlier event comes late and changes first values",
    event: memberSaved(3, { user_id: "1", role: "cr_admin", seat_assigned: false }),
    before: [organizationSaved(2), memberSaved(5, { user_id: "1", role: "cr_member" })],
  },
];

/** Replaces the table's content, which is `now`, with exactly these items. */
async function restore(table: Table, now: readonly Item[], items: readonly Item[]): Promise<void> {
  const wanted = new Map(items.map((item) => [identityOf(item), item]));
  const found = new Map(now.map((item) => [identityOf(item), item]));
  const gone = now.filter((item) => !wanted.has(identityOf(item)));
  const changed = items.filter((item) => !isDeepStrictEqual(found.get(identityOf(item)), item));
  await table.writeMany([
    ...gone.map(({ pk, sk }) => ({ delete: { pk, sk } })),
    ...changed.map((put) => ({ put })),
  ]);
}

const kinds: readonly FaultKind[] = ["unanswered", "refused", "crash"];
/**
 * The short run tests one fault kind for each case, in rotation, at every third call. test/proofs/faults tests every
 * call site with its own faults.
 */
const kindsOf = (place: number) => kinds.filter((_, index) => isLong || index === place % kinds.length);
const callsBetween = volume(3, 1);

describe.each(cases.map((each, place) => ({ ...each, place })))("$name", ({ name, before, event, place }) => {
  test.each(kindsOf(place))(
    `an event interrupted at any call (%s) ends the same after redelivery: ${name}`,
    async (kind) => {
      const { table } = store();
      await restore(table, await everything(table), []);
      // One by one: the order in which people get seats must be deterministic.
      for (const each of before) await deliver(createIngestHarness(table), [each]);
      const start = await everything(table);
      await deliver(createIngestHarness(table), [event]);
      const expected = await everything(table);
      checkPeople(expected);
      expect(expected).not.toEqual(start);

      let hit = true;
      let now = expected;
      for (let at = place % callsBetween; hit; at += callsBetween) {
        await restore(table, now, start);
        const faulty = faultyTable(table, at, kind);
        const harness = createIngestHarness(faulty.table);
        const messages = await toMessages(harness, [event]);
        const unfinished = await ingest(harness, messages);
        hit = faulty.calls() > at;
        expect(unfinished).toEqual(hit ? messages : []);
        await deliver(createIngestHarness(table), [event]);
        now = await everything(table);
        expect(comparable(now), `cut off at call ${at}`).toEqual(comparable(expected));
      }
    },
  );
});
