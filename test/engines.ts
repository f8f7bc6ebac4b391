/**
 * Runs `npm test` and `npm run test:proofs` on every engine except the one that they use here:
 *
 *   node test/engines.ts [vitest's arguments …]
 *
 * Where dynoxide has no binary and `qemu-x86_64` is installed, the binary for Linux x64 runs under emulation, for the
 * files that use an engine, unless EMULATION=off. Prints a line for each engine. Exits non-zero if a test fails on one of them.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseEngine, engineKinds, engineVariable } from "../lib/local/engine/engine.ts";
import type { EngineKind } from "../lib/local/engine/kind.ts";
import manifest from "../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../", import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const projects = ["--project", "unit", "--project", "proofs"];
const given = process.argv.slice(2);

function testOn({ name }: EngineKind, words: readonly string[]): boolean {
  const { status } = spawnSync(process.execPath, [vitest, "run", ...projects, ...words], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, [engineVariable]: name },
  });
  if (status !== 0) process.exitCode = 1;
  return status === 0;
}

const outcomeOf = (passed: boolean): string => (passed ? "the tests passed" : "the tests failed");

/** Test files that use an engine; the others would only repeat what `npm test` does. */
function filesWithEngine(): string[] {
  const uses = /support\/(engine|api|service)\.ts|useStore|useApi|useService|openStore|[a-z-]*[Ff]ixture\.ts/;
  return globSync("test/**/*.test.ts", { cwd: root })
    .filter((file) => !/^test\/(system|measure)\//.test(file))
    .filter((file) => uses.test(readFileSync(join(root, file), "utf8")));
}

/** In the place of the package that does not exist for this processor: two lines that call the emulator. */
function emulated(kind: EngineKind): string {
  const folder = join(root, "node_modules", "@dynoxide", `${process.platform}-${process.arch}`);
  const download = mkdtempSync(join(tmpdir(), "dynoxide-"));
  try {
    const version = manifest.optionalDependencies["@dynoxide/linux-x64"];
    const npm = spawnSync("npm", ["pack", "--silent", `@dynoxide/linux-x64@${version}`], { cwd: download });
    if (npm.status !== 0) return "the package @dynoxide/linux-x64 cannot be downloaded";
    spawnSync("tar", ["-xzf", String(npm.stdout).trim().split("\n").at(-1) ?? ""], { cwd: download });
    const program = join(download, "package", "dynoxide");
    chmodSync(program, 0o755);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "name": "emulated" }\n');
    writeFileSync(join(folder, "dynoxide"), `#!/bin/sh\nexec qemu-x86_64 ${program} "$@"\n`, { mode: 0o755 });
    const words = given.length > 0 ? given : filesWithEngine();
    // Several times slower: more time for each test, and no other conclusion.
    const patient = ["--testTimeout", "1800000", "--hookTimeout", "1800000"];
    return `${outcomeOf(testOn(kind, [...patient, ...words]))}, under emulation`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(download, { recursive: true, force: true });
  }
}

const canEmulate = (): boolean =>
  process.env.EMULATION !== "off" &&
  process.platform === "linux" &&
  process.arch !== "x64" &&
  spawnSync("qemu-x86_64", ["--version"], { stdio: "ignore" }).status === 0;

const usual = chooseEngine();
const lines = engineKinds.map((kind) => {
  if (kind === usual) return `${kind.name}: npm test uses it here.`;
  const reason = kind.missing();
  if (reason === undefined) return `${kind.name}: ${outcomeOf(testOn(kind, given))}.`;
  if (kind.name === "dynoxide" && canEmulate()) return `${kind.name}: ${emulated(kind)}.`;
  return `${kind.name}: not tested here, since ${reason}.`;
});
for (const line of lines) console.log(line);
