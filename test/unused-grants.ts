import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "../lib/contract/operations.ts";
import type { TableUse } from "../lib/contract/table-use.ts";
import { internalFunctions, workers } from "../lib/contract/workers.ts";

/** `npm run grants`: runs the tests and lists the lines of the contract that none of them used. */
const file = join(mkdtempSync(join(tmpdir(), "grants-")), "used.txt");
const words = ["vitest", "run", "--project", "unit", "--project", "proofs", ...process.argv.slice(2)];
const { status } = spawnSync("npx", words, { stdio: "inherit", env: { ...process.env, USED_GRANTS: file } });

const used = new Set(readFileSync(file, "utf8").split("\n"));
const granted = ({
  id,
  reads = {},
  writes = {},
  checks = [],
}: TableUse & { readonly id: string }): string[] => {
  const { rights: _, alone: __, ...written } = writes;
  const places = Object.entries({ reads, writes: written }).flatMap(([place, verbs]) =>
    Object.entries(verbs).flatMap(([verb, kinds]) => kinds.map((kind) => `${place}.${verb} ${kind}`)),
  );
  return [...places, ...checks.map((kind) => `checks ${kind}`)].map((line) => `${id} ${line}`);
};
const lines = [...operations, ...workers, ...internalFunctions].flatMap(granted);
const unused = lines.filter((line) => !used.has(line));
console.log(unused.join("\n"));
console.log(`${unused.length} of ${lines.length} grants were used by no test of this run.`);
process.exitCode = status ?? 1;
