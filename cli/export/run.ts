import { type Client, createClient } from "../../lib/client/client.ts";
import { namePullRequest } from "../../lib/contract/sentences.ts";
import { type DatasetName, datasetNamed } from "../../lib/mirror/datasets/datasets.ts";
import { statOf, systemDisk } from "../../lib/mirror/disk.ts";
import { followLog } from "../../lib/mirror/follow.ts";
import { type ExportFormat, fileFormats } from "../../lib/mirror/format.ts";
import { keyScopeOf } from "../../lib/mirror/key-scope.ts";
import type { MergeResult } from "../../lib/mirror/merge.ts";
import type { ExportQuery, ExportSource } from "../../lib/mirror/sources.ts";
import {
  checkChanges,
  continues,
  earlierRun,
  type MirrorState,
  sameRequest,
} from "../../lib/mirror/state.ts";
import { updateMirror } from "../../lib/mirror/update.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { OperatorError, UsageError } from "../../lib/runtime/operator-error.ts";
import { survive } from "../api/listen.ts";
import type { CommandInput, FindTarget, Target } from "../command.ts";
import { startTally, type Terminal } from "../terminal.ts";
import { writeToTerminal } from "./download.ts";
import { explainError, formatOption, outputOption, withoutMissing } from "./options.ts";
import { outputFile, withLock } from "./output-file.ts";

export type ExportJob = {
  readonly what: string;
  readonly source: ExportSource;
  readonly dataset: DatasetName;
  readonly query: Readonly<Record<string, string | undefined>>;
  /**
   * Defaults for missing options; an earlier run's values take precedence, otherwise tomorrow's window would differ.
   */
  defaults?(): ExportQuery;
};

export type ExportRun = {
  readonly input: CommandInput;
  readonly terminal: Terminal;
  readonly target: Target;
  readonly client: Client;
};

export async function runExport(
  input: CommandInput,
  terminal: Terminal,
  findTarget: FindTarget,
  job: ExportJob,
): Promise<void> {
  const output = outputOption(input);
  const changes = input.text("changes");
  const onlyChanges = output === undefined && changes !== undefined;
  if (onlyChanges && input.has("format"))
    throw new UsageError("--format works only with --output: changes are NDJSON.");
  // --json is then about the answer, not about a file.
  const format = onlyChanges ? "ndjson" : formatOption(input, output, fileFormats);
  const target = await findTarget(input);
  const client = createClient({ baseUrl: target.url, key: target.key });
  const run = { input, terminal, target, client };
  if (output !== undefined) await exportToFile(run, job, output, format);
  else if (format === "parquet") throw parquetNeedsFile();
  // Only the changes are wanted: the whole file is then part of the tool's state.
  else if (changes !== undefined) await exportToFile(run, job, mirrorOf(changes), format);
  else await exportToTerminal(run, job, format);
}

export const parquetNeedsFile = (): UsageError =>
  new UsageError(
    "--format parquet works only with --output FILE: the records from which the file is made stay beside it.",
  );

/** A file of all records, for what is made from them. */
const mirrorOf = (file: string): string => `${file}.mirror`;

export async function exportToTerminal(
  { terminal, target, client }: ExportRun,
  job: Pick<ExportJob, "source" | "query" | "defaults">,
  format: ExportFormat,
): Promise<void> {
  const query = queryOf(job, undefined);
  const walk = job.source.walk(client, { query, format, followsRemovals: false });
  try {
    // No progress bar: the records themselves show the progress.
    if ((await writeToTerminal(walk, terminal)) === 0)
      terminal.say(`There are no ${job.source.noun} in this window.`);
  } catch (error) {
    throw explainError(error, { url: target.url });
  }
}

/** Options that are about a file. */
const fileNames = ["output", "overwrite", "resume", "changes", "format", "end"];

/** Writes the records of a log to standard output as they come. */
export async function runFollow(
  input: CommandInput,
  terminal: Terminal,
  findTarget: FindTarget,
  { source, query }: ExportJob,
): Promise<void> {
  const other = fileNames.find((name) => input.has(name));
  if (other !== undefined) throw new UsageError(`--follow and --${other} cannot be used together.`);
  const target = await findTarget(input);
  const client = createClient({ baseUrl: target.url, key: target.key });
  const now = { date_from: toTimestamp(systemClock.nowMs()) };
  const walk = source.walk(client, {
    query: queryOf({ query, defaults: () => now }, undefined),
    format: "ndjson",
    followsRemovals: false,
  });
  try {
    for await (const lines of followLog(walk, systemClock, (error, isFirst) =>
      survive(error, terminal, isFirst),
    ))
      await terminal.write(Buffer.from(lines.map((line) => `${line}\n`).join("")));
  } catch (error) {
    throw explainError(error, { url: target.url });
  }
}

async function exportToFile(
  run: ExportRun,
  job: ExportJob,
  name: string,
  format: ExportFormat | "parquet",
): Promise<void> {
  const { input, target } = run;
  try {
    const output = await outputFile(name);
    const merged = await withLock(output, () =>
      format === "parquet" ? exportParquet(run, job, output) : bringUpToDate(run, job, output, format),
    );
    report(run, { noun: job.source.noun, output, format, merged });
  } catch (error) {
    const again = input.flag("overwrite") ? "the same command without --overwrite" : "the same command";
    const hint = (await continues(format === "parquet" ? mirrorOf(name) : name))
      ? ` What was read is kept; ${again} continues from there.`
      : "";
    throw explainError(error, { url: target.url, output: name, hint });
  }
}

/** The records stay beside the file: the next run updates them and writes the file again. */
async function exportParquet(run: ExportRun, job: ExportJob, output: string): Promise<MergeResult> {
  const mirror = mirrorOf(output);
  const [made, records] = [await statOf(output), await statOf(mirror)];
  if (!run.input.flag("overwrite") && made && !records)
    throw new OperatorError(`${output} exists and was not made by an export; --overwrite replaces it.`);
  // The last run ended between its records and the file.
  const isUnfinished = records !== undefined && !(made && made.modifiedMs >= records.modifiedMs);
  const merged = await bringUpToDate(run, job, mirror, "ndjson", isUnfinished);
  const { writeParquet } = await import("../../lib/mirror/datasets/parquet.ts");
  const { bytes } = await writeParquet(systemDisk, mirror, output, datasetNamed(job.dataset).columns);
  return { ...merged, file: { ...merged.file, bytes } };
}

async function bringUpToDate(
  { input, terminal, client }: ExportRun,
  { what, source, dataset: _, ...rest }: ExportJob,
  output: string,
  format: ExportFormat,
  isUnfinished = false,
): Promise<MergeResult> {
  const start = { resume: input.flag("resume") || isUnfinished, overwrite: input.flag("overwrite") };
  const earlier = await earlierRun(output, start);
  const query = queryOf(rest, earlier?.state);
  const changes =
    input.text("changes") === undefined ? undefined : await outputFile(input.requiredText("changes"));
  const request = { what, format, query, key_scope: await keyScopeOf(client), changes };
  if (earlier) sameRequest(output, earlier.state, request);
  if (changes === output) throw new UsageError("--changes and --output must be two files.");
  if (changes !== undefined) await checkChanges(earlier?.state, changes);
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

function queryOf(
  { query, defaults }: Pick<ExportJob, "query" | "defaults">,
  earlier: MirrorState | undefined,
): ExportQuery {
  const fallback = Object.entries(defaults?.() ?? {}).map(([name, value]) => [
    name,
    earlier?.query[name] ?? value,
  ]);
  return { ...Object.fromEntries(fallback), ...withoutMissing(query) };
}

type ExportOutcome = {
  readonly noun: string;
  readonly output: string;
  readonly format: ExportFormat | "parquet";
  readonly merged: MergeResult;
};

function report({ input, terminal }: ExportRun, { noun, output, format, merged }: ExportOutcome): void {
  const { file, base, added, changed, removed, tooLarge } = merged;
  const { records, bytes } = file;
  if (input.flag("json")) {
    const counts = { added, changed, removed, records, bytes };
    const changes = input.text("changes");
    const files = { file: output, ...(changes !== undefined && { changes }) };
    terminal.out(JSON.stringify({ ...files, format, ...counts, too_large: tooLarge }));
    return;
  }
  // In every run, not only in the run that found it: the record is missing in the file until it is smaller or removed.
  for (const each of tooLarge)
    terminal.say(
      `${namePullRequest(each)} is too large for any response of the service; ${output} does not contain it.`,
    );
  const number = (count: number) => count.toLocaleString("en");
  const changes = base
    ? ` (${number(added)} new, ${number(changed)} changed, ${number(removed)} removed)`
    : "";
  const onlyChanges = input.text("output") === undefined ? input.text("changes") : undefined;
  const what = onlyChanges === undefined ? `${output} has` : `${onlyChanges}: the export has`;
  const hint = input.flag("resume") ? "" : " Use --resume to update it later.";
  terminal.say(`${what} ${number(records)} ${noun}${changes}.${hint}`);
}
