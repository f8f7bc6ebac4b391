import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { pageLimits } from "../contract/limits.ts";
import { mcpLimits } from "../contract/mcp.ts";
import { isCalendarDay } from "../contract/parameters.ts";
import { parsedBy } from "../contract/schema-sentences.ts";
import { type ListName, listNames, listOf } from "../report/lists.ts";
import { lastDays, type Period } from "../report/period.ts";
import { readPullRequests, readWithBefore } from "../report/read.ts";
import { dimensions, reportOf } from "../report/report.ts";
import { readTeams, teamsByAuthor } from "../report/teams.ts";
import { definitions } from "../report/words.ts";
import { systemClock } from "../runtime/clock.ts";
import { required } from "../runtime/required.ts";
import type { Api } from "./api.ts";
import type { JsonObject, ToolListing } from "./operation-tool.ts";
import { isTimeout, ToolError } from "./result.ts";
import { operationTools } from "./tools.generated.ts";

/** Tools that read all pages of a period and answer figures, as the tool's `report` and the dashboard do. */

const day = z.string().refine(isCalendarDay, { error: "must be a calendar day as YYYY-MM-DD" });
const oneOf = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, { error: `must be one of: ${values.join(", ")}` });
const idsError = { error: "must be a list of at most 10 ids" };
const ids = z
  .array(z.string(idsError).min(1, idsError), idsError)
  .max(10, idsError)
  .transform((values) => values.join(","));
const filters = {
  start_date: day.optional(),
  end_date: day.optional(),
  repository_ids: ids.optional(),
  org_id: z.string().min(1).optional(),
  organization_ids: ids.optional(),
};
const limitError = { error: "must be a whole number from 1 to 100" };
const rowLimit = z.int(limitError).min(1, limitError).max(100, limitError).default(mcpLimits.pageSizeDefault);
const reportArguments = z.strictObject({
  ...filters,
  by: oneOf(dimensions).default("repository"),
  limit: rowLimit,
});
const listArguments = z.strictObject({ ...filters, find: oneOf(listNames), limit: rowLimit });
type Filters = Omit<z.output<typeof reportArguments>, "by" | "limit">;

const text = (description: string) => ({ type: "string", description });
const idList = (description: string) => ({
  type: "array",
  items: { type: "string" },
  maxItems: 10,
  description,
});
const filterProperties = {
  start_date: text("First day, UTC, YYYY-MM-DD; with end_date. Without both: the last 7 days."),
  end_date: text("Last day, UTC, included."),
  repository_ids: idList("Only these repositories, by provider_repository_id."),
  org_id: text("provider_organization_id of one organization; optional."),
  organization_ids: idList("Only these organizations, by provider_organization_id."),
};
const limitProperty = (what: string) => ({
  type: "integer",
  minimum: 1,
  maximum: 100,
  description: `${what}; ${mcpLimits.pageSizeDefault} unless given.`,
});
const readOnly = { readOnlyHint: true, openWorldHint: false };
const anObject = { type: "object" as const };

const listing = (
  tool: Pick<Tool, "name" | "description" | "outputSchema"> & { readonly title: string },
  own: ToolListing["inputSchema"]["properties"],
  requiredNames: string[] = [],
): ToolListing => ({
  ...tool,
  inputSchema: {
    type: "object",
    properties: { ...own, ...filterProperties },
    required: requiredNames,
    additionalProperties: false,
  },
  annotations: readOnly,
});

/** Whoever may read the metrics may call these. */
const { kinds, needs, needsOfKind, kindsOfArgument, only } = required(
  operationTools.find(({ operation }) => operation === "listReviewMetrics"),
  "tool of the review metrics",
);
const policy = { kinds, needs, needsOfKind, kindsOfArgument, only };

const figures =
  "counts of pull requests and findings, acceptance (0 to 1 of the known outcomes), and median and p90 minutes to the first human review and to the merge";

export const reportTools = [
  {
    ...policy,
    listing: listing(
      {
        name: "review_report",
        title: "Report about code reviews",
        description: `Totals for a period and the period before it, and rows by ${dimensions.join(", ")}: ${figures}. Use it for every question about amounts, trends or comparisons: it reads all pages itself. It counts merged, reviewed pull requests.`,
        outputSchema: {
          type: "object",
          properties: {
            period: anObject,
            total: anObject,
            before: anObject,
            rows: { type: "array", items: anObject },
          },
        },
      },
      {
        by: {
          type: "string",
          enum: [...dimensions],
          description: "What the rows are; repository unless given.",
        },
        limit: limitProperty("Rows"),
      },
    ),
    async run(args: JsonObject, api: Api) {
      const { by, limit, ...query } = parse(reportArguments, args);
      const period = periodOf(query);
      const { repository_ids: _, ...scope } = sent(query);
      const { pullRequests, before, teams } = await readAll(api, async (options) => ({
        teams:
          by === "team"
            ? await readTeams(api.client(), scope, { ...options, pageSizeMax: pageLimits.teams.max })
            : [],
        ...(await readWithBefore(
          api.client(),
          { ...sent(query), ...period },
          { ...options, nowMs: systemClock.nowMs() },
        )),
      }));
      const report = reportOf(pullRequests, period, by, { before, teamsOf: teamsByAuthor(teams) });
      const content = {
        ...{ period: report.period, total: report.total, before: report.before, by },
        rows: report.rows.slice(0, limit),
        rows_total: report.rows.length,
      };
      const sentence = `${report.total.pull_requests} pull requests from ${period.start_date} to ${period.end_date}; ${content.rows.length} of ${content.rows_total} rows by ${by}.`;
      const note = by === "team" ? ` ${definitions.teamRows}` : "";
      return { text: `${sentence}${note}`, content: rounded(content), textFields: ["name", "organization"] };
    },
  },
  {
    ...policy,
    listing: listing(
      {
        name: "find_pull_requests",
        title: "Find pull requests that deserve attention",
        description:
          "Merged pull requests of a period: no-review (merged without a human review, newest first), unaccepted (most findings that were not accepted first) or slow (longest wait first). Each with its link, author, findings and minutes to the first human review and to the merge.",
        outputSchema: {
          type: "object",
          properties: { count: { type: "integer" }, pull_requests: { type: "array", items: anObject } },
        },
      },
      {
        find: { type: "string", enum: [...listNames], description: "Which ones." },
        limit: limitProperty("Pull requests"),
      },
      ["find"],
    ),
    async run(args: JsonObject, api: Api) {
      const { find, limit, ...query } = parse(listArguments, args);
      const period = periodOf(query);
      const pullRequests = await readAll(api, (options) =>
        readPullRequests(api.client(), { ...sent(query), ...period }, options),
      );
      const list = listOf(pullRequests, reportOf([], period, "week").period, find satisfies ListName);
      const content = { ...list, pull_requests: list.pull_requests.slice(0, limit) };
      const shown = content.pull_requests.length;
      const sentence = `${list.count} found from ${period.start_date} to ${period.end_date}${shown < list.count ? `; the first ${shown} follow` : ""}.`;
      return {
        text: sentence,
        content: rounded(content),
        textFields: ["repository", "organization", "author"],
      };
    },
  },
];

const parse = <Schema extends z.ZodObject>(schema: Schema, args: JsonObject): z.output<Schema> =>
  parsedBy(schema, args, {
    whole: "arguments",
    refuse: (sentences) => new ToolError("INVALID_REQUEST", sentences),
  });

function periodOf({ start_date, end_date }: Filters): Period {
  if (start_date === undefined && end_date === undefined) return lastDays(7, systemClock.nowMs());
  if (start_date === undefined || end_date === undefined)
    throw new ToolError("INVALID_REQUEST", "start_date and end_date: send both or neither.");
  if (end_date < start_date)
    throw new ToolError("INVALID_REQUEST", "end_date: must not be before start_date.");
  return { start_date, end_date };
}

/** Three decimals: a model reads every digit, and the rest is noise. */
const rounded = (content: JsonObject): JsonObject =>
  JSON.parse(
    JSON.stringify(content, (_, value) => (typeof value === "number" ? Number(value.toFixed(3)) : value)),
  );

const sent = ({ start_date: _1, end_date: _2, ...query }: Filters) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));

type ReadOptions = {
  readonly pageSizeMax: number;
  readonly signal: AbortSignal;
  onProgress(records: number): void;
};

/** A call has one time budget; its requests share the rate limit with every other call of the organization. */
async function readAll<Read>(api: Api, read: (options: ReadOptions) => Promise<Read>): Promise<Read> {
  let records = 0;
  try {
    return await read({
      pageSizeMax: pageLimits.metrics.max,
      signal: api.wrapUpSignal,
      onProgress: (count) => {
        records = count;
      },
    });
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw new ToolError(
      "RESPONSE_TOO_LARGE",
      `The period is too large for one call: ${records} records were read before the time ended. Choose a shorter period or name repository_ids.`,
    );
  }
}
