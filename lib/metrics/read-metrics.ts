import type { PullRequestStatus } from "../contract/records-metrics.ts";
import type { Dataset, StreamEntry } from "../stream/stream.ts";
import { prUrlOfMcp } from "./mcp.ts";
import { createRepositoryNames, type RepositoryName } from "./repository-names.ts";
import { prUrlOfComments } from "./review-comments.ts";
import type { ReviewNames } from "./review-formats.ts";
import { hasStatus, letterOfStatus, prUrlOfReview } from "./reviews.ts";
import {
  jsonRecordBytesMax,
  type MetricsContext,
  type MetricsWalkPage,
  type PlacedEntry,
  walkMetrics,
} from "./walk.ts";

/** Not decoded: the answer's bytes are made from the entries, one after another. */
export type MetricsPage<Record extends PlacedEntry = PlacedEntry> = Omit<MetricsWalkPage, "entries"> & {
  readonly records: readonly Record[];
  readonly bytesExpected: number;
};

const pageOf = <Record extends PlacedEntry>(
  { entries: _, ...cursors }: MetricsWalkPage,
  records: readonly Record[],
): MetricsPage<Record> => ({
  ...cursors,
  records,
  // The names of organization and repository come on top.
  bytesExpected: records.reduce((sum, { entry }) => sum + entry.renderedBytes + 200, 0),
});

/* @__NO_SIDE_EFFECTS__ */
const reader =
  (dataset: Dataset, prUrlOf: (entry: StreamEntry) => string) =>
  async (call: MetricsContext): Promise<MetricsPage> => {
    const page = await walkMetrics(call, { dataset, recordBytesMax: jsonRecordBytesMax, prUrlOf });
    return pageOf(page, page.entries);
  };

export const readReviewComments = reader("review-comments", prUrlOfComments);

export const readMcp = reader("mcp", prUrlOfMcp);

type ReviewsCall = MetricsContext & {
  readonly input: { readonly query: { readonly status: PullRequestStatus | "all"; readonly format: string } };
};

export async function readReviews(
  call: ReviewsCall,
): Promise<MetricsPage<PlacedEntry & { names: ReviewNames }>> {
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
  const page = await walkMetrics(call, {
    dataset: "reviews",
    wanted,
    wantedStatus,
    recordBytesMax,
    prUrlOf: prUrlOfReview,
  });
  const nameOf = await names.all();
  const known = new Map<RepositoryName, ReviewNames>();
  const records = page.entries.map(({ entry, organization }) => {
    const { provider_organization_id: organizationId, name: organizationName, provider } = organization;
    const repository = nameOf(entry.organization, entry.repositoryId);
    const made = known.get(repository) ?? { organizationId, organizationName, provider, ...repository };
    known.set(repository, made);
    return { entry, organization, names: made };
  });
  return pageOf(page, records);
}
