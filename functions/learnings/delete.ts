import { deleteLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { deleteLearning } from "../../lib/learnings/delete.ts";
import { learningPrefetch, locateLearning } from "../../lib/learnings/find.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const { scope, readable, input } = call;
    await deleteLearning(call, {
      organizations: scope.organizations,
      readable,
      id: input.path.learning_id,
      ahead: call.prefetched[0],
    });
    return { empty: true };
  },
  { locate: locateLearning, prefetch: learningPrefetch },
);
