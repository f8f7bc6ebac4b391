import { access, constants, lstat, readlink, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { statOf } from "../../lib/mirror/disk.ts";
import { tryExportLock } from "../../lib/mirror/lock.ts";
import { OperatorError, systemCode } from "../../lib/runtime/operator-error.ts";
import type { CommandInput } from "../command.ts";

/** Resolves a link: the new file must replace the file, not the link. */
export async function outputFile(name: string): Promise<string> {
  const path = resolve(name);
  await access(dirname(path), constants.W_OK);
  const found = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!found) return path;
  // A pipe or a device, for example `/dev/stdout`: it may be behind a link that leads to no path.
  const target = await stat(path).catch(() => undefined);
  if (target && !target.isFile())
    throw new OperatorError(`${name} is not a file. Name a file, or use --output - for standard output.`);
  return found.isSymbolicLink() ? await fileOfLink(path) : path;
}

async function fileOfLink(link: string): Promise<string> {
  const to = await readlink(link);
  return await realpath(link).catch((error: unknown) => {
    if (systemCode(error) !== "ENOENT") throw error;
    throw new OperatorError(
      `${link} is a link to ${to}, which does not exist. Remove the link, or make its file first.`,
    );
  });
}

/** Before the work: a file that exists is replaced only if the caller says so. */
export async function requireReplaceable(input: CommandInput, file: string): Promise<void> {
  if (!input.flag("overwrite") && (await statOf(file)))
    throw new OperatorError(`${file} exists; --overwrite replaces it.`);
}

/** Two runs at the same time would write into each other's journal. */
export async function withLock<Result>(output: string, work: () => Promise<Result>): Promise<Result> {
  const lock = await tryExportLock(`${output}.lock`);
  if (!lock) throw new OperatorError(`Another export is writing ${output}; wait until it has ended.`);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
