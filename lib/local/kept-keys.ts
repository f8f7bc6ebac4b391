import { readFile } from "node:fs/promises";
import * as z from "zod";
import { type KeyKind, keyKinds } from "../contract/access.ts";
import type { DataDirectory } from "./data-directory.ts";

const keptKeys = z.partialRecord(z.enum(keyKinds), z.object({ id: z.string(), key: z.string() }));
export type KeptKeys = z.output<typeof keptKeys>;

/** The demo's keys of an earlier start; none if no demo exists. */
export async function readKeptKeys(directory: DataDirectory): Promise<KeptKeys> {
  try {
    return keptKeys.parse(JSON.parse(await readFile(directory.demoFile, "utf8")));
  } catch {
    return {};
  }
}

export async function keptKey(directory: DataDirectory, kind: KeyKind): Promise<string | undefined> {
  return (await readKeptKeys(directory))[kind]?.key;
}
