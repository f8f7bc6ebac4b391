import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type * as z from "zod";

/**
 * Runs a module in its own process with one argument, and returns its report. Its standard output is discarded, as
 * cheaply as on Lambda: the handlers' logging is part of their cost and not of ours.
 */
export async function runChild<Answer>(
  module: URL,
  argument: unknown,
  answer: z.ZodType<Answer>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const child = fork(fileURLToPath(module), [JSON.stringify(argument)], {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...environment },
  });
  const reports: unknown[] = [];
  child.on("message", (message) => reports.push(message));
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${fileURLToPath(module)} ended with ${code}.`);
  return answer.parse(reports.at(-1));
}

/** In the child: its argument. */
export const argumentOf = <Argument>(schema: z.ZodType<Argument>): Argument =>
  schema.parse(JSON.parse(process.argv[2] ?? "null"));

/** In the child: reports the answer and ends. */
export async function report(answer: unknown): Promise<never> {
  process.send?.(answer);
  process.disconnect?.();
  // A framework may have left something open; the message is flushed before the end of the turn.
  await new Promise((resolve) => process.once("disconnect", resolve));
  process.exit(0);
}
