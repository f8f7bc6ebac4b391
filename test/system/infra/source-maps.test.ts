import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleFunctions, everyFunction, projectDirectory, releasesOf } from "../../../infra/bundle.ts";
import { explainCause, keepSourceMaps, rebuildSourceMaps } from "../../../infra/source-maps.ts";
import { whoami } from "../../../lib/contract/operations/keys.ts";
import { environmentOf } from "./support.ts";
import { synthesize } from "./synthesize.ts";

let directory: string;
let bundle: string;
let release: string;
const source = "keys/whoami";
const keptIn = () => join(directory, "maps");

beforeAll(async () => {
  directory = await mkdtemp(join(projectDirectory, "node_modules", ".cache", "source-maps-"));
  const bundles = join(directory, "bundles");
  await bundleFunctions({ ...everyFunction, sources: [source], outputDirectory: bundles });
  bundle = await readFile(join(bundles, source, "index.mjs"), "utf8");
  const releases = await releasesOf([source], bundles);
  release = releases.get(source) ?? expect.fail("no release");
  await keepSourceMaps(releases, { bundles, keptIn: keptIn() });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A line as CloudWatch stores it, for a fault at this text of the bundle. */
function recordedLine(text: string, fields: object = {}): string {
  const before = bundle.slice(0, bundle.indexOf(text)).split("\n");
  const at = `at accept (file:///var/task/index.mjs:${before.length}:${(before.at(-1) ?? "").length + 1})`;
  const cause = ["TypeError: broken", at, "at node:internal/process/task_queues:1:2"];
  return JSON.stringify({
    level: "error",
    message: "request",
    operation: "whoami",
    release,
    cause,
    ...fields,
  });
}

test("a logged position in a bundle is shown as a position in our own file", async () => {
  const explained = await explainCause(recordedLine("The service is being set up."), keptIn());
  expect(explained[0]).toBe("TypeError: broken");
  expect(explained[1]).toMatch(/^at accept \(lib\/http\/cursor-keys\.ts:\d+:\d+\)$/);
  expect(explained[2]).toBe("at node:internal/process/task_queues:1:2");
  const [, row = ""] = /:(\d+):/.exec(explained[1] ?? "") ?? [];
  const text = await readFile("lib/http/cursor-keys.ts", "utf8");
  expect(text.split("\n")[Number(row) - 1]).toContain("The service is being set up.");
});

test("a release without local source maps is named, with the command that builds them", async () => {
  const line = recordedLine("The service is being set up.", { release: "4d5e6f7" });
  await expect(explainCause(line, keptIn())).rejects.toThrow(
    "There are no source maps of 4d5e6f7 here. Check out the commit that was deployed then (the stack's output Commit) and run: npm run explain -- --build",
  );
});

/** Two functions; the second has the given code. */
async function buildWith(content: string) {
  const bundles = join(directory, `with-${content}`);
  for (const [name, code] of Object.entries({ one: "same", two: content })) {
    await mkdir(join(bundles, name), { recursive: true });
    await writeFile(join(bundles, name, "index.mjs"), code);
    await writeFile(join(bundles, name, "index.mjs.map"), `map of ${code}`);
  }
  const releases = await releasesOf(["one", "two"], bundles);
  await keepSourceMaps(releases, { bundles, keptIn: keptIn() });
  return { one: releases.get("one") ?? "", two: releases.get("two") ?? "" };
}

test("a change of one function's code changes the release of that function only, and both keep their maps", async () => {
  const [before, after] = [await buildWith("1"), await buildWith("2")];
  expect(after.one).toBe(before.one);
  expect(after.two).not.toBe(before.two);
  const kept = [before.one, before.two, after.two].map((each) =>
    readFile(join(keptIn(), each, "index.mjs.map"), "utf8"),
  );
  expect(await Promise.all(kept)).toEqual(["map of same", "map of 1", "map of 2"]);
});

test("a function's release reaches its log lines as a variable", () => {
  const releases = new Map([[source, "1a2b3c4d5e6f"]]);
  const template = synthesize({}, { operations: [whoami], workers: [], releases });
  expect(environmentOf(template, "whoami")).toMatchObject({ RELEASE: "1a2b3c4d5e6f" });
});

test("maps are not rebuilt from a source tree that builds something else", async () => {
  const line = recordedLine("The service is being set up.", { release: "1a2b3c4d5e6f" });
  const build = async () => new Map([[source, "999999999999"]]);
  await expect(rebuildSourceMaps(line, build)).rejects.toThrow(
    "This tree builds no function of release 1a2b3c4d5e6f: the places would be wrong.",
  );
  const kept: unknown[] = [];
  const same = new Map([[source, "1a2b3c4d5e6f"]]);
  await rebuildSourceMaps(
    line,
    async () => same,
    async (releases) => void kept.push(releases),
  );
  expect(kept).toEqual([same]);
});

test("a line without a release says so", async () => {
  const line = recordedLine("The service is being set up.", { release: undefined });
  await expect(explainCause(line, keptIn())).rejects.toThrow("The line names no release");
});
