import { onlyOrganization } from "../../lib/access/scope.ts";
import { deleteRole as operation } from "../../lib/contract/operations/roles.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { deleteRole } from "../../lib/people/custom-roles.ts";

export const handler = createHandler(operation, async (call) => {
  await deleteRole(call, onlyOrganization(call), call.input.path.role_id);
  return { empty: true };
});
