import { ReviewApiError } from "../lib/client/error.ts";

/** Something a person can act on: the tool prints the sentence and ends with 1, never with a stack trace. */
export class OperatorFault extends Error {
  override readonly name: string = "OperatorFault";
}

/** The command itself was wrong: the sentence, a pointer to --help, and exit code 2. */
export class UsageFault extends OperatorFault {
  override readonly name = "UsageFault";
}

/** The system's own word for what went wrong (`EACCES`, `ECONNREFUSED`), if it has one. */
export function systemCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}

/** What the service answered, or that the network did not let it: undefined where the error is another one. */
export function apiFault(error: unknown, url: string): string | undefined {
  if (error instanceof ReviewApiError)
    return `${url} answered ${error.status} ${error.code}: ${error.message}`;
  // fetch tells of a broken connection with a TypeError whose cause is the system's.
  return error instanceof TypeError && error.cause instanceof Error
    ? `${url} does not answer (${systemCode(error.cause) ?? error.cause.message}).`
    : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "it is not writable",
  EROFS: "it is on a read-only file system",
  ENOSPC: "the disk is full",
};

export const unwritable = (file: string, code: string): OperatorFault =>
  new OperatorFault(`${file} cannot be written: ${reasons[code] ?? code}.`);
