import { deleteLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { deleteLearning } from "../../lib/learnings/delete.ts";
import { locateLearning } from "../../lib/learnings/find.ts";

export const handler = lambda(
  operation,
  async (call) => {
    const { scope, input } = call;
    await deleteLearning(call, { organizations: scope.organizations, id: input.path.learning_id });
    return { empty: true };
  },
  { locate: locateLearning },
);
