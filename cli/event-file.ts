import { createReadStream } from "node:fs";
import {
  EventRefused,
  type PlatformEvent,
  parseOrRefuse,
  readEvent,
  unknownType,
} from "../lib/events/envelope.ts";
import { eventTypes } from "../lib/events/event-types.ts";
import { OperatorError, systemCode } from "./errors.ts";

/** The events of a file with one JSON object per line, one at a time; an error names the file and the line. */
export async function* readEventFile(file: string): AsyncGenerator<PlatformEvent> {
  for await (const { number, text } of linesOf(file))
    yield inLine(file, number, () => readEvent(parseJson(text)));
}

/** Reads the whole file without sending: returns how many events there are, and checks the envelope of each. */
export async function countEvents(file: string): Promise<number> {
  let count = 0;
  for await (const _ of readEventFile(file)) count++;
  return count;
}

/** Stricter: also checks every event against the schema of its type, as the worker does. */
export async function checkEvents(file: string): Promise<void> {
  for await (const { number, text } of linesOf(file))
    inLine(file, number, () => {
      const { type, data } = readEvent(parseJson(text));
      const known = Object.hasOwn(eventTypes, type) ? eventTypes[type] : undefined;
      if (!known) throw unknownType(type, Object.keys(eventTypes));
      parseOrRefuse(known.schema, data);
    });
}

function inLine<Result>(file: string, number: number, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EventRefused)) throw error;
    throw new OperatorError(`${file}, line ${number}: ${error.message.replace(/\.$/, "")}.`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EventRefused("this is not JSON");
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "it is not readable",
};

/** Non-empty lines with their numbers; a byte order mark is not part of the first line. */
async function* linesOf(file: string): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  let number = 0;
  try {
    for await (const line of splitAtLineFeeds(createReadStream(file, "utf8"))) {
      number++;
      const text = number === 1 ? line.replace(/^\ufeff/, "") : line;
      if (text.trim() !== "") yield { number, text };
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new OperatorError(`${file} cannot be read: ${reasons[code] ?? code}.`);
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
