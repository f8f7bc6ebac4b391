import { decideLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { decideOverHttp } from "../../lib/learnings/decide.ts";
import { learningPrefetch, locateLearning, requestedLearning } from "../../lib/learnings/find.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const decision = call.input.body.decision === "approve" ? "approved" : "disapproved";
    return { json: await decideOverHttp(call, requestedLearning(call), decision) };
  },
  { locate: locateLearning, prefetch: learningPrefetch },
);
