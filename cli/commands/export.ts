import { msPerDay } from "../../lib/contract/days.ts";
import { pullRequestStatuses } from "../../lib/contract/records-metrics.ts";
import { findingSeverities, findingStates } from "../../lib/contract/records-security.ts";
import { datasetNamed, datasetNames } from "../../lib/mirror/datasets/datasets.ts";
import { loadSql, warehouses } from "../../lib/mirror/datasets/sql.ts";
import { people, repositories, teams } from "../../lib/mirror/directory.ts";
import { fileFormats } from "../../lib/mirror/format.ts";
import { auditLogs, type ExportSource, learnings, metricsSources } from "../../lib/mirror/sources.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { UsageError } from "../../lib/runtime/operator-error.ts";
import type { Command, OptionDefinitions } from "../command.ts";
import { apiOptions } from "../connection/named-target.ts";
import {
  fileOptions,
  organizationsOption,
  repositoriesOption,
  scopeOf,
  scopeOptions,
} from "../export/options.ts";
import { runExport, runFollow } from "../export/run.ts";
import { agentsFormat, runAgentsExport } from "../export/run-agents-md.ts";
import { findingFormats, runDownload } from "../export/run-download.ts";

const placeOptions: OptionDefinitions = { ...fileOptions, ...apiOptions };
const formatHelp = (known: readonly string[]): OptionDefinitions => ({
  format: {
    value: "FORMAT",
    help: `${known.join(", ")} (default: from the ending of FILE; without FILE ndjson)`,
  },
});
const mirrorOptions: OptionDefinitions = {
  ...formatHelp(fileFormats),
  changes: {
    value: "FILE",
    help: 'also write what is new, differs, or was removed ("removed": true) since the last run, as NDJSON; without --output only that',
  },
  resume: { help: "update FILE: read only what changed since the last run, also after an interruption" },
  ...placeOptions,
};
const windowDaysDefault = 30;
const metricsNames = ["review-comments", "reviews", "mcp"] as const;

const metrics: Command = {
  name: "metrics",
  summary: "Export review metrics; with --resume, bring the file up to date and drop removed records",
  options: {
    dataset: {
      value: "NAME",
      help: `${metricsNames.join(", ")} (default reviews); CSV of review-comments has a row for each comment`,
    },
    start: { value: "DAY", help: `merged from this day on (default ${windowDaysDefault} days ago)` },
    end: {
      value: "DAY",
      help: "merged up to this day (default: no end, so that --resume finds later pull requests)",
    },
    status: { value: "STATUS", help: "merged, closed or all (reviews only; default merged)" },
    ...scopeOptions,
    ...repositoriesOption,
    ...mirrorOptions,
  },
  examples: [
    "export metrics",
    "export metrics --dataset review-comments --start 2026-01-01 --output findings.ndjson",
    "export metrics --output reviews.csv --resume",
    "export metrics --start 2026-01-01 --resume --changes changes.ndjson",
  ],
  async run(input, terminal, findTarget) {
    const dataset = input.choice("dataset", metricsNames) ?? "reviews";
    const status = input.choice("status", [...pullRequestStatuses, "all"]);
    if (status !== undefined && dataset !== "reviews")
      throw new UsageError("--status works only with --dataset reviews.");
    const start = input.day("start");
    const end = input.day("end");
    if (start !== undefined && end !== undefined && end < start)
      throw new UsageError("--end must not be before --start.");
    await runExport(input, terminal, findTarget, {
      what: `metrics ${dataset}`,
      source: metricsSources[dataset],
      dataset,
      query: { start_date: start, end_date: end, status, ...scopeOf(input) },
      defaults: () => ({ start_date: daysAgo(windowDaysDefault), end_date: endOfTime }),
    });
  },
};

const learningsCommand: Command = {
  name: "learnings",
  summary:
    "Export shared, approved Learnings; with --resume, bring the file up to date and drop deleted ones",
  options: {
    ...scopeOptions,
    ...repositoriesOption,
    ...mirrorOptions,
    ...formatHelp([...fileFormats, agentsFormat]),
    limit: { value: "N", help: `with --format ${agentsFormat}: only the N most used Learnings` },
    check: { help: `with --format ${agentsFormat}: write nothing, exit with 1 if FILE is out of date` },
  },
  examples: [
    "export learnings --format csv",
    "export learnings --output learnings.json --resume",
    `export learnings --format ${agentsFormat} --repositories 9001 --output AGENTS.md`,
  ],
  async run(input, terminal, findTarget) {
    const query = scopeOf(input);
    if (input.choice("format", [...fileFormats, agentsFormat]) === agentsFormat)
      return await runAgentsExport(input, terminal, findTarget, query);
    for (const option of ["check", "limit"])
      if (input.has(option)) throw new UsageError(`--${option} works only with --format ${agentsFormat}.`);
    await runExport(input, terminal, findTarget, {
      what: "learnings",
      source: learnings,
      dataset: "learnings",
      query,
    });
  },
};

const auditLogsCommand: Command = {
  name: "audit-logs",
  summary:
    "Export audit logs, oldest first; --resume adds to FILE and keeps entries that the service has deleted",
  options: {
    start: { value: "DAY", help: "from this day on (default: the oldest entry)" },
    end: { value: "DAY", help: "up to this day (default: no end)" },
    search: {
      value: "WORDS",
      help: "only entries with all of these words: a key's id, an e-mail address, a role",
    },
    actions: { value: "A,B", help: "only these actions, such as roles.changed" },
    ...scopeOptions,
    users: { value: "A,B", help: "only what these users did, by provider user id" },
    ...mirrorOptions,
    follow: { help: "write entries to standard output as they come, as NDJSON, from now on or from --start" },
  },
  examples: [
    "export audit-logs --start 2026-01-01",
    "export audit-logs --search ada@acme.example",
    "export audit-logs --output audit.ndjson --resume",
    "export audit-logs --follow",
  ],
  run: (input, terminal, findTarget) =>
    (input.flag("follow") ? runFollow : runExport)(input, terminal, findTarget, {
      what: "audit-logs",
      source: auditLogs,
      dataset: "audit-logs",
      query: {
        date_from: input.day("start"),
        date_to: input.day("end"),
        ...scopeOf(input),
        search: input.text("search"),
        actions: input.list("actions")?.join(","),
      },
    }),
};

const securityCommand: Command = {
  name: "security",
  summary: "Download the findings of AI security scans; every run downloads all of them",
  options: {
    repo: { value: "ID", help: "only this repository, by provider id; SARIF for upload needs it" },
    state: { value: "STATE", help: `${findingStates.join(", ")} or all (default open)` },
    severity: { value: "A,B", help: `only these of ${findingSeverities.join(", ")}` },
    ...organizationsOption,
    ...formatHelp(findingFormats),
    ...placeOptions,
    key: {
      value: "KEY",
      help: "the API key, not a workspace token (default: REVIEW_API_KEY, .env, login)",
    },
  },
  examples: [
    "export security --severity critical,high",
    "export security --repo 9001 --output findings.sarif --overwrite",
  ],
  run: runDownload,
};

const directoryCommand = (
  name: "teams" | "people" | "repositories",
  what: string,
  source: ExportSource,
  more: OptionDefinitions = {},
): Command => ({
  name,
  summary: `Export ${what}; every run reads all of them, --changes has the difference`,
  options: { org: scopeOptions.org, ...more, ...mirrorOptions },
  examples: [`export ${name} --format csv`, `export ${name} --resume --changes ${name}.changes.ndjson`],
  run: (input, terminal, findTarget) =>
    runExport(input, terminal, findTarget, { what: name, source, dataset: name, query: scopeOf(input) }),
});

const sqlCommand: Command = {
  name: "sql",
  summary: "Print the SQL that creates a dataset's table and applies a file of --changes to it",
  connects: false,
  options: {
    dataset: { value: "NAME", help: `${datasetNames.join(", ")} (default reviews)` },
    for: { value: "WAREHOUSE", help: warehouses.join(", "), required: true },
    changes: {
      value: "FILE",
      help: "the file, as the warehouse names it: a path, gs://…, @stage/… (default DATASET.changes.ndjson)",
    },
  },
  examples: [
    "export sql --for duckdb --dataset reviews --changes reviews.changes.ndjson > load.sql",
    "export sql --for bigquery --dataset mcp --changes gs://acme-exports/mcp.changes.ndjson",
  ],
  async run(input, terminal) {
    const dataset = datasetNamed(input.choice("dataset", datasetNames) ?? "reviews");
    const warehouse = input.choice("for", warehouses);
    if (warehouse === undefined) throw new UsageError("--for is missing.");
    const file = input.text("changes") ?? `${dataset.name}.changes.ndjson`;
    const sql = loadSql(warehouse, dataset, file);
    terminal.out(input.flag("json") ? JSON.stringify({ sql }) : sql.trimEnd());
  },
};

export const commands: readonly Command[] = [
  metrics,
  learningsCommand,
  auditLogsCommand,
  securityCommand,
  directoryCommand("teams", "teams and their members' user ids", teams, organizationsOption),
  directoryCommand("people", "people, a row for each organization that they belong to", people),
  directoryCommand("repositories", "active repositories", repositories),
  sqlCommand,
];

/** The last day that the API accepts: the window then includes later merges too. */
const endOfTime = "9999-12-31";
const daysAgo = (days: number): string => toTimestamp(systemClock.nowMs() - days * msPerDay).slice(0, 10);
