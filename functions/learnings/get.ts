import { getLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { learningPrefetch, locateLearning, requestedLearning } from "../../lib/learnings/find.ts";
import { readLearning } from "../../lib/learnings/read-learning.ts";

export const handler = createHandler(
  operation,
  async (call) => ({ json: await readLearning(call.table, requestedLearning(call)) }),
  { locate: locateLearning, prefetch: learningPrefetch },
);
