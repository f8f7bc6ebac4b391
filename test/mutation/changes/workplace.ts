import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Change } from "./change.ts";

/** The folder where the process that chooses changes and those that load the tests find each other's files. */
const variable = "CHANGES_WORKPLACE";
const inWorkplace = (name: string): string => join(process.env[variable] ?? "", name);
const read = (name: string): unknown => JSON.parse(readFileSync(inWorkplace(name), "utf8"));
const write = (name: string, content: unknown) => writeFileSync(inWorkplace(name), JSON.stringify(content));

const changesSchema = z.array(
  z.object({
    id: z.string(),
    file: z.string(),
    code: z.string(),
    becomes: z.string(),
    start: z.int(),
    end: z.int(),
    kind: z.enum(["condition", "expression", "statement"]),
    isShorthand: z.boolean(),
  }),
);

/** For this process and those that it starts. */
export function openWorkplace(folder: string, changes: readonly Change[]): void {
  process.env[variable] = folder;
  write("changes.json", changes);
}
export const readChanges = (): readonly Change[] => changesSchema.parse(read("changes.json"));

const reachedSchema = z.array(z.string());
const reachedName = (file: string) => `reached-${file.replaceAll(/[^\w.-]/g, "-")}.json`;
export const writeReached = (file: string, reached: ReadonlySet<string>) =>
  write(reachedName(file), [...reached]);
export const readReached = (file: string): readonly string[] => reachedSchema.parse(read(reachedName(file)));

/** Names the file of a process that runs tests: several run at once, each with another change. */
export const seatVariable = "CHANGES_SEAT";
const madeName = (seat: string) => `made-${seat}.json`;
/** Null: none, and every test file reports which places it reaches. */
export const chooseChange = (seat: string, id: string | null) => write(madeName(seat), id);
export const readChosen = (): string | null =>
  z
    .string()
    .nullable()
    .parse(read(madeName(process.env[seatVariable] ?? "")));
