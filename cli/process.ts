import { sentence } from "./sentence.ts";

/** Runs the tool as this process: its exit code is the tool's, and every error is one sentence. */
export async function runProcess(main: (words: readonly string[]) => Promise<number>): Promise<void> {
  // Node 22 calls its SQLite experimental; we use it only for locks.
  const warn = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: never[]) =>
    /SQLite/.test(String(warning)) ? undefined : warn(warning, ...rest);
  // The reader of a pipe may close it early (`review-api keys list | head`).
  process.stdout.on("error", () => process.exit(0));
  process.on("uncaughtException", (error) => {
    process.stderr.write(`${sentence(error)}\n`);
    process.exit(1);
  });
  process.exitCode = await main(process.argv.slice(2));
}
