import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { chapters } from "./chapters.ts";
import type { Machine } from "./machine.ts";
import type { Result } from "./results.ts";
import type { BenchTable, Cell, Target } from "./section.ts";

/** docs/reports/benchmarks.md and its pictures, from the stored results of every section. */
export async function writeDocument(directory: string, results: readonly Result[]): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const { section } of results)
    for (const { name, svg } of section.pictures) await writeFile(join(directory, `${name}.svg`), svg);
  await writeFile(documentFile(directory), documentOf(results, basename(directory)));
}

export const documentFile = (directory: string): string =>
  join(dirname(directory), `${basename(directory)}.md`);

export function documentOf(results: readonly Result[], folder: string): string {
  const parts = [
    "# Benchmarks",
    "`npm run bench` writes this page; `npm run bench -- <section>` repeats one section, and `npm run bench -- --resume` goes " +
      "on after a stop. Counts (round trips, calls, " +
      "capacity units) do not depend on the machine, and tests check them. A ratio compares two things that were " +
      "measured in one run. Absolute times say little about AWS; they are shown only beside the ratios.",
    ...tinyLine(results),
    "## Targets",
    markdownTable({
      columns: ["", "What", "Measured", "Target"],
      rows: results.flatMap(({ name, section }) => section.targets.map((target) => targetRow(name, target))),
    }),
    ...results.map((result, index) => chapter(result, index + 1, folder)),
    "## Measured on",
    measuredOn(results),
  ];
  return `${parts.join("\n\n")}\n`;
}

function tinyLine(results: readonly Result[]): string[] {
  const tiny = results.filter(({ quick }) => quick).map(({ title }) => title);
  return tiny.length === 0 ? [] : [`**Tiny sizes (\`--quick\`), not a measurement: ${tiny.join(", ")}.**`];
}

const targetRow = (section: string, { name, value, target, met }: Target): Cell[] => [
  met ? "met" : "**MISSED**",
  `[${section}](#${section}): ${name}`,
  value,
  target,
];

function chapter({ name, title, section }: Result, number: number, folder: string): string {
  const { meaning, table } = chapters[name](section);
  return [
    `<a id="${name}"></a>\n\n## ${number}. ${title}`,
    meaning,
    ...section.targets.filter(({ met }) => !met).map(missedLine),
    markdownTable(table),
    ...section.pictures.map((picture) => `![${picture.alt}](${folder}/${picture.name}.svg)`),
    ...section.prose,
    `[Every row](${folder}/results/${name}.json)`,
  ].join("\n\n");
}

const missedLine = ({ name, value, target }: Target): string =>
  `**Target missed**: ${name}: ${value} (target: ${target}).`;

/** Sections measured in one run share their line. */
function measuredOn(results: readonly Result[]): string {
  const lines = results.map(({ name, measuredOn: day, commit, seconds, machine }) => ({
    name: `${name} (${Math.round(seconds)} s)`,
    where: `${day}, ${commit === undefined ? "" : `commit ${commit}, `}${inWords(machine)}`,
  }));
  return [...Map.groupBy(lines, ({ where }) => where)]
    .map(([where, group]) => `- ${where}: ${group.map(({ name }) => name).join(", ")}`)
    .join("\n");
}

const inWords = ({ processor, cores, memoryGigabytes, system, versions }: Machine): string =>
  `${processor}, ${cores} cores, ${memoryGigabytes} GB, ${system}, ` +
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");

export function markdownTable({ columns, rows }: Pick<BenchTable, "columns" | "rows">): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map(inCell).join(" | ")} |`;
  const isNumeric = (index: number) => rows.length > 0 && rows.every((row) => typeof row[index] === "number");
  const rule = columns.map((_, index) => (isNumeric(index) ? "---:" : "---"));
  return [line(columns), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

const inCell = (cell: Cell): string =>
  typeof cell === "number"
    ? cell.toLocaleString("en-US", { maximumFractionDigits: 4 })
    : cell.replaceAll("|", "\\|");
