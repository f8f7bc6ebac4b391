import type { Section } from "./section.ts";

/** The tables of a section for a terminal. */
export function printSection({ targets, tables }: Section): void {
  for (const { title, columns, rows } of tables) {
    console.log(`\n${title}`);
    console.table(
      rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ""]))),
    );
  }
  for (const { name, value, target, met } of targets)
    console.log(`${met ? "met   " : "MISSED"} ${name}: ${value} (${target})`);
}
