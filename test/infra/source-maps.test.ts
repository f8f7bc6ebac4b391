import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleFunctions, everyFunction, projectDirectory } from "../../infra/bundle.ts";
import { explainCause, keepSourceMaps } from "../../infra/source-maps.ts";

let directory: string;
let bundle: string;
const keptIn = () => join(directory, "maps");

beforeAll(async () => {
  directory = await mkdtemp(join(projectDirectory, "node_modules", ".cache", "source-maps-"));
  const bundles = join(directory, "bundles");
  await bundleFunctions({ ...everyFunction, sources: ["keys/whoami"], outputDirectory: bundles });
  bundle = await readFile(join(bundles, "keys/whoami/index.mjs"), "utf8");
  await keepSourceMaps("0a1b2c3", { bundles, keptIn: keptIn() });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A line as CloudWatch would have it, of a fault at this text of the bundle. */
function recordedLine(text: string, fields: object = {}): string {
  const before = bundle.slice(0, bundle.indexOf(text)).split("\n");
  const at = `at accept (file:///var/task/index.mjs:${before.length}:${(before.at(-1) ?? "").length + 1})`;
  const cause = ["TypeError: broken", at, "at node:internal/process/task_queues:1:2"];
  return JSON.stringify({
    level: "error",
    message: "request",
    operation: "whoami",
    release: "0a1b2c3",
    cause,
    ...fields,
  });
}

test("a logged place of a bundle is shown as a place of our own file", async () => {
  const explained = await explainCause(recordedLine("The service is being set up."), keptIn());
  expect(explained[0]).toBe("TypeError: broken");
  expect(explained[1]).toMatch(/^at accept \(lib\/http\/cursor-keys\.ts:\d+:\d+\)$/);
  expect(explained[2]).toBe("at node:internal/process/task_queues:1:2");
  const [, row = ""] = /:(\d+):/.exec(explained[1] ?? "") ?? [];
  const source = await readFile("lib/http/cursor-keys.ts", "utf8");
  expect(source.split("\n")[Number(row) - 1]).toContain("The service is being set up.");
});

test("a release whose maps are not here is named, with what makes them", async () => {
  const line = recordedLine("The service is being set up.", { release: "4d5e6f7" });
  await expect(explainCause(line, keptIn())).rejects.toThrow(
    "There are no source maps of 4d5e6f7 here. Check that commit out and run: npm run explain -- --build",
  );
});

test("a line that names no release says so", async () => {
  const line = recordedLine("The service is being set up.", { release: undefined });
  await expect(explainCause(line, keptIn())).rejects.toThrow("The line names no release");
});
