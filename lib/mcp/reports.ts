import type * as z from "zod";
import type { OperationName } from "../client/client.ts";
import { plural } from "../contract/plural.ts";
import { parsedBy } from "../contract/schema-sentences.ts";
import {
  idleArguments,
  listArguments,
  orderOf,
  periodOf,
  type Question,
  reportArguments,
} from "../report/arguments.ts";
import { sortedRows } from "../report/columns.ts";
import { type Identity, openQuestion } from "../report/question.ts";
import { readPullRequests, readWithBefore } from "../report/read-pull-requests.ts";
import { findIdleSeats, holderRow, idleRow } from "../report/seats.ts";
import { definitions } from "../report/words.ts";
import { systemClock } from "../runtime/clock.ts";
import { required } from "../runtime/required.ts";
import { mayCall } from "./access.ts";
import type { Api } from "./api.ts";
import type { JsonObject, ToolListing } from "./operation-tool.ts";
import { reportInputs } from "./report-inputs.generated.ts";
import { invalid, isTimeout, moreSentence, type ToolAnswer, ToolError } from "./result.ts";
import { operationTools } from "./tools.generated.ts";

const policyOf = (name: OperationName) =>
  required(
    operationTools.find(({ operation }) => operation === name),
    name,
  );

/** A list names teams only to keys that may read them. */
const teamsTool = { uses: [policyOf("listTeams")] };

/** Tools that read all pages of a period and answer figures, as the tool's `report` and the dashboard do. */

const reportTool = <Schema extends z.ZodObject>(
  {
    uses,
    less = "Choose a shorter period, or name repository_ids.",
    ...words
  }: Pick<ToolListing, "title" | "description"> & {
    readonly name: keyof typeof reportInputs;
    readonly uses: OperationName[];
    readonly less?: string;
  },
  schema: Schema,
  answer: (args: z.output<Schema>, api: Api) => Promise<ToolAnswer>,
) => {
  const tools = uses.map(policyOf);
  return {
    uses: tools,
    kindsOfArgument: tools[0]?.kindsOfArgument ?? {},
    listing: {
      ...words,
      inputSchema: { type: "object" as const, ...reportInputs[words.name] },
      annotations: { readOnlyHint: true },
    },
    run: async (args: JsonObject, api: Api): Promise<ToolAnswer> => {
      try {
        return await answer(parsedBy(schema, args, { whole: "arguments", refuse: invalid }), api);
      } catch (error) {
        if (!isTimeout(error)) throw error;
        const sentence = `There is too much to read in the time of one call. ${less}`;
        throw api.limited ?? new ToolError("RESPONSE_TOO_LARGE", sentence);
      }
    },
  };
};

const unknowns =
  "It does not know open pull requests, those without an automated review, or the text of findings.";

export const reportTools = [
  reportTool(
    {
      name: "review_report",
      title: "Report about code reviews",
      description: `Totals of merged, reviewed pull requests for a period and the period before, and rows: counts of pull requests and findings, acceptance (0 to 1 of the known outcomes), minutes to the first human review and to the merge. Use it for amounts, trends and comparisons: it reads all pages. ${unknowns} It does not rank people.`,
      uses: ["listReviewMetrics"],
    },
    reportArguments,
    async ({ by, sort, order, ...query }, api) => {
      const ordered = orderOf({ by, sort, order, ...query }, invalid);
      const { title, filters, report, readOptions, client } = await open(query, api, () => by === "team");
      const { period, total, before, rows, notes } = report(
        await readWithBefore(client, readOptions.query, readOptions),
        by,
      );
      const { content, text } = pageOf(sortedRows(rows, ordered.sorted_by, ordered.order), query, "rows");
      return {
        text: [
          `${plural(total.pull_requests, "pull request")} from ${title}; ${text}`,
          definitions.timesBegin,
          ...notes,
        ].join(" "),
        content: rounded({ period, filters, total, before, by, ...ordered, ...content }),
        textFields: ["name", "organization"],
      };
    },
  ),
  reportTool(
    {
      name: "find_pull_requests",
      title: "Find pull requests that deserve attention",
      description: `Merged, reviewed pull requests of a period with link, author, findings and minutes: no-review (no person reviewed it, newest first), unaccepted (most findings that were not accepted first) or slow (slower than nine of ten, longest time to merge first). ${unknowns}`,
      uses: ["listReviewMetrics"],
    },
    listArguments,
    async ({ find, ...query }, api) => {
      const { title, filters, list, readOptions, client } = await open(query, api, (identity) =>
        mayCall(teamsTool, identity),
      );
      const read = await readPullRequests(client, readOptions.query, readOptions);
      const { period, notes, pull_requests, compared } = list(read, find);
      const { content, text } = pageOf(pull_requests, query, "pull_requests");
      return {
        text: [`${find}, ${title}: ${text}`, definitions.timesBegin, ...notes].join(" "),
        content: rounded({ period, filters, find, compared, ...content }),
        textFields: ["repository", "organization", "author", "teams"],
      };
    },
  ),
  reportTool(
    {
      name: "find_idle_seats",
      title: "Find idle seats",
      description:
        "People who have held a seat for so many days and finished no reviewed pull request in that time. It does not know whether they review for others or are away, and changes nothing: assign_seats does.",
      uses: ["listUsers", "listReviewMetrics", "listAuditLogs"],
      less: "Send fewer days or a smaller limit.",
    },
    idleArguments,
    async ({ days, ...query }, api) => {
      const [from, nowMs] = [Number(query.cursor ?? 0), systemClock.nowMs()];
      const options = { days, nowMs, shown: [from, from + query.limit], signal: api.wrapUpSignal };
      const { idle, since, held, notJudged, tooNew, notes, ...found } = await findIdleSeats(
        api.client(),
        options,
      );
      const not_judged_holders = found.notJudgedHolders.slice(0, query.limit).map(holderRow);
      const { content, text } = pageOf(idle.map(idleRow), query, "idle");
      return {
        text: `${idle.length} of ${plural(held, "assigned seat")} idle for ${plural(days, "day")}; ${[text, ...notes].join(" ")}`,
        content: {
          since,
          seats_held: held,
          not_judged: notJudged,
          not_judged_holders,
          too_new: tooNew,
          ...content,
        },
        textFields: ["username", "organizations"],
      };
    },
  ),
];

const open = async (query: Question, api: Api, readsTeams: (identity: Identity) => boolean) => {
  const [client, nowMs] = [api.client(), systemClock.nowMs()];
  const opened = await openQuestion(client, query, {
    period: periodOf(query, nowMs, invalid),
    readsTeams,
    nowMs,
    signal: api.wrapUpSignal,
    refuse: (code, message) => new ToolError(code, message),
  });
  return { ...opened, client };
};

/** A cursor is the number of rows before: a report is read anew for every page. */
function pageOf(
  rows: readonly object[],
  { limit, cursor = "0" }: Pick<Question, "limit" | "cursor">,
  name: "rows" | "pull_requests" | "idle",
) {
  const shown = rows.slice(Number(cursor), Number(cursor) + limit);
  const end = Number(cursor) + shown.length;
  const next_cursor = end < rows.length ? String(end) : null;
  return {
    content: { [name]: shown, count: rows.length, next_cursor },
    text: `${shown.length} of ${rows.length}${name === "rows" ? " rows" : ""} follow.${next_cursor === null ? "" : ` ${moreSentence}`}`,
  };
}

/** Three decimals: a model reads every digit, and the rest is noise. */
const rounded = (content: JsonObject): JsonObject =>
  JSON.parse(
    JSON.stringify(content, (_, value) => (typeof value === "number" ? Number(value.toFixed(3)) : value)),
  );
