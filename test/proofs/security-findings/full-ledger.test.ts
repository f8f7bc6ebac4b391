import { expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { securityLimits } from "../../../lib/contract/limits.ts";
import { placeOf } from "../../../lib/security/finding.ts";
import {
  type ChunkReference,
  ledgerItemOf,
  parseLedger,
  scannedRepository,
} from "../../../lib/security/ledger.ts";
import { queryAll } from "../../../lib/store/table.ts";
import { applyScan, scan } from "../../security-findings/support.ts";
import { useStore } from "../../support/engine.ts";
import { finding } from "../../support/event-data.ts";
import { github, World } from "../../support/world.ts";

const store = useStore();
const world = new World(() => store().table);

const padding = "x".repeat(19_000);
const newerScan = scan(5, [finding("first", { description: padding })]);
/** Older than the stored scan, so that it changes no chunk in which it has no finding. */
const older = scan(
  1,
  Array.from({ length: 20 }, (_, index) => finding(`older-${index}`, { description: padding })),
);

/** Fills the repository's ledger with chunks that sort after every real chunk. */
async function fill(organization: string, chunkCount: number): Promise<void> {
  const key = kinds.scans.key({ organization, digest: placeOf("9001") });
  const ledger = parseLedger((await store().table.get(key)) ?? key, organization);
  const wide = ledger.chunks[0]?.counts.map(() => 9_999) ?? [];
  const further: ChunkReference[] = Array.from({ length: chunkCount - ledger.chunks.length }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    from: `~${String(index).padStart(placeOf("9001").length - 1, "0")}`,
    counts: wide,
  }));
  const put = ledgerItemOf({
    ...scannedRepository(organization, "9001"),
    generation: ledger.generation,
    newest: ledger.newest,
    chunks: [...ledger.chunks, ...further],
  });
  await store().table.write({ put });
}

async function scanned(name: string, chunkCount: number): Promise<string> {
  const organization = await world.organization(name);
  await world.repository(github(name), "9001");
  await applyScan(store().table, organization, newerScan);
  await fill(organization, chunkCount);
  return organization;
}

const chunksStored = async (organization: string): Promise<number> => {
  const partition = kinds.findings.partition({ organization, digest: placeOf("9001") });
  return (await Array.fromAsync(queryAll(store().table, { pk: partition }))).length;
};

test("a ledger with the maximum number of chunks fits its item", async () => {
  const organization = await scanned("full", securityLimits.chunksMax - 10);
  expect(await applyScan(store().table, organization, older)).toBeUndefined();
  expect(await chunksStored(organization)).toBeGreaterThan(2);
  await fill(organization, securityLimits.chunksMax);
});

test("a scan that would outgrow the ledger is refused with a reason and changes nothing", async () => {
  const organization = await scanned("overfull", securityLimits.chunksMax);
  expect(await applyScan(store().table, organization, older)).toBe(
    "findings: with the fixed ones the repository has more than can be kept",
  );
  expect(await chunksStored(organization)).toBe(1);
});
