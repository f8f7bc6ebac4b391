import { readFile } from "node:fs/promises";
import * as z from "zod";
import { OperatorError, systemCode } from "../runtime/operator-error.ts";
import { type Disk, statOf } from "./disk.ts";
import { exportFormats } from "./format.ts";
import { journalFile, tooLargeSchema } from "./journal.ts";
import { replaceFile } from "./target-file.ts";

const count = z.int().min(0);

const writtenFile = z.strictObject({
  bytes: count,
  sha256: z.string(),
  records: count,
});
export type WrittenFile = z.output<typeof writtenFile>;

const stateSchema = z.strictObject({
  version: z.literal(1),
  /** For example `metrics reviews`. */
  what: z.string(),
  format: z.enum(exportFormats),
  query: z.record(z.string(), z.string()),
  key_scope: z.strictObject({ id: z.string(), label: z.string() }),
  /**
   * Where the next page begins: within the walk, or, once the walk is complete, at later writes. Null: at the
   * beginning.
   */
  cursor: z.string().nullable(),
  /** The walk started at its beginning: the result of the journal replaces the whole file. */
  begins_anew: z.boolean(),
  /** Up to here the journal is complete and comes from pages before the cursor. Zero: the file is up to date. */
  journal_bytes: count,
  /** What the file can be: as the last run left it, or already the result of this run. Empty: no run is complete. */
  files: z.array(writtenFile),
  /** The file of `--changes`, which gets the changes of every run. */
  changes: z.string().optional(),
  /** The result of the journal may be visible already: the next run repeats this step before it reads on. */
  publishing: z.boolean().optional(),
  /** What is missing in the file because it is too large for any answer. */
  too_large: z.array(tooLargeSchema),
});

export type MirrorState = z.output<typeof stateSchema>;

/** The request of an export, and whose key made it; a cursor is valid for exactly this request. */
export type ExportRequest = Pick<MirrorState, "what" | "format" | "query" | "key_scope" | "changes">;

const stateFile = (output: string): string => `${output}.state.json`;

export async function writeState(disk: Disk, output: string, state: MirrorState): Promise<void> {
  const text = Buffer.from(`${JSON.stringify(state, null, 2)}\n`);
  await replaceFile(disk, stateFile(output), (next) => next.write(text));
}

export const initialState = (request: ExportRequest): MirrorState => ({
  version: 1,
  ...request,
  cursor: null,
  begins_anew: true,
  journal_bytes: 0,
  files: [],
  too_large: [],
});

const overwriteHint = "--overwrite starts again";

export type EarlierRun = {
  readonly state: MirrorState;
  /** Why the walk still has to start from the beginning. */
  readonly newWalkReason?: string;
};

/** The state of an earlier run to continue from; undefined if the export starts at its beginning. */
export async function earlierRun(
  output: string,
  { resume, overwrite }: { readonly resume: boolean; readonly overwrite: boolean },
): Promise<EarlierRun | undefined> {
  if (overwrite) return undefined;
  const state = await readState(output);
  const bytes = (await statOf(output))?.size;
  if (!state) {
    if (bytes === undefined) return undefined;
    throw new OperatorError(`${output} exists and was not made by an export; ${overwriteHint}.`);
  }
  const { begins_anew, journal_bytes, files, publishing = false } = state;
  // A run that was refused at its first request.
  if (!hasRead(state) && bytes === undefined) return undefined;
  // A run that ended while it appended left a part: between its two files.
  const [least = 0, most = 0] = publishing ? files.map((file) => file.bytes) : [];
  const isPart = bytes !== undefined && bytes > least && bytes < most;
  if (!begins_anew && !isPart && !files.some((file) => file.bytes === bytes)) throw changedSince(output);
  // Without a resume cursor, every walk begins anew.
  const isComplete = files.length > 0 && journal_bytes === 0 && (!begins_anew || state.cursor === null);
  if (isComplete && !resume)
    throw new OperatorError(
      `${output} is complete already; --resume brings it up to date, ${overwriteHint}.`,
    );
  const file = journalFile(output);
  const { size = 0 } = (await statOf(file)) ?? {};
  return size < journal_bytes ? { state, newWalkReason: `${file} is incomplete.` } : { state };
}

const hasRead = ({ cursor, journal_bytes, files }: MirrorState): boolean =>
  cursor !== null || journal_bytes > 0 || files.length > 0;

/** Whether the same command would continue, rather than begin. */
export const continues = async (output: string): Promise<boolean> => {
  const state = await readState(output).catch(() => undefined);
  return state !== undefined && hasRead(state);
};

export const changedSince = (output: string): OperatorError =>
  new OperatorError(
    `${output} was changed after the last export; put the exported file back, or ${overwriteHint}.`,
  );

async function readState(output: string): Promise<MirrorState | undefined> {
  const text = await readFile(stateFile(output), "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    throw new OperatorError(`${stateFile(output)} is not a state file of this tool; ${overwriteHint}.`);
  }
}

/** Uses the window of the earlier run unless another is given; any other difference would need another cursor. */
export function sameRequest(output: string, state: ExportRequest, request: ExportRequest): void {
  const different = [
    ...(state.what === request.what ? [] : ["what is exported"]),
    ...(state.format === request.format ? [] : ["the format"]),
    ...[...new Set([...Object.keys(state.query), ...Object.keys(request.query)])].filter(
      (name) => state.query[name] !== request.query[name],
    ),
  ];
  if (different.length > 0)
    throw new OperatorError(
      `${output} was exported with other options (${different.join(", ")}); give the same options, or ${overwriteHint}.`,
    );
  const [known, given] = [state.key_scope, request.key_scope];
  // The service would require a new walk, and that walk would replace the file with records of someone else.
  if (known.id !== given.id)
    throw new OperatorError(
      `${output} was exported with a key of ${known.label}, and this key is of ${given.label}. ` +
        `Use a key of ${known.label}, or another file; ${overwriteHint} with this key.`,
    );
  if (state.changes !== undefined && request.changes === undefined)
    throw new OperatorError(
      `${output} was exported with --changes ${state.changes}; without --changes the changes of this run would be lost.`,
    );
}

/** A changes file that nobody has loaded yet is kept only if this export wrote it. */
export async function checkChanges(state: MirrorState | undefined, changes: string): Promise<void> {
  if (state?.changes !== changes && (await statOf(changes)))
    throw new OperatorError(
      `${changes} exists and was not made by this export; load it and remove it, or give another name.`,
    );
}

/** What a reader of the changes has seen, or what the old file holds, is not known. */
export const changesUnknown = (output: string, reason: string): OperatorError =>
  new OperatorError(
    `The changes of ${output} cannot be continued: ${reason} Remove ${output} with its state and its changes, export again, and load the whole file once.`,
  );
