import { onlyOrganization } from "../../lib/access/scope.ts";
import { deleteRole as operation } from "../../lib/contract/operations/roles.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { deleteRole } from "../../lib/people/custom-roles.ts";

export const handler = lambda(operation, async (call) => {
  await deleteRole(call, onlyOrganization(call), call.input.path.role_id);
  return { empty: true };
});
