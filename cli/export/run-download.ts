import { type Client, createClient } from "../../lib/client/client.ts";
import { findingStates } from "../../lib/contract/records-security.ts";
import { datasetNamed } from "../../lib/mirror/datasets/datasets.ts";
import { statOf, systemDisk } from "../../lib/mirror/disk.ts";
import { fileFormats } from "../../lib/mirror/format.ts";
import { checkRepository } from "../../lib/mirror/known-repository.ts";
import { type FindingsQuery, findings } from "../../lib/mirror/sources.ts";
import { replaceFile } from "../../lib/mirror/target-file.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { CommandInput, FindTarget } from "../command.ts";
import { startTally, type Terminal } from "../terminal.ts";
import { downloadFile } from "./download.ts";
import { explainError, formatOption, outputOption, withoutMissing } from "./options.ts";
import { outputFile, requireReplaceable, withLock } from "./output-file.ts";
import { type ExportRun, exportToTerminal, parquetNeedsFile } from "./run.ts";

export const findingFormats = [...fileFormats, "sarif"] as const;
type FindingFormat = (typeof findingFormats)[number];

/**
 * Findings have no write order to continue from: they are downloaded completely each time and then replace the file.
 */
export async function runDownload(
  input: CommandInput,
  terminal: Terminal,
  findTarget: FindTarget,
): Promise<void> {
  const name = outputOption(input);
  const format = formatOption(input, name, findingFormats);
  // Workspace tokens may not read findings.
  const target = await findTarget(input, "organization");
  const client = createClient({ baseUrl: target.url, key: target.key });
  const run = { input, terminal, target, client };
  const query: FindingsQuery = {
    organization_ids: input.list("orgs")?.join(","),
    repo_id: input.text("repo"),
    state: input.choice("state", [...findingStates, "all"]),
    severity: input.list("severity")?.join(","),
  };
  if (query.repo_id !== undefined)
    await checkRepository(client, { ...query, repo_id: query.repo_id }, terminal.say).catch(
      (error: unknown) => {
        throw explainError(error, { url: target.url });
      },
    );
  if (name !== undefined) return await downloadToFile(run, name, { format, query });
  if (format === "parquet") throw parquetNeedsFile();
  if (format !== "sarif") return await exportToTerminal(run, { source: findings, query }, format);
  try {
    for await (const piece of await sarifOf(client, query)) await terminal.write(piece);
  } catch (error) {
    throw explainError(error, { url: target.url });
  }
}

type FindingsFile = {
  readonly format: FindingFormat;
  readonly query: FindingsQuery;
};

async function downloadToFile(run: ExportRun, name: string, { format, query }: FindingsFile): Promise<void> {
  const { input, terminal, target } = run;
  try {
    const output = await outputFile(name);
    const { bytes, records } = await withLock(output, () => download(run, output, format, query));
    if (input.flag("json")) terminal.out(JSON.stringify({ file: output, format, records, bytes }));
    else
      terminal.say(
        `${output} has ${records.toLocaleString("en")} ${records === 1 ? "finding" : "findings"}.`,
      );
  } catch (error) {
    const found = await statOf(name).catch(() => undefined);
    const hint = found ? ` ${name} is unchanged.` : "";
    throw explainError(error, { url: target.url, output: name, hint });
  }
}

async function download(
  { input, terminal, client }: ExportRun,
  output: string,
  format: FindingFormat,
  query: FindingsQuery,
): Promise<{ readonly bytes: number; readonly records: number }> {
  await requireReplaceable(input, output);
  if (format === "sarif") return await downloadSarif(client, query, output);
  const walk = findings.walk(client, {
    query: withoutMissing(query),
    format: format === "parquet" ? "ndjson" : format,
    followsRemovals: false,
  });
  const tally = startTally(terminal, `Exporting ${findings.noun}`);
  const rows = format === "parquet" ? `${output}.rows` : output;
  const downloaded = await downloadFile(walk, rows, terminal, tally.show).finally(tally.end);
  if (format !== "parquet") return downloaded;
  const { writeParquet } = await import("../../lib/mirror/datasets/parquet.ts");
  const { bytes } = await writeParquet(systemDisk, rows, output, datasetNamed("security").columns);
  await systemDisk.remove(rows);
  return { records: downloaded.records, bytes };
}

async function downloadSarif(client: Client, query: FindingsQuery, output: string) {
  const pieces: Uint8Array[] = [];
  for await (const piece of await sarifOf(client, query)) pieces.push(piece);
  const sarif = Buffer.concat(pieces);
  const { runs }: Sarif = JSON.parse(sarif.toString());
  await replaceFile(systemDisk, output, (next) => next.write(sarif));
  return { bytes: sarif.length, records: runs.flatMap(({ results }) => results).length };
}

type Sarif = { readonly runs: ReadonlyArray<{ readonly results: readonly unknown[] }> };

/** SARIF comes from the service as it is: a file of runs, rules and results, not a row for each finding. */
async function sarifOf(client: Client, query: FindingsQuery): Promise<AsyncIterable<Uint8Array>> {
  const { body } = await client.raw("listSecurityFindings", { query: { ...query, format: "sarif" } });
  if (!body) throw new OperatorError("The service responded without a body; run the command again.");
  return body;
}
