import { resolve } from "node:path";
import { createClient } from "../../lib/client/client.ts";
import { ReviewApiError } from "../../lib/client/error.ts";
import { pullRequestStatuses } from "../../lib/contract/records-metrics.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import type { Command, Input, Options } from "../command.ts";
import { dayOf } from "../day.ts";
import { type Format, formats } from "../export/format.ts";
import { type Exported, exportToFile, exportToTerminal } from "../export/run.ts";
import { auditLogs, datasets, learnings, type Query, type Source } from "../export/sources.ts";
import { earlierRun, type State, sameRequest } from "../export/state.ts";
import { apiOptions, targetOf } from "../export/target.ts";
import { apiFault, OperatorFault, systemCode, UsageFault, unwritable } from "../fault.ts";
import { startTally, type Terminal } from "../terminal.ts";

const placeOptions: Options = {
  output: { value: "FILE", help: "where to write (default: standard output)" },
  format: { value: "FORMAT", help: `${formats.join(", ")} (default: by the file's name, else ndjson)` },
  resume: { help: "go on with FILE: what was left by an interruption, or was written since" },
  overwrite: { help: "replace FILE" },
  ...apiOptions,
};
const scopeOptions: Options = {
  org: { value: "ID", help: "only this organization (workspace tokens)" },
  orgs: { value: "A,B", help: "only these organizations (instance keys)" },
  users: { value: "A,B", help: "only these users, by provider user id" },
};
const repositoriesOption: Options = {
  repositories: { value: "A,B", help: "only these repositories, by provider id" },
};
const windowDaysDefault = 30;
const datasetNames = ["review-comments", "reviews", "mcp"] as const;

const metrics: Command = {
  name: "metrics",
  summary: "Export review metrics, every page; a pull request written again comes again, so keep the last",
  connects: true,
  options: {
    dataset: { value: "NAME", help: `${datasetNames.join(", ")} (default reviews)` },
    start: { value: "DAY", help: `merged from this day on (default ${windowDaysDefault} days ago)` },
    end: { value: "DAY", help: "merged up to this day (default: open, so that --resume finds later ones)" },
    status: { value: "STATUS", help: "merged, closed or all (reviews only; default merged)" },
    ...scopeOptions,
    ...repositoriesOption,
    ...placeOptions,
  },
  examples: [
    "export metrics",
    "export metrics --dataset review-comments --start 2026-01-01 --output findings.ndjson",
    "export metrics --output reviews.csv --resume",
  ],
  async run(input, terminal) {
    const dataset = input.choice("dataset", datasetNames) ?? "reviews";
    const status = input.choice("status", [...pullRequestStatuses, "all"]);
    if (status !== undefined && dataset !== "reviews")
      throw new UsageFault("--status goes with --dataset reviews.");
    const start = dayOf(input, "start");
    const end = dayOf(input, "end");
    if (start !== undefined && end !== undefined && end < start)
      throw new UsageFault("--end must not be before --start.");
    await runExport(input, terminal, {
      what: `metrics ${dataset}`,
      source: datasets[dataset],
      query: { start_date: start, end_date: end, status, ...scopeOf(input) },
      defaults: () => ({ start_date: daysAgo(windowDaysDefault), end_date: endOfTime }),
    });
  },
};

const learningsCommand: Command = {
  name: "learnings",
  summary: "Export shared, approved Learnings in write order; one that was changed comes again",
  connects: true,
  options: { ...scopeOptions, ...repositoriesOption, ...placeOptions },
  examples: ["export learnings --format csv", "export learnings --output learnings.json --resume"],
  run: (input, terminal) =>
    runExport(input, terminal, { what: "learnings", source: learnings, query: scopeOf(input) }),
};

const auditLogsCommand: Command = {
  name: "audit-logs",
  summary: "Export audit logs, oldest first; after --resume a few may repeat, with the same id",
  connects: true,
  options: {
    start: { value: "DAY", help: "from this day on (default: the oldest there is)" },
    end: { value: "DAY", help: "up to this day (default: open)" },
    ...scopeOptions,
    ...placeOptions,
  },
  examples: ["export audit-logs --start 2026-01-01", "export audit-logs --output audit.ndjson --resume"],
  run: (input, terminal) =>
    runExport(input, terminal, {
      what: "audit-logs",
      source: auditLogs,
      query: { date_from: dayOf(input, "start"), date_to: dayOf(input, "end"), ...scopeOf(input) },
    }),
};

export const commands: readonly Command[] = [metrics, learningsCommand, auditLogsCommand];

type Wish = {
  readonly what: string;
  readonly source: Source;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** For what was not given; an earlier run's values come before these, or tomorrow's window would be another. */
  defaults?(): Query;
};

async function runExport(input: Input, terminal: Terminal, wish: Wish): Promise<void> {
  const output = outputOf(input);
  const format = formatOf(input, output);
  const target = await targetOf(input);
  const client = createClient({ baseUrl: target.url, key: target.key });
  // On a terminal the records themselves show how it goes.
  const watched = terminal.watched && output !== undefined;
  const tally = startTally({ watched }, `Exporting ${wish.source.noun}`);
  try {
    const earlier =
      output === undefined
        ? undefined
        : await earlierRun(output, { resume: input.flag("resume"), overwrite: input.flag("overwrite") });
    const request = { what: wish.what, format, query: queryOf(wish, earlier) };
    if (output !== undefined && earlier) sameRequest(output, earlier, request);
    const walk = wish.source.walk(client, request.query, format);
    const exported = await (output === undefined
      ? exportToTerminal(walk, terminal, tally.show)
      : exportToFile(walk, { output, request, earlier }, tally.show)
    ).finally(tally.end);
    report(input, terminal, { wish, output, format, earlier, exported });
  } catch (error) {
    throw explained(error, target.url, output);
  }
}

function outputOf(input: Input): string | undefined {
  const output = input.text("output");
  if (input.flag("resume") && input.flag("overwrite"))
    throw new UsageFault("--resume and --overwrite exclude each other.");
  if (output !== undefined) return resolve(output);
  for (const name of ["resume", "overwrite"])
    if (input.flag(name)) throw new UsageFault(`--${name} goes with --output.`);
  return undefined;
}

/** Without a file the records are the answer, and --json asks for them as one JSON document. */
function formatOf(input: Input, output: string | undefined): Format {
  const given = input.choice("format", formats);
  if (given !== undefined) return given;
  const byName = formats.find((format) => output?.toLowerCase().endsWith(`.${format}`));
  return byName ?? (output === undefined && input.flag("json") ? "json" : "ndjson");
}

function queryOf({ query, defaults }: Wish, earlier: State | undefined): Query {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const fallback = Object.entries(defaults?.() ?? {}).map(([name, value]) => [
    name,
    earlier?.query[name] ?? value,
  ]);
  return Object.fromEntries([...fallback, ...given]);
}

const scopeOf = (input: Input): Wish["query"] => ({
  org_id: input.text("org"),
  organization_ids: input.list("orgs")?.join(","),
  user_ids: input.list("users")?.join(","),
  repository_ids: input.list("repositories")?.join(","),
});

/** The last day the API takes: the window then also has what is merged from now on. */
const endOfTime = "9999-12-31";
const msPerDay = 86_400_000;
const daysAgo = (days: number): string => toTimestamp(systemClock.nowMs() - days * msPerDay).slice(0, 10);

type Outcome = {
  readonly wish: Wish;
  readonly output: string | undefined;
  readonly format: Format;
  readonly earlier: State | undefined;
  readonly exported: Exported;
};

function report(
  input: Input,
  terminal: Terminal,
  { wish, output, format, earlier, exported }: Outcome,
): void {
  const { records, bytes } = exported;
  if (output === undefined) {
    if (records === 0) terminal.say(`There are no ${wish.source.noun} in this window.`);
    return;
  }
  if (input.flag("json")) {
    const total = records + (earlier?.records ?? 0);
    terminal.out(JSON.stringify({ file: output, format, added: records, records: total, bytes }));
    return;
  }
  const added = `${records.toLocaleString("en")} ${earlier ? "more " : ""}${wish.source.noun}`;
  terminal.say(`Wrote ${added} to ${output}. Later --resume adds what was written since.`);
}

/** What the service, the network or the disk says, and that nothing is lost. */
function explained(error: unknown, url: string, output: string | undefined): unknown {
  const hint = output === undefined ? "" : " What was read is kept; the same command goes on from there.";
  if (error instanceof ReviewApiError && error.code === "INVALID_CURSOR" && output !== undefined)
    return new OperatorFault(
      `The cursor beside ${output} no longer works for this key and these filters; --overwrite starts anew.`,
    );
  const said = apiFault(error, url);
  if (said) return new OperatorFault(`${said}${hint}`);
  const code = systemCode(error);
  return code !== undefined && output !== undefined ? unwritable(output, code) : error;
}
