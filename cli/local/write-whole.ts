import { rename, writeFile } from "node:fs/promises";
import { systemRandom } from "../../lib/runtime/random.ts";

/** Readers see the old content or the new content, never a part; only the owner of the file may read it. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.${systemRandom.uuid()}`;
  await writeFile(draft, content, { mode: 0o600 });
  await rename(draft, file);
}
