import { chmod, rename, rm, stat, writeFile } from "node:fs/promises";
import { systemRandom } from "./random.ts";

type WholeOptions = {
  /** Of a new file; by default only its owner may read it. */
  readonly mode?: number;
  /** A file that exists keeps its own mode. */
  readonly keepsMode?: boolean;
};

/** Readers see the old content or the new content, never a part. A full disk leaves the old content. */
export async function writeWhole(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600, keepsMode = false }: WholeOptions = {},
): Promise<void> {
  const found = keepsMode ? await stat(file).catch(() => undefined) : undefined;
  const draft = `${file}.${systemRandom.uuid()}`;
  try {
    await writeFile(draft, content, { mode, flush: true });
    // The umask must not change the mode of a file that replaces another.
    if (found) await chmod(draft, found.mode & 0o777);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
