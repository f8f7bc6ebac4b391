import { createHash } from "node:crypto";
import { type Disk, type OpenFile, statOf, temporaryFile } from "./disk.ts";
import type { Layout } from "./layout.ts";

const ownerOnly = 0o600;
const flushBytes = 1 << 20;

export type TargetFile = {
  row(row: Buffer | string): Promise<void>;
  flush(): Promise<void>;
  /** The file is on the disk when this returns. */
  finish(): Promise<{ readonly bytes: number; readonly sha256: string }>;
  close(): Promise<void>;
};

/** The next version of a file, beside it and with its mode. A new file is for its owner only: records are not public. */
const openNext = async (disk: Disk, file: string): Promise<OpenFile> =>
  disk.openAt(temporaryFile(file), 0, (await statOf(file))?.mode ?? ownerOnly);

/** Replaces the file in one step, when `write` is done. */
export async function replaceFile(
  disk: Disk,
  file: string,
  write: (next: OpenFile) => Promise<unknown>,
): Promise<void> {
  const next = await openNext(disk, file);
  try {
    await write(next);
    await next.sync();
  } finally {
    await next.close();
  }
  await disk.replace(temporaryFile(file), file);
}

export const createTargetFile = async (disk: Disk, file: string, layout: Layout): Promise<TargetFile> =>
  targetOf(await openNext(disk, file), layout);

/** Writes rows in their layout, a megabyte at a time. */
export function targetOf(handle: OpenFile, layout: Layout): TargetFile {
  const digest = createHash("sha256");
  let pieces: Buffer[] = [];
  let waiting = 0;
  let written = 0;
  let isFirst = true;
  const flush = async () => {
    if (waiting === 0) return;
    const bytes = Buffer.concat(pieces);
    [pieces, waiting] = [[], 0];
    digest.update(bytes);
    written += bytes.length;
    await handle.write(bytes);
  };
  const add = (piece: Buffer | string) => {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    pieces.push(bytes);
    waiting += bytes.length;
  };
  add(layout.beginning);
  return {
    flush,
    async row(row) {
      add(`${isFirst ? "" : layout.between}${layout.before}`);
      add(row);
      add(layout.after);
      isFirst = false;
      if (waiting >= flushBytes) await flush();
    },
    async finish() {
      add(layout.ending);
      await flush();
      await handle.sync();
      return { bytes: written, sha256: digest.digest("hex") };
    },
    close: () => handle.close(),
  };
}
