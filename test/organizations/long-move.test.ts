import { expect, test } from "vitest";
import { eventLimits } from "../../lib/contract/limits.ts";
import { ingest } from "../../lib/events/ingest.ts";
import { resumeMoves } from "../../lib/organizations/move.ts";
import { organizationKey } from "../../lib/store/layout.ts";
import {
  createDesk,
  deliver,
  everything,
  memberSaved,
  organizationName,
  organizationSaved,
  StandingClock,
  toMessages,
  uuidOf,
  workspaceSaved,
} from "../events/support.ts";
import { checkPeople } from "../people/checks.ts";
import { openStore, useStore } from "../support/engine.ts";

const store = useStore();
const inAcme = { ...organizationName(), workspace_id: "acme" };

async function movingDesk() {
  const desk = createDesk((await openStore(store().endpoint)).table);
  const people = Array.from({ length: 60 }, (_, index) =>
    memberSaved(3, { user_id: `u${index}`, email: null }),
  );
  await deliver(desk, [workspaceSaved(1), organizationSaved(2), ...people]);
  return desk;
}

test("a move that takes longer than a delivery may is acknowledged once its note is committed, and the clock's worker ends it", async () => {
  const desk = await movingDesk();
  const clock = new StandingClock();
  // Every transaction takes so long that only the first few people move in time.
  const transact: typeof desk.table.transact = async (...given) => {
    await desk.table.transact(...given);
    clock.now += eventLimits.moveMsMax / 2;
  };
  const slow = { ...desk, clock, table: { ...desk.table, transact } };
  const messages = await toMessages(desk, [
    organizationSaved(9, inAcme),
    memberSaved(10, { user_id: "new" }),
  ]);

  expect(await ingest(slow, messages)).toEqual([]);

  expect(await desk.table.get(organizationKey(uuidOf()))).toMatchObject({
    tenant: "w#acme",
    leaving: expect.any(String),
  });
  expect(desk.letters).toEqual([]);
  expect(await resumeMoves(desk)).toBe(1);
  checkPeople(await everything(desk.table));
});

test("an event of an organization that is still moving is applied, and the move ends with what it said", async () => {
  const desk = await movingDesk();
  const clock = new StandingClock();
  const transact: typeof desk.table.transact = async (...given) => {
    await desk.table.transact(...given);
    clock.now += eventLimits.moveMsMax + 1;
  };
  const slow = { ...desk, clock, table: { ...desk.table, transact } };
  await ingest(slow, await toMessages(desk, [organizationSaved(9, inAcme)]));
  expect(
    await ingest(slow, await toMessages(desk, [organizationSaved(12, { ...inAcme, name: "Renamed" })])),
  ).toEqual([]);
  expect(await resumeMoves(desk)).toBe(1);
  expect(await desk.table.get(organizationKey(uuidOf()))).toMatchObject({
    name: "Renamed",
    tenant: "w#acme",
  });
  checkPeople(await everything(desk.table));
});
