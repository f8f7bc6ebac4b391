import { OperatorError } from "../runtime/operator-error.ts";
import { DigestMap } from "./digest-map.ts";
import { type Disk, readFilePieces, readFileRows, statOf, temporaryFile } from "./disk.ts";
import { digestsOf, identityFields, type RecordIdentity } from "./identity.ts";
import { ndjsonLayout, parseRow, type RecordFields } from "./layout.ts";
import { createTargetFile } from "./target-file.ts";

/**
 * The difference of two versions of a mirror, as NDJSON: the records that are new or differ, and for each removed one
 * its identity and `"removed": true`. Each thing is in the file once.
 */
export type ChangesFile = {
  written(thing: Buffer, json: string): Promise<void>;
  removed(thing: Buffer, fields: RecordFields): Promise<void>;
  /** The file is complete beside its place; `replace` puts it there. */
  finish(): Promise<void>;
  replace(): Promise<void>;
  close(): Promise<void>;
};

/**
 * If the file is still there, nobody has loaded it yet: its changes stay in the new one, unless a newer change replaces
 * them. So a load that failed for some nights misses nothing.
 */
export async function createChanges(
  disk: Disk,
  file: string,
  identity: RecordIdentity,
): Promise<ChangesFile> {
  const target = await createTargetFile(disk, file, ndjsonLayout);
  const things = new DigestMap();
  const names = identityFields(identity);
  return {
    async written(thing, json) {
      things.set(thing, 1);
      await target.row(json);
    },
    async removed(thing, fields) {
      things.set(thing, 1);
      const named = Object.fromEntries(names.map((name) => [name, fields[name]]));
      await target.row(JSON.stringify({ ...named, removed: true }));
    },
    async finish() {
      for await (const { row, thing } of earlierChanges(file, identity))
        if (things.get(thing) === undefined) await target.row(row);
      await target.finish();
    },
    replace: () => disk.replace(temporaryFile(file), file),
    close: () => target.close(),
  };
}

async function* earlierChanges(file: string, identity: RecordIdentity) {
  const { size = 0 } = (await statOf(file)) ?? {};
  for await (const { row } of readFileRows(readFilePieces(file, size), false)) {
    try {
      yield { row, thing: digestsOf(identity, parseRow(row.toString())).thing };
    } catch {
      throw new OperatorError(`${file} was changed after the last export; load it again and remove it.`);
    }
  }
}
