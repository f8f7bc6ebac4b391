import { configuredEmbedder } from "../../lib/index/configured-embedder.ts";
import { type SearchAnswer, searchForReview } from "../../lib/learnings/search.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";

/** For the reviewer alone, invoked by its role and not on the public API: the Learnings that fit a change. */
export const handler = worker(
  "searchLearnings",
  (event: unknown): Promise<SearchAnswer> =>
    searchForReview({ ...openStore(), embedder: configuredEmbedder() }, event),
);
