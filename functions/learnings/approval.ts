import { decideLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { decideRequested } from "../../lib/learnings/decide.ts";
import { learningPrefetch, locateLearning, requestedLearning } from "../../lib/learnings/find.ts";

export const handler = createHandler(
  operation,
  async (call) => ({
    json: await decideRequested(call, requestedLearning(call), call.input.body.decision),
  }),
  { locate: locateLearning, prefetch: learningPrefetch },
);
