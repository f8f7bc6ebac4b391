import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "../lib/contract/operations.ts";
import type { TableUse } from "../lib/contract/table-use.ts";
import { internalFunctions, workers } from "../lib/contract/workers.ts";

/** Grants that no test of the run uses, and why they stay. */
const kept: Readonly<Record<string, string>> = {};

/** `npm run grants`: runs the tests and fails if a line of the contract is used by none of them and not kept above. */
const folder = mkdtempSync(join(tmpdir(), "grants-"));
process.once("exit", () => rmSync(folder, { recursive: true }));
const file = join(folder, "used.txt");
writeFileSync(file, "");
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
const surplus = unused.filter((line) => !(line in kept));
const wronglyKept = Object.keys(kept).filter((line) => !unused.includes(line));
if (surplus.length > 0)
  console.log(
    ["Used by no test; remove the line, use it in a test, or keep it here with a reason:", ...surplus].join(
      "\n  ",
    ),
  );
if (wronglyKept.length > 0)
  console.log(["Kept, but used by a test or not granted any more:", ...wronglyKept].join("\n  "));
console.log(`${unused.length} of ${lines.length} grants were used by no test of this run.`);
process.exitCode = surplus.length + wronglyKept.length > 0 ? 1 : (status ?? 1);
