import type { McpRecord, PullRequestStatus, ReviewRecord } from "../contract/records-metrics.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { StreamEntry } from "../stream/stream.ts";
import { prUrlOfMcp, toMcpRecord } from "./mcp.ts";
import { createRepositoryNames } from "./repository-names.ts";
import { prUrlOfComments, renderReviewComments } from "./review-comments.ts";
import { hasStatus, letterOfStatus, prUrlOfReview, toReviewRecord } from "./reviews.ts";
import { jsonRecordBytesMax, type MetricsContext, type MetricsWalkPage, walkMetrics } from "./walk.ts";

export type MetricsPage<Record> = Omit<MetricsWalkPage, "entries"> & {
  readonly records: readonly Record[];
  /** The owner of each record, in the order of the records. */
  readonly owners: readonly OrganizationItem[];
};

const ownersOf = (entries: MetricsWalkPage["entries"]): OrganizationItem[] =>
  entries.map(({ organization }) => organization);

/** Records as JSON text: pages of thousands of findings never become objects. */
export async function readReviewComments(call: MetricsContext): Promise<MetricsPage<string>> {
  const { entries, ...cursors } = await walkMetrics(call, {
    dataset: "review-comments",
    recordBytesMax: jsonRecordBytesMax,
    prUrlOf: prUrlOfComments,
  });
  const records = entries.map(({ entry, organization }) =>
    renderReviewComments(entry, organization.provider_organization_id),
  );
  return { records, owners: ownersOf(entries), ...cursors };
}

type ReviewsCall = MetricsContext & {
  readonly input: { readonly query: { readonly status: PullRequestStatus | "all"; readonly format: string } };
};

export async function readReviews(call: ReviewsCall): Promise<MetricsPage<ReviewRecord>> {
  const { status, format } = call.input.query;
  const names = createRepositoryNames(call.table);
  const wantedStatus = (letter: string | undefined) => status === "all" || letter === letterOfStatus(status);
  const wanted = (entry: StreamEntry) => {
    if (status !== "all" && !hasStatus(entry, status)) return false;
    names.want(entry.organization, entry.repositoryId);
    return true;
  };
  // A record's CSV can be smaller than its JSON, so for CSV only the finished body shows whether it fits.
  const recordBytesMax = format === "json" ? jsonRecordBytesMax : Number.POSITIVE_INFINITY;
  const { entries, ...cursors } = await walkMetrics(call, {
    dataset: "reviews",
    wanted,
    wantedStatus,
    recordBytesMax,
    prUrlOf: prUrlOfReview,
  });
  const nameOf = await names.all();
  const records = entries.map(({ entry, organization }) =>
    toReviewRecord(entry, {
      organizationId: organization.provider_organization_id,
      organizationName: organization.name,
      provider: organization.provider,
      ...nameOf(entry.organization, entry.repositoryId),
    }),
  );
  return { records, owners: ownersOf(entries), ...cursors };
}

export async function readMcp(call: MetricsContext): Promise<MetricsPage<McpRecord>> {
  const { entries, ...cursors } = await walkMetrics(call, {
    dataset: "mcp",
    recordBytesMax: jsonRecordBytesMax,
    prUrlOf: prUrlOfMcp,
  });
  const records = entries.map(({ entry, organization }) =>
    toMcpRecord(entry, {
      organizationId: organization.provider_organization_id,
      provider: organization.provider,
    }),
  );
  return { records, owners: ownersOf(entries), ...cursors };
}
