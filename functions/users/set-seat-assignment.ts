import { onlyOrganization } from "../../lib/access/scope.ts";
import { setSeatAssignment as operation } from "../../lib/contract/operations/users.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { changeOrganizationSettings } from "../../lib/organizations/settings.ts";

export const handler = createHandler(operation, async (call) => {
  const { mode } = call.input.body;
  await changeOrganizationSettings(call, onlyOrganization(call).uuid, { seat_assignment_mode: mode });
  return { json: { mode } };
});
