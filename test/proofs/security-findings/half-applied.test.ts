import { expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { ConditionFailed, queryAll, type Table } from "../../../lib/store/table.ts";
import {
  applyScan,
  byId,
  download,
  expectedFindings,
  reportedPart,
  scan,
  walk,
} from "../../security-findings/support.ts";
import { useStore } from "../../support/engine.ts";
import { finding } from "../../support/event-data.ts";
import { github, World } from "../../support/world.ts";

const store = useStore();
const world = new World(() => store().table);

const padding = "x".repeat(19_000);
const many = (from: number, to: number, title = "Old") =>
  Array.from({ length: to - from }, (_, index) =>
    finding(`finding-${from + index}`, { title, description: padding }),
  );
/** Three chunks, which the newer scan turns into four. */
const count = 12;
const older = scan(1, many(0, count));
const newer = scan(2, many(3, 18, "New"));

async function scannedOnce(name: string): Promise<string> {
  const organization = await world.organization(name);
  await world.repository(github(name), "9001");
  await applyScan(store().table, organization, older);
  return organization;
}

class Crash extends Error {}

/** Every single put and delete counts as a step; the writer dies before the given one. */
function dyingAt(table: Table, step: number): Table {
  let steps = 0;
  const next = () => {
    if (steps++ === step) throw new Crash();
  };
  return {
    ...table,
    write: async (write, options) => {
      next();
      return await table.write(write, options);
    },
    writeMany: async (writes) => {
      for (const write of writes) {
        next();
        await table.writeMany([write]);
      }
    },
  };
}

const answers = async (organization: string) =>
  byId(await walk(store().table, [organization], { limit: 7 })).map(reportedPart);

async function chunkIds(organization: string): Promise<{ stored: string[]; named: string[] }> {
  const [harvest] = await download(store().table, [organization]);
  if (!harvest) throw new Error("It was scanned.");
  const partition = kinds.findings.partition({ organization, digest: harvest.ledger.place });
  const stored = await Array.fromAsync(queryAll(store().table, { pk: partition }));
  return {
    stored: stored.map(({ sk }) => sk).sort(),
    named: harvest.ledger.chunks.map(({ id }) => id).sort(),
  };
}

test("a writer that dies at any step leaves the old or the new answers; a repetition completes the scan", async () => {
  const before = expectedFindings([older]);
  const after = expectedFindings([older, newer]);
  const outcomes = new Set<string>();
  let isFinished = false;
  for (let step = 0; !isFinished; step++) {
    const organization = await scannedOnce(`dying-${step}`);
    try {
      await applyScan(dyingAt(store().table, step), organization, newer);
      isFinished = true;
    } catch (error) {
      expect(error).toBeInstanceOf(Crash);
    }
    const shown = await answers(organization);
    const outcome = shown.find(({ id }) => id === "finding-0")?.state === "open" ? "old" : "new";
    expect(shown).toEqual(outcome === "old" ? before : after);
    outcomes.add(outcome);
    await applyScan(store().table, organization, newer);
    expect(await answers(organization)).toEqual(after);
    // The next scan deletes the dead writer's chunks; the scan after it deletes the replaced chunks.
    for (const hour of [3, 4]) await applyScan(store().table, organization, scan(hour, []));
    const { stored, named } = await chunkIds(organization);
    expect(stored).toEqual(named);
  }
  expect([...outcomes]).toEqual(["old", "new"]);
});

test("both scans of two concurrent writers count, and no chunks are left over", async () => {
  const organization = await scannedOnce("rivals");
  const { table } = store();
  const rival = scan(3, many(6, 9, "Newest"));
  let met = false;
  const meeting: Table = {
    ...table,
    write: async (write, options) => {
      // The other writer runs between our chunk writes and our ledger write.
      if (!met) {
        met = true;
        await applyScan(table, organization, rival);
      }
      return await table.write(write, options);
    },
  };
  await applyScan(meeting, organization, newer);
  expect(met).toBe(true);
  expect(await answers(organization)).toEqual(expectedFindings([older, newer, rival]));
  for (const hour of [4, 5]) await applyScan(table, organization, scan(hour, []));
  const { stored, named } = await chunkIds(organization);
  expect(stored).toEqual(named);
});

test("a writer whose chunks are removed while it reads starts over", async () => {
  const organization = await scannedOnce("overtaken");
  const { table } = store();
  const rival = scan(3, many(6, 9, "Newest"));
  const last = scan(4, many(6, 9, "Last"));
  let met = false;
  const overtaken: Table = {
    ...table,
    queryPage: async (range, resume) => {
      if (!met) {
        met = true;
        for (const each of [rival, last]) await applyScan(table, organization, each);
      }
      return await table.queryPage(range, resume);
    },
  };
  await applyScan(overtaken, organization, newer);
  expect(await answers(organization)).toEqual(expectedFindings([older, newer, rival, last]));
});

test("a ledger whose write was not confirmed is not written twice", async () => {
  const late = scan(0, many(9, 15, "Late"));
  for (const [name, lateScan] of Object.entries({ newer, late })) {
    const organization = await scannedOnce(`answer-lost-${name}`);
    const { table } = store();
    let ledgersWritten = 0;
    const answerLost: Table = {
      ...table,
      // A write that is retried after a timeout fails its own condition.
      write: async (write, options) => {
        await table.write(write, options);
        if ("put" in write && write.put.pk.startsWith("NEWS#")) return;
        ledgersWritten++;
        throw new ConditionFailed(undefined);
      },
    };
    await applyScan(answerLost, organization, lateScan);
    expect(ledgersWritten).toBe(1);
    expect(await answers(organization)).toEqual(expectedFindings([older, lateScan]));
  }
});

/** Before each chunk read, `scansAtOnce` scans replace the chunks, up to `scansMax` scans in total. */
function replacing(organization: string, scansAtOnce: number, scansMax: number) {
  const { table } = store();
  const applied = { scans: 0 };
  const moving: Table = {
    ...table,
    getMany: async (keys, options) => {
      const isReader = keys.some(({ pk }) => pk.startsWith("FINDINGS#"));
      for (let each = 0; isReader && each < scansAtOnce && applied.scans < scansMax; each++)
        await applyScan(
          table,
          organization,
          scan(2 + applied.scans, many(0, count, `Moved ${++applied.scans}`)),
        );
      return await table.getMany(keys, options);
    },
  };
  return { moving, applied };
}

test("a reader continues with its first scan, complete, while one scan replaces chunks", async () => {
  const organization = await scannedOnce("read-during");
  const { moving, applied } = replacing(organization, 1, 1);
  const records = await walk(moving, [organization]);
  expect(applied.scans).toBe(1);
  expect(new Set(records.map(({ title, scan_id }) => `${title} ${scan_id}`))).toEqual(
    new Set(["Old scan-1"]),
  );
  expect(records).toHaveLength(count);
});

test("a reader starts over and returns the newest scan, complete, after two scans replace chunks", async () => {
  const organization = await scannedOnce("read-during-two");
  const { moving, applied } = replacing(organization, 2, 4);
  const records = await walk(moving, [organization]);
  expect(applied.scans).toBe(4);
  expect(new Set(records.map(({ title, scan_id }) => `${title} ${scan_id}`))).toEqual(
    new Set(["Moved 4 scan-5"]),
  );
  expect(records).toHaveLength(count);
});

test("a reader that never finds a stable scan fails instead of returning wrong findings", async () => {
  const organization = await scannedOnce("never-still");
  const { moving } = replacing(organization, 2, Number.POSITIVE_INFINITY);
  await expect(walk(moving, [organization])).rejects.toMatchObject({ name: "StoreUnavailable" });
});

test("a walk returns every finding once, whatever scans arrive between its pages", async () => {
  const organization = await scannedOnce("walked-during");
  const { table } = store();
  let hour = 2;
  const moving: Table = {
    ...table,
    // Each page begins with the list of ledgers.
    queryPage: async (range, resume) => {
      const from = (hour * 7) % count;
      await applyScan(table, organization, scan(hour++, many(from, from + 5, `Hour ${hour}`)));
      return await table.queryPage(range, resume);
    },
  };
  const records = await walk(moving, [organization], { limit: 2 });
  const ids = records.map(({ id }) => id).filter((id) => Number(id.slice("finding-".length)) < count);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ids)).toEqual(new Set(older.findings.map(({ id }) => id)));
});
