import type { SeatCaller } from "../../lib/client/caller.ts";
import { pageLimits } from "../../lib/contract/limits.ts";
import { isWithinOnly } from "../../lib/contract/only.ts";
import { reviewMetrics } from "../../lib/contract/operations/metrics.ts";
import { listTeams } from "../../lib/contract/operations/teams.ts";
import { chatReport } from "../../lib/report/chat.ts";
import { csvReport } from "../../lib/report/csv.ts";
import { htmlReport } from "../../lib/report/html.ts";
import {
  chosenOf,
  leftOutNote,
  type Organization,
  placeOf,
  type ReportNote,
} from "../../lib/report/left-out.ts";
import { csvList, type ListName, listNames, listOf, markdownList, textList } from "../../lib/report/lists.ts";
import { markdownReport } from "../../lib/report/markdown.ts";
import { reportFilters } from "../../lib/report/metrics-filters.ts";
import {
  type ReportReadOptions,
  readPullRequests,
  readWithBefore,
} from "../../lib/report/read-pull-requests.ts";
import { type Dimension, dimensions, reportOf } from "../../lib/report/report.ts";
import { authorFilter, readTeams, teamsByAuthor, teamsNamed } from "../../lib/report/teams.ts";
import { textReport } from "../../lib/report/text.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemCode, UsageError, unwritable } from "../../lib/runtime/operator-error.ts";
import { writeWhole } from "../../lib/runtime/write-whole.ts";
import { overHttp, type SharedCommand, type WithCaller } from "../api/call.ts";
import type { Command, CommandInput } from "../command.ts";
import {
  fileOptions,
  organizationsOption,
  outputName,
  repositoriesOption,
  scopeOf,
  scopeOptions,
} from "../export/options.ts";
import { outputFile, requireReplaceable } from "../export/output-file.ts";
import { periodOptions, type RequestedPeriod, requestedPeriod } from "../report-period.ts";
import { startTally, type Terminal } from "../terminal.ts";

const asJson = (document: object): string => `${JSON.stringify(document)}\n`;

const reportWriters = {
  text: textReport,
  md: markdownReport,
  chat: chatReport,
  html: htmlReport,
  csv: csvReport,
  json: asJson,
} as const;
type Format = keyof typeof reportWriters;
const formats = ["text", "md", "chat", "html", "csv", "json"] as const satisfies readonly Format[];

const listWriters = { text: textList, md: markdownList, csv: csvList, json: asJson } as const;
const isListFormat = (format: Format): format is keyof typeof listWriters => format in listWriters;

const report: SharedCommand = {
  name: "",
  summary: "Report pull requests, findings, acceptance and review times of a period",
  note: "The figures are compared with the period before: the month before a month, otherwise as many days.",
  options: {
    ...periodOptions,
    by: { value: "WHAT", help: `${dimensions.join(", ")} (default week)` },
    list: {
      value: "WHICH",
      help: `the pull requests behind a figure: ${listNames.join(", ")} (text, md, csv, json)`,
    },
    "no-compare": { help: "leave the period before out, which halves the time" },
    wide: { help: "every column, in text and md" },
    format: {
      value: "FORMAT",
      help: `${formats.join(", ")} (default: from the ending of the file's name, else text; chat: under 2,000 characters)`,
    },
    ...fileOptions,
    org: scopeOptions.org,
    ...organizationsOption,
    ...repositoriesOption,
    team: { value: "A,B", help: "only authors in these teams, by name or id" },
    "without-bots": { help: "leave out pull requests that a program opened" },
  },
  pace: reviewMetrics.rateLimit,
  keyWins: true,
  examples: [
    "report",
    "report --last-week --by repository --format md",
    "report --last-month --timezone Europe/Berlin --output report.html",
    "report --by team --without-bots",
    "report --list no-review --format csv",
  ],
  run,
};

export const shared: readonly SharedCommand[] = [report];
export const commands: readonly Command[] = shared.map(overHttp);

async function run(input: CommandInput, terminal: Terminal, withCaller: WithCaller): Promise<void> {
  const request = requestOf(input);
  const output = request.output === undefined ? undefined : await reportFile(input, request.output);
  const tally = startTally(terminal, "Reading pull requests and their findings");
  const written = await withCaller(async (caller) => {
    const [group, ...others] = await caller.seatGroups(request.filters.org_id);
    // Numbers of organizations are unique only in a workspace or an instance.
    if (!group || others.length > 0)
      throw new UsageError(`--org is missing: there are ${others.length + 1} groups of organizations.`);
    return await write(group, request, tally.show);
  }).finally(tally.end);
  if (output === undefined) terminal.out(written.trimEnd());
  else await writeReport(output, written, input, terminal);
}

/** Checked before the figures are read, which may take minutes. */
async function reportFile(input: CommandInput, name: string): Promise<string> {
  try {
    const file = await outputFile(name);
    await requireReplaceable(input, file);
    return file;
  } catch (error) {
    throw unwritableOr(error, name);
  }
}

function unwritableOr(error: unknown, file: string): unknown {
  const code = systemCode(error);
  return code === undefined ? error : unwritable(file, code);
}

type ReportRequest = RequestedPeriod & {
  readonly by: Dimension;
  readonly list: ListName | undefined;
  readonly isCompared: boolean;
  readonly isWide: boolean;
  readonly format: Format;
  readonly output: string | undefined;
  /** The API's own filters. */
  readonly filters: Readonly<Record<string, string>>;
  readonly teams: readonly string[] | undefined;
  readonly withoutBots: boolean;
  readonly nowMs: number;
};

function requestOf(input: CommandInput): ReportRequest {
  const nowMs = systemClock.nowMs();
  const [by, list] = [input.choice("by", dimensions), input.choice("list", listNames)];
  if (by !== undefined && list !== undefined)
    throw new UsageError("--by and --list cannot be used together.");
  const output = outputName(input);
  const format = formatOf(input, output);
  if (list !== undefined && !isListFormat(format))
    throw new UsageError(`--list takes the formats ${Object.keys(listWriters).join(", ")}, not ${format}.`);
  return {
    ...requestedPeriod(input, nowMs),
    by: by ?? "week",
    list,
    format,
    output,
    nowMs,
    isCompared: !input.flag("no-compare"),
    isWide: input.flag("wide"),
    filters: scopeOf(input),
    teams: input.list("team"),
    withoutBots: input.flag("without-bots"),
  };
}

async function write(
  client: SeatCaller,
  request: ReportRequest,
  onProgress: NonNullable<ReportReadOptions["onProgress"]>,
): Promise<string> {
  const { period, timeZone, by, list, isCompared, isWide, format, filters, nowMs } = request;
  const query = { ...period, ...filters };
  const { body: identity } = await client.whoami();
  const teams = await teamsFor(client, request, identity);
  const { teamsOf, isWanted } = authorFilter(teamsByAuthor(teams?.all ?? []), {
    ...request,
    teams: teams?.chosen,
  });
  const { organizations } = identity.scope;
  const place = placeOf(identity.scope);
  // The operator reads the metrics of every plan.
  const hidden = client.isOperator ? organizations.filter((each) => each.metrics !== "ready") : organizations;
  const notes = [
    ...notesOf(request, hidden),
    ...(list !== undefined && !teams
      ? [{ text: "Without teams, which this key may not read", names: [] }]
      : []),
  ];
  const options = {
    pageSizeMax: pageLimits.metrics.max,
    timeZone,
    nowMs,
    onProgress,
    isWanted,
    filters: client.isOperator ? [{}] : reportFilters(identity, filters),
  };
  if (list !== undefined && isListFormat(format)) {
    const pullRequests = await readPullRequests(client, query, options);
    const { period: days } = reportOf([], period, by, { timeZone });
    const more = { notes, place, ...(teams && { teamsOf }) };
    return listWriters[format](listOf(pullRequests, days, list, more));
  }
  const { pullRequests, ...before } = isCompared
    ? await readWithBefore(client, query, options)
    : { pullRequests: await readPullRequests(client, query, options) };
  const report = reportOf(pullRequests, period, by, { timeZone, teamsOf, notes, place, ...before });
  return reportWriters[format](report, { isWide });
}

/**
 * The API's metrics have no teams: their authors are looked up, in the teams of now. A list names them if the key can
 * read them; a report only if it was asked for.
 */
async function teamsFor(
  client: SeatCaller,
  { by, list, filters, teams: names }: ReportRequest,
  { key, permissions }: Awaited<ReturnType<SeatCaller["whoami"]>>["body"],
) {
  const { repository_ids: _, ...scope } = filters;
  const isAsked = by === "team" || names !== undefined;
  const mayRead = () => permissions.includes(listTeams.needs) && isWithinOnly(key.only, listTeams.only);
  if (!isAsked && !(list !== undefined && mayRead())) return undefined;
  const teams = await readTeams(client, scope, { pageSizeMax: pageLimits.teams.max });
  const chosen = names?.flatMap((name) => {
    const found = teamsNamed(teams, name);
    if (found) return found;
    const known = teams.map((team) => team.name).toSorted();
    throw new UsageError(
      `--team: there is no team ${JSON.stringify(name)}. ${known.length > 0 ? `The teams are: ${known.join(", ")}.` : "The platform has sent no teams."}`,
    );
  });
  return { all: teams, chosen };
}

function notesOf(
  { withoutBots, teams, filters }: ReportRequest,
  organizations: readonly Organization[],
): ReportNote[] {
  const idsOf = (name: string) => filters[name]?.split(",");
  const chosen = idsOf("org_id") ?? idsOf("organization_ids");
  const only = (what: string, names: readonly string[] | undefined) =>
    names ? [{ text: `Only ${what}`, names }] : [];
  const leftOut = leftOutNote(chosenOf(organizations, filters));
  return [
    ...(withoutBots ? [{ text: "Without pull requests that a program opened", names: [] }] : []),
    ...only("authors in these teams", teams),
    ...only("these organizations", chosen),
    ...only("these repositories", idsOf("repository_ids")),
    ...(leftOut ? [leftOut] : []),
  ];
}

async function writeReport(
  file: string,
  written: string,
  input: CommandInput,
  terminal: Terminal,
): Promise<void> {
  await writeWhole(file, written, { keepsMode: true }).catch((error: unknown) => {
    throw unwritableOr(error, file);
  });
  if (input.flag("json")) terminal.out(JSON.stringify({ file, bytes: Buffer.byteLength(written) }));
  else terminal.say(`Wrote the report to ${file}.`);
}

/** With a file, --json is about the answer: the file has the format of its name. */
function formatOf(input: CommandInput, output: string | undefined): Format {
  const format = input.choice("format", formats);
  const isJson = output === undefined && input.flag("json");
  if (isJson && format !== undefined && format !== "json")
    throw new UsageError(`--json and --format ${format} cannot be used together.`);
  const byName = formats.find((each) => output?.toLowerCase().endsWith(`.${each}`));
  return format ?? byName ?? (isJson ? "json" : "text");
}
