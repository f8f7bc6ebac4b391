import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemCode } from "../../lib/runtime/operator-error.ts";

const projectDirectory = resolve(import.meta.dirname, "..", "..");
const cache = join(projectDirectory, "node_modules", ".cache", "made-once");
const keptMs = 3_600_000;
const makingMsMax = 300_000;
/** Between the name of a folder and the id of a process that uses it, in the name of an empty file beside the folder. */
const usedBy = ".used-by-";

export type Recipe = {
  readonly name: string;
  /** Files and folders of the project that the result depends on. */
  readonly ingredients: readonly string[];
  /** Fills the folder. It is moved to `destination` when it is complete. */
  make(folder: string, destination: string): Promise<void>;
};

/**
 * A folder that takes long to create: created once for one state of its ingredients, by the first test that needs it.
 */
export async function madeOnce({ name, ingredients, make }: Recipe): Promise<string> {
  const folder = join(cache, `${name}-${await digestOf(ingredients)}`);
  if (!existsSync(folder)) await makeAlone(folder, make);
  await writeFile(`${folder}${usedBy}${process.pid}`, "");
  const nowSeconds = systemClock.nowMs() / 1000;
  await utimes(folder, nowSeconds, nowSeconds);
  return folder;
}

/**
 * Test files run concurrently: one creates the folder, the others wait, unless the creator seems to have been killed.
 */
async function makeAlone(folder: string, make: Recipe["make"]): Promise<void> {
  await mkdir(cache, { recursive: true });
  await dropOld();
  const lock = `${folder}.lock`;
  const isMine = await mkdir(lock).then(
    () => true,
    () => false,
  );
  const untilMs = systemClock.nowMs() + makingMsMax;
  while (!isMine && existsSync(lock) && systemClock.nowMs() < untilMs) await systemClock.sleep(100);
  try {
    if (!existsSync(folder)) await makeWhole(folder, make);
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** Moves the folder completely or not at all; if two were created, either one will do. */
async function makeWhole(folder: string, make: Recipe["make"]): Promise<void> {
  const making = await mkdtemp(join(cache, "making-"));
  await make(making, folder);
  await rename(making, folder).catch(() => rm(making, { recursive: true, force: true }));
}

/**
 * Folders that were not used for an hour, and whose users have ended: every change of the ingredients leaves one behind,
 * and an emulator may run for a day.
 */
async function dropOld(): Promise<void> {
  const names = await readdir(cache).catch(() => []);
  const users = names.filter((name) => name.includes(usedBy));
  const inUse = new Set<string>();
  for (const name of users) {
    const [folder = "", processId] = name.split(usedBy);
    if (isRunning(Number(processId))) inUse.add(folder);
    else await rm(join(cache, name), { force: true });
  }
  for (const name of names.filter((each) => !users.includes(each) && !inUse.has(each))) {
    const { mtimeMs } = await stat(join(cache, name)).catch(() => ({ mtimeMs: 0 }));
    if (systemClock.nowMs() - mtimeMs > keptMs) await rm(join(cache, name), { recursive: true, force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  const add = async (path: string): Promise<void> => {
    const absolute = join(projectDirectory, path);
    if ((await stat(absolute)).isDirectory())
      for (const name of (await readdir(absolute)).toSorted()) await add(join(path, name));
    else
      hash
        .update(path)
        .update("\0")
        .update(await readFile(absolute));
  };
  for (const path of paths) await add(path);
  return hash.digest("hex").slice(0, 16);
}
