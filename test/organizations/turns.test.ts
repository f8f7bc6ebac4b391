import { expect, test } from "vitest";
import { eventLimits } from "../../lib/contract/limits.ts";
import { takeTurns } from "../../lib/organizations/turns.ts";
import type { Store } from "../../lib/store/retry-on-conflict.ts";
import { memoryTable } from "../stream/memory-table.ts";
import { depsOf } from "../stream/support.ts";
import { FrozenClock } from "../support/clock.ts";

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

test("work takes turns: a small organization does not wait until a large one has ended", async () => {
  const { run, began } = await working({ large: 5, small: 1, later: 1 });
  expect(await run(Number.POSITIVE_INFINITY)).toBe(2);
  expect(began).toEqual(["large", "small", "large", "large"]);
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
