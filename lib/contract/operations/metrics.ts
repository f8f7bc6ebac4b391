import * as z from "zod";
import { pageLimits, requestLimits } from "../limits.ts";
import { everyKey, operation } from "../operation.ts";
import {
  choice,
  isCalendarDay,
  listParameter,
  optInParameter,
  organizationSelector,
  organizationsFilter,
  pageParameters,
} from "../parameters.ts";
import { pageOf } from "../records.ts";
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

const filters = {
  start_date: day,
  end_date: day,
  repository_ids: listParameter(requestLimits.listValuesMax).optional(),
  user_ids: listParameter(requestLimits.listValuesMax).optional(),
  ...organizationsFilter,
  ...pageParameters(metrics),
  include_removed: optInParameter.optional(),
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
    schema: pageOf(record, removedPullRequest),
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
      status: choice([...pullRequestStatuses, "all"]).default("merged"),
      format: choice(["json", "csv", "ndjson"]).default("json"),
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
