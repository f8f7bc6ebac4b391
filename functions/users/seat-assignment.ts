import { getSeatAssignment as operation } from "../../lib/contract/operations/users.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(operation, async ({ scope }) => ({
  json: { mode: scope.organizations[0]?.seat_assignment_mode },
}));
