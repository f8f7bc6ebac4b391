import { getSeatAssignment as operation } from "../../lib/contract/operations/users.ts";
import { lambda } from "../../lib/http/lambda.ts";

export const handler = lambda(operation, async ({ scope }) => ({
  json: { mode: scope.organizations[0]?.seat_assignment_mode },
}));
