import { expect, test } from "vitest";
import { findingStates } from "../../../lib/contract/records-security.ts";
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
import fc from "../../support/property.ts";
import { volume } from "../../support/volume.ts";
import { github, World } from "../../support/world.ts";

const store = useStore();
const world = new World(() => store().table);

/** Long enough that a dozen findings need several chunks, but fast to compress. */
const padding = "x".repeat(19_000);
const ids = Array.from({ length: 40 }, (_, index) => `finding-${index}`);

const findings = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...findingStates), fc.nat(3)), {
    selector: ([id]) => id,
    maxLength: 40,
  })
  .map((chosen) =>
    chosen.map(([id, state, variant]) =>
      finding(id, { state, title: `Variant ${variant}`, description: `${padding}${variant}` }),
    ),
  );
/** Few hours, so that scans have equal times; a scan can also be reported again later. */
const oneScan = fc
  .tuple(fc.nat(4), fc.nat(2), findings)
  .map(([hour, delay, found]) =>
    scan(hour, found, { occurred_at: new Date(Date.UTC(2026, 9, 2, delay)).toISOString() }),
  );
/** Every scan, some of them twice, in any order. */
const deliveries = fc
  .array(oneScan, { minLength: 1, maxLength: 6 })
  .chain((scans) =>
    fc
      .subarray(scans)
      .chain((again) =>
        fc.shuffledSubarray([...scans, ...again], { minLength: scans.length + again.length }),
      ),
  );

test("scans delivered in any order and repeated give the same answers as scans delivered in order", async () => {
  let run = 0;
  let mostChunks = 0;
  await fc.assert(
    fc.asyncProperty(deliveries, fc.integer({ min: 1, max: 50 }), async (delivered, limit) => {
      const name = `order-${run++}`;
      const { table } = store();
      const organization = await world.organization(name);
      await world.repository(github(name), "9001");
      for (const each of delivered) await applyScan(table, organization, each);

      const walked = await walk(table, [organization], { limit });
      expect(byId(walked).map(reportedPart)).toEqual(expectedFindings(delivered));
      const [harvest] = await download(table, [organization]);
      expect(harvest?.records).toEqual(walked);
      mostChunks = Math.max(mostChunks, harvest?.ledger.chunks.length ?? 0);
      for (const state of findingStates) {
        const some = await walk(table, [organization], { limit, states: [state] });
        expect(some).toEqual(walked.filter((record) => record.state === state));
      }
    }),
    { numRuns: volume(25, 200) },
  );
  expect(mostChunks).toBeGreaterThan(2);
});
