import { mkdtempSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildDigest, bundleFunctions, everyFunction, projectDirectory } from "../../../infra/bundle.ts";
import { releaseOfBuild } from "../../../infra/options.ts";
import { explainCause, keepSourceMaps, rebuildSourceMaps } from "../../../infra/source-maps.ts";
import { createApp } from "../../../infra/stack.ts";
import { whoami } from "../../../lib/contract/operations/keys.ts";
import { noCode, testContext } from "./synthesize.ts";

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

/** A line as CloudWatch stores it, for a fault at this text of the bundle. */
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

test("a logged position in a bundle is shown as a position in our own file", async () => {
  const explained = await explainCause(recordedLine("The service is being set up."), keptIn());
  expect(explained[0]).toBe("TypeError: broken");
  expect(explained[1]).toMatch(/^at accept \(lib\/http\/cursor-keys\.ts:\d+:\d+\)$/);
  expect(explained[2]).toBe("at node:internal/process/task_queues:1:2");
  const [, row = ""] = /:(\d+):/.exec(explained[1] ?? "") ?? [];
  const source = await readFile("lib/http/cursor-keys.ts", "utf8");
  expect(source.split("\n")[Number(row) - 1]).toContain("The service is being set up.");
});

test("a release without local source maps is named, with the command that builds them", async () => {
  const line = recordedLine("The service is being set up.", { release: "4d5e6f7" });
  await expect(explainCause(line, keptIn())).rejects.toThrow(
    "There are no source maps of 4d5e6f7 here. Check out the commit that it begins with and run: npm run explain -- --build",
  );
});

test("two builds of one commit with different files are two releases, and each keeps its maps", async () => {
  const builds = await Promise.all(
    ["1", "2"].map(async (content) => {
      const bundles = join(directory, `changed-${content}`);
      await mkdir(join(bundles, "keys/whoami"), { recursive: true });
      await writeFile(join(bundles, "keys/whoami/index.mjs"), content);
      await writeFile(join(bundles, "keys/whoami/index.mjs.map"), `map ${content}`);
      const release = releaseOfBuild("0a1b2c3-changed", await buildDigest(bundles));
      await keepSourceMaps(release, { bundles, keptIn: keptIn() });
      return release;
    }),
  );
  expect(new Set(builds).size).toBe(2);
  const kept = builds.map((release) =>
    readFile(join(keptIn(), release, "keys/whoami/index.mjs.map"), "utf8"),
  );
  expect(await Promise.all(kept)).toEqual(["map 1", "map 2"]);
});

test("the release of the stack names the commit and what was built, with the option and without git", () => {
  const releaseOf = (given: object) => {
    const outdir = mkdtempSync(join(directory, "app-"));
    const few = { operations: [whoami], workers: [] };
    const context = { ...testContext, ...given };
    return createApp({
      ...{ codeOf: noCode, checked: false, outdir, context, buildDigest: "1a2b3c4d", ...few },
      ...given,
    }).options.release;
  };
  expect(releaseOf({})).toBe("1a2b3c4d");
  expect(releaseOf({ release: "0a1b2c3" })).toBe("0a1b2c3-1a2b3c4d");
});

test("maps are not rebuilt from a source tree that builds something else", async () => {
  const line = recordedLine("The service is being set up.", { release: "0a1b2c3-1a2b3c4d" });
  await expect(rebuildSourceMaps(line, async () => "99999999")).rejects.toThrow(
    "The line is of 0a1b2c3-1a2b3c4d, and this tree builds 99999999: the places would be wrong.",
  );
});

test("a line without a release says so", async () => {
  const line = recordedLine("The service is being set up.", { release: undefined });
  await expect(explainCause(line, keptIn())).rejects.toThrow("The line names no release");
});
