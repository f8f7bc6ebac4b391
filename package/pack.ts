import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** `npm run package`: no public registry has the name, so a company that publishes the package sets a scope of its own. */
const here = import.meta.dirname;
const {
  name,
  "pack-destination": destination,
  "dry-run": isDryRun,
} = parseArgs({
  options: {
    name: { type: "string" },
    "pack-destination": { type: "string", default: here },
    "dry-run": { type: "boolean", default: false },
  },
}).values;
if (name !== undefined && !/^@[a-z0-9-]+\/[a-z0-9-]+$/.test(name)) {
  process.stderr.write(
    `--name is ${name}: give a scope and a name, for example --name @company/review-api.\n`,
  );
  process.exit(2);
}

await import("./build.ts");
const staged = await mkdtemp(join(tmpdir(), "review-api-pack-"));
try {
  for (const file of ["README.md", "built", "docs"])
    await cp(join(here, file), join(staged, file), { recursive: true });
  const { scripts: _, ...manifest } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
  await writeFile(
    join(staged, "package.json"),
    JSON.stringify({ ...manifest, ...(name && { name }) }, null, 2),
  );
  const options = ["--pack-destination", destination, ...(isDryRun ? ["--dry-run"] : [])];
  execFileSync("npm", ["pack", staged, ...options], { stdio: "inherit" });
} finally {
  await rm(staged, { recursive: true });
}
