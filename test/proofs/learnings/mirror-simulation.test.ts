import { describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { learningLimits } from "../../../lib/contract/limits.ts";
import { toTimestamp } from "../../../lib/runtime/clock.ts";
import type { Item, Table, TransactionWrite } from "../../../lib/store/table.ts";
import { isLong, timeoutMs, volume } from "../../support/volume.ts";
import { type Mirrored, MirrorSimulation, type Weak } from "./mirror-simulation.ts";

process.env.LOG_LEVEL ??= "silent";
/** `SEEDS=20000` runs more seeds. */
const seeds = Number(process.env.SEEDS ?? volume(60, 5_000));

test.each([
  ["Learnings", seeds],
  ["audit logs", Math.ceil(seeds / 2)],
] as const)(
  "a mirror of %s is correct in %i random lives, whatever is deleted, moves, leaves or returns",
  async (what, lives) => {
    const broken: string[] = [];
    for (let seed = 1; seed <= lives; seed++) {
      const problems = await new MirrorSimulation(seed, what).run();
      if (problems.length > 0) broken.push(`seed ${seed}: ${problems.join("; ")}`);
    }
    expect(broken).toEqual([]);
  },
  timeoutMs,
);

const transactsAs =
  (bend: (writes: readonly TransactionWrite[]) => readonly TransactionWrite[]) =>
  (table: Table): Table => ({ ...table, transact: (writes) => table.transact(bend(writes)) });

const isPut = (write: TransactionWrite, what: (put: { pk: string; sk: string }) => boolean): boolean =>
  "put" in write && what(write.put);

const withoutLogBehind = ({ log_behind: _, ...put }: Item): Item => ({ ...put, pk: put.pk, sk: put.sk });

/** The start time of a first walk, computed from the cursors of its resumes. */
const beganAt = (since: string): string => toTimestamp(Date.parse(since) + learningLimits.settledAfterMs);

/** No seed that catches it is recorded: the test searches about 2,000 lives. */
const searched = 0;

describe("a simulation that cannot fail proves nothing", () => {
  const weaknesses: ReadonlyArray<[name: string, caughtAt: number, weak: Weak, what?: Mirrored]> = [
    [
      "a deletion that leaves no removal",
      1,
      {
        table: transactsAs((writes) =>
          writes.filter((each) => !isPut(each, ({ pk }) => pk.endsWith("#removed"))),
        ),
      },
    ],
    [
      "a Learning that leaves a tenant's list without a removal",
      searched,
      {
        table: transactsAs((writes) =>
          writes.some((each) => isPut(each, ({ pk }) => pk.startsWith("LEARNING#")))
            ? writes.filter((each) => !isPut(each, ({ pk }) => pk.endsWith("#removed")))
            : writes,
        ),
      },
    ],
    [
      "an organization that leaves without a record of it",
      1,
      {
        table: transactsAs((writes) =>
          writes.filter((each) => !isPut(each, ({ sk }) => sk.startsWith("LEFT#"))),
        ),
      },
    ],
    ["a cursor that does not know its scope", 1, { isUnmarked: true }],
    ["a cursor of audit logs that does not know its scope", 49, { isUnmarked: true }, "audit logs"],
    [
      "an audit log that does not come along",
      1,
      {
        table: transactsAs((writes) =>
          writes.filter((each) => !isPut(each, ({ pk }) => pk === kinds.movingLog.partition())),
        ),
      },
      "audit logs",
    ],
    [
      "an audit log that counts as complete before it has arrived",
      1,
      {
        table: transactsAs((writes) =>
          writes.map((each) => ("put" in each ? { ...each, put: withoutLogBehind(each.put) } : each)),
        ),
      },
      "audit logs",
    ],
    [
      "a first resume that begins no earlier than its walk",
      20_137,
      {
        resume: ([place = "", settled = "", since = ""]) =>
          place === since ? [beganAt(since), beganAt(since), since] : [place, settled, since],
      },
    ],
  ];
  // A weakness that only a long search finds is left to the long run of this test.
  test.each(weaknesses.filter(([, caughtAt]) => caughtAt !== searched || isLong))(
    "the simulation detects %s",
    async (_, caughtAt, weak, what = "Learnings") => {
      // The recorded seed is tried first; other seeds are searched only if a code change made it miss.
      const tried = [caughtAt, ...Array.from({ length: 3_000 }, (_, index) => index + 1)];
      let caught: number | undefined;
      for (const seed of tried) {
        const problems = await new MirrorSimulation(seed, what, weak).run();
        if (!problems.some((problem) => problem.startsWith(what))) continue;
        caught = seed;
        break;
      }
      expect(caught).toBeDefined();
    },
    timeoutMs,
  );
});
