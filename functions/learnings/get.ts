import { getLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { learningPrefetch, locateLearning } from "../../lib/learnings/find.ts";
import { readLearning } from "../../lib/learnings/read.ts";

export const handler = createHandler(
  operation,
  async ({ table, scope, readable, input, prefetched }) => {
    const request = {
      organizations: scope.organizations,
      readable,
      id: input.path.learning_id,
      ahead: prefetched[0],
    };
    return { json: await readLearning(table, request) };
  },
  { locate: locateLearning, prefetch: learningPrefetch },
);
