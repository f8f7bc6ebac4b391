import { expect, test } from "vitest";
import { eventLimits } from "../../lib/contract/limits.ts";
import { takeTurns } from "../../lib/organizations/turns.ts";
import type { Store } from "../../lib/store/retry-on-conflict.ts";
import { type Table, writeIf } from "../../lib/store/table.ts";
import { memoryTable } from "../stream/memory-table.ts";
import { depsOf } from "../stream/support.ts";
import { FrozenClock, TestClock } from "../support/clock.ts";

const pk = "NOTES";
const turnMs = eventLimits.moveTurnMs;

/** Every piece of the work takes half a turn. A note says how many pieces are left. */
async function working(pieces: Readonly<Record<string, number>>) {
  const { table } = memoryTable();
  const clock = new FrozenClock();
  for (const [index, [sk, left]] of Object.entries(pieces).entries())
    await table.write({ put: { pk, sk, left, since: index } });
  const store: Store = { ...depsOf(table), clock };
  const began: string[] = [];
  const run = (timeBudgetMs: number) =>
    takeTurns(store, {
      pk,
      timeBudgetMs,
      waitingOf: ({ sk: uuid, since }) => (uuid === "later" ? undefined : { uuid, sinceMs: Number(since) }),
      async turn(bounded, uuid) {
        began.push(uuid);
        for (;;) {
          const note = await bounded.table.get({ pk, sk: uuid });
          if (uuid === "broken") throw new Error("planted");
          if (!note || note.left === 0) return note !== undefined;
          await bounded.table.write({ put: { ...note, left: Number(note.left) - 1 } });
          clock.now += turnMs / 2;
        }
      },
    });
  return { run, began };
}

test("work takes turns: a small organization does not wait until large ones have ended", async () => {
  const { run, began } = await working({ a: 9, b: 9, c: 9, d: 9, small: 1, later: 1 });
  expect(await run(Number.POSITIVE_INFINITY)).toBe(5);
  expect(began.slice(0, 5)).toEqual(["a", "b", "c", "d", "small"]);
  expect(began.length).toBeGreaterThan(6);
});

/** Every turn ends its work. */
async function runOf(names: readonly string[], turn: (table: Table, name: string) => Promise<void>) {
  const { table } = memoryTable();
  const began: string[] = [];
  for (const sk of names) await table.write({ put: { pk, sk } });
  const ended = await takeTurns(depsOf(table), {
    pk,
    timeBudgetMs: Number.POSITIVE_INFINITY,
    waitingOf: ({ sk: uuid }) => ({ uuid, sinceMs: 0 }),
    async turn(_, uuid) {
      began.push(uuid);
      await turn(table, uuid);
      return true;
    },
  });
  return { ended, began };
}

test("a few organizations work at the same time: a second one does not wait for the first", async () => {
  let [atOnce, most] = [0, 0];
  const { ended } = await runOf(["a", "b", "c", "d", "e", "f"], async () => {
    most = Math.max(most, ++atOnce);
    await new Promise(setImmediate);
    atOnce--;
  });
  expect([ended, most]).toEqual([6, eventLimits.movesAtOnce]);
});

test("a run also does the work that begins while it runs, once", async () => {
  const { ended, began } = await runOf(["first"], async (table, name) => {
    await table.write({ put: { pk, sk: name === "first" ? "second" : "third" } });
  });
  expect([ended, began]).toEqual([3, ["first", "second", "third"]]);
});

test("a run that waits for another process does the work that begins meanwhile", async () => {
  const { table } = memoryTable();
  const clock = new TestClock();
  const busyUntilMs = clock.nowMs() + 4 * turnMs;
  await table.write({ put: { pk, sk: "busy" } });
  const sleep = async (ms: number) => {
    await clock.sleep(ms);
    await table.write({ put: { pk, sk: "begun" } });
  };
  const began: Array<readonly [string, boolean]> = [];
  const ended = await takeTurns(
    { ...depsOf(table), clock: { nowMs: () => clock.nowMs(), sleep } },
    {
      pk,
      timeBudgetMs: Number.POSITIVE_INFINITY,
      waitingOf: ({ sk: uuid }) => ({ uuid, sinceMs: 0, ...(uuid === "busy" && { busyUntilMs }) }),
      async turn(_, uuid) {
        began.push([uuid, clock.nowMs() < busyUntilMs]);
        return true;
      },
    },
  );
  expect([ended, began]).toEqual([
    2,
    [
      ["begun", true],
      ["busy", false],
    ],
  ]);
});

test("a note that cannot be read is reported once, and does not stop the others", async () => {
  const { table } = memoryTable();
  for (const sk of ["damaged", "sound"]) await table.write({ put: { pk, sk } });
  let reads = 0;
  const run = takeTurns(depsOf(table), {
    pk,
    timeBudgetMs: Number.POSITIVE_INFINITY,
    waitingOf({ sk: uuid }) {
      if (uuid === "damaged" && ++reads > 0) throw new Error("planted");
      return { uuid, sinceMs: 0 };
    },
    turn: async (_, uuid) => await writeIf(table, { delete: { pk, sk: uuid } }),
  });
  await expect(run).rejects.toThrow("planted");
  expect([reads, await table.get({ pk, sk: "sound" })]).toEqual([1, undefined]);
});

test("a run ends with its time, and the next run continues where it stopped", async () => {
  const { run, began } = await working({ large: 5 });
  expect(await run(turnMs)).toBe(0);
  expect(await run(4 * turnMs)).toBe(1);
  expect(began).toEqual(["large", "large", "large"]);
});

test("an error ends the turn of its organization only, and is thrown after the others had theirs", async () => {
  const { run, began } = await working({ broken: 1, small: 1 });
  await expect(run(Number.POSITIVE_INFINITY)).rejects.toThrow("planted");
  expect(began).toEqual(["broken", "small"]);
});
