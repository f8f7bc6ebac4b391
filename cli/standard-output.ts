import { fstatSync, statfsSync, writeSync } from "node:fs";
import { type OperatorError, systemCode, unwritable } from "../lib/runtime/operator-error.ts";

const descriptor = 1;

/** Errors that a command reports itself. */
const reported = new WeakSet<Error>();

/** An answer that cannot be written ends the tool with 1, unless its reader closed the pipe (`keys list | head`). */
export function watchStandardOutput(): void {
  // Node ignores how much of a text a file took: on a full disk the answer would end early, without an error.
  if (fstatSync(descriptor).isFile())
    process.stdout._write = (bytes: Buffer, _, done) => {
      try {
        for (let written = 0; written < bytes.length; )
          written += writeSync(descriptor, bytes, written, bytes.length - written);
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    };
  process.stdout.on("error", (error) => {
    if (reported.has(error)) return;
    if (systemCode(error) === "EPIPE") process.exit(0);
    process.stderr.write(`${outputError(error).message}\n`);
    process.exit(1);
  });
  // Standard error has only messages: the work goes on without them.
  process.stderr.on("error", () => undefined);
}

/** Throws if nothing can be written. A full disk takes an empty text, /dev/full does not. */
export function tryStandardOutput(): void {
  try {
    writeSync(descriptor, "");
  } catch (error) {
    throw outputError(error);
  }
  if (process.platform !== "linux" || !fstatSync(descriptor).isFile()) return;
  const { blocks, bavail } = statfsSync(`/proc/self/fd/${descriptor}`);
  if (blocks > 0 && bavail === 0) throw unwritable("Standard output", "ENOSPC");
}

/** Ends when the system has the text, or throws. */
export const writeStandardOutput = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) return resolve();
      reported.add(error);
      reject(outputError(error));
    });
  });

const outputError = (error: unknown): OperatorError =>
  unwritable("Standard output", systemCode(error) ?? String(error));
