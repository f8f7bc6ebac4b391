import { existsSync } from "node:fs";
import { access, constants, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as z from "zod";
import { systemChance } from "../../lib/runtime/chance.ts";
import { OperatorFault, systemCode } from "../fault.ts";
import { chooseEngine, type EngineKind, engineKinds } from "./engine/engine.ts";

/** Everything the local service keeps, in one folder. */
export type DataDirectory = {
  readonly path: string;
  readonly lockFile: string;
  /** Who owns the directory now, and how to reach their engine. */
  readonly ownerFile: string;
  readonly demoFile: string;
  /** Up to when the demo's story is told. */
  readonly storyFile: string;
  /** Stands in for the events bucket. */
  readonly bucketFolder: string;
};

export function dataDirectory(path: string): DataDirectory {
  const absolute = resolve(path);
  return {
    path: absolute,
    lockFile: join(absolute, "lock"),
    ownerFile: join(absolute, "service.json"),
    demoFile: join(absolute, "demo-keys.json"),
    storyFile: join(absolute, "demo-told-until"),
    bucketFolder: join(absolute, "events"),
  };
}

/** Makes the folder if need be and makes sure that we can write in it. */
export async function prepareDirectory(directory: DataDirectory): Promise<void> {
  try {
    await mkdir(directory.path, { recursive: true, mode: 0o700 });
    await access(directory.path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new OperatorFault(`The data directory ${directory.path} cannot be used: ${reasonOf(error)}.`);
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

/** Forgets the data; files that are not ours stay where they are. The caller holds the lock. */
export async function emptyDirectory(directory: DataDirectory): Promise<void> {
  const { demoFile, storyFile, ownerFile, bucketFolder } = directory;
  const databases = engineKinds.map((kind) => databaseFile(directory, kind));
  const files = [
    ...databases.flatMap((file) => [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]),
    demoFile,
    storyFile,
    ownerFile,
  ];
  await Promise.all(files.map((file) => rm(file, { force: true })));
  await rm(bucketFolder, { recursive: true, force: true });
}

export const databaseFile = ({ path }: DataDirectory, kind: EngineKind): string =>
  join(path, kind.databaseFile);

const made = (directory: DataDirectory): EngineKind | undefined =>
  engineKinds.find((kind) => existsSync(databaseFile(directory, kind)));

export const holdsData = (directory: DataDirectory): boolean => made(directory) !== undefined;

/** The engine that runs here; a folder that another engine made is refused. */
export function engineOf(directory: DataDirectory, name?: string): EngineKind {
  const chosen = chooseEngine(name);
  const maker = made(directory);
  if (maker === undefined || maker === chosen) return chosen;
  throw new OperatorFault(
    `The data in ${directory.path} was made by the engine ${maker.name}, and ${chosen.name} cannot read it: use --engine ${maker.name}, or start empty with --fresh.`,
  );
}

const owner = z.object({
  process_id: z.int(),
  role: z.enum(["service", "command"]),
  engine: z.string(),
  endpoint: z.string(),
  /** Null until the service answers requests. */
  url: z.string().nullable(),
});
export type Owner = z.output<typeof owner>;

export async function writeOwner(directory: DataDirectory, content: Owner): Promise<void> {
  await writeWhole(directory.ownerFile, `${JSON.stringify(content)}\n`);
}

/** Undefined when there is none; what is left of a killed process counts only while the lock is taken. */
export async function readOwner(directory: DataDirectory): Promise<Owner | undefined> {
  try {
    return owner.parse(JSON.parse(await readFile(directory.ownerFile, "utf8")));
  } catch {
    return undefined;
  }
}

export const removeOwner = (directory: DataDirectory): Promise<void> =>
  rm(directory.ownerFile, { force: true });

/** Readers see the old content or the new one, never half of it; only the owner of the file may read it. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.${systemChance.uuid()}`;
  await writeFile(draft, content, { mode: 0o600 });
  await rename(draft, file);
}
