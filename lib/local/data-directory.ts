import { existsSync } from "node:fs";
import { access, constants, mkdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as z from "zod";
import { OperatorError, systemCode } from "../runtime/operator-error.ts";
import { writeWhole } from "../runtime/write-whole.ts";
import { chooseEngine, engineKinds } from "./engine/engine.ts";
import type { EngineKind } from "./engine/kind.ts";

/** Everything that the local service stores, in one folder. */
export type DataDirectory = {
  readonly path: string;
  readonly lockFile: string;
  /** The current owner of the directory, and how to reach its engine. */
  readonly ownerFile: string;
  readonly demoFile: string;
  /** Stores up to when the demo's events were sent. */
  readonly demoProgressFile: string;
  /** Replaces the events bucket. */
  readonly bucketFolder: string;
};

export function dataDirectory(path: string): DataDirectory {
  const absolute = resolve(path);
  return {
    path: absolute,
    lockFile: join(absolute, "lock"),
    ownerFile: join(absolute, "service.json"),
    demoFile: join(absolute, "demo-keys.json"),
    demoProgressFile: join(absolute, "demo-told-until"),
    bucketFolder: join(absolute, "events"),
  };
}

/** Creates the folder if necessary and checks that we can write in it. */
export async function prepareDirectory(directory: DataDirectory): Promise<void> {
  try {
    await mkdir(directory.path, { recursive: true, mode: 0o700 });
    await access(directory.path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new OperatorError(`The data directory ${directory.path} cannot be used: ${reasonOf(error)}.`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "it is not writable",
  EPERM: "it is not writable",
  EROFS: "it is on a read-only file system",
  EEXIST: "it is not a folder",
  ENOTDIR: "a part of its path is not a folder",
  ENOSPC: "the disk is full",
};

const reasonOf = (error: unknown): string => {
  const code = systemCode(error) ?? "unknown reason";
  return reasons[code] ?? code;
};

/** Deletes the data; files that are not ours stay. The caller holds the lock. */
export async function emptyDirectory(directory: DataDirectory): Promise<void> {
  const { demoFile, demoProgressFile, ownerFile, bucketFolder } = directory;
  const data = engineKinds.map((kind) => enginePath(directory, kind));
  const companions = data.flatMap((path) => [`${path}-wal`, `${path}-shm`, `${path}-journal`]);
  const paths = [...data, ...companions, demoFile, demoProgressFile, ownerFile, bucketFolder];
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
}

export const enginePath = ({ path }: DataDirectory, kind: EngineKind): string => join(path, kind.dataPath);

/** The engine that created the data in the folder. */
const madeBy = (directory: DataDirectory): EngineKind | undefined =>
  engineKinds.find((kind) => existsSync(enginePath(directory, kind)));

export const holdsData = (directory: DataDirectory): boolean => madeBy(directory) !== undefined;

export function refuseDataOfOthers(directory: DataDirectory, chosen: EngineKind): void {
  const maker = madeBy(directory);
  if (maker === undefined || maker === chosen) return;
  throw new OperatorError(
    `The data in ${directory.path} was made by the engine ${maker.name}, and ${chosen.name} cannot read it: use --engine ${maker.name}, or start empty with --fresh.`,
  );
}

/** For commands: the engine that created the data, regardless of the default for a new folder. */
export const engineOfData = (directory: DataDirectory): EngineKind => chooseEngine(madeBy(directory)?.name);

/** Somebody else may have written the folder: it can name only this machine. */
const loopbackUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  return url?.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
});
const owner = z.object({
  process_id: z.int(),
  role: z.enum(["service", "command"]),
  /** These two are absent until the engine runs. */
  engine: z.string().optional(),
  endpoint: loopbackUrl.optional(),
  /** Null until the service answers requests. */
  url: loopbackUrl.nullable(),
});
export type DirectoryOwner = z.output<typeof owner>;

export async function writeOwner(directory: DataDirectory, content: DirectoryOwner): Promise<void> {
  await writeWhole(directory.ownerFile, `${JSON.stringify(content)}\n`);
}

/** Undefined if there is none. The file of a killed process may remain, so it counts only while the lock is taken. */
export async function readOwner(directory: DataDirectory): Promise<DirectoryOwner | undefined> {
  try {
    return owner.parse(JSON.parse(await readFile(directory.ownerFile, "utf8")));
  } catch {
    return undefined;
  }
}

export const removeOwner = (directory: DataDirectory): Promise<void> =>
  rm(directory.ownerFile, { force: true });
