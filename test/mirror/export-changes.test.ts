import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { callJson, callTool, useDev } from "../cli/support.ts";
import { type StandIn, startApi } from "./export-api.ts";

const dev = useDev();
let folder = "";
beforeEach(async () => {
  folder = await dev.folder();
});

const mcp = (number: number, calls: number) => ({
  pr_url: `https://git.test/${number}`,
  organization_id: "1",
  repository_id: "9",
  author_id: null,
  merged_at: "2026-01-01T00:00:00.000Z",
  servers: [{ name: "docs", calls, tools: [] }],
  provider: "github",
});
const key = (number: number) => ({
  provider: "github",
  organization_id: "1",
  pr_url: `https://git.test/${number}`,
});
const removal = (number: number) => ({
  ...key(number),
  repository_id: "9",
  removed_at: "2026-02-01T00:00:00.000Z",
});

async function api(): Promise<StandIn> {
  const started = await startApi([[mcp(1, 1), mcp(2, 1)], [mcp(3, 1)]]);
  onTestFinished(() => started.close());
  return started;
}
const words = ({ url }: StandIn, ...more: readonly string[]) => [
  "export",
  "metrics",
  "--dataset",
  "mcp",
  "--start",
  "2026-01-01",
  "--resume",
  "--url",
  url,
  "--key",
  "k",
  ...more,
];
const linesOf = async (file: string): Promise<unknown[]> =>
  (await readFile(file, "utf8"))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test("a refused first export leaves nothing that the right command trips over", async () => {
  const service = await api();
  const output = join(folder, "all.ndjson");
  const run = (...more: string[]) => callTool(...words(service, "--output", output, ...more));
  service.trouble = () => ({ status: 403, code: "FORBIDDEN" });
  expect(await run("--repositories", "1")).toMatchObject({
    code: 1,
    stderr: `${service.url} responded with 403 FORBIDDEN: No.`,
  });
  service.trouble = () => undefined;
  expect(await run()).toMatchObject({ code: 0, stderr: `${output} has 3 pull requests.` });
});

test("the end of a run names the file of changes, not the file that the tool keeps beside it", async () => {
  const service = await api();
  const changes = join(folder, "changes.ndjson");
  expect(await callTool(...words(service, "--changes", changes))).toMatchObject({
    code: 0,
    stderr: `${changes}: the export has 3 pull requests.`,
  });
});

test("--changes has every record first, then only what is new, differs or was removed", async () => {
  const service = await api();
  const changes = join(folder, "changes.ndjson");
  expect(await callJson(...words(service, "--changes", changes))).toMatchObject({
    added: 3,
    changed: 0,
    removed: 0,
  });
  expect(await linesOf(changes)).toEqual([mcp(1, 1), mcp(2, 1), mcp(3, 1)]);
  expect((await stat(changes)).mode & 0o777).toBe(0o600);
  await rm(changes);

  // The second record was written again and is the same.
  service.later = [mcp(1, 5), mcp(2, 1), mcp(4, 1)];
  service.removed = [removal(3), removal(9)];
  expect(await callJson(...words(service, "--changes", changes))).toMatchObject({
    added: 1,
    changed: 1,
    removed: 1,
  });
  expect(await linesOf(changes)).toEqual([{ ...key(3), removed: true }, mcp(1, 5), mcp(4, 1)]);
  expect(await linesOf(`${changes}.mirror`)).toEqual([mcp(1, 5), mcp(2, 1), mcp(4, 1)]);
});

test("a file of changes that nobody has loaded keeps its changes; without --changes a run is refused", async () => {
  const service = await api();
  const [output, changes] = [join(folder, "mcp.csv"), join(folder, "changes.ndjson")];
  await callJson(...words(service, "--output", output, "--changes", changes));
  service.later = [mcp(1, 5)];
  service.removed = [removal(2)];
  await callJson(...words(service, "--output", output, "--changes", changes));
  expect(await linesOf(changes)).toEqual([{ ...key(2), removed: true }, mcp(1, 5), mcp(3, 1)]);
  const without = await callTool(...words(service, "--output", output));
  expect([without.code, without.stderr]).toEqual([
    1,
    `${output} was exported with --changes ${changes}; without --changes the changes of this run would be lost.`,
  ]);
  const foreign = await callTool(
    ...words(service, "--output", join(folder, "other.csv"), "--changes", changes),
  );
  expect(foreign.stderr).toContain("exists and was not made by this export");
  await rm(changes);
  service.later = [];
  service.removed = [];
  await callJson(...words(service, "--output", output, "--changes", changes));
  expect(await readFile(changes, "utf8")).toBe("");
});

test("a record that is written again without a difference does not count as changed", async () => {
  const service = await api();
  const output = join(folder, "mcp.ndjson");
  await callJson(...words(service, "--output", output));
  service.later = [mcp(1, 1), mcp(2, 7)];
  expect(await callJson(...words(service, "--output", output))).toMatchObject({
    added: 0,
    changed: 1,
    removed: 0,
  });
});

test("a Parquet export that ended between its records and its file is finished by the same command", async () => {
  const service = await api();
  const output = join(folder, "mcp.parquet");
  const run = (...more: string[]) =>
    callTool(...words(service, "--output", output, ...more).filter((word) => word !== "--resume"));
  // No file can be written beside the output: the records are complete, their file is not.
  const interrupted = async (...more: string[]) => {
    await mkdir(`${output}.new`);
    const outcome = await run(...more);
    await rm(`${output}.new`, { recursive: true });
    return outcome;
  };
  expect(await interrupted()).toMatchObject({ code: 1 });
  expect(await readdir(folder)).not.toContain("mcp.parquet");
  expect(await run()).toMatchObject({ code: 0, stderr: expect.stringContaining("has 3 pull requests") });
  expect((await readFile(output)).subarray(0, 4).toString()).toBe("PAR1");
  // The file is the newest: this is no continuation.
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining("is complete already") });

  const first = await readFile(output);
  service.later = [mcp(4, 1)];
  expect(await interrupted("--overwrite")).toMatchObject({ code: 1 });
  expect(await readFile(output)).toEqual(first);
  expect(await run()).toMatchObject({ code: 0, stderr: expect.stringContaining("has 4 pull requests") });
  expect(await readFile(output)).not.toEqual(first);
});

test("Parquet is written beside its records, updated with --resume, and never over a foreign file", async () => {
  const service = await api();
  const output = join(folder, "mcp.parquet");
  expect(await callJson(...words(service, "--output", output))).toMatchObject({
    format: "parquet",
    records: 3,
  });
  const first = await readFile(output);
  expect(first.subarray(0, 4).toString()).toBe("PAR1");
  service.later = [mcp(4, 1)];
  expect(await callJson(...words(service, "--output", output))).toMatchObject({ added: 1, records: 4 });
  expect(await readFile(output)).not.toEqual(first);
  await rm(`${output}.mirror`);
  expect((await callTool(...words(service, "--output", output))).stderr).toContain(
    "was not made by an export",
  );
  expect(
    await callTool(...words(service, "--format", "parquet").filter((word) => word !== "--resume")),
  ).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--format parquet works only with --output FILE: "),
  });
});
