import { ReviewApiError } from "../../../lib/client/error.ts";
import { otherAuthorizedOrganizations, startNewWalk } from "../../../lib/contract/sentences.ts";
import { OperatorFault } from "../../fault.ts";
import type { Disk } from "../disk.ts";
import { pagesOf } from "../pages.ts";
import type { ExportPage, Walk } from "../sources.ts";
import { journalFile, openJournal } from "./journal.ts";
import { type Merged, merge, NewWalkNeeded } from "./merge.ts";
import { beginning, draftOf, type EarlierRun, type Request, type State, writeState } from "./state.ts";

export type MirrorJob = {
  readonly output: string;
  readonly request: Request;
  readonly earlier: EarlierRun | undefined;
  onProgress(recordsSoFar: number): void;
  /** Says something that nobody asked for. */
  notify(sentence: string): void;
};

/** An organization that leaves while its number is shared begins a new walk; one of them may follow another. */
const newWalksMax = 3;

/**
 * Makes the output what a fresh walk would make of it now, up to the order. Pages go into a journal beside the output;
 * at the end the output is written anew and takes the old one's place in one step. Whatever ends the process, the output
 * is the old one or the new one, and the same command goes on.
 */
export async function updateMirror(disk: Disk, walk: Walk, job: MirrorJob): Promise<Merged> {
  const { earlier, request } = job;
  let state = { ...(earlier?.state ?? beginning(request)), ...request };
  let reason = earlier?.newWalkReason;
  for (let newWalks = 0; ; newWalks++) {
    if (reason !== undefined) {
      if (walk.onlyGrows && !state.begins_anew) throw cannotGoOn(job.output, reason);
      job.notify(`${reason} A new walk begins; ${job.output} is replaced when it is complete.`);
      state = beginning(request);
    }
    try {
      await writeState(disk, job.output, state);
      state = await collect(disk, walk, job, state);
      return await publish(disk, walk, job.output, state);
    } catch (error) {
      reason = newWalkReason(error);
      if (reason === undefined || newWalks >= newWalksMax) throw error;
    }
  }
}

/** The service says so in words only. */
const newWalkReason = (error: unknown): string | undefined => {
  if (error instanceof NewWalkNeeded) return error.message;
  if (!(error instanceof ReviewApiError && error.code === "INVALID_CURSOR")) return undefined;
  // Another key: a new walk would replace the file with what that key reads. Its owner has to say so.
  if (error.message.includes(otherAuthorizedOrganizations)) return undefined;
  return error.message.includes(startNewWalk) ? error.message : undefined;
};

/** A new walk would lose the entries that the service no longer keeps. */
const cannotGoOn = (output: string, reason: string): OperatorFault =>
  new OperatorFault(
    `${output} cannot go on: ${reason} Keep it under another name if it has entries that the service no longer keeps; --overwrite starts again.`,
  );

/** From where the state is to the end of the walk. After every page the state says how far the journal is whole. */
async function collect(disk: Disk, walk: Walk, job: MirrorJob, from: State): Promise<State> {
  let state = from;
  let records = 0;
  const journal = await openJournal(disk, job.output, walk.identity, state.journal_bytes);
  try {
    for await (const page of pagesOf(walk, state.cursor ?? undefined)) {
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

async function checkLeft(walk: Walk, { changes }: ExportPage): Promise<void> {
  for (const change of changes)
    if (change.kind === "left" && (await walk.isAmbiguous(change.fields)))
      throw new NewWalkNeeded(
        `Organization ${change.fields.organization_id} left, and another one has the same number.`,
      );
}

/** Repeatable at every step: until the last state is written, the journal is merged again. */
async function publish(disk: Disk, walk: Walk, output: string, state: State): Promise<Merged> {
  const [lastFile] = state.files;
  if (state.journal_bytes === 0 && !state.begins_anew && lastFile && lastFile.sha256 !== null) {
    await disk.remove(journalFile(output));
    return { file: lastFile, base: lastFile, added: 0, changed: 0, removed: 0, tooLarge: state.too_large };
  }
  const merged = await merge(disk, output, walk, state);
  // From here on the output may be either of them.
  const files = [...(merged.base ? [merged.base] : []), merged.file];
  await writeState(disk, output, { ...state, files });
  await disk.replace(draftOf(output), output);
  // Without a cursor to go on from, the next run has to begin anew.
  const next = {
    ...state,
    begins_anew: state.cursor === null,
    journal_bytes: 0,
    files: [merged.file],
    too_large: [...merged.tooLarge],
  };
  await writeState(disk, output, next);
  await disk.remove(journalFile(output));
  return merged;
}
