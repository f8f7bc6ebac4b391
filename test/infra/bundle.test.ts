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

test("every operation, every worker and the fallback is a bundle of its own", () => {
  const contract: readonly Operation[] = operations;
  expect(functionSources).toEqual([
    ...contract.map(({ source }) => source),
    ...workers.map(({ source }) => source),
    ...internalFunctions.map(({ source }) => source),
    "fallback",
  ]);
  expect(new Set(functionSources).size).toBe(functionSources.length);
});

/**
 * Over budget, and how far they may be until that is mended: the SDK's clients for Bedrock (100 KB), S3 (170 KB)
 * and SQS (27 KB) come along for one call each.
 */
const debts: Readonly<Record<string, number>> = {
  "learnings/create": 470_000,
  "learnings/update": 465_000,
  "workers/ingest": 605_000,
  "workers/expire-waiting": 605_000,
  "workers/reconcile-index": 380_000,
  "internal/search-learnings": 385_000,
};

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
    const debt = debts[source];
    if (debt !== undefined)
      expect(bytes, "has come within its budget: remove its debt").toBeGreaterThan(bundleBytesMax);
    expect(bytes).toBeLessThanOrEqual(debt ?? bundleBytesMax);
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

  test("a cold start loads only what the function needs", () => {
    const holders = (name: RegExp) =>
      sizes
        .filter(({ packages }) => Object.keys(packages).some((each) => name.test(each)))
        .map(({ source }) => source);
    expect(holders(/credential-provider/)).toEqual([]);
    expect(holders(/client-cloudformation/)).toEqual([]);
    expect(holders(/client-(s3|sqs)/)).toEqual(["workers/ingest", "workers/expire-waiting"]);
    expect(holders(/client-bedrock-runtime/).toSorted()).toEqual([
      "internal/search-learnings",
      "learnings/create",
      "learnings/update",
      "workers/reconcile-index",
    ]);
    expect(holders(/^@smithy/)).not.toContain("fallback");
    expect(holders(/client-dynamodb/)).toHaveLength(functionSources.length - 1);
  });
});

const variables = {
  TABLE_NAME: "table",
  DEAD_LETTER_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/111122223333/dead.fifo",
  EVENTS_BUCKET: "bucket",
};

describe("the bundler", () => {
  let own: readonly BundleSize[] = [];
  const sourceDirectory = join(directory, "sources");
  const source = (name: string, text: string) => writeFileSync(join(sourceDirectory, `${name}.ts`), text);

  beforeAll(async () => {
    mkdirSync(sourceDirectory);
    symlinkSync(join(projectDirectory, "node_modules"), join(directory, "node_modules"));
    source(
      "credentials",
      `import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
       export const handler = () => new DynamoDBClient({}).config.credentials();`,
    );
    source("schema", `import * as z from "zod"; export const handler = () => z.toJSONSchema(z.string());`);
    source(
      "http",
      `import { STATUS_CODES } from "node:http"; export const handler = () => STATUS_CODES[404];`,
    );
    source("rare", `export const text = ${JSON.stringify("x".repeat(10_000))};`);
    source("split", `export const handler = async () => (await import("./rare.ts")).text.length;`);
    own = await bundleFunctions({
      sources: ["credentials", "schema", "http", "split"],
      split: ["split"],
      sourceDirectory,
      outputDirectory: join(directory, "own"),
    });
  });

  const call = (name: string) => `
    const { handler } = await import(${JSON.stringify(bundlePath("own", name))});
    try { console.log(JSON.stringify(await handler())); }
    catch (error) { console.log(JSON.stringify(error.message)); }`;

  test("credentials come from the environment, the account with them", () => {
    const environment = {
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_SESSION_TOKEN: "token",
      AWS_ACCOUNT_ID: "111122223333",
    };
    expect(inFreshProcess(call("credentials"), environment)).toMatchObject({
      accessKeyId: "id",
      secretAccessKey: "secret",
      sessionToken: "token",
      accountId: "111122223333",
    });
  });

  test("without credentials in the environment nothing else is tried", () => {
    expect(inFreshProcess(call("credentials"))).toBe("The environment holds no AWS credentials.");
  });

  test("node:http is required, not imported", () => {
    expect(inFreshProcess(call("http"))).toBe("Not Found");
    expect(readFileSync(bundlePath("own", "http"), "utf8")).not.toMatch(/from\s*"node:http"/);
  });

  test("a dynamic import of a split function is a file of its own, and no part of its cold start", () => {
    const split = own.find((size) => size.source === "split");
    expect(split?.bytes).toBeLessThan(1_000);
    expect(split?.lazyBytes).toBeGreaterThan(10_000);
    expect(inFreshProcess(call("split"))).toBe(10_000);
    expect(own.filter(({ lazyBytes }) => lazyBytes > 0).map(({ source: name }) => name)).toEqual(["split"]);
  });

  test("what is left out says so when it is called", () => {
    expect(inFreshProcess(call("schema"))).toBe("Left out of the bundles; see infra/bundle.ts.");
  });
});
