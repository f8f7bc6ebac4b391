import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ReviewApiError } from "../../../lib/client/error.ts";
import { type Dice, dice } from "../../../lib/local/demo/dice.ts";
import { type ExportFormat, exportFormats } from "../../../lib/mirror/format.ts";
import { useDev } from "../../cli/support.ts";
import { atRest, mirrorFaults } from "../../support/mirror-oracle.ts";
import { volume } from "../../support/volume.ts";
import { Crash, CrashingDisk, Service } from "./model.ts";
import { ChangesReader, expectMirror, quickDisk, rowsIn, runMirror, thingsIn } from "./property.ts";

const seeds = volume(3, 1_500);
const runsPerSeed = 8;
const dev = useDev();
let folder = "";
beforeAll(async () => {
  folder = await dev.folder();
});

const contentOf = (file: string) => readFile(file, "utf8").catch(() => undefined);

/** Repeats until a run is not interrupted; after each run the file is either the old one or the new one. */
async function runWithCrashes(
  random: Dice,
  service: Service,
  file: string,
  format: ExportFormat,
  onCrash: () => Promise<void>,
): Promise<number> {
  const request = { what: "things", format, query: {}, changes: `${file}.changes` };
  for (let crashes = 0; ; crashes++) {
    const before = await contentOf(file);
    // Then this run first completes the earlier one: the file is as that walk ended.
    const completesEarlier = (await contentOf(`${file}.state.json`))?.includes('"publishing": true') ?? false;
    const disk = new CrashingDisk(quickDisk, random, crashes < 3 ? random.below(40) : 10_000);
    const walk = service.walk(format, random.between(1, 4), () => {
      if (random.percent(30)) service.change();
    });
    const outcome = await runMirror(file, walk, request, { disk }).catch((error: unknown) => error);
    if (!(outcome instanceof Error)) return crashes;
    // A cursor that is refused again and again also ends a run.
    if (!(outcome instanceof Crash || outcome instanceof ReviewApiError)) throw outcome;
    await onCrash();
    const after = await contentOf(file);
    if (after === before || after === undefined || completesEarlier) continue;
    await rm(`${file}.fresh`, { force: true });
    await rm(`${file}.fresh.state.json`, { force: true });
    await expectMirror(file, `${file}.fresh`, service.walk(format, 100), { ...request, changes: undefined });
  }
}

test.each(exportFormats)(
  "a mirror equals a fresh export, whatever changed and wherever runs ended, in %s",
  async (format) => {
    let crashes = 0;
    for (let seed = 0; seed < seeds; seed++) {
      const random = dice(`mirror ${format} ${seed}`);
      const service = new Service(random);
      const file = join(folder, `${format}-${seed}.${format}`);
      const reader = new ChangesReader(service.walk("ndjson", 1));
      let isUpToDate = true;
      for (let run = 0; run < runsPerSeed; run++) {
        for (let change = random.below(12); change > 0; change--) service.change();
        const crashed = await runWithCrashes(random, service, file, format, async () => {
          if (random.percent(50)) await reader.load(`${file}.changes`);
        });
        crashes += crashed;
        const request = { what: "things", format, query: {} };
        await expectMirror(file, `${file}.${run}`, service.walk(format, 100), request).catch(
          (error: unknown) => {
            throw new Error(`seed ${seed}, run ${run}`, { cause: error });
          },
        );
        // Sometimes a load fails: the next run must keep these changes.
        const wasUpToDate = isUpToDate;
        isUpToDate = random.percent(70);
        if (!isUpToDate) continue;
        const needless = await reader.load(`${file}.changes`);
        await expectChanges(reader, `${file}.${run}.whole`, service).catch((error: unknown) => {
          throw new Error(`changes, seed ${seed}, run ${run}`, { cause: error });
        });
        if (wasUpToDate && crashed === 0) expect(needless).toEqual([]);
      }
    }
    expect(crashes).toBeGreaterThan(seeds);
  },
);

/** Whoever applies all changes holds what a fresh export writes. */
async function expectChanges(reader: ChangesReader, fresh: string, service: Service): Promise<void> {
  const walk = service.walk("ndjson", 100);
  await runMirror(fresh, walk, { what: "things", format: "ndjson", query: {} });
  expect(mirrorFaults(reader.things, atRest(await thingsIn(fresh, walk)))).toEqual([]);
}

test("the checker detects a record that is missing, doubled or stale", async () => {
  const service = new Service(dice("checker"));
  for (let change = 0; change < 30; change++) service.change();
  const walk = service.walk("ndjson", 100);
  const request = { what: "things", format: "ndjson", query: {} } as const;
  const file = join(folder, "checker.ndjson");
  await runMirror(file, walk, request);
  const whole = await rowsIn(file, walk.layout);
  expect(whole.length).toBeGreaterThan(1);
  let number = 0;
  for (const wrong of [
    whole.slice(1),
    [...whole, whole[0]],
    [...whole.slice(1), whole[0]?.replace("=", "*")],
  ]) {
    const broken: typeof walk = {
      ...walk,
      page: async () => ({
        changes: wrong.map((json = "") => ({
          kind: "written",
          fields: { ...JSON.parse(json), id: `${number++}` },
          json,
        })),
        nextCursor: null,
        resumeCursor: "1",
      }),
    };
    const wrongFile = join(folder, `wrong-${number}.ndjson`);
    await runMirror(wrongFile, broken, request);
    await expect(expectMirror(wrongFile, `${wrongFile}.fresh`, walk, request)).rejects.toThrow();
  }
});
