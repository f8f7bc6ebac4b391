import { updateLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { configuredEmbedder } from "../../lib/index/configured-embedder.ts";
import { embedderAfter } from "../../lib/index/embedder.ts";
import { learningPrefetch, locateLearning, requestedLearning } from "../../lib/learnings/find.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    // The redaction code is large: a cold start does not wait for it, and a refused request never needs it.
    const { updateLearning } = await import("../../lib/learnings/update.ts");
    const { learning: text, file, source_url: sourceUrl } = call.input.body;
    const request = { ...requestedLearning(call), text, file, sourceUrl };
    return {
      json: await updateLearning(
        { ...call, embedder: embedderAfter(call.admitted, configuredEmbedder()) },
        request,
      ),
    };
  },
  { locate: locateLearning, prefetch: learningPrefetch },
);
