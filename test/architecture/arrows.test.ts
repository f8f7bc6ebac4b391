import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Who may import whom, by folder. A folder always knows itself, the contract and the runtime. */
const domains = ["metrics", "learnings", "organizations", "people", "security"];
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "lib/contract": [],
  "lib/runtime": [],
  "lib/store": [],
  "lib/audit": ["lib/store"],
  "lib/stream": ["lib/store"],
  "lib/index": ["lib/store"],
  "lib/access": ["lib/store", "lib/audit"],
  "lib/http": ["lib/access", "lib/store", "lib/audit", "lib/reference"],
  "lib/reference": [],
  ...Object.fromEntries(
    domains.map((domain) => [
      `lib/${domain}`,
      ["lib/store", "lib/stream", "lib/index", "lib/audit", "lib/access"],
    ]),
  ),
  // A workspace's seats change with the workspace itself, and an organization that moves takes its data along.
  "lib/organizations": ["lib/store", "lib/stream", "lib/people", "lib/learnings", "lib/audit", "lib/access"],
  "lib/events": ["lib/store", "lib/audit", "lib/stream", ...domains.map((domain) => `lib/${domain}`)],
  "lib/client": [],
  "lib/report": ["lib/client"],
  functions: [
    "lib/http",
    "lib/access",
    "lib/store",
    "lib/audit",
    "lib/events",
    "lib/index",
    "lib/stream",
    ...domains.map((domain) => `lib/${domain}`),
  ],
  infra: [],
  // A page in a browser: what it imports is sent to everybody.
  dashboard: ["lib/client", "lib/report"],
};

const always = ["lib/contract", "lib/runtime"];
/** The contract imports nothing of the project, the stack and the client nothing but the contract. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  "lib/contract": [],
  infra: ["lib/contract"],
  "lib/client": ["lib/contract"],
  "lib/runtime": ["lib/contract"],
};

const folderOf = (file: string): string => {
  const [top = "", second = ""] = relative(root, file).split(sep);
  return top === "lib" ? `lib/${second}` : top;
};

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && /\.tsx?$/.test(entry.name)) yield join(entry.parentPath, entry.name);
  }
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, target = ""]) => folderOf(join(dirname(file), target)));
}

test("imports follow the arrows of the design", () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const file of [
    ...sourceFiles("lib"),
    ...sourceFiles("functions"),
    ...sourceFiles("infra"),
    ...sourceFiles("dashboard"),
  ]) {
    const folder = folderOf(file);
    const allowed = new Set([folder, ...(exceptions[folder] ?? always), ...(mayImport[folder] ?? [])]);
    for (const target of importsOf(file)) {
      checked++;
      if (!allowed.has(target)) wrong.push(`${relative(root, file)} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(50);
});

test("DynamoDB is known in lib/store only", () => {
  const knowing = [...sourceFiles("lib"), ...sourceFiles("functions")]
    .filter((file) =>
      /DynamoDB_20120810|from "@aws-sdk\/(?:client|lib|util)-dynamodb"/.test(readFileSync(file, "utf8")),
    )
    .map(folderOf);
  expect([...new Set(knowing)]).toEqual(["lib/store"]);
});

test("time and chance are known in lib/runtime only", () => {
  const pattern = /Date\.now\(\)|new Date\(\)|Math\.random\(|randomUUID\(|randomBytes\(/;
  const knowing = [...sourceFiles("lib"), ...sourceFiles("functions"), ...sourceFiles("dashboard")]
    .filter((file) => pattern.test(readFileSync(file, "utf8")))
    .map(folderOf);
  expect([...new Set(knowing)]).toEqual(["lib/runtime"]);
});
