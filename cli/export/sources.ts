import * as z from "zod";
import { auditColumns } from "../../lib/audit/export.ts";
import type { Answered, AnswerOf, Client } from "../../lib/client/client.ts";
import { pageLimits } from "../../lib/contract/limits.ts";
import { pullRequestStatuses } from "../../lib/contract/records-metrics.ts";
import type { Column } from "../../lib/http/list.ts";
import { learningColumns } from "../../lib/learnings/columns.ts";
import { reviewColumns } from "../../lib/metrics/reviews.ts";
import { type Format, writerOf } from "./format.ts";

/** A query as it is kept in a state file: everything but cursor and page size. */
export type Query = Readonly<Record<string, string>>;

export type Place = { readonly cursor: string | undefined; readonly limit: number };

export type ExportPage = {
  readonly count: number;
  readonly bytes: Buffer;
  readonly nextCursor: string | null;
  /** On the last page: what reads on from there another day. */
  readonly resumeCursor: string | null;
};

/** One thing that can be exported, already bound to a client, a query and a format. */
export type Walk = {
  readonly beginning: Buffer;
  readonly ending: Buffer;
  readonly pageSizeMax: number;
  page(place: Place, isFirst: boolean): Promise<ExportPage>;
};

export type Source = {
  /** What its records are called, in the plural. */
  readonly noun: string;
  walk(client: Client, query: Query, format: Format): Walk;
};

type Body<Record> = { readonly data: readonly Record[]; readonly next_cursor: string | null };

function source<Parameters, Record>(description: {
  readonly noun: string;
  readonly pageSizeMax: number;
  readonly query: z.ZodType<Parameters>;
  readonly columns: ReadonlyArray<Column<Record>>;
  call(client: Client, query: Parameters & Place): Promise<Answered<Body<Record>>>;
}): Source {
  const { noun, pageSizeMax, columns } = description;
  return {
    noun,
    walk(client, query, format) {
      const parameters = description.query.parse(query);
      const writer = writerOf(format, columns);
      return {
        beginning: writer.beginning,
        ending: writer.ending,
        pageSizeMax,
        async page(place, isFirst) {
          const { body, headers } = await description.call(client, { ...parameters, ...place });
          return {
            count: body.data.length,
            bytes: writer.page(body.data, isFirst),
            nextCursor: body.next_cursor,
            resumeCursor: headers.get("x-resume-cursor"),
          };
        },
      };
    },
  };
}

const scope = {
  org_id: z.string().optional(),
  organization_ids: z.string().optional(),
  user_ids: z.string().optional(),
};
const metricsQuery = z.strictObject({
  ...scope,
  start_date: z.string(),
  end_date: z.string(),
  repository_ids: z.string().optional(),
});

type RecordOf<Name extends "listReviewCommentMetrics" | "listMcpMetrics"> = AnswerOf<Name>["data"][number];

const field = <Record, Name extends keyof Record & string>(name: Name) => ({
  name,
  cell: (record: Record) => record[name],
});
const pullRequestFields = ["pr_url", "organization_id", "repository_id", "author_id", "merged_at"] as const;

const metrics = { noun: "pull requests", pageSizeMax: pageLimits.metrics.max };

/** Lists go into a cell as JSON, as in the API's own CSV. */
export const datasets = {
  "review-comments": source({
    ...metrics,
    query: metricsQuery,
    columns: [
      ...pullRequestFields.map((name) => field<RecordOf<"listReviewCommentMetrics">, typeof name>(name)),
      field<RecordOf<"listReviewCommentMetrics">, "coderabbit_comments">("coderabbit_comments"),
    ],
    call: (client, query) => client.listReviewCommentMetrics({ query }),
  }),
  reviews: source({
    ...metrics,
    query: metricsQuery.extend({ status: z.enum([...pullRequestStatuses, "all"]).optional() }),
    columns: reviewColumns,
    call: (client, query) => client.listReviewMetrics({ query }),
  }),
  mcp: source({
    ...metrics,
    query: metricsQuery,
    columns: [
      ...pullRequestFields.map((name) => field<RecordOf<"listMcpMetrics">, typeof name>(name)),
      field<RecordOf<"listMcpMetrics">, "servers">("servers"),
      field<RecordOf<"listMcpMetrics">, "provider">("provider"),
    ],
    call: (client, query) => client.listMcpMetrics({ query }),
  }),
} satisfies Readonly<Record<string, Source>>;

export const learnings = source({
  noun: "Learnings",
  pageSizeMax: pageLimits.learnings.max,
  query: z.strictObject({ ...scope, repository_ids: z.string().optional() }),
  columns: learningColumns,
  call: (client, query) => client.listLearnings({ query }),
});

/** Ascending: only then can a walk be taken up again later. */
export const auditLogs = source({
  noun: "entries",
  pageSizeMax: pageLimits.auditLogs.max,
  query: z.strictObject({ ...scope, date_from: z.string().optional(), date_to: z.string().optional() }),
  columns: auditColumns,
  call: (client, query) => client.listAuditLogs({ query: { ...query, order: "asc" } }),
});
