import { onlyOrganization } from "../../lib/access/scope.ts";
import { getSeatAssignment as operation } from "../../lib/contract/operations/users.ts";
import { createHandler } from "../../lib/http/create-handler.ts";

export const handler = createHandler(operation, async (call) => ({
  json: { mode: onlyOrganization(call).seat_assignment_mode },
}));
