import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Dice, dice } from "../../../lib/local/demo/dice.ts";
import { ndjsonLayout } from "../../../lib/mirror/layout.ts";
import type { ExportWalk } from "../../../lib/mirror/sources.ts";
import { useDev } from "../../cli/support.ts";
import { volume } from "../../support/volume.ts";
import { Crash, CrashingDisk } from "./model.ts";
import { quickDisk, runMirror } from "./property.ts";

const seeds = volume(12, 1_500);
const runsPerSeed = 8;
const dev = useDev();
let folder = "";
beforeAll(async () => {
  folder = await dev.folder();
});

/** An audit log: every resume repeats the last entries, and an organization that joins brings older ones. */
class Log {
  readonly entries: Array<{ readonly id: string; readonly at: number; readonly text: string }> = [];
  readonly #dice: Dice;

  constructor(random: Dice) {
    this.#dice = random;
  }

  write(): void {
    const number = this.entries.length;
    const at = this.#dice.percent(20) ? this.#dice.below(100) : 100 + number;
    this.entries.push({ id: `e${number}`, at, text: "ä".repeat(this.#dice.below(30)) });
  }

  walk(pageSizeMax: number): ExportWalk {
    return {
      identity: { thing: "id", organization: [] },
      layout: ndjsonLayout,
      pageSizeMax,
      onlyGrows: true,
      isAmbiguous: async () => false,
      page: async ({ cursor, limit }) => {
        const from = Number(cursor ?? 0);
        const page = this.entries.slice(from, from + limit);
        const isLast = from + limit >= this.entries.length;
        if (this.#dice.percent(20)) this.write();
        return {
          changes: page.map((fields) => ({ kind: "written", fields, json: JSON.stringify(fields) })),
          nextCursor: isLast ? null : String(from + limit),
          resumeCursor: isLast ? String(Math.max(0, from + page.length - this.#dice.below(4))) : null,
        };
      },
    };
  }
}

/** `tail -F`: it reads on from where it was, and from the start if the file is another one or became shorter. */
class Shipper {
  #inode = 0;
  #place = 0;
  text = "";

  async look(file: string): Promise<void> {
    const handle = await open(file).catch(() => undefined);
    if (!handle) return;
    const { ino, size } = await handle.stat();
    if (ino !== this.#inode || size < this.#place) [this.#inode, this.#place] = [ino, 0];
    const { buffer } = await handle.read(
      Buffer.alloc(size - this.#place),
      0,
      size - this.#place,
      this.#place,
    );
    this.text += buffer.toString("latin1");
    this.#place = size;
    await handle.close();
  }
}

test("a shipper that follows the file of audit logs ships every entry once, wherever runs end", async () => {
  let [crashes, parts] = [0, 0];
  for (let seed = 0; seed < seeds; seed++) {
    const random = dice(`log ${seed}`);
    const log = new Log(random);
    const file = join(folder, `${seed}.ndjson`);
    const request = { what: "audit-logs", format: "ndjson", query: {} } as const;
    const shipper = new Shipper();
    for (let run = 0; run < runsPerSeed; run++) {
      for (let writes = random.below(6); writes > 0; writes--) log.write();
      for (let tries = 0; ; tries++) {
        const disk = new CrashingDisk(quickDisk, random, tries < 3 ? random.below(40) : 10_000);
        const outcome = await runMirror(file, log.walk(random.between(1, 4)), request, { disk }).catch(
          (error: unknown) => error,
        );
        if (random.percent(70)) await shipper.look(file);
        if (!(outcome instanceof Error)) break;
        if (!(outcome instanceof Crash)) throw new Error(`seed ${seed}, run ${run}`, { cause: outcome });
        crashes++;
        const text = await readFile(file, "utf8").catch(() => "");
        if (text !== "" && !text.endsWith("\n")) parts++;
      }
    }
    // The last run read everything that was written before it.
    await runMirror(file, log.walk(100), request);
    await shipper.look(file);
    const shipped = Buffer.from(shipper.text, "latin1").toString();
    expect(shipped).toBe(await readFile(file, "utf8"));
    const ids = shipped
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line).id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(
      log.entries
        .slice(0, ids.length)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(ids.length).toBeGreaterThanOrEqual(log.entries.length - 1);
  }
  expect(crashes).toBeGreaterThan(seeds);
  expect(parts).toBeGreaterThan(0);
});

test("a run that finds nothing new leaves the file of audit logs untouched", async () => {
  const log = new Log(dice("quiet"));
  for (let entry = 0; entry < 5; entry++) log.write();
  const quiet = {
    ...log.walk(2),
    page: async (place: Parameters<ExportWalk["page"]>[0]) => log.walk(2).page(place),
  };
  const file = join(folder, "quiet.ndjson");
  const request = { what: "audit-logs", format: "ndjson", query: {} } as const;
  await runMirror(file, quiet, request);
  await runMirror(file, quiet, request);
  const before = await stat(file, { bigint: true });
  // The service repeats the entries of the last minutes.
  await runMirror(file, { ...quiet, page: () => repeated(log) }, request);
  const after = await stat(file, { bigint: true });
  expect([after.ino, after.mtimeNs, after.size]).toEqual([before.ino, before.mtimeNs, before.size]);
});

async function repeated({ entries }: Log) {
  const changes = entries
    .slice(0, 5)
    .map((fields) => ({ kind: "written" as const, fields, json: JSON.stringify(fields) }));
  return { changes, nextCursor: null, resumeCursor: "5" };
}
