import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { operations } from "../lib/contract/operations.ts";
import { fallbackSource } from "../lib/contract/platform.ts";

/**
 * An ESM import of `node:http` loads undici (60 ms on a cold start; `require` takes 6 ms). An ESM import of the other
 * modules also loads what `require` would load only at first use.
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

/** Leaves out code that no function calls. */
export const omitModules = (sourceDirectory: string): Plugin => ({
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    // JSON Schema is needed only where the OpenAPI document is generated: 18 KB.
    onLoad({ filter: /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/ }, async ({ path }) => ({
      contents: refusingExports(await readFile(path, "utf8")),
    }));
    // middy checks whether a body is a web stream, and none of ours is: 2 ms.
    onResolve({ filter: /^node:stream\/web$/ }, ({ importer }) =>
      importer.includes("/@middy/") ? { path: "none", namespace: "no-web-streams" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "no-web-streams" }, () => ({
      contents: "export class ReadableStream { static [Symbol.hasInstance]() { return false; } }",
    }));
    // The fallback needs only path and method of every operation; the schemas would add 100 KB to it.
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

/** The contract's descriptions are for the OpenAPI document; no function uses them. */
export const withoutDescriptions: Plugin = {
  name: "without-descriptions",
  setup({ onLoad }) {
    onLoad({ filter: /\/lib\/contract\/.*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(words, '$1: ""'),
      loader: "ts",
    }));
  },
};

/** The same export names, so that importers still link; calling one throws the reason why it is missing. */
function refusingExports(module: string): string {
  const names = [...module.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(
    ([, name]) => name,
  );
  return [refuse, ...names.map((name) => `export const ${name} = refuse;`)].join("\n");
}

const refuse =
  'const refuse = () => { throw new Error("Left out of the bundles; see infra/bundle-plugins.ts."); };';

/**
 * Code of AWS's SDK that is not needed on Lambda. Nothing else of the SDK is left out:
 *
 * - Credentials: our clients always receive theirs from the environment. The SDK's search through profiles, single
 *   sign-on, containers and instances is 131 KB and 20 ms.
 * - Endpoint discovery: an option of DynamoDB's client, off by default.
 * - The region of an EC2 instance, for the "auto" mode of the SDK's defaults; Lambda sets its region as a variable.
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
    // A client reads only its version from this file.
    onLoad({ filter: /@aws-sdk\/client-[\w-]+\/package\.json$/ }, async ({ path }) => ({
      contents: JSON.stringify({ version: JSON.parse(await readFile(path, "utf8")).version }),
      loader: "json",
    }));
    for (const { module, contents } of leftOutOfTheSdk) onLoad({ filter: module }, () => ({ contents }));
  },
};
