import type { Client } from "../client/client.ts";
import { pagesInHalves } from "../client/pages-in-halves.ts";
import type { CommentsRecord, ReviewRecord } from "../contract/records-metrics.ts";
import type { Period } from "./period.ts";
import { createCollector, type PullRequest } from "./pull-request.ts";

/** The filters of a report; all except the period are the API's own filters. */
export type ReportQuery = Period & {
  readonly org_id?: string;
  readonly organization_ids?: string;
  readonly repository_ids?: string;
};

type Body<Record> = { readonly data: readonly Record[]; readonly next_cursor: string | null };

export type ReportReadOptions = {
  /** The API's maximum page size. */
  readonly pageSizeMax: number;
  readonly signal?: AbortSignal;
  /** The number of records read so far, of both datasets, and how many of them are reviews. */
  onProgress?(records: number, reviews: number): void;
  /** If set, reviewed pull requests that were closed without a merge are read too, and passed only to this function. */
  onClosed?(record: ReviewRecord): void;
};

/** Every merged, reviewed pull request of the period, with its findings. */
export async function readPullRequests(
  client: Client,
  query: ReportQuery,
  { pageSizeMax, signal, onProgress, onClosed }: ReportReadOptions,
): Promise<PullRequest[]> {
  const collector = createCollector();
  const call = signal ? { signal } : {};
  const status = onClosed ? { status: "all" as const } : {};
  let records = 0;
  let reviews = 0;
  const each = async <Record>(
    ask: (place: { cursor: string | undefined; limit: number }) => Promise<{ readonly body: Body<Record> }>,
    add: (records: readonly Record[]) => void,
  ) => {
    const pages = pagesInHalves(ask, ({ body }) => body.next_cursor, { cursor: undefined, pageSizeMax });
    for await (const { body } of pages) {
      add(body.data);
      records += body.data.length;
      onProgress?.(records, reviews);
    }
  };
  await each<ReviewRecord>(
    (place) => client.listReviewMetrics({ query: { ...query, ...status, ...place } }, call),
    (page) => {
      reviews += page.length;
      collector.addReviews(page);
      for (const record of page) if (record.merged_at === null) onClosed?.(record);
    },
  );
  await each<CommentsRecord>(
    (place) => client.listReviewCommentMetrics({ query: { ...query, ...place } }, call),
    collector.addComments,
  );
  return collector.pullRequests();
}
