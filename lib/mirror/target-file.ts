import { createHash } from "node:crypto";
import type { Disk } from "./disk.ts";
import type { Layout } from "./layout.ts";

export const ownerOnly = 0o600;
const flushBytes = 1 << 20;

export type TargetFile = {
  row(row: Buffer | string): Promise<void>;
  /** The file is on the disk when this returns. */
  finish(): Promise<{ readonly bytes: number; readonly sha256: string }>;
  close(): Promise<void>;
};

/** Writes rows in their layout, a megabyte at a time. */
export async function createTargetFile(
  disk: Disk,
  file: string,
  layout: Layout,
  /** The mode of the file that this one replaces. A new file is for its owner only: the records are not public. */
  mode: number | undefined,
): Promise<TargetFile> {
  const handle = await disk.openAt(file, 0, mode ?? ownerOnly);
  const digest = createHash("sha256");
  let pieces: Buffer[] = [];
  let waiting = 0;
  let written = 0;
  let isFirst = true;
  const flush = async () => {
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
