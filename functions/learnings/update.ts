import { updateLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { configuredEmbedder } from "../../lib/index/configured-embedder.ts";
import { embedderAfter } from "../../lib/index/embedder.ts";
import { learningPrefetch, locateLearning } from "../../lib/learnings/find.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const { scope, input } = call;
    // The redaction code is large: a cold start does not wait for it, and a refused request never needs it.
    const { updateLearning } = await import("../../lib/learnings/update.ts");
    const request = {
      organizations: scope.organizations,
      readable: call.readable,
      id: input.path.learning_id,
      text: input.body.learning,
      file: input.body.file,
      sourceUrl: input.body.source_url,
      ahead: call.prefetched[0],
    };
    return {
      json: await updateLearning(
        { ...call, embedder: embedderAfter(call.admitted, configuredEmbedder()) },
        request,
      ),
    };
  },
  { locate: locateLearning, prefetch: learningPrefetch },
);
