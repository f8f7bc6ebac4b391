import { decideLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { decideOverHttp } from "../../lib/learnings/decide.ts";
import { learningPrefetch, locateLearning } from "../../lib/learnings/find.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const { scope, readable, input } = call;
    const request = {
      organizations: scope.organizations,
      readable,
      id: input.path.learning_id,
      ahead: call.prefetched[0],
    };
    const decision = input.body.decision === "approve" ? "approved" : "disapproved";
    return { json: await decideOverHttp(call, request, decision) };
  },
  { locate: locateLearning, prefetch: learningPrefetch },
);
