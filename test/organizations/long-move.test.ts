import { beforeAll, expect, test } from "vitest";
import { eventLimits } from "../../lib/contract/limits.ts";
import { ingest } from "../../lib/events/ingest.ts";
import { resumeMoves } from "../../lib/organizations/move.ts";
import { memberKey, organizationKey } from "../../lib/store/layout.ts";
import type { Item } from "../../lib/store/table.ts";
import {
  createIngestHarness,
  deliver,
  everything,
  memberSaved,
  organizationName,
  organizationSaved,
  toMessages,
  uuidOf,
  workspaceSaved,
} from "../events/support.ts";
import { checkPeople } from "../people/checks.ts";
import { StandingClock } from "../support/clock.ts";
import { openStore, useStore } from "../support/engine.ts";

const store = useStore();
const inAcme = { ...organizationName(), workspace_id: "acme" };

let before: readonly Item[];
beforeAll(async () => {
  const people = Array.from({ length: 60 }, (_, index) =>
    memberSaved(3, { user_id: `u${index}`, email: null }),
  );
  await deliver(createIngestHarness(store().table), [workspaceSaved(1), organizationSaved(2), ...people]);
  before = await everything(store().table);
});

/** A separate table with an organization of many people that is about to move. */
async function movingDesk() {
  const desk = createIngestHarness((await openStore(store().endpoint)).table);
  await desk.table.writeMany(before.map((put) => ({ put })));
  return desk;
}

test("a move that takes longer than a delivery is acknowledged once its note is committed, and the clock worker completes it", async () => {
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

test("an event of an organization that is still moving is applied, and the completed move keeps its values", async () => {
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

/** The first move reads a damaged member item, or has time for only some of its people. */
const hindered = {
  "meets a damaged item": async () => {
    const desk = await movingDesk();
    const key = memberKey(uuidOf(), "u7");
    const sound = await desk.table.get(key);
    await desk.table.write({ put: { ...sound, ...key, username: 7 } });
    const mend = () => desk.table.write({ put: { ...sound, ...key } });
    return { desk, worker: desk, mend };
  },
  "takes long": async () => {
    const desk = await movingDesk();
    const clock = new StandingClock();
    const transact: typeof desk.table.transact = async (...given) => {
      await desk.table.transact(...given);
      clock.now += eventLimits.moveMsMax + 1;
    };
    return { desk, worker: { ...desk, clock, table: { ...desk.table, transact } }, mend: async () => {} };
  },
};

test.each(Object.entries(hindered))(
  "an event that moves an organization again while the first move %s is redelivered, and applied after that move",
  async (_, arrange) => {
    const { desk, worker, mend } = await arrange();
    const receive = async (event: Parameters<typeof toMessages>[1][number], receives = 1) =>
      (
        await ingest(
          worker,
          (await toMessages(desk, [event])).map((each) => ({ ...each, receives })),
        )
      ).length;
    expect(await receive(organizationSaved(9, inAcme))).toBe(0);
    const back = organizationSaved(12, { name: "Back" });
    expect(await receive(back)).toBe(1);
    expect(desk.letters).toEqual([]);
    expect(await desk.table.get(organizationKey(uuidOf()))).toMatchObject({
      tenant: "w#acme",
      name: "Widgets",
    });

    await mend();
    await resumeMoves(desk);
    expect(await receive(back, 2)).toBe(0);
    await resumeMoves(desk);
    expect(desk.letters).toEqual([]);
    const after = await desk.table.get(organizationKey(uuidOf()));
    expect(after).toMatchObject({ tenant: `o#${uuidOf()}`, name: "Back" });
    expect(after).not.toHaveProperty("leaving");
    checkPeople(await everything(desk.table));
  },
);
