import { getRole as operation } from "../../lib/contract/operations/roles.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { onlyOrganization } from "../../lib/http/only-organization.ts";
import { roleNotFound } from "../../lib/people/custom-roles.ts";
import { customRoleRecord, fullDetail, readRoles, systemRoleRecords } from "../../lib/people/role-records.ts";

export const handler = lambda(operation, async (call) => {
  const { role_id: roleId } = call.input.path;
  const { guard, custom } = await readRoles(call.table, onlyOrganization(call).uuid);
  const found = custom.find(({ id }) => id === roleId);
  const json = found
    ? customRoleRecord(guard, found, fullDetail)
    : systemRoleRecords(guard, fullDetail).find(({ id }) => id === roleId);
  if (!json) throw roleNotFound();
  return { json };
});
