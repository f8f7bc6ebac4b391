/**
 * Runs `npm test` while other processes keep every core busy: no test may depend on how fast the machine is.
 *
 *   node test/busy.ts [vitest's arguments …]
 */
import { spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const others = Array.from({ length: availableParallelism() }, () =>
  // Ends by itself if this process dies without ending it.
  spawn(process.execPath, ["-e", "const end = Date.now() + 3_600_000; while (Date.now() < end);"], {
    stdio: "ignore",
  }),
);
console.log(`${others.length} other processes keep every core busy.`);
const isWindows = process.platform === "win32";
const { status } = spawnSync("npm", ["test", "--", ...process.argv.slice(2)], {
  stdio: "inherit",
  shell: isWindows,
});
const ended = others.filter(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
for (const other of others) other.kill("SIGKILL");
if (ended.length > 0) console.error("The other processes ended before the tests did.");
process.exitCode = ended.length > 0 ? 1 : (status ?? 1);
