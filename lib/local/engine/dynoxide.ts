import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { EngineKind } from "./kind.ts";

const packageName = `@dynoxide/${process.platform}-${process.arch}`;

/** One static binary, one SQLite file. */
export const dynoxide: EngineKind = {
  name: "dynoxide",
  vectorIndex: true,
  countsCapacity: true,
  startsAtOnce: true,
  dataPath: "table.db",
  dataIsFolder: false,
  missing() {
    const program = binary();
    if (program === undefined) return `the package ${packageName} is not installed`;
    return starts(program) ? undefined : `the program of the package ${packageName} does not start`;
  },
  command: (port, dataPath) => ({
    program: binary() ?? packageName,
    options: [
      ...["--host", "127.0.0.1", "--port", String(port)],
      ...(dataPath === undefined ? [] : ["--db-path", dataPath]),
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

/** A binary for another libc or processor exists but does not run. */
function starts(program: string): boolean {
  const { error, status } = spawnSync(program, ["--version"], { stdio: "ignore" });
  return error === undefined && status === 0;
}
