import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { checkData, checkOccurredAt } from "../lib/events/check.ts";
import { EventRefused, type PlatformEvent, readEvent } from "../lib/events/envelope.ts";
import { OperatorError, unreadable } from "../lib/runtime/operator-error.ts";

/** Events, one JSON object per line. They are read several times. */
export type EventFile = { readonly path: string; readonly name: string };

export const eventFile = (path: string): EventFile => ({ path, name: path });

/** `-` is standard input: it is kept in a file, only for this user, while `work` runs. */
export async function withEventFile<Result>(
  argument: string,
  work: (file: EventFile) => Promise<Result>,
): Promise<Result> {
  if (argument !== "-") return work(eventFile(argument));
  const folder = await mkdtemp(join(tmpdir(), "review-api-events-"));
  try {
    const path = join(folder, "events.ndjson");
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
    return await work({ path, name: "standard input" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One event at a time; an error names the file and the line. */
export async function* readEventFile(file: EventFile): AsyncGenerator<PlatformEvent> {
  for await (const { number, text } of linesOf(file)) {
    try {
      yield readEvent(parseJson(text));
    } catch (error) {
      if (!(error instanceof EventRefused)) throw error;
      throw new OperatorError(lineProblem(file, number, error.message));
    }
  }
}

/** Reads the whole file without sending: returns how many events there are, and checks the envelope of each. */
export async function countEvents(file: EventFile): Promise<number> {
  let count = 0;
  try {
    for await (const _ of readEventFile(file)) count++;
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(`${error.message} Nothing was sent.`) : error;
  }
  return count;
}

export type CheckedLine = { readonly line: number; readonly problem: string | undefined };

/** Stricter: every line, with everything that the worker would refuse. Only the table can refuse more. */
export async function* checkEvents(file: EventFile, nowMs: number): AsyncGenerator<CheckedLine> {
  for await (const { number, text } of linesOf(file)) {
    const problems = problemsIn(text, nowMs);
    yield { line: number, problem: problems.length > 0 ? problems.join("; ") : undefined };
  }
}

const problemsShownMax = 20;

/** The same, for a file of which nothing may be used if one line is wrong. */
export async function requireValidEvents(file: EventFile, nowMs: number): Promise<void> {
  const problems: string[] = [];
  for await (const { line, problem } of checkEvents(file, nowMs))
    if (problem !== undefined) problems.push(lineProblem(file, line, problem));
  if (problems.length === 0) return;
  const more = problems.length - problemsShownMax;
  throw new OperatorError(
    [
      ...problems.slice(0, problemsShownMax),
      ...(more > 0
        ? [
            `${more} more lines have problems. To see all: npx --no-install review-api events send FILE --check`,
          ]
        : []),
    ].join("\n"),
  );
}

export const lineProblem = ({ name }: EventFile, line: number, problem: string): string =>
  `${name}, line ${line}: ${problem.replace(/\.$/, "")}.`;

const typed = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/** The envelope and the data are checked separately, so that a mistake in one does not hide those in the other. */
function problemsIn(text: string, nowMs: number): string[] {
  let value: unknown;
  const checks = [
    () => {
      value = parseJson(text);
      checkOccurredAt(readEvent(value), nowMs);
    },
    () => {
      const event = typed.safeParse(value);
      if (event.success) checkData(event.data, nowMs);
    },
  ];
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (error instanceof EventRefused) return [error.message];
      throw error;
    }
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EventRefused("this is not JSON");
  }
}

/** Non-empty lines with their numbers; a byte order mark is not part of the first line. */
async function* linesOf({
  path,
  name,
}: EventFile): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  let number = 0;
  try {
    for await (const line of splitAtLineFeeds(createReadStream(path, "utf8"))) {
      number++;
      const text = number === 1 ? line.replace(/^\ufeff/, "") : line;
      if (text.trim() !== "") yield { number, text };
    }
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** NDJSON ends a line with LF only: node:readline also splits at U+2028, which a JSON string may contain. */
async function* splitAtLineFeeds(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    const [first = "", ...others] = chunk.split("\n");
    pieces.push(first);
    for (const other of others) {
      yield pieces.join("");
      pieces = [other];
    }
  }
  yield pieces.join("");
}
