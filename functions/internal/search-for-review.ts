import { refusedSearchMetrics, searchMetrics } from "../../lib/contract/telemetry.ts";
import { configuredEmbedder } from "../../lib/index/configured-embedder.ts";
import {
  type SearchAnswer,
  type SearchRefusal,
  SearchRefused,
  searchForReview,
} from "../../lib/learnings/search.ts";
import { log } from "../../lib/runtime/log.ts";
import { embedMetrics } from "../../lib/runtime/metrics.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";

/** Finds the Learnings that fit a change. Only the reviewer's role invokes it; it is not on the public API. */
export const handler = worker(
  "searchForReview",
  async (event: unknown): Promise<SearchAnswer | SearchRefusal> => {
    const store = openStore();
    // A long change takes several searches, and each one costs money.
    let searches = 0;
    const onSearches = (count: number) => {
      searches += count;
    };
    try {
      const answer = await searchForReview({ ...store, embedder: configuredEmbedder(), onSearches }, event);
      log("info", "search", {
        found: answer.learnings.length,
        vector_searches: searches,
        ...embedMetrics(store.clock, [searchMetrics]),
      });
      return answer;
    } catch (error) {
      // The caller's mistake, not a failure of the function: that would wake the person on call.
      if (!(error instanceof SearchRefused)) throw error;
      const { message } = error;
      log("warn", "search refused", {
        problems: message,
        refused_searches: 1,
        ...embedMetrics(store.clock, [refusedSearchMetrics]),
      });
      return { error: { code: "INVALID_REQUEST", message } };
    }
  },
);
