import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { projectDirectory } from "../../../infra/bundle.ts";
import { commitOf } from "../../../infra/commit.ts";
import type { Machine } from "./machine.ts";
import { type Section, type SectionName, sectionNames } from "./section.ts";

/**
 * The result of one run of one section; the document is made from these, even if they were measured at different times.
 */
export type Result = {
  readonly name: SectionName;
  readonly title: string;
  readonly quick: boolean;
  readonly measuredOn: string;
  /** Results from before this was stored have none. */
  readonly commit?: string | undefined;
  readonly seconds: number;
  readonly machine: Machine;
  readonly section: Section;
};

const cell = z.union([z.string(), z.number()]);
const resultSchema: z.ZodType<Result> = z.object({
  name: z.enum(sectionNames),
  title: z.string(),
  quick: z.boolean(),
  measuredOn: z.string(),
  commit: z.string().optional(),
  seconds: z.number(),
  machine: z.object({
    processor: z.string(),
    cores: z.number(),
    memoryGigabytes: z.number(),
    system: z.string(),
    versions: z.record(z.string(), z.string()),
  }),
  section: z.object({
    prose: z.array(z.string()),
    targets: z.array(z.object({ name: z.string(), value: cell, target: z.string(), met: z.boolean() })),
    tables: z.array(
      z.object({ title: z.string(), columns: z.array(z.string()), rows: z.array(z.array(cell)) }),
    ),
    pictures: z.array(z.object({ name: z.string(), alt: z.string(), svg: z.string() })),
    figures: z.record(z.string(), z.number()).optional(),
  }),
});

/** The code that is measured; the results themselves are not part of it. */
export const measuredCommit = (): string => commitOf(projectDirectory, ["docs/reports"]) ?? "unknown";

/** Whether a run that goes on after a stop need not repeat the section. Code with changes has no name of its own. */
export const isDone = (result: Result | undefined, commit: string, processor: string): boolean =>
  result !== undefined &&
  !result.quick &&
  result.commit === commit &&
  !/changed|unknown/.test(commit) &&
  result.machine.processor === processor;

const fileOf = (directory: string, name: string): string => join(directory, "results", `${name}.json`);

export async function keepResult(directory: string, result: Result): Promise<void> {
  await mkdir(join(directory, "results"), { recursive: true });
  await writeFile(fileOf(directory, result.name), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** Undefined if the section was never run. */
export async function readResult(directory: string, name: string): Promise<Result | undefined> {
  const text = await readFile(fileOf(directory, name), "utf8").catch(() => undefined);
  return text === undefined ? undefined : resultSchema.parse(JSON.parse(text));
}
