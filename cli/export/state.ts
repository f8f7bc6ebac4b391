import { readFile, rm, stat } from "node:fs/promises";
import * as z from "zod";
import { OperatorFault, systemCode } from "../fault.ts";
import { writeWhole } from "../local/write-whole.ts";
import { type Format, formats } from "./format.ts";
import type { Query } from "./sources.ts";

/** What an export was asked for; a cursor is good for exactly this. */
export type Request = {
  /** Such as `metrics reviews`. */
  readonly what: string;
  readonly format: Format;
  readonly query: Query;
};

const stateSchema = z.strictObject({
  version: z.literal(1),
  what: z.string(),
  format: z.enum(formats),
  query: z.record(z.string(), z.string()),
  /** Where the next page begins: within the walk, or, once it is complete, what is written later. */
  cursor: z.string(),
  complete: z.boolean(),
  /** Of the output, without its ending: everything up to here came from pages before the cursor. */
  bytes: z.int().min(0),
  records: z.int().min(0),
});

export type State = z.output<typeof stateSchema>;

const stateFile = (output: string): string => `${output}.state.json`;

export const writeState = (output: string, state: Omit<State, "version">): Promise<void> =>
  writeWhole(stateFile(output), `${JSON.stringify({ version: 1, ...state }, null, 2)}\n`);

export const removeState = (output: string): Promise<void> => rm(stateFile(output), { force: true });

async function readState(output: string): Promise<State | undefined> {
  const text = await readFile(stateFile(output), "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    throw new OperatorFault(`${stateFile(output)} is not a state file of this tool; ${anew}.`);
  }
}

const anew = "--overwrite starts anew";

export type StartOptions = { readonly resume: boolean; readonly overwrite: boolean };

/** What was left of an earlier run to go on from; undefined where the export starts at its beginning. */
export async function earlierRun(
  output: string,
  { resume, overwrite }: StartOptions,
): Promise<State | undefined> {
  if (overwrite) return undefined;
  const state = await readState(output);
  const bytes = await sizeOf(output);
  if (!state) {
    if (bytes === undefined) return undefined;
    throw new OperatorFault(`${output} exists and was not made by an export; ${anew}.`);
  }
  if (bytes === undefined || bytes < state.bytes)
    throw new OperatorFault(`${output} is not what ${stateFile(output)} tells of; ${anew}.`);
  if (state.complete && !resume)
    throw new OperatorFault(`${output} is complete already; --resume adds what was written since, ${anew}.`);
  return state;
}

/** The window of the earlier run unless another is given; any other difference would need another cursor. */
export function sameRequest(output: string, state: State, request: Request): void {
  const different = [
    ...(state.what === request.what ? [] : ["what is exported"]),
    ...(state.format === request.format ? [] : ["the format"]),
    ...[...new Set([...Object.keys(state.query), ...Object.keys(request.query)])].filter(
      (name) => state.query[name] !== request.query[name],
    ),
  ];
  if (different.length > 0)
    throw new OperatorFault(
      `${output} was begun differently (${different.join(", ")}); give the same options, or ${anew}.`,
    );
}

async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (found && !found.isFile()) throw new OperatorFault(`${file} is not a file.`);
  return found?.size;
}
