import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EventBucket } from "../events/ports.ts";
import { systemCode } from "../runtime/operator-error.ts";
import { writeWhole } from "../runtime/write-whole.ts";

/** A folder that replaces the events bucket; each name is one file, whatever characters it contains. */
export function createFolderBucket(folder: string): EventBucket {
  const fileOf = (name: string) => join(folder, encodeURIComponent(name));
  return {
    async put(name, content) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(fileOf(name), content);
    },
    async get(name) {
      try {
        return await readFile(fileOf(name));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}
