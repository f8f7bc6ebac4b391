import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { EngineKind } from "./engine.ts";

const packageName = `@dynoxide/${process.platform}-${process.arch}`;

/** One static binary, one SQLite file. */
export const dynoxide: EngineKind = {
  name: "dynoxide",
  vectorIndex: true,
  countsCapacity: true,
  startsAtOnce: true,
  databaseFile: "table.db",
  missing: () => (binary() && starts() ? undefined : `the package ${packageName} is not installed here`),
  command: (port, databaseFile) => ({
    program: binary() ?? packageName,
    options: [
      ...["--host", "127.0.0.1", "--port", String(port)],
      ...(databaseFile === undefined ? [] : ["--db-path", databaseFile]),
    ],
    readyWithinMs: 10_000,
  }),
};

function binary(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    return join(dirname(manifest), process.platform === "win32" ? "dynoxide.exe" : "dynoxide");
  } catch {
    return undefined;
  }
}

/** A binary of another libc or processor is there and does not run. */
function starts(): boolean {
  const { error, status } = spawnSync(binary() ?? packageName, ["--version"], { stdio: "ignore" });
  return error === undefined && status === 0;
}
