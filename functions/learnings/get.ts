import { getLearning as operation } from "../../lib/contract/operations/learnings.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { learningAlongside, locateLearning } from "../../lib/learnings/find.ts";
import { readLearning } from "../../lib/learnings/read.ts";

export const handler = lambda(
  operation,
  async ({ table, scope, readable, input, alongside }) => {
    const request = {
      organizations: scope.organizations,
      readable,
      id: input.path.learning_id,
      ahead: alongside[0],
    };
    return { json: await readLearning(table, request) };
  },
  { locate: locateLearning, alongside: learningAlongside },
);
