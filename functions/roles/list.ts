import { onlyOrganization } from "../../lib/access/scope.ts";
import { listRoles as operation } from "../../lib/contract/operations/roles.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { customRoleRecord, readRoles, systemRoleRecords } from "../../lib/people/role-records.ts";

export const handler = createHandler(operation, async (call) => {
  const { role_type = "all", include_permissions = false, include_user_count = true } = call.input.query;
  const detail = { permissions: include_permissions, userCount: include_user_count };
  const { guard, custom } = await readRoles(call.table, onlyOrganization(call).uuid);
  const roles = [
    ...(role_type === "custom" ? [] : systemRoleRecords(guard, detail)),
    ...(role_type === "system" ? [] : custom.map((role) => customRoleRecord(guard, role, detail))),
  ];
  return { json: { roles } };
});
