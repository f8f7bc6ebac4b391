import { onlyOrganization } from "../../lib/access/scope.ts";
import { updateRole as operation } from "../../lib/contract/operations/roles.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { updateRole } from "../../lib/people/custom-roles.ts";
import { customRoleRecord, fullDetail, toPermissions } from "../../lib/people/role-records.ts";

export const handler = createHandler(operation, async (call) => {
  const { name, description, is_default, permissions } = call.input.body;
  const changes = { name, description, is_default, permissions: permissions && toPermissions(permissions) };
  const { role, guard } = await updateRole(call, onlyOrganization(call), call.input.path.role_id, changes);
  return { json: customRoleRecord(guard, role, fullDetail) };
});
