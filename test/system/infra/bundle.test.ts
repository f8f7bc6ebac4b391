import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleFunctions, functionSources, projectDirectory } from "../../../infra/bundle.ts";
import { chainGrants } from "../../../lib/contract/grants.ts";
import type { KindName } from "../../../lib/contract/kind-names.ts";
import type { Operation } from "../../../lib/contract/operation.ts";
import { operations } from "../../../lib/contract/operations.ts";
import { bundleBudgetOf, bundleBudgets } from "../../../lib/contract/platform.ts";
import { internalFunctions, workers } from "../../../lib/contract/workers.ts";
import { eventWords } from "../../../lib/events/describe.ts";
import { rawSchema } from "../../../lib/openapi/properties.ts";
import { anyKind, kindNames } from "../../store/item-kinds.ts";
import { builtOnce } from "./build.ts";
import { plainTemplate } from "./built-templates.ts";
import { statementsOf } from "./support.ts";

const directory = mkdtempSync(join(tmpdir(), "bundles-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const bundlePath = (source: string) => join(directory, "own", source, "index.mjs");

/** Runs a script against a bundle in its own process, like a cold Lambda. */
const inFreshProcess = (script: string, environment: Readonly<Record<string, string>> = {}): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      env: { PATH: process.env.PATH, AWS_REGION: "eu-west-1", ...environment },
      encoding: "utf8",
    }),
  );

/** A thread has its own modules and environment, and it starts sooner than a process. */
const inFreshThread = async (
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<unknown> => {
  const thread = new Worker(script, { eval: true, env: { AWS_REGION: "eu-west-1", ...environment } });
  const [answer] = await once(thread, "message");
  await thread.terminate();
  return answer;
};

test("every operation, every worker, MCP, the reference and the fallback have their own bundles", () => {
  const contract: readonly Operation[] = operations;
  expect(functionSources).toEqual([
    ...contract.map(({ source }) => source),
    ...workers.map(({ source }) => source),
    ...internalFunctions.map(({ source }) => source),
    "mcp",
    "docs",
    "fallback",
  ]);
  expect(new Set(functionSources).size).toBe(functionSources.length);
});

type Entry = { readonly id: string; readonly source: string; readonly uses?: readonly string[] };
const entries: readonly Entry[] = [...operations, ...workers, ...internalFunctions];
const { sizes, bundleOf } = await builtOnce();

/** All code of a function, lazily loaded code included. */
const codeOf = (source: string): string =>
  filesOf(source)
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
const filesOf = (source: string): string[] =>
  readdirSync(dirname(bundleOf(source)))
    .filter((file) => file.endsWith(".mjs"))
    .map((file) => join(dirname(bundleOf(source)), file));

describe("the functions of the service", () => {
  test.each(functionSources)("%s stays within its budget", (source) => {
    const { bytes = 0, bytesWithLazy = 0 } = sizes.find((size) => size.source === source) ?? {};
    const written = filesOf(source).map((file) => statSync(file).size);
    expect(bytesWithLazy).toBe(written.reduce((sum, each) => sum + each, 0));
    expect(bytes).toBeGreaterThan(1_000);
    const budget = bundleBudgets[bundleBudgetOf(source)];
    expect(bytes).toBeLessThanOrEqual(budget.bytesMax);
    expect(bytesWithLazy).toBeLessThanOrEqual(budget.bytesWithLazyMax);
  });

  test("all bundles load, export a handler, have their source map beside them and do not load undici", () => {
    // Lambda's Node runtime provides this for streaming handlers.
    const script = `
      globalThis.awslambda = { streamifyResponse: (handler) => handler };
      const loaded = {};
      for (const file of ${JSON.stringify(functionSources.map(bundleOf))})
        loaded[file] = typeof (await import(file)).handler;
      const undici = process.moduleLoadList.filter((name) => name.includes("undici"));
      console.log(JSON.stringify({ loaded, undici }));`;
    const loaded = Object.fromEntries(functionSources.map((source) => [bundleOf(source), "function"]));
    expect(inFreshProcess(script, variables)).toEqual({ loaded, undici: [] });
    expect(functionSources.filter((source) => !existsSync(`${bundleOf(source)}.map`))).toEqual([]);
  });

  describe("a cold start loads only what the function needs", () => {
    const users = (resource: string) =>
      entries.filter(({ uses = [] }) => uses.includes(resource)).map(({ source }) => source);
    const holdersOf = (file: RegExp) =>
      sizes.filter(({ ownFiles }) => ownFiles.some((each) => file.test(each))).map(({ source }) => source);

    test("a cold start loads only the DynamoDB client of AWS's clients; the others load on first use", () => {
      const packages = new Set(sizes.flatMap((size) => Object.keys(size.packages)));
      const clients = [...packages].filter((name) => name.startsWith("@aws-sdk/client-"));
      expect(clients).toEqual(["@aws-sdk/client-dynamodb"]);
    });

    test.each([
      ["embedder", /^lib\/index\/bedrock-/],
      ["deadLetterQueue", /^lib\/events\/sqs/],
      ["eventsBucket", /^lib\/events\/s3/],
    ])("only the bundles that use the %s contain it", (resource, file) => {
      const lazyHolders = sizes
        .filter(({ lazyFiles }) => lazyFiles.some((each) => file.test(each)))
        .map(({ source }) => source);
      expect(users(resource)).not.toEqual([]);
      expect(holdersOf(file).toSorted()).toEqual(users(resource).toSorted());
      expect(lazyHolders.toSorted()).toEqual(users(resource).toSorted());
    });

    test("no function contains the local embedder, not even lazily loaded", () => {
      const holders = sizes.filter(({ ownFiles, lazyFiles }) =>
        [...ownFiles, ...lazyFiles].some((file) => file.includes("local-embedder")),
      );
      expect(holders.map(({ source }) => source)).toEqual([]);
    });

    test.each([
      ["metrics/", /^lib\/(learnings|index|people|security|events)\//],
      ["learnings/", /^lib\/(stream|metrics|security|events)\//],
      ["roles/", /^lib\/(stream|metrics|security|events|learnings|index)\//],
      ["security/", /^lib\/(stream|metrics|people|events|learnings|index)\//],
    ])("the bundles of %s contain nothing of another domain", (folder, foreign) => {
      expect(holdersOf(foreign).filter((source) => source.startsWith(folder))).toEqual([]);
    });

    test("no function contains the descriptions of fields and events, or code that only documents", () => {
      const documents = /^lib\/openapi\/|^lib\/events\/describe\.ts$/;
      const holders = sizes.filter(({ ownFiles, lazyFiles }) =>
        [...ownFiles, ...lazyFiles].some((file) => documents.test(file)),
      );
      expect(holders.map(({ source }) => source)).toEqual([]);
      const words = [
        ...wordsOfFields(operations),
        ...Object.values(eventWords).flatMap(({ fields }) => Object.values(fields)),
      ].filter((text) => text.length > 40);
      expect(words.length).toBeGreaterThan(150);
      for (const { source } of entries) {
        const code = codeOf(source);
        expect([source, words.filter((text) => code.includes(text))]).toEqual([source, []]);
      }
    });

    test("no bundle contains the SDK's search for credentials", () => {
      const failure = "Could not load credentials from any providers";
      const module = "node_modules/@aws-sdk/credential-provider-node/dist-es/defaultProvider.js";
      expect(readFileSync(join(projectDirectory, module), "utf8")).toContain(failure);
      expect(entries.filter(({ source }) => codeOf(source).includes(failure))).toEqual([]);
    });

    test("only the MCP function contains the protocol, without its check of forms and without a client of AWS", () => {
      const holders = sizes.filter(({ packages }) =>
        Object.keys(packages).some((name) => name.startsWith("@modelcontextprotocol/")),
      );
      expect(holders.map(({ source }) => source)).toEqual(["mcp"]);
      expect(holdersOf(/^lib\/(?:mcp|report|client)\//)).toEqual(["mcp"]);
      expect(codeOf("mcp")).not.toMatch(/unknown format .* ignored in schema/);
      expect(Object.keys(holders[0]?.packages ?? {}).filter((name) => name.startsWith("@aws-sdk/"))).toEqual(
        [],
      );
    });

    test("an operation contains the contract's entries of its own file, the fallback none", () => {
      expect(holdersOf(/^lib\/contract\/operations\.ts/)).toEqual([]);
      const fallback = sizes.find(({ source }) => source === "fallback");
      expect(fallback?.ownFiles.filter((file) => file.startsWith("lib/contract/operations"))).toEqual([]);
      expect(Object.keys(fallback?.packages ?? {})).toEqual(["."]);
    });
  });
});

/** The trimmed bundles still follow the settings of AWS's SDKs. */
describe("a call goes where AWS's SDK sends it", () => {
  const event = (body: string) => ({
    Records: [{ messageId: "m", body, attributes: { MessageGroupId: "g", MessageDeduplicationId: "d" } }],
  });
  const reference = JSON.stringify({
    id: "0b9e1c52-4c1e-4c8f-9d0b-1f6a5b1c2d3e",
    type: "organization.saved",
    occurred_at: "2026-11-01T10:00:00.000Z",
    reference: "large.json",
  });
  /** The hosts that the function connects to; no server answers. */
  const hostsOf = (source: string, given: object, environment: Readonly<Record<string, string>>) => {
    const script = `
      const https = require("node:https");
      const { EventEmitter } = require("node:events");
      const { parentPort } = require("node:worker_threads");
      const hosts = new Set();
      https.request = ({ host }) => {
        hosts.add(host);
        const request = Object.assign(new EventEmitter(), { destroy() {}, end() {} });
        setImmediate(() => request.emit("error", new Error("nobody is there")));
        return request;
      };
      const context = { getRemainingTimeInMillis: () => 10_000 };
      import(${JSON.stringify(bundleOf(source))})
        .then(({ handler }) => handler(${JSON.stringify(given)}, context))
        .catch(() => undefined)
        .then(() => parentPort.postMessage([...hosts]));`;
    const credentials = {
      AWS_ACCESS_KEY_ID: "AKIDTEST",
      AWS_SECRET_ACCESS_KEY: "made-up",
      LOG_LEVEL: "silent",
    };
    return inFreshThread(script, {
      ...variables,
      BEDROCK_MODEL_ID: "titan",
      ...credentials,
      ...environment,
    });
  };

  const fips = { AWS_USE_FIPS_ENDPOINT: "true" };
  const dualStack = { AWS_USE_DUALSTACK_ENDPOINT: "true" };
  test.concurrent.each<[string, Readonly<Record<string, string>>, string]>([
    ["by default", {}, "dynamodb.eu-west-1.amazonaws.com"],
    ["with FIPS", { AWS_REGION: "us-east-1", ...fips }, "dynamodb-fips.us-east-1.amazonaws.com"],
    ["with dual stack", dualStack, "dynamodb.eu-west-1.api.aws"],
    ["in China", { AWS_REGION: "cn-north-1" }, "dynamodb.cn-north-1.amazonaws.com.cn"],
    ["in GovCloud", { AWS_REGION: "us-gov-west-1", ...fips }, "dynamodb.us-gov-west-1.amazonaws.com"],
    ["elsewhere", { AWS_ENDPOINT_URL_DYNAMODB: "https://tables.test" }, "tables.test"],
  ])("a call to DynamoDB goes to the SDK's host %s", async (_, environment, host) => {
    expect(await hostsOf("workers/housekeeping", {}, environment)).toEqual([host]);
  });

  test.concurrent.each<[string, Readonly<Record<string, string>>, string]>([
    ["by default", {}, "bucket.s3.eu-west-1.amazonaws.com"],
    [
      "with FIPS and dual stack",
      { ...fips, ...dualStack },
      "bucket.s3-fips.dualstack.eu-west-1.amazonaws.com",
    ],
    ["in China", { AWS_REGION: "cn-north-1" }, "bucket.s3.cn-north-1.amazonaws.com.cn"],
  ])("a call to S3 goes to the SDK's host %s", async (_, environment, host) => {
    expect(await hostsOf("workers/ingest", event(reference), environment)).toContain(host);
  });

  test.concurrent.each<[string, Readonly<Record<string, string>>, string]>([
    ["by default", {}, "sqs.eu-west-1.amazonaws.com"],
    ["with FIPS", { AWS_REGION: "us-east-1", ...fips }, "sqs-fips.us-east-1.amazonaws.com"],
    ["elsewhere", { AWS_ENDPOINT_URL_SQS: "https://queues.test" }, "queues.test"],
  ])("a call to SQS goes to the SDK's host %s", async (_, environment, host) => {
    expect(await hostsOf("workers/ingest", event("no event"), environment)).toEqual([host]);
  });

  const search = {
    provider: "github",
    provider_organization_id: "1",
    repository_id: "1",
    text: "early return",
    k: 1,
  };
  test.concurrent.each<[string, Readonly<Record<string, string>>, string]>([
    ["in its own region", { BEDROCK_REGION: "us-west-2" }, "bedrock-runtime.us-west-2.amazonaws.com"],
    ["with FIPS", { AWS_REGION: "us-east-1", ...fips }, "bedrock-runtime-fips.us-east-1.amazonaws.com"],
    ["with dual stack", dualStack, "bedrock-runtime.eu-west-1.api.aws"],
    ["in China", { AWS_REGION: "cn-north-1" }, "bedrock-runtime.cn-north-1.amazonaws.com.cn"],
  ])("a call to Bedrock goes to the SDK's host %s", async (_, environment, host) => {
    expect(await hostsOf("internal/search-for-review", search, environment)).toEqual([host]);
  });
});

/**
 * A bundle does not contain the kinds of items that its code does not use, so its code names the partitions that it can
 * reach. That covers rare code paths too, which no test runs.
 */
describe("partitions", () => {
  const patternOf = (name: KindName) => anyKind(name).pk.replace(/\{.*/, "*");
  const kindsIn = (code: string) =>
    kindNames.filter((name) => code.includes(`("${anyKind(name).pk}","${anyKind(name).sk}")`));
  const namedIn = (code: string) => kindsIn(code).map(patternOf);
  const grantedTo = (id: string) =>
    [...JSON.stringify(statementsOf(plainTemplate(), id)).matchAll(/"([A-Z#-]+\*|[A-Z]+(?:[#-][A-Z]+)*)"/g)]
      .map(([, pattern = ""]) => pattern)
      .filter((pattern) => kindNames.some((name) => patternOf(name) === pattern));

  test("every kind of item is in some bundle, or only the tool uses it", () => {
    const reachable = new Set<string>(entries.flatMap(({ source }) => kindsIn(codeOf(source))));
    expect(kindNames.filter((name) => !reachable.has(name))).toEqual([
      ...["repairRun", "repairBoundary", "repairSegment"],
    ]);
  });

  test("a bundle has nothing of a kind but its keys", () => {
    const words = kindNames.flatMap((name) =>
      [anyKind(name).purpose, anyKind(name).grows?.bound ?? []].flat(),
    );
    for (const { source } of entries) {
      const code = codeOf(source);
      expect([source, words.filter((text) => code.includes(text))]).toEqual([source, []]);
    }
  });

  /** Keys that come from an answer: the search finds vectors, then reads them. */
  const answered: Readonly<Record<string, readonly string[]>> = {
    searchForReview: ["VECTOR#*"],
    searchLearnings: ["VECTOR#*"],
  };

  /** Every operation may read an organization and its tenant whole, whichever parts it reads. */
  const readByAll = chainGrants.flatMap(({ partitions }) => partitions);

  test.each(entries)("$id may access the partitions that its code names, and no others", ({ id, source }) => {
    const isOperation = operations.some((operation) => operation.id === id);
    const named = [...namedIn(codeOf(source)), ...(answered[id] ?? []), ...(isOperation ? readByAll : [])];
    expect([...new Set(grantedTo(id))].toSorted()).toEqual([...new Set(named)].toSorted());
  });
});

/** A write that only checks is rare, and so is a test that reaches it: its form in the code shows it. */
test.each(entries)(
  "$id may check items in its transactions if its code can, and only then",
  ({ id, source }) => {
    const code = codeOf(source);
    const statements = JSON.stringify(statementsOf(plainTemplate(), id));
    expect(statements.includes('"dynamodb:ConditionCheckItem"')).toBe(
      /[{,]check:[\w$]+(?:\.key)?\(/.test(code),
    );
  },
);

const variables = {
  TABLE_NAME: "table",
  DEAD_LETTER_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/111122223333/dead.fifo",
  EVENTS_BUCKET: "bucket",
};

describe("the bundler", () => {
  const sourceDirectory = join(directory, "sources");
  const source = (name: string, text: string) => writeFileSync(join(sourceDirectory, `${name}.ts`), text);

  beforeAll(async () => {
    mkdirSync(join(sourceDirectory, "lib/contract"), { recursive: true });
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
    const { handler } = await import(${JSON.stringify(bundlePath(name))});
    try { console.log(JSON.stringify(await handler())); }
    catch (error) { console.log(JSON.stringify(error.message)); }`;

  test("the bundler requires node:http instead of importing it", () => {
    expect(inFreshProcess(call("http"))).toBe("Not Found");
    expect(readFileSync(bundlePath("http"), "utf8")).not.toMatch(/from\s*"node:http"/);
  });

  test("a module that the bundler left out fails with that reason when it is called", () => {
    expect(inFreshProcess(call("schema"))).toBe("Left out of the bundles; see infra/bundle-plugins.ts.");
  });

  test("a description that the bundler cannot cut out fails the build, with its line", async () => {
    const described = (words: string) =>
      `import * as z from "zod";\nexport const handler = () =>\n  z.string().describe(${words}).parse("parsed");`;
    source("lib/contract/cut", described('"What it means" +\n  `, and \\`why\\``,'));
    source("lib/contract/kept", described('["What it means"].join(" ")'));
    const bundle = (name: string) =>
      bundleFunctions({
        sources: [`lib/contract/${name}`],
        sourceDirectory,
        outputDirectory: join(directory, "own"),
      });
    await bundle("cut");
    expect(inFreshProcess(call("lib/contract/cut"))).toBe("parsed");
    expect(readFileSync(bundlePath("lib/contract/cut"), "utf8")).not.toContain("What it means");
    await expect(bundle("kept")).rejects.toThrow(
      /kept\.ts:3:.*The text of this \.describe\(\) would stay in the functions/,
    );
  });
});

/** What the fields of every operation mean. */
const wordsOfFields = (contract: readonly Operation[]): string[] =>
  contract.flatMap(({ pathParameters, query, body, answer }) =>
    [pathParameters, query, body, answer.schema].flatMap((schema) =>
      schema ? descriptionsIn(rawSchema(schema, "input")) : [],
    ),
  );

const descriptionsIn = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) =>
        name === "description" && typeof inner === "string" ? [inner] : descriptionsIn(inner),
      );
