import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { operations } from "../lib/contract/operations.ts";
import { fallbackSource } from "../lib/contract/platform.ts";

/**
 * An ESM import of `node:http` loads undici (60 ms on a cold start, against 6 of `require`), and one of the others loads
 * what `require` would load when it is first used.
 */
export const requireBuiltins: Plugin = {
  name: "require-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(https?|util|fs|fs\/promises|os|process)$/ }, ({ path, kind }) =>
      kind === "require-call"
        ? { path: nodeName(path), external: true }
        : { path: nodeName(path), namespace: "required" },
    );
    onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};

const nodeName = (path: string): string => (path.startsWith("node:") ? path : `node:${path}`);

/** What is there and no function calls. */
export const leaveOut = (sourceDirectory: string): Plugin => ({
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    // JSON Schema is made where the OpenAPI document is made: 18 KB.
    onLoad({ filter: /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/ }, async ({ path }) => ({
      contents: refusingExports(await readFile(path, "utf8")),
    }));
    // middy asks whether a body is a web stream, and none of ours is: 2 ms.
    onResolve({ filter: /^node:stream\/web$/ }, ({ importer }) =>
      importer.includes("/@middy/") ? { path: "none", namespace: "no-web-streams" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "no-web-streams" }, () => ({
      contents: "export class ReadableStream { static [Symbol.hasInstance]() { return false; } }",
    }));
    // Of every operation the fallback knows the path and the method; their schemas are 100 KB to it.
    onResolve({ filter: /\/contract\/operations\.ts$/ }, ({ importer }) =>
      importer === join(sourceDirectory, `${fallbackSource}.ts`)
        ? { path: "routes", namespace: "routes-only" }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "routes-only" }, () => ({
      contents: `export const operations = ${JSON.stringify(operations.map(({ method, path }) => ({ method, path })))};`,
    }));
  },
});

const text = /(?:"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/.source;
const words = new RegExp(`\\b(summary|description|meaning):\\s*${text}(?:\\s*\\+\\s*${text})*`, "g");

/** The contract describes itself for the OpenAPI document; no function says any of it. */
export const withoutDescriptions: Plugin = {
  name: "without-descriptions",
  setup({ onLoad }) {
    onLoad({ filter: /\/lib\/contract\/.*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(words, '$1: ""'),
      loader: "ts",
    }));
  },
};

/** The same names, so that importers still link; whoever calls one learns why it is not there. */
function refusingExports(module: string): string {
  const names = [...module.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(
    ([, name]) => name,
  );
  return [refuse, ...names.map((name) => `export const ${name} = refuse;`)].join("\n");
}

const refuse =
  'const refuse = () => { throw new Error("Left out of the bundles; see infra/bundle-plugins.ts."); };';

/**
 * What AWS's SDK brings for other places than Lambda. Nothing else of the SDK is left out:
 *
 * - Credentials: our clients are always given theirs, from the environment. The SDK's search through profiles, single
 *   sign-on, containers and instances is 131 KB and 20 ms.
 * - Endpoint discovery: an option of DynamoDB's client, off unless it is asked for.
 * - The region of an EC2 instance, for the "auto" mode of the SDK's defaults; Lambda tells its region.
 */
const leftOutOfTheSdk: ReadonlyArray<{ readonly module: RegExp; readonly contents: string }> = [
  {
    module: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    contents: `${refuse}\nexport const defaultProvider = () => refuse;`,
  },
  {
    module: /@aws-sdk\/middleware-endpoint-discovery\/dist-es\/index\.js$/,
    contents: `export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
        environmentVariableSelector: () => undefined, configFileSelector: () => undefined, default: false };
      export const resolveEndpointDiscoveryConfig = (config) => config;`,
  },
  {
    module: /\/getInstanceMetadataRegion\.js$/,
    contents: "export const getInstanceMetadataRegion = async () => undefined;",
  },
];

export const trimSdk: Plugin = {
  name: "trim-sdk",
  setup({ onLoad }) {
    // A client reads its version there, and nothing else.
    onLoad({ filter: /@aws-sdk\/client-[\w-]+\/package\.json$/ }, async ({ path }) => ({
      contents: JSON.stringify({ version: JSON.parse(await readFile(path, "utf8")).version }),
      loader: "json",
    }));
    for (const { module, contents } of leftOutOfTheSdk) onLoad({ filter: module }, () => ({ contents }));
  },
};
