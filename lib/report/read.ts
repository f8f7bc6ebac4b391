import type { Client } from "../client/client.ts";
import { pagesInHalves } from "../client/pages-in-halves.ts";
import type { CommentsRecord, ReviewRecord } from "../contract/records-metrics.ts";
import type { Period } from "./period.ts";
import { createCollector, type PullRequest } from "./pull-request.ts";

/** What narrows a report; all but the period are the API's own filters. */
export type ReportQuery = Period & {
  readonly org_id?: string;
  readonly organization_ids?: string;
  readonly repository_ids?: string;
};

type Body<Record> = { readonly data: readonly Record[]; readonly next_cursor: string | null };

/** Every merged, reviewed pull request of the period, with its findings. `pageSizeMax` is the API's. */
export async function readPullRequests(
  client: Client,
  query: ReportQuery,
  { pageSizeMax, onProgress }: { readonly pageSizeMax: number; onProgress?(records: number): void },
): Promise<PullRequest[]> {
  const collector = createCollector();
  let records = 0;
  const each = async <Record>(
    ask: (place: { cursor: string | undefined; limit: number }) => Promise<{ readonly body: Body<Record> }>,
    add: (records: readonly Record[]) => void,
  ) => {
    const pages = pagesInHalves(ask, ({ body }) => body.next_cursor, { cursor: undefined, pageSizeMax });
    for await (const { body } of pages) {
      add(body.data);
      records += body.data.length;
      onProgress?.(records);
    }
  };
  await each<ReviewRecord>(
    (place) => client.listReviewMetrics({ query: { ...query, ...place } }),
    collector.addReviews,
  );
  await each<CommentsRecord>(
    (place) => client.listReviewCommentMetrics({ query: { ...query, ...place } }),
    collector.addComments,
  );
  return collector.pullRequests();
}
