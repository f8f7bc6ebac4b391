import * as z from "zod";
import { pageLimits, requestLimits } from "../limits.ts";
import { everyKey, operation } from "../operation.ts";
import {
  choice,
  formatWords,
  isCalendarDay,
  listParameter,
  optInParameter,
  organizationSelector,
  organizationsFilter,
  pageParameters,
  repositoryIdsWords,
} from "../parameters.ts";
import { pageOf, pageWords } from "../records.ts";
import {
  mcpRecord,
  pullRequestStatuses,
  removedPullRequest,
  reviewCommentsRecord,
  reviewRecord,
} from "../records-metrics.ts";

const { metrics } = pageLimits;

const day = z
  .string()
  .refine(isCalendarDay, { error: "must be a calendar day as YYYY-MM-DD" })
  .meta({ override: { type: "string", format: "date" } });

const removedWords =
  "Default `false`. With `true` the array `removed` names what was deleted, left the window or no longer matches the filters; both arrays count against `limit`. If you start " +
  "with it, and apply all pages of the first and of every later sync in order, your copy holds what a first read would return.";

const filters = {
  start_date: day.describe("First day of the window, UTC, inclusive."),
  end_date: day.describe("Last day of the window, UTC, inclusive; not before `start_date`."),
  repository_ids: listParameter(requestLimits.listValuesMax).optional().describe(repositoryIdsWords),
  user_ids: listParameter(requestLimits.listValuesMax)
    .optional()
    .describe("Only pull requests of these authors, by the Git provider's user ids."),
  ...organizationsFilter,
  ...pageParameters(metrics),
  include_removed: optInParameter.optional().describe(removedWords),
  ...organizationSelector,
};

/** Days of four-digit years compare as text. A wrong day is reported on its own. */
const inOrder = ({ start_date, end_date }: { start_date: string; end_date: string }) =>
  ![start_date, end_date].every(isCalendarDay) || start_date <= end_date;
const wrongOrder = { error: "must not be before start_date", path: ["end_date"] };

const notWithCsv = { error: "must not be sent with format=csv", path: ["include_removed"] };

const walkDescription =
  "Pages are in write order. So a pull request that is written or changed while you read still appears, at its new " +
  "place: keep the last record per organization and `pr_url`. A page can be short or empty and still have a `next_cursor`. The last page " +
  "carries `x-resume-cursor`: send it later as `cursor`, with the same filters, to read only what was written since. " +
  "`include_removed=true` also names what is gone: see " +
  "[pagination and sync](docs/pagination).";

/** The common part of the three operations. */
const streamed = ["streamHead", "entry", "spillPart"] as const;
const pageOfPullRequests = <Record extends z.ZodType>(record: Record) =>
  ({
    status: 200,
    description: "One page of pull requests",
    schema: pageOf(z.array(record).describe(pageWords), removedPullRequest),
  }) as const;

const common = {
  method: "GET",
  tag: "Metrics",
  only: "metrics:read",
  keys: everyKey,
  plan: "enterprise",
  gates: ["metrics"],
  needs: null,
  organization: "optional",
  instanceScope: "authorized",
  rateLimit: { bucket: "metrics", requestsMax: 60, windowSeconds: 60, owner: "quota" },
  paging: { bindsPageSize: false, resumable: true, defaultSize: metrics.default },
  streaming: true,
  reads: { get: streamed, getMany: streamed, query: streamed },
  errors: ["RESPONSE_TOO_LARGE"],
} as const;

export const reviewCommentMetrics = operation({
  ...common,
  id: "listReviewCommentMetrics",
  source: "metrics/review-comments",
  path: "/v1/metrics/review-comments",
  summary: "Read the findings of automated reviews on merged pull requests",
  description: `Metadata of every finding, never its text. The window selects by merge day (UTC). ${walkDescription}`,
  query: z.strictObject(filters).refine(inOrder, wrongOrder),
  answer: pageOfPullRequests(reviewCommentsRecord),
});

export const reviewMetrics = operation({
  ...common,
  id: "listReviewMetrics",
  source: "metrics/reviews",
  path: "/v1/metrics/reviews",
  summary: "Read one aggregate per reviewed pull request",
  description:
    "The window selects by merge day (UTC), or by closing day for unmerged pull requests. CSV and NDJSON carry the " +
    `cursor in \`x-next-cursor\`. ${walkDescription}`,
  query: z
    .strictObject({
      ...filters,
      include_removed: filters.include_removed.describe(
        `${removedWords} In NDJSON these are records with \`removed\`. Not with CSV.`,
      ),
      status: choice([...pullRequestStatuses, "all"])
        .default("merged")
        .describe("Merged pull requests, closed ones that were not merged, or both."),
      format: choice(["json", "csv", "ndjson"]).default("json").describe(formatWords),
    })
    .refine(inOrder, wrongOrder)
    .refine(({ include_removed, format }) => !include_removed || format !== "csv", notWithCsv),
  answer: pageOfPullRequests(reviewRecord),
});

export const mcpMetrics = operation({
  ...common,
  id: "listMcpMetrics",
  source: "metrics/mcp",
  path: "/v1/metrics/mcp",
  summary: "Read the MCP servers and tools that reviews of merged pull requests used",
  description: `Join it with the review metrics on \`pr_url\`. Counts are best-effort. ${walkDescription}`,
  query: z.strictObject(filters).refine(inOrder, wrongOrder),
  answer: pageOfPullRequests(mcpRecord),
});

/** In the order of the reference. */
export const metricsOperations = [reviewCommentMetrics, reviewMetrics, mcpMetrics] as const;
