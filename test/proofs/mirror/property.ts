import { readFile, rename, rm } from "node:fs/promises";
import { expect } from "vitest";
import { type Disk, readFilePieces, readFileRows, statOf, systemDisk } from "../../../lib/mirror/disk.ts";
import { digestsOf } from "../../../lib/mirror/identity.ts";
import { type Layout, parseRow } from "../../../lib/mirror/layout.ts";
import type { ExportWalk } from "../../../lib/mirror/sources.ts";
import { type ExportRequest, earlierRun } from "../../../lib/mirror/state.ts";
import { updateMirror } from "../../../lib/mirror/update.ts";
import { atRest, mirrorFaults } from "../../support/mirror-oracle.ts";

/**
 * The property of every mirror: the file holds what a fresh, complete export of the same walk writes now, except for
 * the order of its records. `fresh` is the name of a file that does not exist yet.
 */
export async function expectMirror(
  file: string,
  fresh: string,
  walk: ExportWalk,
  request: MirrorRequest,
): Promise<void> {
  await runMirror(fresh, walk, request);
  const [held, wanted] = [await thingsIn(file, walk), await thingsIn(fresh, walk)];
  expect(mirrorFaults(held, atRest(wanted))).toEqual([]);
}

/** The rows of each thing, as text. Rows of one thing that are not adjacent count as two things here. */
export async function thingsIn(file: string, { layout, identity }: ExportWalk): Promise<Map<string, string>> {
  const things = new Map<string, string>();
  let before = "";
  for (const row of await rowsIn(file, layout)) {
    const name = digestsOf(identity, layout.fieldsOf(row) ?? {}).thing.toString("hex");
    const key = things.has(name) && before !== name ? `${name} again, ${things.size}` : name;
    things.set(key, `${things.get(key) ?? ""}${row}\n`);
    before = name;
  }
  return things;
}

/** Does not wait for the disk: these tests end processes, they do not cut the power. */
export const quickDisk: Disk = {
  ...systemDisk,
  openAt: async (...words) => ({ ...(await systemDisk.openAt(...words)), sync: async () => undefined }),
  replace: rename,
};

/** Somebody who loads only the changes, and removes their file each time. */
export class ChangesReader {
  readonly things = new Map<string, string>();
  readonly #identity: ExportWalk["identity"];

  constructor({ identity }: ExportWalk) {
    this.#identity = identity;
  }

  /** Returns the changes that change nothing here; each thing is in the file once. */
  async load(file: string): Promise<string[]> {
    const text = await readFile(file, "utf8").catch(() => "");
    await rm(file, { force: true });
    const needless: string[] = [];
    const seen = new Set<string>();
    for (const row of text.split("\n").slice(0, -1)) {
      const { removed, ...fields } = parseRow(row);
      const name = digestsOf(this.#identity, fields).thing.toString("hex");
      expect(seen.has(name)).toBe(false);
      seen.add(name);
      const before = this.things.get(name);
      if (removed === true ? before === undefined : before === `${row}\n`) needless.push(row);
      if (removed === true) this.things.delete(name);
      else this.things.set(name, `${row}\n`);
    }
    return needless;
  }
}

type MirrorRequest = Omit<ExportRequest, "key_scope">;
const key_scope = { id: "workspace:acme", label: "workspace acme" };

/** One run of the export, as `export … --resume` does it. */
export async function runMirror(
  output: string,
  walk: ExportWalk,
  request: MirrorRequest,
  { disk = quickDisk, notify = () => undefined }: RunOptions = {},
) {
  const earlier = await earlierRun(output, { resume: true, overwrite: false });
  return await updateMirror(disk, walk, {
    output,
    request: { ...request, key_scope },
    earlier,
    onProgress: () => undefined,
    notify,
  });
}

export type RunOptions = {
  readonly disk?: Disk;
  readonly notify?: (sentence: string) => void;
};

/** Throws if the file is not complete in its layout. */
export async function rowsIn(file: string, layout: Layout): Promise<string[]> {
  const { size } = (await statOf(file)) ?? { size: 0 };
  const text = await readFile(file, "utf8");
  expect(text.startsWith(layout.beginning)).toBe(true);
  expect(text.endsWith(layout.ending)).toBe(true);
  const rows: string[] = [];
  for await (const { row } of readFileRows(readFilePieces(file, size), layout.isQuoted)) {
    const content = row.toString().replace(layout.between === "" ? /$^/ : /,$/, "");
    if (layout.fieldsOf(content)) rows.push(content);
  }
  return rows;
}
