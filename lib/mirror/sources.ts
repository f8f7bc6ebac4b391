import * as z from "zod";
import { auditColumns } from "../audit/export.ts";
import type { Answered, Client, ResponseOf } from "../client/client.ts";
import { ReviewApiError } from "../client/error.ts";
import { type CsvColumn, fieldColumns } from "../contract/csv-row.ts";
import { pageLimits } from "../contract/limits.ts";
import { mcpRecord, pullRequestStatuses } from "../contract/records-metrics.ts";
import { findingStates } from "../contract/records-security.ts";
import { learningColumns } from "../learnings/columns.ts";
import { reviewColumns } from "../metrics/review-columns.ts";
import { findingColumns } from "../security/record.ts";
import type { ExportFormat } from "./format.ts";
import { identityFields, type RecordIdentity } from "./identity.ts";
import type { MirrorChange } from "./journal.ts";
import { type CsvTable, csvTableOf, layoutOf, type RecordFields } from "./layout.ts";
import type { MirrorShape } from "./merge.ts";

/** A query as a state file stores it: everything except cursor and page size. */
export type ExportQuery = Readonly<Record<string, string>>;

export type PagePosition = { readonly cursor: string | undefined; readonly limit: number };

export type ExportPage = {
  readonly changes: readonly MirrorChange[];
  readonly nextCursor: string | null;
  /** On the last page: the cursor to continue from on a later day. */
  readonly resumeCursor: string | null;
};

/** A dataset to export, already bound to a client, a query and a format. */
export type ExportWalk = MirrorShape & {
  readonly pageSizeMax: number;
  page(place: PagePosition): Promise<ExportPage>;
  /** True if rows of an organization that left cannot be distinguished from those of another one. */
  isAmbiguous(left: RecordFields): Promise<boolean>;
};

export type ExportWalkOptions = {
  readonly query: ExportQuery;
  readonly format: ExportFormat;
  readonly followsRemovals: boolean;
};

export type ExportSource = {
  /** The name of its records, in the plural. */
  readonly noun: string;
  readonly onlyGrows: boolean;
  readonly identity: RecordIdentity;
  walk(client: Client, options: ExportWalkOptions): ExportWalk;
};

type Body<Record> = {
  readonly data: readonly Record[];
  readonly removed?: readonly RecordFields[] | undefined;
  readonly next_cursor: string | null;
};
type Removals = { readonly include_removed?: "true" };

export function source<Parameters, Record extends RecordFields>(description: {
  readonly noun: string;
  readonly pageSizeMax: number;
  readonly onlyGrows?: boolean;
  readonly identity: RecordIdentity;
  readonly query: z.ZodType<Parameters>;
  readonly table: CsvTable<Record>;
  call(
    client: Client,
    query: Parameters & PagePosition & Removals,
  ): Promise<Pick<Answered<Body<Record>>, "body" | "headers">>;
}): ExportSource {
  const { noun, pageSizeMax, table, identity, onlyGrows = false } = description;
  return {
    noun,
    onlyGrows,
    identity,
    walk(client, { query, format, followsRemovals }) {
      const parameters = description.query.parse(query);
      const removals: Removals = followsRemovals && !onlyGrows ? { include_removed: "true" } : {};
      return {
        identity,
        layout: layoutOf(format, table, identityFields(identity)),
        pageSizeMax,
        onlyGrows,
        async page(place) {
          const { body, headers } = await description.call(client, { ...parameters, ...removals, ...place });
          return {
            changes: changesOf(body, identity),
            nextCursor: body.next_cursor,
            resumeCursor: headers.get("x-resume-cursor"),
          };
        },
        isAmbiguous: async (left) =>
          !identity.organization.includes("provider") && (await isNumberShared(client, left)),
      };
    },
  };
}

/** The order does not matter: within a page a thing is in only one of the two arrays. */
const changesOf = ({ data, removed = [] }: Body<RecordFields>, { thing }: RecordIdentity): MirrorChange[] => [
  ...removed.map((fields): MirrorChange => ({ kind: thing in fields ? "removed" : "left", fields })),
  ...data.map((fields): MirrorChange => ({ kind: "written", fields, json: JSON.stringify(fields) })),
];

/**
 * Two organizations of one workspace may share a number, and records without a provider do not show which of the two
 * they belong to. An organization that is not listed now is no problem: its rows are removed too, and return with it.
 */
async function isNumberShared(
  client: Client,
  { provider, organization_id: number }: RecordFields,
): Promise<boolean> {
  try {
    for await (const { body } of client.pages("listOrganizations"))
      for (const other of body.organizations)
        if (other.provider_organization_id === number && other.provider !== provider) return true;
    return false;
  } catch (error) {
    if (!(error instanceof ReviewApiError)) throw error;
    // Only organizations on the Enterprise plan have records, and the scope has no such organization left.
    if (error.code === "ENTERPRISE_PLAN_REQUIRED") return false;
    // A key that may not list organizations cannot exclude a shared number.
    if ([403, 410].includes(error.status)) return true;
    throw error;
  }
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

type ExportedComments = ResponseOf<"listReviewCommentMetrics">["data"][number];
type CommentRow = {
  readonly pullRequest: ExportedComments;
  readonly comment: ExportedComments["coderabbit_comments"][number] | null;
};

/** One row per record. */
export const plainTable = <Record>(columns: ReadonlyArray<CsvColumn<Record>>): CsvTable<Record> =>
  csvTableOf(columns, (record: Record) => [record]);

const pullRequestFields = ["pr_url", "organization_id", "repository_id", "author_id", "merged_at"] as const;
const commentFields = ["url", "severity", "category", "accepted"] as const;

/**
 * One row per comment. The API leaves out pull requests without comments; if one came, it would be a row without a
 * comment.
 */
const commentsTable = csvTableOf<ExportedComments, CommentRow>(
  [
    ...pullRequestFields.map((name) => ({ name, cell: ({ pullRequest }: CommentRow) => pullRequest[name] })),
    ...commentFields.map((name) => ({
      name: `comment_${name}`,
      cell: ({ comment }: CommentRow) => (comment === null ? null : comment[name]),
    })),
  ],
  (pullRequest) => {
    const comments = pullRequest.coderabbit_comments;
    return comments.length === 0
      ? [{ pullRequest, comment: null }]
      : comments.map((comment) => ({ pullRequest, comment }));
  },
);

const pullRequests = { noun: "pull requests", pageSizeMax: pageLimits.metrics.max };
const organization = ["provider", "organization_id"];
const pullRequest: RecordIdentity = { thing: "pr_url", organization };

export const metricsSources = {
  "review-comments": source({
    ...pullRequests,
    // These records do not name the provider.
    identity: { thing: "pr_url", organization: ["organization_id"] },
    query: metricsQuery,
    table: commentsTable,
    call: (client, query) => client.listReviewCommentMetrics({ query }),
  }),
  reviews: source({
    ...pullRequests,
    identity: pullRequest,
    query: metricsQuery.extend({ status: z.enum([...pullRequestStatuses, "all"]).optional() }),
    table: plainTable(reviewColumns),
    call: (client, query) => client.listReviewMetrics({ query }),
  }),
  mcp: source({
    ...pullRequests,
    identity: pullRequest,
    query: metricsQuery,
    table: plainTable(fieldColumns(mcpRecord)),
    call: (client, query) => client.listMcpMetrics({ query }),
  }),
} satisfies Readonly<Record<string, ExportSource>>;

export const learnings = source({
  noun: "Learnings",
  pageSizeMax: pageLimits.learnings.max,
  identity: { thing: "id", organization },
  query: z.strictObject({ ...scope, repository_ids: z.string().optional() }),
  table: plainTable(learningColumns),
  call: (client, query) => client.listLearnings({ query }),
});

/** Ascending: only then can a walk be resumed later. */
export const auditLogs = source({
  noun: "entries",
  pageSizeMax: pageLimits.auditLogs.max,
  onlyGrows: true,
  identity: { thing: "id", organization: [] },
  query: z.strictObject({
    ...scope,
    date_from: z.string().optional(),
    date_to: z.string().optional(),
    search: z.string().optional(),
    actions: z.string().optional(),
  }),
  table: plainTable(auditColumns),
  call: (client, { include_removed: _, ...query }) =>
    client.listAuditLogs({ query: { ...query, order: "asc" } }),
});

const findingsQuery = z.strictObject({
  organization_ids: z.string().optional(),
  repo_id: z.string().optional(),
  state: z.enum([...findingStates, "all"]).optional(),
  severity: z.string().optional(),
});

export type FindingsQuery = z.output<typeof findingsQuery>;

/** Downloaded completely each time: findings have no write order to continue from. */
export const findings = source({
  noun: "findings",
  pageSizeMax: pageLimits.findings.max,
  identity: { thing: "id", organization },
  query: findingsQuery,
  table: plainTable(findingColumns),
  call: (client, { include_removed: _, ...query }) => client.listSecurityFindings({ query }),
});
