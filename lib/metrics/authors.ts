import type { TenantKey } from "../contract/tenants.ts";
import type { Clock } from "../runtime/clock.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { ReadAhead } from "../store/read-ahead.ts";
import type { Table } from "../store/table.ts";
import { prUrlOfReview } from "./reviews.ts";
import { headPrefetch, type MetricsContext, walkMetrics } from "./walk.ts";

export type PullRequestAuthor = {
  readonly organization: string;
  readonly userId: string;
  /** When the pull request was merged or closed. */
  readonly atMs: number;
};

const entriesTogether = 1_000;

/**
 * The authors of all reviewed pull requests that were merged or closed in the window; an author may appear several
 * times.
 */
export async function* authorsBetween(
  { table, clock }: { readonly table: Table; readonly clock: Clock },
  place: { readonly tenant: TenantKey; readonly organizations: readonly OrganizationItem[] },
  window: { readonly start_date: string; readonly end_date: string },
): AsyncGenerator<PullRequestAuthor> {
  let position = 0;
  for (;;) {
    const call: MetricsContext = {
      principal: { tenant: place.tenant },
      scope: { organizations: place.organizations },
      input: { query: window },
      paging: { position, pageSize: entriesTogether, next: String, resume: String },
      table,
      clock,
      prefetched: await new ReadAhead().read(table, headPrefetch(place.tenant)),
      signal: new AbortController().signal,
    };
    const { entries, nextCursor } = await walkMetrics(call, {
      dataset: "reviews",
      recordBytesMax: Number.POSITIVE_INFINITY,
      prUrlOf: prUrlOfReview,
    });
    for (const { entry } of entries)
      if (entry.authorId !== null)
        yield { organization: entry.organization, userId: entry.authorId, atMs: entry.atMs };
    if (nextCursor === null) return;
    position = Number(nextCursor);
  }
}
