import { describe, expect, test } from "vitest";
import type { TransactionWrite } from "../../../lib/store/table.ts";
import { timeoutMs, volume } from "../../support/volume.ts";
import type { Faults } from "../simulation/model/store.ts";
import { simulate, type Weakness } from "./simulated.ts";

/** `SEEDS=20000` runs more seeds. */
const seeds = Number(process.env.SEEDS ?? volume(80, 5_000));

test(
  `Learnings keep their promises in ${seeds} random lives on a store at its worst`,
  async () => {
    const broken: string[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const problems = await simulate(seed);
      if (problems.length > 0) broken.push(`seed ${seed}: ${problems.join("; ")}`);
    }
    expect(broken).toEqual([]);
  },
  timeoutMs,
);

const keyOf = (write: TransactionWrite) =>
  "put" in write
    ? write.put
    : "update" in write
      ? write.update
      : "delete" in write
        ? write.delete
        : write.check;
const withoutConditionsOn =
  (prefix: string): Weakness =>
  (table) => ({
    ...table,
    transact: (writes) =>
      table.transact(
        writes.map((write) => {
          if (!keyOf(write).pk.startsWith(prefix) || "check" in write) return write;
          const { when: _, ...bare } = write;
          return bare;
        }),
      ),
  });

const weaknesses: Readonly<
  Record<string, { weakness: Weakness; seedsMax: number; faults?: Partial<Faults> }>
> = {
  "texts written without conditions": { weakness: withoutConditionsOn("TEXT#"), seedsMax: 50 },
  "records written without conditions": { weakness: withoutConditionsOn("LEARNING#"), seedsMax: 50 },
  "events that count every time": { weakness: withoutConditionsOn("APPLIED#"), seedsMax: 100 },
  "plain reads where a snapshot is needed": {
    weakness: (table) => ({ ...table, transactGet: (keys) => table.getMany(keys) }),
    // Plain reads differ from a snapshot only if a transaction becomes visible late.
    faults: { invisible: 0.6, slow: 0.02 },
    seedsMax: 1_000,
  },
  "markers that are deleted without a second read": {
    weakness: (table) => {
      const seen = new Map<string, string>();
      return {
        ...table,
        // The second read returns the writer's own revision, whatever is stored now.
        transact: async (writes) => {
          for (const write of writes)
            if ("put" in write && write.put.pk.startsWith("LEARNING#"))
              seen.set(write.put.sk, String(write.put.revision));
          await table.transact(writes);
        },
        transactGet: async (keys) => {
          const items = await table.transactGet(keys);
          if (!keys.every(({ pk }) => pk.startsWith("LEARNING#"))) return items;
          return items.map((found, index) => {
            const key = keys[index];
            const revision = seen.get(key?.sk ?? "");
            return key && revision ? { ...key, ...found, revision } : found;
          });
        },
      };
    },
    seedsMax: 1_000,
  },
};

describe("a simulation that cannot fail proves nothing", () => {
  test.each(Object.entries(weaknesses))(
    "the simulation detects %s",
    async (_, { seedsMax, ...flawed }) => {
      let caught = false;
      for (let seed = 1; seed <= seedsMax && !caught; seed++)
        caught = (await simulate(seed, flawed)).length > 0;
      expect(caught).toBe(true);
    },
    300_000,
  );
});
