import { folderOf, importsOf, sourceFiles } from "./folder-imports.ts";
import { withParts } from "./marked-parts.ts";

/** docs/change/architecture.md with its drawing generated from the current imports. */
export const architecturePage = (page: string): string => withParts(page, { drawing });

const topFolders = ["functions", "lib", "cli", "dashboard", "infra"];

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function drawing(): string {
  const graph = importGraph();
  const name = (folder: string) => folder.replaceAll("/", "_");
  const nodes = [...graph.keys()].map((folder) => `  ${name(folder)}["${folder}"]`);
  const arrows = shortestForm(graph).map(([from, to]) => `  ${name(from)} --> ${name(to)}`);
  return ["```mermaid", "flowchart TB", ...nodes, ...arrows, "```"].join("\n");
}

/** Which folder imports which, folders in alphabetical order. */
function importGraph(): Graph {
  const imports = new Map<string, Set<string>>();
  for (const file of sourceFiles(...topFolders).sort()) {
    const from = folderOf(file);
    imports.set(from, (imports.get(from) ?? new Set()).union(new Set(importsOf(file).map(folderOf))));
  }
  // Generators contain import statements of other files as text; their targets need not be folders of this project.
  const folders = new Set(imports.keys());
  return new Map(
    [...imports].map(([from, targets]) => [from, targets.intersection(folders).difference(new Set([from]))]),
  );
}

/** The arrows that are not implied by others: `a --> c` is left out if `a --> b --> c` exists. Needs no cycles. */
function shortestForm(graph: Graph): Array<readonly [from: string, to: string]> {
  const reached = new Map([...graph.keys()].map((folder) => [folder, reachableFolders(graph, folder)]));
  for (const [folder, below] of reached)
    if (below.has(folder)) throw new Error(`${folder} imports itself through other folders.`);
  return [...graph].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => reached.get(other)?.has(to)))
      .sort()
      .map((to) => [from, to] as const),
  );
}

/** All folders that a folder imports, directly or through others. */
function reachableFolders(graph: Graph, folder: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  for (const next of graph.get(folder) ?? [])
    if (!seen.has(next)) {
      seen.add(next);
      reachableFolders(graph, next, seen);
    }
  return seen;
}
