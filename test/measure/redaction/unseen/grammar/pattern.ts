import type { Random } from "../values/random.ts";

/**
 * Makes a text that a small regular expression describes: literals, `\` escapes, `[a-z]` classes, `(a|b)` groups,
 * `{n}` and `{n,m}` counts. Vendors publish their formats in this notation.
 */
export function makeFromPattern(pattern: string, random: Random): string {
  const reader = { characters: [...pattern], at: 0 };
  const made = alternatives(reader, random);
  if (reader.at < reader.characters.length) {
    throw new Error(`The pattern ${pattern} cannot be read from character ${reader.at}.`);
  }
  return made;
}

type Reader = { characters: string[]; at: number };

const peek = (reader: Reader): string | undefined => reader.characters[reader.at];

function take(reader: Reader): string {
  const character = reader.characters[reader.at++];
  if (character === undefined) throw new Error(`The pattern ${reader.characters.join("")} ends too early.`);
  return character;
}

function alternatives(reader: Reader, random: Random): string {
  const made = [sequence(reader, random)];
  while (peek(reader) === "|") {
    take(reader);
    made.push(sequence(reader, random));
  }
  return random.pick(made);
}

function sequence(reader: Reader, random: Random): string {
  let made = "";
  for (let next = peek(reader); next !== undefined && next !== "|" && next !== ")"; next = peek(reader)) {
    made += repeated(reader, random);
  }
  return made;
}

function repeated(reader: Reader, random: Random): string {
  const start = reader.at;
  let made = atom(reader, random);
  if (peek(reader) !== "{") return made;
  const end = reader.at;
  const count = readCount(reader, random);
  const after = reader.at;
  made = "";
  for (let round = 0; round < count; round++) {
    reader.at = start;
    made += atom(reader, random);
    if (reader.at !== end) throw new Error("An atom must have the same length in every round.");
  }
  reader.at = after;
  return made;
}

function atom(reader: Reader, random: Random): string {
  const character = take(reader);
  if (character === "[") return random.pick(readClass(reader));
  if (character === "(") {
    const made = alternatives(reader, random);
    take(reader);
    return made;
  }
  if (character === "\\") {
    const escaped = take(reader);
    return escaped === "d" ? random.chars("0123456789", 1) : escaped;
  }
  return character;
}

function readClass(reader: Reader): string[] {
  const members: string[] = [];
  for (let character = take(reader); character !== "]"; character = take(reader)) {
    const first = character === "\\" ? take(reader) : character;
    if (peek(reader) === "-" && reader.characters[reader.at + 1] !== "]") {
      take(reader);
      const last = take(reader);
      for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++) {
        members.push(String.fromCharCode(code));
      }
    } else {
      members.push(first);
    }
  }
  return members;
}

function readCount(reader: Reader, random: Random): number {
  take(reader);
  let digits = "";
  for (let character = take(reader); character !== "}"; character = take(reader)) digits += character;
  const [min = "", max = min] = digits.split(",");
  return random.between(Number(min), Number(max));
}
