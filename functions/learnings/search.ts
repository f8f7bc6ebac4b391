import { searchLearnings as operation } from "../../lib/contract/operations/learnings-search.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { configuredEmbedder } from "../../lib/index/configured-embedder.ts";
import { embedderAfter } from "../../lib/index/embedder.ts";
import { searchScope } from "../../lib/learnings/search-scope.ts";
import { openStore } from "../../lib/store/open.ts";

export const handler = createHandler(operation, async (call) => ({
  json: await searchScope(call, {
    table: call.table,
    vectors: openStore().vectors,
    // A refused call costs no embedding, and so no search.
    embedder: embedderAfter(call.admitted, configuredEmbedder()),
    signal: call.signal,
    onSearches: call.onSearches,
  }),
}));
