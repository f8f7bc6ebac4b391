import { once } from "node:events";
import { inspect, styleText } from "node:util";
import type { CheckResult } from "../lib/checks/service/run.ts";
import { type Clock, systemClock } from "../lib/runtime/clock.ts";
import { type Ask, createAsk } from "./ask.ts";
import { tryStandardOutput, writeStandardOutput } from "./standard-output.ts";

/** Where a command writes. Answers go to standard output, messages to a person go to standard error. */
export type Terminal = {
  out(text: string): void;
  say(text: string): void;
  /** Throws if standard output cannot be written. */
  tryOut(): void;
  /** Like `out`, for what is shown once: throws if it cannot be written. */
  outOnce(text: string): Promise<void>;
  /** Writes bytes to standard output, at the reader's pace: unchanged, unless a person reads them. */
  write(bytes: Uint8Array): Promise<void>;
  /** True if a person is watching: progress is shown. */
  readonly watched: boolean;
  /** Colours text for standard output, if a person watches it. */
  readonly paint: Paint;
  /** The same for standard error. */
  readonly paintSaid: Paint;
  /** A line that a person types, or that a script pipes in. */
  readonly ask: Ask;
};

export type Paint = (style: Style, text: string) => string;
export type Style = "heading" | "good" | "bad" | "faint";

const styles = { heading: "bold", good: "green", bad: "red", faint: "dim" } as const;

/** No colours for a script, a file or a pipe, nor for a person who set NO_COLOR or whose terminal has none. */
export const painter = (stream: { readonly isTTY?: boolean; hasColors?(): boolean }): Paint =>
  stream.isTTY === true && stream.hasColors?.() === true
    ? (style, text) => styleText(styles[style], text, { validateStream: false })
    : noPaint;

export const noPaint: Paint = (_, text) => text;

export const processTerminal = (decoder = new TextDecoder()): Terminal => ({
  out: (text) => void process.stdout.write(`${forReader(process.stdout, text)}\n`),
  say: (text) => void process.stderr.write(`${forReader(process.stderr, text)}\n`),
  tryOut: tryStandardOutput,
  outOnce: (text) => writeStandardOutput(`${text}\n`),
  async write(bytes) {
    const shown = process.stdout.isTTY ? printed(decoder.decode(bytes, { stream: true })) : bytes;
    if (!process.stdout.write(shown)) await once(process.stdout, "drain");
  },
  watched: process.stderr.isTTY === true,
  paint: painter(process.stdout),
  paintSaid: painter(process.stderr),
  ask: createAsk(process.stdin, process.stderr),
});

/**
 * The codes of `styles` stay; tables escape them in texts of others. A program that reads the output gets it unchanged.
 */
const forReader = ({ isTTY }: { readonly isTTY?: boolean }, text: string): string =>
  isTTY
    ? text
        .split(colourCode)
        .map((part, index) => (index % 2 === 1 ? part : printed(part)))
        .join("")
    : text;

const colours = Object.values(styles).flatMap((style) => inspect.colors[style] ?? []);
const colourCode = new RegExp(`(${String.fromCharCode(27)}\\[(?:${colours.join("|")})m)`);

export type TerminalCell = string | number | boolean | null | undefined;
export type TerminalRow = Readonly<Record<string, TerminalCell>>;

/** Columns as wide as their widest cell, with headings; an empty value is shown as a dash. */
export function formatTable(rows: readonly TerminalRow[], paint: Paint = noPaint): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [
    names.map((name) => name.toUpperCase().replaceAll("_", " ")),
    ...rows.map((row) => names.map((name) => shown(row[name]))),
  ];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line, index) => {
      const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
      // Colour codes have no width: they are added after the padding.
      const painted = cells.map((cell) => {
        const style = index === 0 ? "heading" : meanings[cell.trim()];
        return style ? paint(style, cell) : cell;
      });
      return painted.join("  ").trimEnd();
    })
    .join("\n");
}

/** Words for states that a person looks for in a table. */
const meanings: Readonly<Record<string, Style>> = {
  active: "good",
  ready: "good",
  revoked: "bad",
  expired: "bad",
  rotated: "faint",
  "-": "faint",
};

/** One record: a name and a value per line. */
export function formatRecord(record: TerminalRow, paint: Paint = noPaint): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${paint("heading", name.replaceAll("_", " ").padEnd(width))}  ${shown(value)}`)
    .join("\n");
}

const shown = (cell: TerminalCell): string =>
  cell === null || cell === undefined || cell === "" ? "-" : escaped(String(cell), unprintable);

/** Control characters, and characters that are invisible or change the direction; not those that join letters. */
const unprintable = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const unprintableInLine = /(?!\u200c|\u200d|\r?\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A text of others could hide or replace what a person reads before a decision. JSON understands the escapes. */
const escaped = (text: string, characters: RegExp): string =>
  text.replace(characters, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );

/** The lines of a message to a person. */
export const printed = (text: string): string => escaped(text, unprintableInLine);

export function showCheck({ out, paint }: Terminal, { name, ok, ms, problem }: CheckResult): void {
  const verdict = ok ? `${paint("good", "ok")}    ` : paint("bad", "FAILED");
  out(`${verdict} ${String(ms).padStart(6)} ms  ${name}`);
  if (problem !== null) out(`       ${problem}`);
}

type Watched = Pick<Terminal, "watched">;
export type ProgressBar = { advance(by?: number): void; end(): void };

const barCells = 30;
const redrawEveryPercent = 1;

/** A progress bar that redraws itself if a person watches; shows nothing to a script. */
export function startProgress(terminal: Watched, label: string, total: number): ProgressBar {
  if (!terminal.watched || total === 0) return { advance: () => undefined, end: () => undefined };
  let done = 0;
  let drawnPercent = -redrawEveryPercent;
  const draw = () => {
    const percent = Math.min(100, Math.floor((done / total) * 100));
    if (percent < drawnPercent + redrawEveryPercent) return;
    drawnPercent = percent;
    const filled = Math.round((percent / 100) * barCells);
    process.stderr.write(`\r${label} [${"#".repeat(filled)}${".".repeat(barCells - filled)}] ${percent}%`);
  };
  draw();
  return {
    advance(by = 1) {
      done += by;
      draw();
    },
    end: () => void process.stderr.write("\r\u001b[K"),
  };
}

export type ProgressCounter = { add(count: number): void; show(count: number): void; end(): void };

const redrawEveryMs = 100;

/** The same for work of unknown length: shows how much is done, redrawn a few times a second. */
export function startTally(terminal: Watched, label: string, clock: Clock = systemClock): ProgressCounter {
  let done = 0;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  const show = (count: number) => {
    done = count;
    if (!terminal.watched || clock.nowMs() < drawnAtMs + redrawEveryMs) return;
    drawnAtMs = clock.nowMs();
    process.stderr.write(`\r\u001b[K${label}: ${done.toLocaleString("en")}`);
  };
  return {
    show,
    add: (count) => show(done + count),
    end: () => void (terminal.watched && process.stderr.write("\r\u001b[K")),
  };
}
