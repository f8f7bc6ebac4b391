import { describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { streamLimits } from "../../lib/contract/limits.ts";
import { ConditionFailed, type Item, type Table, TransactionRefused } from "../../lib/store/table.ts";
import { appendBatch, pauseBefore } from "../../lib/stream/append.ts";
import { pendingValue } from "../../lib/stream/pending.ts";
import { pointerIdOf, pointerItemOf } from "../../lib/stream/pointer.ts";
import { StreamBusy, type StreamDeps, type StreamLimits } from "../../lib/stream/stream.ts";
import { seededRandom, TestClock } from "../support/clock.ts";
import { tableWith } from "../support/partial-table.ts";
import { acme, change, everywhere } from "./support.ts";

const organization = "00000000-0000-5000-8000-000000000001";
const event = change(organization, "pr/1", 1, everywhere("one"));

/** Time does not pass; thrown errors and sleeps are recorded. */
function watchedDeps(part: Partial<Table>, more: Partial<StreamDeps> = {}) {
  const boundsMs: number[] = [];
  const sleptMs: number[] = [];
  const clock = new TestClock();
  const deps: StreamDeps = {
    table: tableWith(part),
    clock: {
      nowMs: () => clock.nowMs(),
      sleep: async (ms) => {
        sleptMs.push(ms);
      },
    },
    random: {
      ...seededRandom(1),
      below: (boundMs) => {
        boundsMs.push(boundMs);
        return boundMs - 1;
      },
    },
    ...more,
  };
  return { deps, boundsMs, sleptMs };
}

describe("a writer that always loses to others", () => {
  let attempts = 0;
  const refused: Partial<Table> = {
    get: async () => undefined,
    getMany: async (keys) => keys.map(() => undefined),
    transact: async () => {
      attempts++;
      throw new TransactionRefused([]);
    },
  };

  test("a losing writer pauses at random under a bound growing to a second; it gives up after 30 attempts", async () => {
    const { deps, boundsMs, sleptMs } = watchedDeps(refused);
    attempts = 0;
    await expect(appendBatch(deps, acme, [event])).rejects.toThrow(
      new StreamBusy("Others kept changing the stream."),
    );
    expect(attempts).toBe(streamLimits.attemptsMax);
    expect(boundsMs).toEqual([40, 80, 160, 320, 640, ...Array<number>(24).fill(1000)]);
    expect(sleptMs).toEqual(boundsMs.map((boundMs) => boundMs - 1));
  });

  test("a writer that always loses to others uses the limits that it is given", async () => {
    const limits = { ...streamLimits, attemptsMax: 2, retryDelayMsBase: 3 };
    const { deps, boundsMs } = watchedDeps(refused, { limits });
    attempts = 0;
    await expect(appendBatch(deps, acme, [event])).rejects.toThrow(StreamBusy);
    expect([attempts, boundsMs]).toEqual([2, [6]]);
  });

  test("a losing writer does not pause before its first attempt, and may succeed in its last", async () => {
    const { deps, sleptMs } = watchedDeps({});
    await pauseBefore(deps, 0);
    expect(sleptMs).toEqual([]);
    await pauseBefore(deps, streamLimits.attemptsMax - 1);
    await expect(pauseBefore(deps, streamLimits.attemptsMax)).rejects.toThrow(StreamBusy);
    expect(sleptMs).toHaveLength(1);
  });
});

describe("an event that is already stored", () => {
  const pointerId = pointerIdOf("pr/1");
  const { occurredAtMs, eventId } = event;
  const pointer = pointerItemOf({
    id: pointerId,
    organization,
    tenant: acme,
    number: 5,
    occurredAtMs,
    eventId,
    places: {},
  });
  const pending = { added: [{ organization, pointerId, number: 5, weeks: [] }], dropped: [], spills: [] };
  const unpublished: Item = {
    ...kinds.streamHead.key({ tenant: acme }),
    n: 6,
    p: 4,
    q: pendingValue(pending),
  };

  /** A head that never changes, whatever is written. */
  function stuck(head: Item, limits: StreamLimits = streamLimits) {
    const heads: string[] = [];
    const { deps } = watchedDeps(
      {
        get: async () => {
          heads.push("get");
          return head;
        },
        getMany: async () => {
          heads.push("get");
          return [head, pointer];
        },
        transactGet: async (keys) => keys.map(({ sk }) => (sk === "HEAD" ? head : pointer)),
        write: async () => {
          heads.push("write");
          throw new ConditionFailed(head);
        },
      },
      { limits },
    );
    return { deps, heads };
  }

  test("an already stored event is not acknowledged but returned to the queue until its number is published", async () => {
    const { deps, heads } = stuck(unpublished);
    await expect(appendBatch(deps, acme, [event])).rejects.toThrow(
      new StreamBusy("The stream did not settle in time."),
    );
    // The batch reads the head first; then every attempt reads it and recovers.
    expect(heads.filter((each) => each === "get")).toHaveLength(1 + streamLimits.attemptsMax);
    expect(heads.filter((each) => each === "write")).toHaveLength(streamLimits.attemptsMax);
    const two = stuck(unpublished, { ...streamLimits, attemptsMax: 2 });
    await expect(appendBatch(two.deps, acme, [event])).rejects.toThrow(StreamBusy);
    expect(two.heads.filter((each) => each === "write")).toHaveLength(2);
  });

  test("an event that is already stored is not acknowledged while anything is pending", async () => {
    const { deps } = stuck({ ...unpublished, p: 5 });
    await expect(appendBatch(deps, acme, [event])).rejects.toThrow("The stream did not settle in time.");
  });

  test("an already stored event is acknowledged after one read of a head that shows its number as published", async () => {
    const { q: _, ...settled } = unpublished;
    const { deps, heads } = stuck({ ...settled, p: 5 });
    expect(await appendBatch(deps, acme, [event])).toEqual(["duplicate"]);
    expect(heads).toEqual(["get", "get"]);
  });
});

describe("an error of the store", () => {
  const planted = new TypeError("planted");
  const head = { ...kinds.streamHead.key({ tenant: acme }), n: 6, p: 5 };
  const before = pointerItemOf({
    id: pointerIdOf("pr/1"),
    organization,
    tenant: acme,
    number: 5,
    occurredAtMs: 0,
    eventId: "",
    places: {},
  });

  test.each<[string, Partial<Table>]>([
    ["in a transaction", { getMany: async () => [head, undefined], transact: () => Promise.reject(planted) }],
    [
      "while publishing",
      {
        getMany: async () => [head, undefined],
        transact: async () => {},
        write: () => Promise.reject(planted),
      },
    ],
    [
      "while storing a pointer's time",
      { getMany: async () => [head, before], write: () => Promise.reject(planted) },
    ],
  ])("an error of the store %s is passed on", async (_name, part) => {
    const { deps } = watchedDeps(part);
    const nothing = change(organization, "pr/1", 1, {});
    await expect(appendBatch(deps, acme, [nothing])).rejects.toBe(planted);
  });

  test("an error of the store that only means that a pointer changed is decided again", async () => {
    const moved = { ...before, o: event.occurredAtMs, e: event.eventId };
    const items = [before, moved];
    const written: unknown[] = [];
    const { deps } = watchedDeps({
      get: async () => head,
      getMany: async () => [head, ...items.splice(0, 1)],
      write: async (write) => {
        written.push(write);
        throw new ConditionFailed(moved);
      },
    });
    expect(await appendBatch(deps, acme, [change(organization, "pr/1", 1, {})])).toEqual(["duplicate"]);
    expect(written).toEqual([
      {
        update: kinds.pointer.key({ organization, pointerId: pointerIdOf("pr/1") }),
        change: {
          set: [
            ["o", event.occurredAtMs],
            ["e", event.eventId],
          ],
          remove: ["f"],
        },
        when: {
          all: [
            { equals: ["t", acme] },
            { equals: ["n", 5] },
            { equals: ["o", 0] },
            { absent: "f" },
            { equals: ["e", ""] },
          ],
        },
      },
    ]);
  });
});
