import { onlyOrganization } from "../../lib/access/scope.ts";
import { createRole as operation } from "../../lib/contract/operations/roles.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { createRole } from "../../lib/people/custom-roles.ts";
import { customRoleRecord, fullDetail, toPermissions } from "../../lib/people/role-records.ts";

export const handler = createHandler(operation, async (call) => {
  const { name, description = null, is_default = false, permissions, duplicate_from } = call.input.body;
  const { role, guard } = await createRole(call, onlyOrganization(call), {
    name,
    description,
    is_default,
    permissions: permissions && toPermissions(permissions),
    duplicateFrom: duplicate_from,
  });
  return { json: customRoleRecord(guard, role, fullDetail) };
});
