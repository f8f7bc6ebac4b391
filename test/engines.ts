/**
 * Runs the whole suite on every available engine except the one that `npm test` uses:
 *
 *   node test/engines.ts [vitest's arguments …]
 *
 * Prints a line for each engine. Exits non-zero if the suite fails on one of them.
 */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { chooseEngine, engineKinds, engineVariable } from "../cli/local/engine/engine.ts";

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const usual = chooseEngine();

const lines = engineKinds.map((kind) => {
  if (kind === usual) return `${kind.name}: npm test runs the suite on it.`;
  const reason = kind.missing();
  if (reason !== undefined) return `${kind.name}: not tested here, since ${reason}.`;
  const { status } = spawnSync(process.execPath, [vitest, "run", ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, [engineVariable]: kind.name },
  });
  if (status !== 0) process.exitCode = 1;
  return `${kind.name}: ${status === 0 ? "the suite passed" : "the suite failed"}.`;
});
for (const line of lines) console.log(line);
