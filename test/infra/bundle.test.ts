import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type BundleSize,
  bundleFunctions,
  everyFunction,
  functionSources,
  projectDirectory,
} from "../../infra/bundle.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { operations } from "../../lib/contract/operations.ts";
import { bundleBytesMax } from "../../lib/contract/platform.ts";
import { internalFunctions, workers } from "../../lib/contract/workers.ts";

const directory = mkdtempSync(join(tmpdir(), "bundles-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const bundlePath = (root: string, source: string) => join(directory, root, source, "index.mjs");

/** Runs a script against a bundle in a process of its own, as a cold Lambda would. */
const inFreshProcess = (script: string, environment: Readonly<Record<string, string>> = {}): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      env: { PATH: process.env.PATH, AWS_REGION: "eu-west-1", ...environment },
      encoding: "utf8",
    }),
  );

test("every operation, every worker, the reference and the fallback is a bundle of its own", () => {
  const contract: readonly Operation[] = operations;
  expect(functionSources).toEqual([
    ...contract.map(({ source }) => source),
    ...workers.map(({ source }) => source),
    ...internalFunctions.map(({ source }) => source),
    "docs",
    "fallback",
  ]);
  expect(new Set(functionSources).size).toBe(functionSources.length);
});

describe("the functions of the service", () => {
  let sizes: readonly BundleSize[] = [];
  beforeAll(async () => {
    sizes = await bundleFunctions({
      ...everyFunction,
      outputDirectory: join(directory, "service"),
    });
  }, 120_000);

  test.each(functionSources)("%s stays within its budget", (source) => {
    const bytes = sizes.find((size) => size.source === source)?.bytes ?? 0;
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThanOrEqual(bundleBytesMax);
  });

  test.each(functionSources)("%s loads by itself, exports its handler and does not load undici", (source) => {
    const path = bundlePath("service", source);
    // What Lambda's Node runtime brings for streaming handlers.
    const script = `
      globalThis.awslambda = { streamifyResponse: (handler) => handler };
      const { handler } = await import(${JSON.stringify(path)});
      const undici = process.moduleLoadList.filter((name) => name.includes("undici"));
      console.log(JSON.stringify({ handler: typeof handler, undici }));`;
    expect(inFreshProcess(script, variables)).toEqual({ handler: "function", undici: [] });
    expect(existsSync(`${path}.map`)).toBe(true);
  });

  test("the table of sizes lies beside the bundles", () => {
    const table: unknown = JSON.parse(readFileSync(join(directory, "service", "sizes.json"), "utf8"));
    expect(table).toEqual(sizes);
  });

  describe("a cold start loads only what the function needs", () => {
    type Entry = { readonly source: string; readonly uses?: readonly string[] };
    const entries: readonly Entry[] = [...operations, ...workers, ...internalFunctions];
    const users = (resource: string) =>
      entries.filter(({ uses = [] }) => uses.includes(resource)).map(({ source }) => source);
    const holdersOf = (file: RegExp) =>
      sizes.filter(({ ownFiles }) => ownFiles.some((each) => file.test(each))).map(({ source }) => source);

    test("no function brings a client of AWS's SDK along, only its signature", () => {
      const packages = new Set(sizes.flatMap((size) => Object.keys(size.packages)));
      const ofAws = [...packages].filter((name) => /^@(aws-sdk|aws|smithy)\//.test(name));
      expect(ofAws.toSorted()).toEqual(["@smithy/core", "@smithy/signature-v4"]);
    });

    test.each([
      ["embedder", /^lib\/index\/bedrock-embedder/],
      ["deadLetterQueue", /^lib\/events\/sqs/],
      ["eventsBucket", /^lib\/events\/s3/],
    ])("the %s is in the bundles of those who use it, and in no other", (resource, file) => {
      expect(users(resource)).not.toEqual([]);
      expect(holdersOf(file).toSorted()).toEqual(users(resource).toSorted());
    });

    test.each([
      ["metrics/", /^lib\/(learnings|index|people|security|events)\//],
      ["learnings/", /^lib\/(stream|metrics|security|events)\//],
      ["roles/", /^lib\/(stream|metrics|security|events|learnings|index)\//],
      ["security/", /^lib\/(stream|metrics|people|events|learnings|index)\//],
    ])("%s hold nothing of another domain", (folder, foreign) => {
      expect(holdersOf(foreign).filter((source) => source.startsWith(folder))).toEqual([]);
    });

    test("an operation holds the contract's entries of its own file, the fallback none", () => {
      expect(holdersOf(/^lib\/contract\/operations\.ts/)).toEqual([]);
      const fallback = sizes.find(({ source }) => source === "fallback");
      expect(fallback?.ownFiles.filter((file) => file.startsWith("lib/contract/operations"))).toEqual([]);
      expect(Object.keys(fallback?.packages ?? {})).toEqual(["."]);
    });
  });
});

const variables = {
  TABLE_NAME: "table",
  DEAD_LETTER_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/111122223333/dead.fifo",
  EVENTS_BUCKET: "bucket",
};

describe("the bundler", () => {
  const sourceDirectory = join(directory, "sources");
  const source = (name: string, text: string) => writeFileSync(join(sourceDirectory, `${name}.ts`), text);

  beforeAll(async () => {
    mkdirSync(sourceDirectory);
    symlinkSync(join(projectDirectory, "node_modules"), join(directory, "node_modules"));
    source("schema", `import * as z from "zod"; export const handler = () => z.toJSONSchema(z.string());`);
    source(
      "http",
      `import { STATUS_CODES } from "node:http"; export const handler = () => STATUS_CODES[404];`,
    );
    await bundleFunctions({
      sources: ["schema", "http"],
      sourceDirectory,
      outputDirectory: join(directory, "own"),
    });
  });

  const call = (name: string) => `
    const { handler } = await import(${JSON.stringify(bundlePath("own", name))});
    try { console.log(JSON.stringify(await handler())); }
    catch (error) { console.log(JSON.stringify(error.message)); }`;

  test("node:http is required, not imported", () => {
    expect(inFreshProcess(call("http"))).toBe("Not Found");
    expect(readFileSync(bundlePath("own", "http"), "utf8")).not.toMatch(/from\s*"node:http"/);
  });

  test("what is left out says so when it is called", () => {
    expect(inFreshProcess(call("schema"))).toBe("Left out of the bundles; see infra/bundle.ts.");
  });
});
