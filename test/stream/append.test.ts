import { describe, expect, test } from "vitest";
import { streamLimits } from "../../lib/contract/limits.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import { ReadAhead } from "../../lib/store/read-ahead.ts";
import { StoreUnavailable, type Table, TransactionRefused } from "../../lib/store/table.ts";
import { appendBatch, keysToAppend } from "../../lib/stream/append.ts";
import { sweepParts } from "../../lib/stream/sweep.ts";
import { useStore } from "../support/engine.ts";
import { large, memoryStream, quick } from "./memory-stream.ts";
import {
  change,
  dayMs,
  depsOf,
  draft,
  everything,
  everywhere,
  newOrganization,
  newWorkspace,
  request,
  setTenant,
  someDayMs,
  texts,
  walk,
} from "./support.ts";

const store = useStore();

describe("an event", () => {
  test("an event that is sent again changes nothing and moves nothing", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table, newWorkspace());
    const first = change(organization, "pr/1", 1, everywhere("one"));
    await appendBatch(depsOf(table), tenant, [first, change(organization, "pr/2", 2, everywhere("two"))]);
    const before = await everything(table);

    const outcomes = await appendBatch(depsOf(table), tenant, [first]);

    expect(outcomes).toEqual(["duplicate"]);
    expect(await everything(table)).toEqual(before);
  });

  test("an event that is older than the stored state is ignored", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table);
    await appendBatch(depsOf(table), tenant, [change(organization, "pr/1", 5, everywhere("new"))]);
    const before = await everything(table);

    const outcomes = await appendBatch(depsOf(table), tenant, [
      change(organization, "pr/1", 4, everywhere("old")),
    ]);

    expect(outcomes).toEqual(["older"]);
    expect(await everything(table)).toEqual(before);
  });

  test("a newer event with equal content moves nothing, but its time is stored", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table);
    const deps = depsOf(table);
    await appendBatch(deps, tenant, [
      change(organization, "pr/1", 1, everywhere("same")),
      change(organization, "pr/2", 2, everywhere("other")),
    ]);

    const outcomes = await appendBatch(deps, tenant, [change(organization, "pr/1", 9, everywhere("same"))]);
    const between = await appendBatch(deps, tenant, [change(organization, "pr/1", 5, everywhere("between"))]);

    expect([outcomes, between]).toEqual([["unchanged"], ["older"]]);
    expect(texts(await walk(table, request(tenant)))).toEqual(["same", "other"]);
  });

  test("a newer event with other content moves its pull request to the end", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table, newWorkspace());
    const deps = depsOf(table);
    await appendBatch(deps, tenant, [
      change(organization, "pr/1", 1, everywhere("one")),
      change(organization, "pr/2", 2, everywhere("two")),
    ]);

    await appendBatch(deps, tenant, [change(organization, "pr/1", 3, everywhere("one again"))]);

    expect(texts(await walk(table, request(tenant)))).toEqual(["two", "one again"]);
    expect(texts(await walk(table, request(tenant, { organization })))).toEqual(["two", "one again"]);
  });

  test("an event of equal time wins if its id is greater", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table);
    const lesser = { ...change(organization, "pr/1", 1, everywhere("lesser")), eventId: "a" };
    const greater = { ...change(organization, "pr/1", 1, everywhere("greater")), eventId: "b" };

    const outcomes = await appendBatch(depsOf(table), tenant, [greater, lesser]);

    expect(outcomes).toEqual(["appended", "older"]);
    expect(texts(await walk(table, request(tenant)))).toEqual(["greater"]);
  });

  test("an event that moves the merge date leaves the old week", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table);
    const deps = depsOf(table);
    await appendBatch(deps, tenant, [change(organization, "pr/1", 1, everywhere("text"))]);

    await appendBatch(deps, tenant, [
      change(organization, "pr/1", 2, everywhere("text", { atMs: someDayMs + 30 * dayMs })),
    ]);

    const oldWeek = { startMs: someDayMs - dayMs, endMs: someDayMs + dayMs };
    expect(await walk(table, request(tenant, { window: oldWeek }))).toEqual([[]]);
    expect(texts(await walk(table, request(tenant)))).toEqual(["text"]);
  });

  test("an event without comments removes the review comments and moves nothing else", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table);
    const deps = depsOf(table);
    await appendBatch(deps, tenant, [
      change(organization, "pr/1", 1, everywhere("one")),
      change(organization, "pr/2", 2, everywhere("two")),
    ]);

    await appendBatch(deps, tenant, [
      change(organization, "pr/1", 3, { reviews: draft("one"), mcp: draft("one") }),
    ]);

    expect(texts(await walk(table, request(tenant)))).toEqual(["two"]);
    expect(texts(await walk(table, request(tenant, { dataset: "reviews" })))).toEqual(["one", "two"]);
  });

  test("an event without content is stored, so an older event cannot bring the pull request back", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table);
    const deps = depsOf(table);
    await appendBatch(deps, tenant, [change(organization, "pr/1", 2, {})]);

    const outcomes = await appendBatch(deps, tenant, [change(organization, "pr/1", 1, everywhere("late"))]);

    expect(outcomes).toEqual(["older"]);
    expect(await walk(table, request(tenant))).toEqual([[]]);
  });

  test("an event for an organization that left the tenant is not applied, and delays no other event", async () => {
    const { table } = store();
    const tenant = newWorkspace();
    const gone = await newOrganization(table, tenant);
    const here = await newOrganization(table, tenant);
    await setTenant(table, gone.organization, organizationTenant(gone.organization));

    const outcomes = await appendBatch(depsOf(table), tenant, [
      change(gone.organization, "pr/1", 1, everywhere("gone")),
      change(here.organization, "pr/1", 2, everywhere("here")),
    ]);

    expect(outcomes).toEqual(["elsewhere", "appended"]);
    expect(texts(await walk(table, request(tenant)))).toEqual(["here"]);
  });
});

/** The store becomes unavailable after the transaction: the writer dies right after its commit. */
const dyingAfterCommit = (table: Table): Table => ({
  ...table,
  write: async () => {
    throw new StoreUnavailable("the writer is dead", false);
  },
});

describe("an interrupted append", () => {
  test("an interrupted append becomes visible when its event is delivered again, without any other write", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table);
    const event = change(organization, "pr/1", 1, everywhere("text"));
    const interrupted = appendBatch(depsOf(dyingAfterCommit(table)), tenant, [event]);
    await expect(interrupted).rejects.toThrow(StoreUnavailable);
    expect(await walk(table, request(tenant))).toEqual([[]]);

    const outcomes = await appendBatch(depsOf(table), tenant, [event]);

    expect(outcomes).toEqual(["duplicate"]);
    expect(texts(await walk(table, request(tenant)))).toEqual(["text"]);
  });

  test("an interrupted append is finished by the next writer, and the superseded entry is deleted", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table, newWorkspace());
    await appendBatch(depsOf(table), tenant, [change(organization, "pr/1", 1, everywhere("one"))]);
    const interrupted = appendBatch(depsOf(dyingAfterCommit(table)), tenant, [
      change(organization, "pr/1", 2, everywhere("one again")),
    ]);
    await expect(interrupted).rejects.toThrow(StoreUnavailable);
    expect(texts(await walk(table, request(tenant)))).toEqual(["one"]);

    await appendBatch(depsOf(table), tenant, [change(organization, "pr/2", 3, everywhere("two"))]);

    expect(texts(await walk(table, request(tenant)))).toEqual(["one again", "two"]);
    const partitions = (await everything(table)).filter(
      ({ pk, sk }) => pk.startsWith(`S#${tenant}`) && sk !== "HEAD",
    );
    expect(partitions).toHaveLength(2 * 3 * 2);
  });
});

describe("a batch", () => {
  const events = (organization: string, count: number) =>
    Array.from({ length: count }, (_, index) =>
      change(organization, `pr/${index}`, index, everywhere(`${index}`)),
    );

  test("a batch of ten is one transaction, with at most fifteen write units per pull request", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table, newWorkspace());
    const meter = new StoreMeter();

    await appendBatch(depsOf(table.metered(meter)), tenant, events(organization, 10));

    const transactions = meter.calls.filter(({ operation }) => operation === "TransactWriteItems");
    expect(transactions).toHaveLength(1);
    expect(meter.writeUnits / 10).toBeLessThanOrEqual(15);
    expect(meter.sequentialRoundTrips).toBe(3);
  });

  test("a batch of any size is split so that every transaction fits", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table, newWorkspace());

    const outcomes = await appendBatch(depsOf(table), tenant, events(organization, 35));

    expect(new Set(outcomes)).toEqual(new Set(["appended"]));
    const expected = Array.from({ length: 35 }, (_, index) => `${index}`);
    expect(texts(await walk(table, request(tenant, { limit: 7 })))).toEqual(expected);
  });

  test("a batch with several events of one pull request applies the newest", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table);
    const newest = change(organization, "pr/1", 3, everywhere("three"));

    const outcomes = await appendBatch(depsOf(table), tenant, [
      change(organization, "pr/1", 1, everywhere("one")),
      newest,
      change(organization, "pr/1", 2, everywhere("two")),
      { ...newest },
    ]);

    expect(outcomes).toEqual(["older", "appended", "older", "duplicate"]);
    expect(texts(await walk(table, request(tenant)))).toEqual(["three"]);
  });

  test("a batch that races nine others of the same tenant loses nothing", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table, newWorkspace());
    const deps = depsOf(table);
    const sendUntilDone = async (event: ReturnType<typeof change>): Promise<void> => {
      try {
        await appendBatch(deps, tenant, [event]);
      } catch {
        await sendUntilDone(event);
      }
    };

    await Promise.all(events(organization, 10).map(sendUntilDone));

    const found = texts(await walk(table, request(tenant)));
    expect(found.toSorted()).toEqual(Array.from({ length: 10 }, (_, index) => `${index}`));
  });
});

describe("on a table in memory", () => {
  test("a large entry that did not change is not written again with a changed one", async () => {
    const { table, tenant, send, spills, partsOf } = await memoryStream();
    await send(1, { "review-comments": large(1), reviews: draft("one") });
    const before = spills();
    await send(2, { "review-comments": large(1), reviews: draft("two") });
    expect([spills(), partsOf()]).toEqual([before, 1]);
    expect((await walk(table, request(tenant))).flat().map(({ number }) => number)).toEqual([1]);
  });

  test("an entry spills exactly when it is larger than the limit, and its payload must be bytes", async () => {
    const { send, spills, all } = await memoryStream();
    const bytes = (length: number) => draft("bytes", { payload: new Uint8Array(length) });
    await send(1, { reviews: bytes(streamLimits.inlineBytesMax) });
    expect(spills()).toHaveLength(0);
    await send(1, { reviews: bytes(streamLimits.inlineBytesMax + 1) }, "pr/2");
    const entries = all().filter(({ pk, sk }) => pk.startsWith("S#") && Number(sk) === 2);
    expect(spills()).toHaveLength(1);
    expect(entries.map(({ p, s }) => [p, s])).toEqual(entries.map(() => [undefined, [spills()[0]?.sk, 1]]));
    const text = draft("text", { payload: "x".repeat(streamLimits.inlineBytesMax + 1) });
    await expect(send(1, { reviews: text }, "pr/3")).rejects.toThrow(
      new RangeError("A payload that large must come as bytes."),
    );
  });

  test("parts are written once, however often their transaction is tried", async () => {
    const { table, organization, tenant, send, spills } = await memoryStream();
    let attempts = 0;
    const raced: Table = {
      ...table,
      transact: async (writes) => {
        if (attempts++ === 0) await send(1, everywhere("first"), "pr/other");
        return table.transact(writes);
      },
    };
    const event = change(organization, "pr/1", 1, { reviews: large(1) });
    expect(await appendBatch(quick(raced), tenant, [event])).toEqual(["appended"]);
    expect([attempts, spills().length]).toEqual([2, 1]);
  });

  test("parts that a sweep marked for removal before their transaction are written again", async () => {
    const { table, organization, tenant, deps, spills } = await memoryStream();
    let attempts = 0;
    const raced: Table = {
      ...table,
      transact: async (writes) => {
        if (attempts++ === 0) await sweepParts(deps, organization);
        return table.transact(writes);
      },
    };
    const event = change(organization, "pr/1", 1, { reviews: large(1) });
    expect(await appendBatch(quick(raced), tenant, [event])).toEqual(["appended"]);
    expect(spills().map(({ x }) => x)).toEqual([1, undefined]);
  });

  test("every event of an organization that left has to be sent elsewhere, not only the newest", async () => {
    const { table, organization, tenant } = await memoryStream();
    await setTenant(table, organization, newWorkspace());
    const events = [1, 2].map((order) => change(organization, "pr/1", order, everywhere(`${order}`)));
    expect(await appendBatch(quick(table), tenant, events)).toEqual(["elsewhere", "elsewhere"]);
  });

  test("a batch of several transactions publishes each before the next, and repeats none", async () => {
    const { table, organization, tenant, called } = await memoryStream();
    const events = [1, 2, 3, 4, 5].map((order) =>
      change(organization, `pr/${order}`, order, everywhere(`${order}`)),
    );
    called();
    await appendBatch(quick(table, { changesPerTransactionMax: 2 }), tenant, events);
    expect(called()).toEqual(["getMany", "transact", "write", "transact", "write", "transact", "write"]);
    expect(texts(await walk(table, request(tenant)))).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("a batch whose items were read ahead and changed since is decided again on new reads", async () => {
    const { table, organization, tenant, called } = await memoryStream();
    const events = [change(organization, "pr/1", 1, everywhere("one"))];
    const ahead = await new ReadAhead().read(table, keysToAppend(tenant, events));
    await appendBatch(quick(table), tenant, [change(organization, "pr/2", 1, everywhere("two"))]);
    called();
    expect(await appendBatch(quick(table), tenant, events, ahead)).toEqual(["appended"]);
    expect(called()).toEqual(["transact", "getMany", "transact", "write"]);
  });

  test("entries that were appended before an organization left stay appended", async () => {
    const { table, organization, tenant } = await memoryStream();
    let attempts = 0;
    const leaving: Table = {
      ...table,
      transact: async (writes) => {
        if (attempts++ > 0) await setTenant(table, organization, newWorkspace());
        return table.transact(writes);
      },
    };
    const events = [1, 2, 3].map((order) =>
      change(organization, `pr/${order}`, order, everywhere(`${order}`)),
    );
    const outcomes = await appendBatch(quick(leaving, { changesPerTransactionMax: 2 }), tenant, events);
    expect(outcomes).toEqual(["appended", "appended", "elsewhere"]);
  });

  test("a batch of many pull requests of several organizations keeps them apart", async () => {
    const { table, organization, tenant } = await memoryStream();
    const other = "00000000-0000-5000-8000-00000000ffff";
    await setTenant(table, other, tenant);
    const events = [organization, other].map((each) => change(each, "pr/1", 1, everywhere(each)));
    expect(await appendBatch(quick(table), tenant, events)).toEqual(["appended", "appended"]);
    expect(texts(await walk(table, request(tenant)))).toEqual([organization, other]);
  });

  test("a refusal for another reason is decided again, and does not count an organization as gone", async () => {
    const { table, organization, tenant } = await memoryStream();
    let attempts = 0;
    const refused: Table = {
      ...table,
      transact: async (writes) => {
        if (attempts++ > 0) return table.transact(writes);
        throw new TransactionRefused(writes.map(() => ({ refused: false })));
      },
    };
    const event = change(organization, "pr/1", 1, everywhere("text"));
    expect(await appendBatch(quick(refused), tenant, [event])).toEqual(["appended"]);
  });
});
