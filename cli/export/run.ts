import { type Client, createClient } from "../../lib/client/client.ts";
import type { Input } from "../command.ts";
import { startTally, type Terminal } from "../terminal.ts";
import { systemDisk } from "./disk.ts";
import { writeToTerminal } from "./download.ts";
import { type Format, formats } from "./format.ts";
import { keyScopeOf } from "./key-scope.ts";
import { nameOfTooLarge } from "./mirror/journal.ts";
import type { Merged } from "./mirror/merge.ts";
import { earlierRun, type State, sameRequest } from "./mirror/state.ts";
import { updateMirror } from "./mirror/update.ts";
import { explained, formatOption, outputOption } from "./options.ts";
import { outputFile, withLock } from "./output-file.ts";
import type { Query, Source } from "./sources.ts";
import { type Target, targetOf } from "./target.ts";

export type Wish = {
  readonly what: string;
  readonly source: Source;
  readonly query: Readonly<Record<string, string | undefined>>;
  /**
   * Defaults for missing options; an earlier run's values take precedence, otherwise tomorrow's window would differ.
   */
  defaults?(): Query;
};

export type Run = {
  readonly input: Input;
  readonly terminal: Terminal;
  readonly target: Target;
  readonly client: Client;
};

export async function runExport(input: Input, terminal: Terminal, wish: Wish): Promise<void> {
  const output = outputOption(input);
  const format = formatOption(input, output, formats);
  const target = await targetOf(input);
  const client = createClient({ baseUrl: target.url, key: target.key });
  const run = { input, terminal, target, client };
  if (output === undefined) await exportToTerminal(run, wish, format);
  else await exportToFile(run, wish, output, format);
}

export async function exportToTerminal(
  { terminal, target, client }: Run,
  wish: Pick<Wish, "source" | "query" | "defaults">,
  format: Format,
): Promise<void> {
  const query = queryOf(wish, undefined);
  const walk = wish.source.walk(client, { query, format, followsRemovals: false });
  try {
    // No progress bar: the records themselves show the progress.
    const { records } = await writeToTerminal(walk, terminal, () => undefined);
    if (records === 0) terminal.say(`There are no ${wish.source.noun} in this window.`);
  } catch (error) {
    throw explained(error, { url: target.url });
  }
}

async function exportToFile(run: Run, wish: Wish, name: string, format: Format): Promise<void> {
  const { input, target } = run;
  try {
    const output = await outputFile(name);
    const merged = await withLock(output, () => bringUpToDate(run, wish, output, format));
    report(run, { noun: wish.source.noun, output, format, merged });
  } catch (error) {
    const again = input.flag("overwrite") ? "the same command without --overwrite" : "the same command";
    const hint = ` What was read is kept; ${again} continues from there.`;
    throw explained(error, { url: target.url, output: name, hint });
  }
}

async function bringUpToDate(
  { input, terminal, client }: Run,
  { what, source, ...wish }: Wish,
  output: string,
  format: Format,
): Promise<Merged> {
  const start = { resume: input.flag("resume"), overwrite: input.flag("overwrite") };
  const earlier = await earlierRun(output, start, source.onlyGrows);
  const query = queryOf(wish, earlier?.state);
  const request = { what, format, query, key_scope: await keyScopeOf(client) };
  if (earlier) sameRequest(output, earlier.state, request);
  const walk = source.walk(client, { query, format, followsRemovals: true });
  const tally = startTally(terminal, `Exporting ${source.noun}`);
  const notify = terminal.say;
  return await updateMirror(systemDisk, walk, {
    output,
    request,
    earlier,
    onProgress: tally.show,
    notify,
  }).finally(tally.end);
}

function queryOf({ query, defaults }: Pick<Wish, "query" | "defaults">, earlier: State | undefined): Query {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const fallback = Object.entries(defaults?.() ?? {}).map(([name, value]) => [
    name,
    earlier?.query[name] ?? value,
  ]);
  return Object.fromEntries([...fallback, ...given]);
}

type Outcome = {
  readonly noun: string;
  readonly output: string;
  readonly format: Format;
  readonly merged: Merged;
};

function report({ input, terminal }: Run, { noun, output, format, merged }: Outcome): void {
  const { file, base, added, changed, removed, tooLarge } = merged;
  const { records, bytes } = file;
  if (input.flag("json")) {
    const counts = { added, changed, removed, records, bytes };
    terminal.out(JSON.stringify({ file: output, format, ...counts, too_large: tooLarge }));
    return;
  }
  // In every run, not only in the run that found it: the record is missing in the file until it is smaller or removed.
  for (const each of tooLarge)
    terminal.say(
      `${nameOfTooLarge(each)} is too large for any answer of the service; ${output} does not contain it.`,
    );
  const number = (count: number) => count.toLocaleString("en");
  const changes = base
    ? ` (${number(added)} new, ${number(changed)} changed, ${number(removed)} removed)`
    : "";
  terminal.say(`${output} has ${number(records)} ${noun}${changes}. Use --resume to update it later.`);
}
