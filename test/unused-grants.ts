import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "../lib/contract/operations.ts";
import type { TableUse } from "../lib/contract/table-use.ts";

/**
 * `npm run grants`: runs the tests and lists the lines of operations' contracts that none of them used. IAM grants each
 * verb for all kinds of its line, and `test:system` fails on what a role allows and no call ever asked for.
 */
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
const lines = operations.flatMap(granted);
const unused = lines.filter((line) => !used.has(line));
console.log(
  [...unused, `${unused.length} of ${lines.length} lines were used by no test of this run.`].join("\n"),
);
process.exitCode = status ?? 1;
