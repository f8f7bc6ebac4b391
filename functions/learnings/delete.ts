import { deleteLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { learningPrefetch, locateLearning, requestedLearning } from "../../lib/learnings/find.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    // The redaction code is large: a cold start does not wait for it, and a refused request never needs it.
    const { deleteLearning } = await import("../../lib/learnings/delete.ts");
    await deleteLearning(call, requestedLearning(call));
    return { empty: true };
  },
  { locate: locateLearning, prefetch: learningPrefetch },
);
