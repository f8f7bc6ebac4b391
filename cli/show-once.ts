import { OperatorError } from "../lib/runtime/operator-error.ts";
import type { CommandInput } from "./command.ts";
import type { Terminal } from "./terminal.ts";

export type ShownOnce = {
  /** The only thing on standard output, so that a script can store it in a variable. */
  readonly text: string;
  /** The message that follows. */
  readonly said?: string | undefined;
  /** What was made, and the commands that repeat or end it. The text itself goes nowhere else. */
  readonly ifLost: string;
};

/** The only way to show a key, a token or a secret: the service shows it once. */
export async function showOnce(terminal: Terminal, make: () => Promise<ShownOnce>): Promise<void> {
  try {
    terminal.tryOut();
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(`${error.message} Nothing was changed.`) : error;
  }
  const { text, said, ifLost } = await make();
  await terminal.outOnce(text).catch((error: unknown) => {
    throw error instanceof OperatorError ? new OperatorError(`${error.message} ${ifLost}`) : error;
  });
  if (said !== undefined) terminal.say(said);
}

/** A command for the same service: with these options of the command under way, never with its key. */
export function commandFor(input: CommandInput, words: string, options: readonly string[] = []): string {
  const given = [...options, "url", "data", "stack", "region"].flatMap((name) => {
    const value = input.text(name);
    return value === undefined ? [] : [`--${name}`, /^[\w.,:/@-]+$/.test(value) ? value : `'${value}'`];
  });
  return ["npx --no-install review-api", words, ...given].join(" ");
}
