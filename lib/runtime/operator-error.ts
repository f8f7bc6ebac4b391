/** An error that a person can act on: the tool prints the sentence and exits with 1, without a stack trace. */
export class OperatorError extends Error {
  override readonly name: string = "OperatorError";
}

/** The command itself was wrong: prints the sentence and a pointer to --help, and exits with 2. */
export class UsageError extends OperatorError {
  override readonly name = "UsageError";
}

/** The system's error code (`EACCES`, `ECONNREFUSED`), if there is one. */
export function systemCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  EACCES: "it is not writable",
  EROFS: "it is on a read-only file system",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "the file would be larger than the system allows (ulimit -f)",
  ENAMETOOLONG: "its name is too long",
  EPIPE: "its reader has closed it",
};

export const unwritable = (file: string, code: string): OperatorError =>
  new OperatorError(`${file} cannot be written: ${reasons[code] ?? code}.`);

const unreadableReasons: typeof reasons = { ENOENT: "there is no such file", EACCES: "it is not readable" };

/** An error of another kind stays as it is. `hint`: what to do. */
export function unreadable(file: string, error: unknown, hint = ""): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const reason = unreadableReasons[code] ?? reasons[code] ?? code;
  return new OperatorError(`${file} cannot be read: ${reason}.${hint}`);
}
