import { createInterface } from "node:readline/promises";
import { OperatorError } from "../lib/runtime/operator-error.ts";

export type AskInput = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
};
type Output = NodeJS.WritableStream;
export type Ask = (question: string, options?: { readonly hidden?: boolean }) => Promise<string>;

/** Asks a person at the terminal; a script pipes in the answers, one per line. */
export function createAsk(input: AskInput, output: Output): Ask {
  let piped: AsyncIterator<string> | undefined;
  return async (question, { hidden = false } = {}) => {
    if (input.isTTY) return (await (hidden ? askHidden : askShown)(input, output, question)).trim();
    piped ??= createInterface({ input })[Symbol.asyncIterator]();
    const next = await piped.next();
    return next.done ? "" : next.value.trim();
  };
}

async function askShown(input: AskInput, output: Output, question: string): Promise<string> {
  const lines = createInterface({ input, output });
  return await lines.question(question).finally(() => lines.close());
}

const [enter, newLine, interrupt, end, backspace, erase] = ["\r", "\n", "\u0003", "\u0004", "\b", "\u007f"];

/** The terminal would echo the input, so raw mode turns the echo off and delivers every key as it is pressed. */
function askHidden(input: AskInput, output: Output, question: string): Promise<string> {
  output.write(question);
  input.setRawMode?.(true);
  input.resume();
  return new Promise((resolve, reject) => {
    let typed = "";
    const finish = (settle: () => void) => {
      input.off("data", read);
      input.setRawMode?.(false);
      input.pause();
      output.write("\n");
      settle();
    };
    const read = (chunk: Buffer | string) => {
      for (const key of chunk.toString()) {
        if (key === interrupt)
          return finish(() => reject(new OperatorError("Stopped; nothing was changed.")));
        if (key === enter || key === newLine || key === end) return finish(() => resolve(typed));
        if (key === backspace || key === erase) typed = typed.slice(0, -1);
        else if (key >= " ") typed += key;
      }
    };
    input.on("data", read);
  });
}
