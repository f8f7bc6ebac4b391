import { readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { folderOf, importsOf, sourceFiles } from "../../lib/generate/folder-imports.ts";
import { besideTheService } from "./rooms.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Which folder may import which. A folder may always import itself, the contract and the runtime. */
const domains = ["metrics", "learnings", "organizations", "people", "security", "webhooks"];
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
  "lib/redaction": [],
  ...Object.fromEntries(
    domains.map((domain) => [
      `lib/${domain}`,
      ["lib/store", "lib/stream", "lib/index", "lib/audit", "lib/access"],
    ]),
  ),
  "lib/learnings": ["lib/store", "lib/stream", "lib/index", "lib/audit", "lib/access", "lib/redaction"],
  // A workspace's seats change together with the workspace, and an organization that moves takes its data with it.
  "lib/organizations": ["lib/store", "lib/stream", "lib/people", "lib/learnings", "lib/audit", "lib/access"],
  "lib/events": [
    "lib/store",
    "lib/audit",
    "lib/stream",
    "lib/redaction",
    ...domains.map((domain) => `lib/${domain}`),
  ],
  // Makes, compares and releases the OpenAPI document: only the tool imports it, so no function bundles it.
  "lib/openapi": [],
  "lib/client": [],
  "lib/report": ["lib/client"],
  // Keeps a file equal to what the API exports.
  "lib/mirror": [
    ...["lib/client", "lib/http", "lib/audit", "lib/learnings", "lib/metrics", "lib/security"],
    "lib/report",
  ],
  // Joins a file of people, or one of them, with what the API knows of them.
  "lib/roster": ["lib/client", "lib/mirror", "lib/report"],
  // The service on a laptop: engine, queue, gateway, demo data. It loads the functions by their names.
  "lib/local": [
    ...["lib/store", "lib/access", "lib/audit", "lib/events", "lib/index", "lib/http"],
    ...["lib/learnings", "lib/organizations", "lib/security"],
  ],
  // What an operator's command works on: the local service or a deployed stack, and the operations called there.
  "lib/operator": [
    ...["lib/local", "lib/store", "lib/audit", "lib/events", "lib/index", "lib/learnings"],
    ...[
      "lib/client",
      "lib/http",
      "lib/access",
      "lib/organizations",
      "lib/people",
      "lib/metrics",
      "lib/webhooks",
    ],
  ],
  // Checks of an account, of a running service, and of what only AWS can show.
  "lib/checks": [
    ...["infra", "lib/operator", "lib/client", "lib/store", "lib/stream", "lib/access", "lib/audit"],
    ...["lib/events", "lib/learnings", "lib/webhooks"],
  ],
  // Makes the products of `npm install` and the pages of `npm run generate`.
  "lib/generate": [
    "lib/client",
    "lib/events",
    "lib/mirror",
    "lib/openapi",
    "lib/mcp",
    "lib/reference",
    "lib/report",
    "dashboard",
  ],
  // Answers the protocol and calls the API as any client does.
  "lib/mcp": ["lib/http", "lib/client", "lib/report"],
  functions: [
    "lib/mcp",
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
  // A page in a browser: everything it imports is sent to every visitor.
  dashboard: ["lib/client", "lib/report"],
};

const always = ["lib/contract", "lib/runtime"];
/** The contract imports nothing of the project; these four import only the contract. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  "lib/contract": [],
  infra: ["lib/contract"],
  "lib/client": ["lib/contract"],
  "lib/openapi": ["lib/contract"],
  "lib/runtime": ["lib/contract"],
};

/** The tool's folders are rooms of their own; each file beside them is one too. */
const roomOf = (file: string): string => {
  const folder = folderOf(file);
  return folder === "cli" ? relative(root, file).split(sep).slice(0, 2).join("/") : folder;
};

test("imports between folders go one way", () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const file of sourceFiles("lib", "functions", "infra", "dashboard")) {
    const folder = folderOf(file);
    const allowed = new Set([folder, ...(exceptions[folder] ?? always), ...(mayImport[folder] ?? [])]);
    for (const target of importsOf(file).map(folderOf)) {
      checked++;
      if (!allowed.has(target)) wrong.push(`${relative(root, file)} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(50);
});

test("other folders import of lib/redaction only its public module", () => {
  const imported = sourceFiles("lib", "functions", "infra", "cli", "dashboard")
    .filter((file) => folderOf(file) !== "lib/redaction")
    .flatMap(importsOf)
    .filter((target) => folderOf(target) === "lib/redaction")
    .map((target) => relative(root, target));
  expect([...new Set(imported)]).toEqual(["lib/redaction/redact.ts"]);
});

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Reports each import cycle once. */
function circlesIn(graph: Graph): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): void => {
    const begin = path.indexOf(node);
    if (begin >= 0) circles.push([...path.slice(begin), node].join(" > "));
    if (begin >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return circles;
}

describe("no import cycle", () => {
  const files = sourceFiles("lib", "functions", "infra", "cli", "dashboard");
  const graphOf = (nameOf: (file: string) => string): Graph => {
    const graph = new Map<string, Set<string>>();
    for (const file of files) {
      const name = nameOf(file);
      const targets = graph.get(name) ?? new Set<string>();
      graph.set(name, targets);
      for (const target of importsOf(file).map(nameOf)) if (target !== name) targets.add(target);
    }
    return graph;
  };

  test("no import cycle exists between files", () => {
    const graph = graphOf((file) => relative(root, file));
    expect(graph.size).toBeGreaterThan(300);
    expect(circlesIn(graph)).toEqual([]);
  });

  test("no import cycle exists between folders, nor between the folders of the tool", () => {
    expect(circlesIn(graphOf(folderOf))).toEqual([]);
    expect(circlesIn(graphOf(roomOf))).toEqual([]);
  });

  test("no import cycle goes undetected, however indirect it is", () => {
    const planted = { one: ["two"], two: ["three", "four"], three: ["one"], four: ["three"] };
    const graph = new Map(Object.entries(planted).map(([name, targets]) => [name, new Set(targets)]));
    expect(circlesIn(graph)).toEqual(["one > two > three > one"]);
  });
});

test("in a function only lib/store knows DynamoDB", () => {
  const knowing = sourceFiles("lib", "functions")
    .filter((file) => !besideTheService.includes(folderOf(file)))
    .filter((file) =>
      /DynamoDB_20120810|from "@aws-sdk\/(?:client|lib|util)-dynamodb"/.test(readFileSync(file, "utf8")),
    )
    .map(folderOf);
  expect([...new Set(knowing)]).toEqual(["lib/store"]);
});

test("only lib/runtime reads the clock and makes random values, and the client its idempotency keys", () => {
  const pattern = /Date\.now\(\)|new Date\(\)|Math\.random\(|randomUUID\(|randomBytes\(|getRandomValues\(/;
  const knowing = sourceFiles("lib", "functions", "dashboard")
    .filter((file) => pattern.test(readFileSync(file, "utf8")))
    .map((file) => (folderOf(file) === "lib/client" ? relative(root, file) : folderOf(file)));
  expect([...new Set(knowing)].toSorted()).toEqual(["lib/client/idempotency-key.ts", "lib/runtime"]);
});

test("no room of the map has more than 6,500 lines: what has two purposes gets two rooms", () => {
  const lines = Map.groupBy(
    sourceFiles("lib", "cli", "functions", "infra", "dashboard").filter(
      (file) => !/generated|built/.test(file),
    ),
    folderOf,
  );
  const counts = [...lines].map(([room, files]) => ({
    room,
    lines: files.reduce((sum, file) => sum + readFileSync(file, "utf8").split("\n").length, 0),
  }));
  expect(counts.length).toBeGreaterThan(20);
  expect(counts.filter((each) => each.lines > 6500)).toEqual([]);
});
