import { deleteLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { deleteLearning } from "../../lib/learnings/delete.ts";
import { learningAlongside, locateLearning } from "../../lib/learnings/find.ts";

export const handler = lambda(
  operation,
  async (call) => {
    const { scope, readable, input } = call;
    await deleteLearning(call, {
      organizations: scope.organizations,
      readable,
      id: input.path.learning_id,
      ahead: call.alongside[0],
    });
    return { empty: true };
  },
  { locate: locateLearning, alongside: learningAlongside },
);
