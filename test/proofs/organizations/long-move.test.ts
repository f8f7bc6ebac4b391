import { beforeAll, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { eventLimits } from "../../../lib/contract/limits.ts";
import { ingest } from "../../../lib/events/ingest.ts";
import { resumeMoves } from "../../../lib/organizations/move.ts";
import { TimeUp } from "../../../lib/runtime/time-up.ts";
import type { Item } from "../../../lib/store/table.ts";
import {
  createIngestHarness,
  deliver,
  everything,
  type IngestHarness,
  memberSaved,
  organizationName,
  organizationSaved,
  toMessages,
  uuidOf,
  workspaceSaved,
} from "../../events/support.ts";
import { checkPeople } from "../../people/checks.ts";
import { FrozenClock, TestClock } from "../../support/clock.ts";
import { openStore, useStore } from "../../support/engine.ts";

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
async function movingHarness() {
  const harness = createIngestHarness((await openStore(store().endpoint)).table);
  await harness.table.writeMany(before.map((put) => ({ put })));
  return harness;
}

test("a move longer than a delivery is acknowledged once its note is stored; the clock worker completes it", async () => {
  const harness = await movingHarness();
  const clock = new FrozenClock();
  // Every transaction takes so long that only the first few people move in time.
  const transact: typeof harness.table.transact = async (...given) => {
    await harness.table.transact(...given);
    clock.now += eventLimits.moveMsMax / 2;
  };
  const slow = { ...harness, clock, table: { ...harness.table, transact } };
  const messages = await toMessages(harness, [
    organizationSaved(9, inAcme),
    memberSaved(10, { user_id: "new" }),
  ]);

  expect(await ingest(slow, messages)).toEqual([]);

  expect(await harness.table.get(kinds.organization.key({ organization: uuidOf() }))).toMatchObject({
    tenant: "w#acme",
    leaving: expect.any(String),
  });
  expect(harness.letters).toEqual([]);
  expect(await resumeMoves(harness)).toBe(1);
  checkPeople(await everything(harness.table));
});

test("an event of an organization that is still moving is applied, and the completed move keeps its values", async () => {
  const harness = await movingHarness();
  await interruptMove(harness);
  await rename(harness);
  expect(await resumeMoves(harness)).toBe(1);
  expect(await harness.table.get(kinds.organization.key({ organization: uuidOf() }))).toMatchObject({
    name: "Renamed",
    tenant: "w#acme",
  });
  checkPeople(await everything(harness.table));
});

test("a move ends, and is reported once, also if the organization is renamed while its data moves", async () => {
  const harness = await movingHarness();
  await interruptMove(harness);
  let isRenamed = false;
  const transact: typeof harness.table.transact = async (...given) => {
    await harness.table.transact(...given);
    if (isRenamed) return;
    isRenamed = true;
    await rename(harness);
  };

  expect(await resumeMoves({ ...harness, table: { ...harness.table, transact } })).toBe(1);

  const after = await harness.table.get(kinds.organization.key({ organization: uuidOf() }));
  expect(after).toMatchObject({ name: "Renamed", tenant: "w#acme" });
  expect(after).not.toHaveProperty("leaving");
  expect(await resumeMoves(harness)).toBe(0);
  checkPeople(await everything(harness.table));
});

test("a run that another run has overtaken does not report the move again", async () => {
  const harness = await movingHarness();
  await interruptMove(harness);
  let isOvertaken = false;
  const queryPage: typeof harness.table.queryPage = async (...given) => {
    const page = await harness.table.queryPage(...given);
    if (!isOvertaken) {
      isOvertaken = true;
      expect(await resumeMoves(harness)).toBe(1);
    }
    return page;
  };
  expect(await resumeMoves({ ...harness, table: { ...harness.table, queryPage } })).toBe(0);
});

const rename = (harness: IngestHarness) =>
  deliver(inShortTime(harness), [organizationSaved(12, { ...inAcme, name: "Renamed" })]);

const interruptMove = (harness: IngestHarness) =>
  deliver(inShortTime(harness), [organizationSaved(9, inAcme)]);

/** The event of a move has time for one transaction of the move. */
function inShortTime(harness: IngestHarness): IngestHarness {
  const clock = new FrozenClock();
  const transact: typeof harness.table.transact = async (...given) => {
    await harness.table.transact(...given);
    clock.now += eventLimits.moveMsMax + 1;
  };
  return { ...harness, clock, table: { ...harness.table, transact } };
}

test.each([
  ["older, of another tenant", organizationSaved(8, { workspace_id: "birch" })],
  ["older than every other", organizationSaved(1, { name: "First" })],
  ["the move itself, once more", organizationSaved(9, inAcme)],
])("an event that moves nothing does not wait for a long move: %s", async (_, stale) => {
  const harness = await movingHarness();
  await deliver(harness, [workspaceSaved(1, { id: "birch" })]);
  await interruptMove(harness);
  const moving = await harness.table.get(kinds.organization.key({ organization: uuidOf() }));

  const messages = await toMessages(harness, [stale, memberSaved(10)]);
  expect(await ingest(inShortTime(harness), messages)).toEqual([]);

  expect(await harness.table.get(kinds.organization.key({ organization: uuidOf() }))).toMatchObject({
    tenant: "w#acme",
    leaving: moving?.leaving,
    name: "Widgets",
  });
});

/** The first move reads a damaged member item, or has time for only some of its people. */
const hindered = {
  "meets a damaged item": async () => {
    const harness = await movingHarness();
    const key = kinds.member.key({ organization: uuidOf(), userId: "u7" });
    const sound = await harness.table.get(key);
    await harness.table.write({ put: { ...sound, ...key, username: 7 } });
    const repair = () => harness.table.write({ put: { ...sound, ...key } });
    return { harness, worker: harness, repair };
  },
  "takes long": async () => {
    const harness = await movingHarness();
    return { harness, worker: inShortTime(harness), repair: async () => {} };
  },
};

test.each(Object.entries(hindered))(
  "an event that moves an organization again while a move %s is redelivered, and applied after that",
  async (_, arrange) => {
    const { harness, worker, repair } = await arrange();
    const receive = async (event: Parameters<typeof toMessages>[1][number], receives = 1) =>
      (
        await ingest(
          worker,
          (await toMessages(harness, [event])).map((each) => ({ ...each, receives })),
        )
      ).length;
    expect(await receive(organizationSaved(9, inAcme))).toBe(0);
    const back = organizationSaved(12, { name: "Back" });
    expect(await receive(back)).toBe(1);
    expect(harness.letters).toEqual([]);
    expect(await harness.table.get(kinds.organization.key({ organization: uuidOf() }))).toMatchObject({
      tenant: "w#acme",
      name: "Widgets",
    });

    await repair();
    await resumeMoves(harness);
    expect(await receive(back, 2)).toBe(0);
    await resumeMoves(harness);
    expect(harness.letters).toEqual([]);
    const after = await harness.table.get(kinds.organization.key({ organization: uuidOf() }));
    expect(after).toMatchObject({ tenant: `o#${uuidOf()}`, name: "Back" });
    expect(after).not.toHaveProperty("leaving");
    checkPeople(await everything(harness.table));
  },
);

test.each([
  ["first", "1001"],
  ["last", "1002"],
])("a small organization arrives although a large one, %s in the list, needs many runs", async (_, large) => {
  const harness = createIngestHarness((await openStore(store().endpoint)).table, new TestClock());
  const names = ["1001", "1002"].map((id) => ({ ...organizationName(id), workspace_id: "acme" }));
  const people = names.flatMap((name) =>
    Array.from({ length: name.provider_organization_id === large ? 60 : 1 }, (_, index) =>
      memberSaved(3, { ...name, user_id: `u${index}`, email: null }),
    ),
  );
  await deliver(harness, [
    workspaceSaved(1),
    ...names.map((name) => organizationSaved(2, { ...name, workspace_id: null })),
    ...people,
  ]);
  for (const name of names)
    await deliver(inNoTime(harness, uuidOf(name.provider_organization_id)), [organizationSaved(9, name)]);
  const { clock } = harness;
  // A transaction takes so long that one turn has time for one of them.
  const transact: typeof harness.table.transact = async (...given) => {
    await harness.table.transact(...given);
    clock.now += eventLimits.moveTurnMs - 1;
  };
  const slow = { ...harness, table: { ...harness.table, transact } };
  const isMoving = async () =>
    (
      await harness.table.getMany(
        names.map((name) => kinds.organization.key({ organization: uuidOf(name.provider_organization_id) })),
      )
    ).map((item) => item?.leaving !== undefined);
  expect(await isMoving()).toEqual([true, true]);

  const finished = await resumeMoves(slow, { timeBudgetMs: 4 * eventLimits.moveTurnMs });

  expect(finished).toBe(1);
  expect(await isMoving()).toEqual(names.map((name) => name.provider_organization_id === large));
  for (let run = 0; run < 3; run++) await resumeMoves(slow, { timeBudgetMs: 4 * eventLimits.moveTurnMs });
  expect(await isMoving()).toEqual([false, false]);
  checkPeople(await everything(harness.table));
});

/** The event of a move has no time for the move. */
const inNoTime = (harness: IngestHarness, uuid: string): IngestHarness => ({
  ...harness,
  table: {
    ...harness.table,
    queryPage: (range, resume) =>
      range.pk === kinds.member.range({ organization: uuid }).pk
        ? Promise.reject(new TimeUp())
        : harness.table.queryPage(range, resume),
  },
});
