import { ReviewApiError } from "../client/error.ts";
import { otherAuthorizedOrganizations, startNewWalk } from "../contract/sentences.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { createChanges } from "./changes.ts";
import { type Disk, readFilePieces, sha256Of, temporaryFile } from "./disk.ts";
import { journalFile, openJournal } from "./journal.ts";
import { isAppended, type MergeResult, merge, NewWalkNeeded } from "./merge.ts";
import { exportPages } from "./pages.ts";
import type { ExportPage, ExportWalk } from "./sources.ts";
import {
  changesUnknown,
  type EarlierRun,
  type ExportRequest,
  initialState,
  type MirrorState,
  writeState,
} from "./state.ts";

export type MirrorJob = {
  readonly output: string;
  readonly request: ExportRequest;
  readonly earlier: EarlierRun | undefined;
  onProgress(recordsSoFar: number): void;
  /** Prints a message that is not part of the answer. */
  notify(sentence: string): void;
};

/**
 * An organization that leaves while another one shares its number requires a new walk; this can happen several times.
 */
const newWalksMax = 3;

/**
 * Brings the output to the state that a new walk would produce now, except for the order. Pages go into a journal
 * beside the output; at the end the new output is written and replaces the old one in one step. If the process ends at
 * any point, the output is either the old or the new one, and the same command continues. A log in NDJSON is appended to:
 * if the process ends then, its last line may be incomplete until the same command continues.
 */
export async function updateMirror(disk: Disk, walk: ExportWalk, job: MirrorJob): Promise<MergeResult> {
  const { earlier, request } = job;
  let state = { ...(earlier?.state ?? initialState(request)), ...request };
  let reason = earlier?.newWalkReason;
  for (let newWalks = 0; ; newWalks++) {
    if (reason !== undefined) {
      if (walk.onlyGrows && !state.begins_anew) throw cannotContinue(job.output, reason);
      job.notify(`${reason} Everything is read again; ${job.output} is replaced when it is complete.`);
      if (state.publishing && request.changes !== undefined) throw changesUnknown(job.output, reason);
      // The old file is still there: the changes are those from it to the new one.
      state = { ...initialState(request), files: state.files };
    }
    try {
      await writeState(disk, job.output, state);
      if (state.publishing) state = (await publish(disk, walk, job.output, state)).state;
      state = await collect(disk, walk, job, state);
      return (await publish(disk, walk, job.output, state)).merged;
    } catch (error) {
      reason = newWalkReason(error);
      if (reason === undefined || newWalks >= newWalksMax) throw error;
    }
  }
}

/** The service gives this reason only in the message. */
const newWalkReason = (error: unknown): string | undefined => {
  if (error instanceof NewWalkNeeded) return error.message;
  if (!(error instanceof ReviewApiError && error.code === "INVALID_CURSOR")) return undefined;
  // Another key: a new walk would replace the file with what that key reads. The operator has to request that
  // explicitly.
  if (error.message.includes(otherAuthorizedOrganizations)) return undefined;
  return error.message.includes(startNewWalk) ? error.message : undefined;
};

/** A new walk would lose entries that the service no longer keeps. */
const cannotContinue = (output: string, reason: string): OperatorError =>
  new OperatorError(
    `${output} cannot be continued: ${reason} Keep it under another name if it has entries that the service no longer keeps; --overwrite starts again.`,
  );

/**
 * Reads from the state's position to the end of the walk. After every page the state records how much of the journal is
 * complete.
 */
async function collect(
  disk: Disk,
  walk: ExportWalk,
  job: MirrorJob,
  from: MirrorState,
): Promise<MirrorState> {
  let state = from;
  let records = 0;
  const journal = await openJournal(disk, job.output, walk.identity, state.journal_bytes);
  try {
    for await (const page of exportPages(walk, state.cursor ?? undefined)) {
      await checkLeft(walk, page);
      await journal.add(page.changes);
      state = { ...state, cursor: page.nextCursor ?? page.resumeCursor, journal_bytes: journal.bytes };
      await writeState(disk, job.output, state);
      records += page.changes.filter(({ kind }) => kind === "written").length;
      job.onProgress(records);
    }
    return state;
  } finally {
    await journal.close();
  }
}

async function checkLeft(walk: ExportWalk, { changes }: ExportPage): Promise<void> {
  for (const change of changes)
    if (change.kind === "left" && (await walk.isAmbiguous(change.fields)))
      throw new NewWalkNeeded(
        `Organization ${change.fields.organization_id} left, and another organization has the same number.`,
      );
}

/**
 * Every step can be repeated: until the last state is written, the journal is merged again. The changes become visible
 * before the file, so that a repetition that finds the new file has nothing to add to them.
 */
async function publish(
  disk: Disk,
  walk: ExportWalk,
  output: string,
  state: MirrorState,
): Promise<{ readonly merged: MergeResult; readonly state: MirrorState }> {
  const changes =
    state.changes === undefined ? undefined : await createChanges(disk, state.changes, walk.identity);
  try {
    const [lastFile] = state.files;
    if (state.journal_bytes === 0 && !state.begins_anew && lastFile) {
      await changes?.finish();
      await changes?.replace();
      await disk.remove(journalFile(output));
      const nothing = { base: lastFile, added: 0, changed: 0, removed: 0, tooLarge: state.too_large };
      return { merged: { file: lastFile, ...nothing }, state };
    }
    const merged = await merge(disk, output, walk, state, changes);
    // From here on the output may be either of the two files.
    const files = [...(merged.base ? [merged.base] : []), merged.file];
    await writeState(disk, output, { ...state, files, publishing: true });
    await changes?.replace();
    if (isAppended(walk, state)) await append(disk, output, merged);
    // A repetition that finds its file: replacing it again would be another file for whoever follows it.
    else if (state.publishing && (await sha256Of(output)) === merged.file.sha256)
      await disk.remove(temporaryFile(output));
    else await disk.replace(temporaryFile(output), output);
    // Without a cursor to continue from, the next run has to start from the beginning.
    const { publishing: _, ...rest } = state;
    const next = {
      ...rest,
      begins_anew: state.cursor === null,
      journal_bytes: 0,
      files: [merged.file],
      too_large: [...merged.tooLarge],
    };
    await writeState(disk, output, next);
    await disk.remove(journalFile(output));
    return { merged, state: next };
  } finally {
    await changes?.close();
  }
}

/** A repetition writes the same bytes at the same place, so it completes a line that the first run left incomplete. */
async function append(disk: Disk, output: string, { base, file }: MergeResult): Promise<void> {
  const from = base?.bytes ?? 0;
  if (file.bytes > from) {
    const target = await disk.appendAt(output, from);
    try {
      for await (const piece of readFilePieces(temporaryFile(output), file.bytes - from))
        await target.write(piece);
      await target.sync();
    } finally {
      await target.close();
    }
  }
  await disk.remove(temporaryFile(output));
}
