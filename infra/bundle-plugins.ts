import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import * as kinds from "../lib/contract/items.ts";
import { operations } from "../lib/contract/operations.ts";
import { fallbackSource } from "../lib/contract/platform.ts";

/**
 * The only changes that bundling makes to modules. Each saves more than 10 ms of a cold start or about 20 KB; a smaller
 * effect is not worth a change of somebody else's package. test/system/infra/bundle.test.ts fails if one no longer
 * matches.
 */

const refuse =
  'const refuse = () => { throw new Error("Left out of the bundles; see infra/bundle-plugins.ts."); };';

/** An ESM import of `node:http` or `node:https` loads undici: 21 to 39 ms more than `require`. */
export const requireHttp: Plugin = {
  name: "require-http",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?https?$/ }, ({ path, kind }) => ({
      path: path.startsWith("node:") ? path : `node:${path}`,
      ...(kind === "require-call" ? { external: true } : { namespace: "required" }),
    }));
    onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};

/** Our credentials come from the environment. The search through profiles, single sign-on and instances is 37 KB. */
export const omitCredentialSearch: Plugin = {
  name: "omit-credential-search",
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/ }, () => ({
      contents: `${refuse}\nexport const defaultProvider = () => refuse;`,
    }));
  },
};

/** zod's JSON Schema is needed only where the OpenAPI document is generated: 18.5 KB of every function. */
export const omitJsonSchema: Plugin = {
  name: "omit-json-schema",
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/ }, async ({ path }) => {
      const names = [...(await readFile(path, "utf8")).matchAll(/^export (?:function|const|class) (\w+)/gm)];
      return { contents: [refuse, ...names.map(([, name]) => `export const ${name} = refuse;`)].join("\n") };
    });
  },
};

/** It checks forms that a person filled in with ajv, 150 KB and 60 ms. We ask for none; the API checks arguments. */
export const omitFormValidator: Plugin = {
  name: "omit-form-validator",
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol\/server\/dist\/ajvProvider-\w+\.mjs$/ }, async ({ path }) => {
      const [, exported = ""] = /export \{([^}]*)\}/.exec(await readFile(path, "utf8")) ?? [];
      const names = [...exported.matchAll(/ as (\w+)/g)].map(([, name]) => name);
      return {
        contents: [
          refuse,
          ...names.map((name) => `const ${name} = class { getValidator = refuse }; export { ${name} };`),
        ].join("\n"),
      };
    });
  },
};

/**
 * What fields mean stands beside them, and only the OpenAPI document reads it: `.describe()` of the contract, 25 KB in all.
 * The text is a string, a name of one, or several of both joined with `+`; the line breaks stay, for the source maps.
 */
export const omitDescriptions: Plugin = {
  name: "omit-descriptions",
  setup({ onLoad }) {
    const text = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[A-Za-z_$][\w$.]*/.source;
    const described = new RegExp(`\\.describe\\(\\s*(?:${text})(?:\\s*\\+\\s*(?:${text}))*,?\\s*\\)`, "g");
    onLoad({ filter: /\/lib\/contract\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = source.replaceAll(described, (found) => found.replaceAll(/[^\n]/g, ""));
      const left = contents.indexOf(".describe(");
      if (left === -1) return { contents, loader: "ts" };
      const line = contents.slice(0, left).split("\n").length;
      const text = `The text of this .describe() would stay in the functions: write it as a string, or as the name of one.`;
      return {
        errors: [{ text, location: { file: path, line, lineText: source.split("\n")[line - 1] ?? "" } }],
      };
    });
  },
};

/** The fallback needs only path and method of every operation; the schemas would add 109 KB and 61 ms to it. */
export const routesOnly = (sourceDirectory: string): Plugin => ({
  name: "routes-only",
  setup({ onResolve, onLoad }) {
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

/** The rows would add up to 15 KB. Without their objects esbuild leaves out kinds that a function does not use. */
export const keysOnly: Plugin = {
  name: "keys-only",
  setup({ onLoad }) {
    onLoad({ filter: /\/lib\/contract\/items\.ts$/ }, () => ({
      contents: [
        'import { kind } from "./kind.ts";',
        ...Object.entries(kinds).map(
          ([name, { pk, sk }]) => `export const ${name} = /* @__PURE__ */ kind("${pk}", "${sk}");`,
        ),
      ].join("\n"),
    }));
  },
};
