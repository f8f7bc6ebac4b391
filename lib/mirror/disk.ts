import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../runtime/operator-error.ts";

export type OpenFile = {
  write(bytes: Uint8Array): Promise<void>;
  /** After this, everything written so far survives a power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
};

/** All changes that an export makes on the disk, so that a test can end the process between any two steps. */
export type Disk = {
  /** Truncates the file to `bytes` and writes from there; creates the file if it does not exist. */
  openAt(file: string, bytes: number, mode?: number): Promise<OpenFile>;
  /** Writes from `bytes` on and never shortens the file: whoever follows it would read it again from its start. */
  appendAt(file: string, bytes: number): Promise<OpenFile>;
  /** Readers of `to` see the old file or the new one, never a part of it. */
  replace(from: string, to: string): Promise<void>;
  remove(file: string): Promise<void>;
};

export const systemDisk: Disk = {
  async openAt(file, bytes, mode) {
    const handle = await open(file, bytes === 0 ? "w" : "r+", mode);
    try {
      await handle.truncate(bytes);
      // The umask must not change the mode of a file that replaces another.
      if (mode !== undefined) await handle.chmod(mode);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return openFile(handle, bytes);
  },
  appendAt: async (file, bytes) => openFile(await open(file, "r+"), bytes),
  async replace(from, to) {
    await rename(from, to);
    await syncFolder(dirname(to));
  },
  remove: (file) => rm(file, { force: true }),
};

function openFile(handle: FileHandle, bytes: number): OpenFile {
  let place = bytes;
  return {
    async write(content) {
      // A write may be partial, for example on a full disk.
      for (let done = 0; done < content.length; ) {
        const { bytesWritten } = await handle.write(content, done, content.length - done, place);
        done += bytesWritten;
        place += bytesWritten;
      }
    },
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

export const temporaryFile = (file: string): string => `${file}.new`;

/** A new name survives a power loss only after its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and does not need this.
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

const readBytes = 1 << 20;

/** The first `bytes` of a file, a piece at a time. */
export const readFilePieces = (file: string, bytes: number): AsyncIterable<Buffer> =>
  bytes === 0 ? noPieces() : createReadStream(file, { end: bytes - 1, highWaterMark: readBytes });

async function* noPieces(): AsyncGenerator<Buffer> {}

export async function sha256Of(file: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const piece of readFilePieces(file, (await statOf(file))?.size ?? 0)) digest.update(piece);
  return digest.digest("hex");
}

const [lineFeed, carriageReturn, quote] = [0x0a, 0x0d, 0x22];

/** Rows that end with LF or CRLF; with `isQuoted`, a line break inside quotes is part of its row. */
export async function* readFileRows(
  pieces: AsyncIterable<Buffer>,
  isQuoted: boolean,
): AsyncGenerator<{ readonly row: Buffer; readonly at: number }> {
  let begun: Buffer[] = [];
  let at = 0;
  let isInside = false;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end >= 0; end = piece.indexOf(lineFeed, end + 1)) {
      if (isQuoted && hasOddQuotes(piece, start, end)) isInside = !isInside;
      const part = piece.subarray(start, end + 1);
      begun.push(part);
      start = end + 1;
      if (isInside) continue;
      const whole = begun.length === 1 ? part : Buffer.concat(begun);
      yield { row: withoutEnd(whole), at };
      at += whole.length;
      begun = [];
    }
    if (isQuoted && hasOddQuotes(piece, start, piece.length)) isInside = !isInside;
    if (start < piece.length) begun.push(piece.subarray(start));
  }
  const rest = Buffer.concat(begun);
  if (rest.length > 0) yield { row: rest, at };
}

function hasOddQuotes(piece: Buffer, start: number, end: number): boolean {
  let isOdd = false;
  // Not indexOf: it would search to the end of the piece for every row.
  for (let at = start; at < end; at++) if (piece[at] === quote) isOdd = !isOdd;
  return isOdd;
}

function withoutEnd(row: Buffer): Buffer {
  const end = row.length - 1;
  return row.subarray(0, row[end - 1] === carriageReturn ? end - 1 : end);
}

/** Undefined if the file does not exist. */
export async function statOf(
  file: string,
): Promise<{ readonly size: number; readonly mode: number; readonly modifiedMs: number } | undefined> {
  const found = await stat(file).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
  return found && { size: found.size, mode: found.mode & 0o777, modifiedMs: found.mtimeMs };
}
