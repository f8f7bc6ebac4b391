import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createClient } from "../../lib/client/client.ts";
import { pageLimits } from "../../lib/contract/limits.ts";
import { reviewMetrics } from "../../lib/contract/operations/metrics.ts";
import { htmlReport } from "../../lib/report/html.ts";
import { markdownReport } from "../../lib/report/markdown.ts";
import { halfOf, pacedFetch } from "../../lib/report/pace.ts";
import { lastDays, type Period } from "../../lib/report/period.ts";
import { type ReportQuery, readPullRequests } from "../../lib/report/read.ts";
import { dimensions, type ReviewReport, reportOf } from "../../lib/report/report.ts";
import { textReport } from "../../lib/report/text.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import type { Command, CommandInput, FindTarget } from "../command.ts";
import { dayOption } from "../day.ts";
import { describeApiError, OperatorError, systemCode, UsageError, unwritable } from "../errors.ts";
import { apiOptions } from "../export/target.ts";
import { startTally, type Terminal } from "../terminal.ts";

const daysDefault = 30;
const daysMax = 3_660;

const writers = {
  text: textReport,
  md: markdownReport,
  html: htmlReport,
  json: (report: ReviewReport) => `${JSON.stringify(report, null, 2)}\n`,
} as const;
type Format = keyof typeof writers;
const formats = ["text", "md", "html", "json"] as const satisfies readonly Format[];

const report: Command = {
  name: "",
  summary: "Report pull requests, findings, acceptance and review times of a period",
  connects: true,
  options: {
    days: { value: "N", help: `the last N days, today included (default ${daysDefault})` },
    start: { value: "DAY", help: "merged from this day on, instead of --days" },
    end: { value: "DAY", help: "merged up to this day (default today)" },
    by: { value: "WHAT", help: `${dimensions.join(", ")} (default week)` },
    format: {
      value: "FORMAT",
      help: `${formats.join(", ")} (default: from the ending of the file's name, else text)`,
    },
    output: { value: "FILE", help: "where to write (default: standard output)" },
    org: { value: "ID", help: "only this organization (workspace tokens)" },
    orgs: { value: "A,B", help: "only these organizations (instance keys)" },
    repositories: { value: "A,B", help: "only these repositories, by provider id" },
    ...apiOptions,
  },
  examples: ["report", "report --days 7 --by repository --format md", "report --output report.html"],
  run,
};

export const commands: readonly Command[] = [report];

async function run(input: CommandInput, terminal: Terminal, findTarget: FindTarget): Promise<void> {
  const by = input.choice("by", dimensions) ?? "week";
  const output = input.text("output");
  const format = formatOf(input, output);
  const query = queryOf(input);
  const { url, key } = await findTarget(input);
  const fetch = pacedFetch(globalThis.fetch, halfOf(reviewMetrics.rateLimit), systemClock);
  const client = createClient({ baseUrl: url, key, fetch });
  const tally = startTally(terminal, "Reading pull requests and their findings");
  const pullRequests = await readPullRequests(client, query, {
    pageSizeMax: pageLimits.metrics.max,
    onProgress: tally.show,
  })
    .catch((error: unknown) => {
      const said = describeApiError(error, url);
      throw said ? new OperatorError(said) : error;
    })
    .finally(tally.end);
  const { start_date, end_date } = query;
  const written = writers[format](reportOf(pullRequests, { start_date, end_date }, by));
  if (output === undefined) terminal.out(written.trimEnd());
  else await writeReport(resolve(output), written, input, terminal);
}

async function writeReport(
  file: string,
  written: string,
  input: CommandInput,
  terminal: Terminal,
): Promise<void> {
  await writeFile(file, written).catch((error: unknown) => {
    const code = systemCode(error);
    throw code === undefined ? error : unwritable(file, code);
  });
  if (input.flag("json")) terminal.out(JSON.stringify({ file, bytes: Buffer.byteLength(written) }));
  else terminal.say(`Wrote the report to ${file}.`);
}

/** Without a file, --json means the report itself as JSON. */
function formatOf(input: CommandInput, output: string | undefined): Format {
  const byName = formats.find((format) => output?.toLowerCase().endsWith(`.${format}`));
  const fallback = output === undefined && input.flag("json") ? "json" : "text";
  return input.choice("format", formats) ?? byName ?? fallback;
}

function queryOf(input: CommandInput): ReportQuery {
  const names = {
    org_id: input.text("org"),
    organization_ids: input.list("orgs")?.join(","),
    repository_ids: input.list("repositories")?.join(","),
  };
  const given = Object.entries(names).filter(([, value]) => value !== undefined);
  return { ...periodOf(input), ...Object.fromEntries(given) };
}

function periodOf(input: CommandInput): Period {
  const days = input.integer("days", { min: 1, max: daysMax });
  const [start, end] = [dayOption(input, "start"), dayOption(input, "end")];
  if (days !== undefined && start !== undefined)
    throw new UsageError("--days and --start cannot be used together.");
  const nowMs = systemClock.nowMs();
  const last = end ?? lastDays(1, nowMs).end_date;
  const period = lastDays(days ?? daysDefault, Date.parse(`${last}T00:00:00.000Z`));
  if (start === undefined) return period;
  if (last < start) throw new UsageError("--end must not be before --start.");
  return { start_date: start, end_date: last };
}
