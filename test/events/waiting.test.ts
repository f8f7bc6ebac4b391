import { beforeEach, describe, expect, test } from "vitest";
import { msPerDay } from "../../lib/contract/days.ts";
import * as kinds from "../../lib/contract/items.ts";
import { eventLimits } from "../../lib/contract/limits.ts";
import { expireWaiting } from "../../lib/events/expire.ts";
import { ingest } from "../../lib/events/ingest.ts";
import { readWaiting, stopWaiting } from "../../lib/events/waiting.ts";
import { versionOf } from "../../lib/store/items/version.ts";
import { parseWaiting } from "../../lib/store/items/waiting.ts";
import { waitingKey } from "../../lib/store/layout.ts";
import type { Table } from "../../lib/store/table.ts";
import { checkPeople } from "../people/checks.ts";
import { openStore, useStore } from "../support/engine.ts";
import { faultyTable } from "./faulty-table.ts";
import {
  createIngestHarness,
  deliver,
  everything,
  type IngestHarness,
  instanceSaved,
  memberSaved,
  organizationSaved,
  repositorySaved,
  toMessages,
  uuidOf,
} from "./support.ts";

const store = useStore();
let harness: IngestHarness;
beforeEach(async () => {
  harness = createIngestHarness((await openStore(store().endpoint)).table);
});

const waiting = async (table: Table) =>
  (await everything(table)).filter(({ pk }) => pk.startsWith("WAITING"));

test("the worker for waiting events handles a page before it reads the next one", async () => {
  for (const user_id of ["1", "2", "3"]) {
    await deliver(harness, [memberSaved(3, { user_id, provider_organization_id: `unknown ${user_id}` })]);
    harness.clock.now += 1;
  }
  const calls: string[] = [];
  const table: Table = {
    ...harness.table,
    queryPage: async (range, resume) => {
      const isByAge = range.pk === kinds.waitingByAge.range().pk;
      if (isByAge) calls.push("page");
      return await harness.table.queryPage(isByAge ? { ...range, pageItems: 1 } : range, resume);
    },
    getMany: async (keys, options) => {
      calls.push(`dependencies ${keys.length}`);
      return await harness.table.getMany(keys, options);
    },
  };
  harness.clock.now += (eventLimits.waitingDaysMax + 1) * msPerDay;
  await expireWaiting({ ...harness, table });
  expect(calls.slice(0, 4)).toEqual(["page", "dependencies 1", "page", "dependencies 1"]);
  expect(harness.letters).toHaveLength(3);
  expect(await waiting(harness.table)).toEqual([]);
});

describe("an event that arrives before its dependency", () => {
  test("an event before its dependency is acknowledged, waits and is applied when it arrives, chain by chain", async () => {
    const forge = { provider: "gitlab", instance_id: "forge" };
    await deliver(harness, [memberSaved(3, forge), repositorySaved(4, forge), organizationSaved(2, forge)]);
    expect(await waiting(harness.table)).toHaveLength(6);

    await deliver(harness, [instanceSaved(1)]);

    const items = await everything(harness.table);
    checkPeople(items);
    expect(items.filter(({ pk }) => pk.startsWith("WAITING"))).toEqual([]);
    expect(items.filter(({ sk }) => /^(MEMBER|REPO)#/.test(sk))).toHaveLength(2);
  });

  test("an event delivered many times waits once, counted from the first delivery", async () => {
    await deliver(harness, [memberSaved(3)]);
    const first = await waiting(harness.table);
    harness.clock.now += msPerDay;
    await deliver(harness, [memberSaved(3), memberSaved(3)]);
    expect(await waiting(harness.table)).toEqual(first);
  });

  test("an event by reference waits as a reference", async () => {
    const ids = Array.from({ length: 30_000 }, (_, index) => `repository-${index}`);
    await deliver(harness, [memberSaved(3, { readable_repository_ids: ids })]);
    const [kept] = await waiting(harness.table);
    expect(JSON.stringify(kept).length).toBeLessThan(1_000);
    await deliver(harness, [organizationSaved(1)]);
    expect(
      await harness.table.get(kinds.member.key({ organization: uuidOf(), userId: "4411" })),
    ).toMatchObject({ user_id: "4411" });
  });

  test("many events that wait for one dependency are all applied, page by page", async () => {
    const crowd = Array.from({ length: eventLimits.waitingPageItems * 2 + 3 }, (_, index) =>
      repositorySaved(3, { repository_id: `r${index}` }),
    );
    await deliver(harness, crowd);
    await deliver(harness, [organizationSaved(1)]);
    const items = await everything(harness.table);
    expect(items.filter(({ sk }) => sk.startsWith("REPO#"))).toHaveLength(crowd.length);
    expect(items.filter(({ pk }) => pk.startsWith("WAITING"))).toEqual([]);
  });

  test("a waiting event is applied by a duplicate of its dependency if the first delivery was interrupted", async () => {
    await deliver(harness, [repositorySaved(3)]);
    const [arrival] = await toMessages(harness, [organizationSaved(1)]);
    if (!arrival) throw new Error("no message");
    // The crash comes right after the organization is written.
    const faulty = faultyTable(harness.table, 2, "crash");
    expect(await ingest({ ...harness, table: faulty.table }, [arrival])).toEqual([arrival]);
    expect(await harness.table.get(kinds.organization.key({ organization: uuidOf() }))).toBeDefined();
    expect(
      await harness.table.get(kinds.repository.key({ organization: uuidOf(), repositoryId: "9001" })),
    ).toBeUndefined();

    await deliver(harness, [organizationSaved(1)]);
    expect(
      await harness.table.get(kinds.repository.key({ organization: uuidOf(), repositoryId: "9001" })),
    ).toBeDefined();
  });
});

describe("a dependency that arrives while the waiting event is being stored", () => {
  /** Delivers the organization right before or after the waiting event is stored. */
  const meeting = (moment: "before" | "after"): IngestHarness => {
    let met = false;
    const transact: Table["transact"] = async (writes) => {
      const isWaiter = writes.some((write) => "put" in write && write.put.pk === "WAITING");
      if (!isWaiter || met) return harness.table.transact(writes);
      met = true;
      if (moment === "before") await deliver(harness, [organizationSaved(1)]);
      await harness.table.transact(writes);
      if (moment === "after") await deliver(harness, [organizationSaved(1)]);
    };
    return { ...harness, table: { ...harness.table, transact } };
  };

  test.each(["before", "after"] as const)(
    "the organization arrives %s the waiting event is stored: the event is applied and waits no more",
    async (moment) => {
      await deliver(meeting(moment), [repositorySaved(3)]);
      expect(
        await harness.table.get(kinds.repository.key({ organization: uuidOf(), repositoryId: "9001" })),
      ).toBeDefined();
      expect(await waiting(harness.table)).toEqual([]);
    },
  );
});

describe("waiting too long", () => {
  test("an event that waits goes to the dead letters after 14 days, with the reason, and not earlier", async () => {
    await deliver(harness, [repositorySaved(3)]);
    harness.clock.now += msPerDay;
    await deliver(harness, [memberSaved(3)]);

    harness.clock.now += 13 * msPerDay;
    await expireWaiting(harness);
    expect(harness.letters).toEqual([]);

    harness.clock.now += 1;
    await expireWaiting(harness);
    const [message] = await toMessages(harness, [repositorySaved(3)]);
    const reason = "It waited 14 days for the organization github 1001, which never came.";
    expect(harness.letters).toEqual([{ ...message, reason }]);
    expect((await waiting(harness.table)).map(({ event_id }) => event_id).filter(Boolean)).toEqual([
      memberSaved(3).id,
    ]);
  });

  test("a dead letter that cannot be sent stays and is tried again", async () => {
    await deliver(harness, [repositorySaved(3)]);
    harness.clock.now += 15 * msPerDay;
    const down = { ...harness, deadLetters: { send: () => Promise.reject(new Error("queue down")) } };
    await expect(expireWaiting(down)).rejects.toThrow("queue down");
    await expireWaiting(harness);
    expect(harness.letters).toHaveLength(1);
    expect(await waiting(harness.table)).toEqual([]);
  });

  test("one dead letter that cannot be sent does not block the others", async () => {
    await deliver(harness, [repositorySaved(3), memberSaved(3)]);
    harness.clock.now += 15 * msPerDay;
    let sent = 0;
    const faltering = {
      send: async (letters: Parameters<typeof harness.deadLetters.send>[0]) => {
        if (sent++ === 0) throw new Error("queue down");
        await harness.deadLetters.send(letters);
      },
    };
    await expect(expireWaiting({ ...harness, deadLetters: faltering })).rejects.toThrow("queue down");
    expect(harness.letters).toHaveLength(1);
    await expireWaiting(harness);
    expect(harness.letters).toHaveLength(2);
    expect(await waiting(harness.table)).toEqual([]);
  });

  test("an expired event whose dependency exists is applied instead of becoming a dead letter", async () => {
    await deliver(harness, [repositorySaved(3)]);
    const [arrival] = await toMessages(harness, [organizationSaved(1)]);
    const faulty = faultyTable(harness.table, 2, "crash");
    if (arrival) await ingest({ ...harness, table: faulty.table }, [arrival]);
    harness.clock.now += 15 * msPerDay;

    await expireWaiting(harness);

    expect(harness.letters).toEqual([]);
    expect(
      await harness.table.get(kinds.repository.key({ organization: uuidOf(), repositoryId: "9001" })),
    ).toBeDefined();
    expect(await waiting(harness.table)).toEqual([]);
  });
});

test("a damaged row of the waiting list is reported and does not block the others", async () => {
  await deliver(harness, [memberSaved(3)]);
  await harness.table.write({ put: { pk: "WAITING", sk: "0", since: 7 } });
  harness.clock.now += (eventLimits.waitingDaysMax + 1) * msPerDay;
  await expect(expireWaiting(harness)).rejects.toThrow(
    "The waiting event's age at WAITING / 0 is damaged in: since",
  );
  expect(harness.letters).toHaveLength(1);
});

test("an event that began to wait again is not removed by whoever read it before", async () => {
  await deliver(harness, [memberSaved(3)]);
  const stored = await waiting(harness.table);
  const [item = expect.fail("Nothing waits.")] = stored.filter(({ body }) => body !== undefined);
  await stopWaiting(harness.table, { ...parseWaiting(item), since: "2026-01-01T00:00:00.000Z" });
  expect(await waiting(harness.table)).toEqual(stored);
  await stopWaiting(harness.table, parseWaiting(item));
  expect(await waiting(harness.table)).toEqual([]);
});

describe("a damaged event among those that wait", () => {
  const spoil = async (damage: { readonly [name: string]: number | undefined }) => {
    const key = waitingKey(kinds.organization.key({ organization: uuidOf() }), versionOf(memberSaved(3)));
    await harness.table.write({ put: { ...(await harness.table.get(key)), ...key, ...damage } });
  };
  const reason = (field: string) =>
    expect.stringMatching(new RegExp(`waiting event at .* damaged in: ${field}`));

  test("only the damaged event becomes a dead letter; its dependency and other waiting events are applied", async () => {
    await deliver(harness, [memberSaved(3), repositorySaved(4)]);
    await spoil({ body: 7 });
    await deliver(harness, [organizationSaved(1)]);
    expect(harness.letters).toMatchObject([{ id: memberSaved(3).id, reason: reason("body") }]);
    expect(await harness.table.get(kinds.organization.key({ organization: uuidOf() }))).toBeDefined();
    expect(
      await harness.table.get(kinds.repository.key({ organization: uuidOf(), repositoryId: "9001" })),
    ).toBeDefined();
    expect(await waiting(harness.table)).toEqual([]);
  });

  test.each([
    ["unreadable", 7],
    ["missing", undefined],
  ])(
    "a damaged event becomes a dead letter once, even if its age is %s; its row by age is deleted later",
    async (_, since) => {
      await deliver(harness, [memberSaved(3), repositorySaved(4)]);
      await spoil({ since, group: 7, id: 7 });
      await deliver(harness, [organizationSaved(1)]);
      harness.clock.now += (eventLimits.waitingDaysMax + 1) * msPerDay;
      await expireWaiting(harness);
      expect(harness.letters).toMatchObject([
        { group: expect.stringMatching(/^damaged\./), reason: reason("id") },
      ]);
      expect(await waiting(harness.table)).toEqual([]);
    },
  );

  test.each([7, undefined])(
    "an event that began to wait again is not removed with what was damaged before (since: %s)",
    async (since) => {
      await deliver(harness, [memberSaved(3)]);
      const stored = await waiting(harness.table);
      const [item = expect.fail("Nothing waits.")] = stored.filter(({ body }) => body !== undefined);
      expect(await readWaiting(harness, { ...item, since, id: 7 })).toEqual([]);
      expect(await waiting(harness.table)).toEqual(stored);
    },
  );

  test("a damaged event becomes a dead letter when its dependency never arrives", async () => {
    await deliver(harness, [memberSaved(3)]);
    await spoil({ body: 7 });
    harness.clock.now += (eventLimits.waitingDaysMax + 1) * msPerDay;
    await expireWaiting(harness);
    expect(harness.letters).toMatchObject([{ id: memberSaved(3).id, reason: reason("body") }]);
    expect(await waiting(harness.table)).toEqual([]);
  });
});
