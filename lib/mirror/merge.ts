import { createHash } from "node:crypto";
import { OperatorError } from "../runtime/operator-error.ts";
import type { ChangesFile } from "./changes.ts";
import { DigestMap } from "./digest-map.ts";
import { type Disk, readFilePieces, readFileRows, statOf } from "./disk.ts";
import { contentDigestOf, type Digests, digestsOf, type RecordIdentity } from "./identity.ts";
import { entriesOf, type JournalEntry, type TooLargePullRequest, tooLargeSchema } from "./journal.ts";
import { type Layout, ndjsonLayout, type RecordFields } from "./layout.ts";
import { changedSince, changesUnknown, type MirrorState, type WrittenFile } from "./state.ts";
import { createTargetFile, type TargetFile } from "./target-file.ts";

export type MergeResult = {
  readonly file: WrittenFile;
  /** The previous output; null if it does not count. */
  readonly base: WrittenFile | null;
  /** Numbers of things in the file: new ones, changed ones, removed ones. */
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** What is missing in the file because it is too large for any answer. */
  readonly tooLarge: readonly TooLargePullRequest[];
};

/** The file cannot be continued: a new walk has to create it completely. */
export class NewWalkNeeded extends OperatorError {
  override readonly name = "NewWalkNeeded";
}

/** How a file stores a dataset. */
export type MirrorShape = {
  readonly identity: RecordIdentity;
  readonly layout: Layout;
  /** Nothing is ever removed or changed: a repeated record keeps its place, and the file only grows at its end. */
  readonly onlyGrows: boolean;
};

/** The rows that are new are added to the file itself: whoever follows a log reads every entry once. */
export const isAppended = ({ onlyGrows, layout }: MirrorShape, { begins_anew }: MirrorState): boolean =>
  onlyGrows && layout === ndjsonLayout && !begins_anew;

/**
 * Writes the next version of the output beside it: its rows except those that the journal changes, then the journal's
 * last record of each thing. Merging again creates the same file, so a run that ended at any moment can be repeated.
 * Of an output that is appended to, it writes only the rows to append.
 * `changes` gets the difference of the two versions. Memory: 64 to 192 bytes for each thing in the journal, and one
 * piece of each file; never the rows.
 */
export async function merge(
  disk: Disk,
  output: string,
  shape: MirrorShape,
  state: MirrorState,
  changes?: ChangesFile,
): Promise<MergeResult> {
  const latest = await readLatest(output, state.journal_bytes);
  const found = await statOf(output);
  const target = await createTargetFile(disk, output, shape.layout);
  try {
    const kept =
      state.begins_anew && !(changes && found && state.files.length > 0)
        ? { base: null, records: 0, changed: 0, removed: 0, before: new DigestMap(), digest: undefined }
        : await keepRows(isAppended(shape, state) ? undefined : target, {
            output,
            shape,
            state,
            latest,
            size: found?.size,
            changes,
          });
    const tooLarge = state.begins_anew
      ? []
      : state.too_large.filter((fields) => outcomeOf(latest, digestsOf(shape.identity, fields)) === "kept");
    let [written, unchanged] = [0, 0];
    for await (const entry of entriesOf(output, state.journal_bytes)) {
      if (!isLast(latest, entry)) continue;
      if (entry.kind === "too-large") tooLarge.push(tooLargeSchema.parse(JSON.parse(entry.json())));
      if (entry.kind !== "written") continue;
      const rows = shape.layout.rowsOf(entry.json());
      for (const row of rows) {
        await target.row(row);
        kept.digest?.update(`${row}\n`);
      }
      written++;
      if (kept.before.get(contentDigestOf(entry.thing, rows)) !== undefined) unchanged++;
      else await changes?.written(entry.thing, entry.json());
    }
    await changes?.finish();
    const { bytes, sha256 } = await target.finish();
    const file =
      kept.digest === undefined
        ? { bytes, sha256 }
        : { bytes: kept.base.bytes + bytes, sha256: kept.digest.digest("hex") };
    return {
      file: { ...file, records: kept.records + written },
      base: kept.base,
      added: written - kept.changed,
      changed: kept.changed - unchanged,
      removed: kept.removed,
      tooLarge,
    };
  } finally {
    await target.close();
  }
}

/** The last change of each thing, and of each organization that left. */
type Latest = {
  /** Twice the change's position in the journal, plus one if the thing was written. */
  readonly things: DigestMap;
  readonly left: ReadonlyMap<string, number>;
};

async function readLatest(output: string, bytes: number): Promise<Latest> {
  const things = new DigestMap();
  const left = new Map<string, number>();
  for await (const { kind, at, thing, organization } of entriesOf(output, bytes)) {
    if (kind === "left") left.set(organization.toString("hex"), at);
    else things.set(thing, 2 * at + (kind === "written" ? 1 : 0));
  }
  return { things, left };
}

/** False if a later change replaces this change of the thing. */
const isLast = (latest: Latest, entry: JournalEntry): boolean =>
  entry.kind !== "left" &&
  latest.things.get(entry.thing) === 2 * entry.at + (entry.kind === "written" ? 1 : 0) &&
  leftAt(latest, entry) < entry.at;

const never = -1;
const leftAt = ({ left }: Latest, { organization }: Digests): number =>
  left.size === 0 ? never : (left.get(organization.toString("hex")) ?? never);

/** Higher than any position in a journal, and even: no record. */
const forgotten = Number.MAX_SAFE_INTEGER - 1;

/** The file already has this entry. */
function forget({ things }: Latest, { thing }: Digests): void {
  if (things.get(thing) !== undefined) things.set(thing, forgotten);
}

/** The effect of the journal on a thing of the file. */
function outcomeOf(latest: Latest, digests: Digests) {
  const last = latest.things.get(digests.thing);
  if (last === forgotten) return "kept";
  const goneAt = leftAt(latest, digests);
  if (last === undefined) return goneAt === never ? "kept" : "removed";
  return last % 2 === 1 && Math.floor(last / 2) > goneAt ? "changed" : "removed";
}

type Base = {
  readonly output: string;
  readonly shape: MirrorShape;
  readonly state: MirrorState;
  readonly latest: Latest;
  readonly size: number | undefined;
  readonly changes: ChangesFile | undefined;
};

type Thing = { readonly digests: Digests; readonly fields: RecordFields; readonly rows: Buffer[] };

/**
 * Keeps the rows that the journal does not change, and tells the changes what is removed. Without a target the rows stay
 * where they are: then a run that ended in the middle left the older file and a part of the rows to append.
 */
async function keepRows(target: TargetFile | undefined, base: Base) {
  const { output, state, latest, size, changes } = base;
  const candidates = target ? state.files.filter((file) => file.bytes === size) : state.files.slice(0, 1);
  const digest = createHash("sha256");
  const things = { kept: 0, changed: 0, removed: 0 };
  /** The things that the journal writes again, with their old content. */
  const before = new DigestMap();
  for await (const thing of thingsOf(base, candidates[0]?.bytes ?? 0, digest)) {
    if (base.shape.onlyGrows && !state.begins_anew) forget(latest, thing.digests);
    const found = outcomeOf(latest, thing.digests);
    // A new walk writes everything that still exists.
    const outcome = found === "kept" && state.begins_anew ? "removed" : found;
    things[outcome]++;
    if (outcome === "kept") for (const row of thing.rows) await target?.row(row);
    else if (outcome === "changed") before.set(contentDigestOf(thing.digests.thing, thing.rows), 1);
    else await changes?.removed(thing.digests.thing, thing.fields);
  }
  const sha256 = digest.copy().digest("hex");
  const file = candidates.find((each) => each.sha256 === sha256);
  if (!file) throw changedSince(output);
  const counts = { records: things.kept, changed: things.changed, removed: things.removed };
  return { base: file, ...counts, before, digest: target ? undefined : digest };
}

/** The things of the file; the rows of one thing are adjacent. */
async function* thingsOf(
  { output, state, shape: { layout, identity } }: Base,
  bytes: number,
  digest: ReturnType<typeof createHash>,
): AsyncGenerator<Thing> {
  let thing: Thing | undefined;
  for await (const { row, at } of readFileRows(
    hashed(readFilePieces(output, bytes), digest),
    layout.isQuoted,
  )) {
    if (at === 0 && layout.header !== null && row.toString() !== layout.header) {
      const reason = `${output} has other columns than this release writes.`;
      throw state.begins_anew ? changesUnknown(output, reason) : new NewWalkNeeded(reason);
    }
    const content = withoutSeparator(row, layout);
    const fields = fieldsOf(output, layout, content);
    if (!fields) continue;
    const digests = digestsOf(identity, fields);
    if (thing?.digests.thing.equals(digests.thing)) thing.rows.push(content);
    else {
      if (thing) yield thing;
      thing = { digests, fields, rows: [content] };
    }
  }
  if (thing) yield thing;
}

function fieldsOf(output: string, layout: Layout, row: Buffer): RecordFields | undefined {
  try {
    return layout.fieldsOf(row.toString());
  } catch {
    throw changedSince(output);
  }
}

async function* hashed(pieces: AsyncIterable<Buffer>, digest: ReturnType<typeof createHash>) {
  for await (const piece of pieces) {
    digest.update(piece);
    yield piece;
  }
}

const withoutSeparator = (row: Buffer, { between }: Layout): Buffer =>
  between !== "" && row.toString("latin1", row.length - between.length) === between
    ? row.subarray(0, row.length - between.length)
    : row;
