import { sentence } from "./sentence.ts";
import { watchStandardOutput } from "./standard-output.ts";

/** Runs the tool as this process: its exit code is the tool's, and every error is one sentence. */
export async function runProcess(main: (words: readonly string[]) => Promise<number>): Promise<void> {
  // Node 22 calls its SQLite experimental; we use it only for locks.
  const warn = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: never[]) =>
    /SQLite/.test(String(warning)) ? undefined : warn(warning, ...rest);
  watchStandardOutput();
  process.on("uncaughtException", (error) => {
    process.stderr.write(`${sentence(error)}\n`);
    process.exit(1);
  });
  process.exitCode = await main(process.argv.slice(2));
}
