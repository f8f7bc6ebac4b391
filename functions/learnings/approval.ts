import { decideLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { decideOverHttp } from "../../lib/learnings/decide.ts";
import { learningAlongside, locateLearning } from "../../lib/learnings/find.ts";

export const handler = lambda(
  operation,
  async (call) => {
    const { scope, readable, input } = call;
    const request = {
      organizations: scope.organizations,
      readable,
      id: input.path.learning_id,
      ahead: call.alongside[0],
    };
    const decision = input.body.decision === "approve" ? "approved" : "disapproved";
    return { json: await decideOverHttp(call, request, decision) };
  },
  { locate: locateLearning, alongside: learningAlongside },
);
