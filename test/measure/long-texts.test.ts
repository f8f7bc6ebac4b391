import { expect, test } from "vitest";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { sarifLog } from "../../lib/security/sarif.ts";
import { applyScan, download, scan } from "../security-findings/support.ts";
import { useApi } from "../support/api.ts";
import { finding } from "../support/event-data.ts";
import { github, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

/** Time on the processor: what else the machine does must not decide. */
async function msOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

test("a message of SARIF is escaped in linear time, even if it is all backslashes", async () => {
  const organization = await world.organization("backslashes");
  await world.repository(github("backslashes"), "9001");
  await applyScan(api.store().table, organization, scan(1, [finding("a")]));
  const [harvest] = await download(api.store().table, [organization]);
  const [record] = harvest?.records ?? [];
  if (!harvest || !record) throw new Error("There is no record.");
  const description = "\\".repeat(50_000);
  const records = [{ ...record, description }];
  // A search that restarts at every backslash takes several seconds.
  expect(await msOf(() => sarifLog([{ ...harvest, records }]))).toBeLessThan(1_000);
  const [run] = sarifLog([{ ...harvest, records }]).runs;
  expect(run?.results[0]?.message.text.endsWith(description)).toBe(true);
});

test("the local embedder handles the longest text quickly", async () => {
  const text = "Use the structured logger everywhere, please. ".repeat(4_000);
  expect(await msOf(() => localEmbedder.embed(text))).toBeLessThan(2_000);
});
