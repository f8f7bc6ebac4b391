import { onlyOrganization } from "../../lib/access/scope.ts";
import { getRole as operation } from "../../lib/contract/operations/roles.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { roleNotFound } from "../../lib/people/custom-roles.ts";
import { customRoleRecord, readRoles, systemRoleRecords } from "../../lib/people/role-records.ts";

export const handler = createHandler(operation, async (call) => {
  const { role_id: roleId } = call.input.path;
  const { include_permissions = true, include_user_count = true } = call.input.query;
  const detail = { permissions: include_permissions, userCount: include_user_count };
  const { guard, custom } = await readRoles(call.table, onlyOrganization(call).uuid);
  const found = custom.find(({ id }) => id === roleId);
  const json = found
    ? customRoleRecord(guard, found, detail)
    : systemRoleRecords(guard, detail).find(({ id }) => id === roleId);
  if (!json) throw roleNotFound();
  return { json };
});
