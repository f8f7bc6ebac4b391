import { onlyOrganization } from "../../lib/access/scope.ts";
import { isSystemRole } from "../../lib/contract/access.ts";
import { ApiError } from "../../lib/contract/api-error.ts";
import { giveRole as operation } from "../../lib/contract/operations/roles.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { batchAnswer, byUserId } from "../../lib/people/batch-answer.ts";
import { changeRoles } from "../../lib/people/change-roles.ts";

export const handler = createHandler(operation, async (call) => {
  const { role_id: role } = call.input.path;
  if (isSystemRole(role))
    throw new ApiError("SYSTEM_ROLE", "role_id: system roles are given with POST /v1/users/roles.");
  const { user_ids: userIds, dry_run: dryRun } = call.input.body;
  const outcomes = await changeRoles(call, onlyOrganization(call), { role, userIds, dryRun });
  return { json: batchAnswer({ outcomes, failed: outcomes.failed, dryRun }, byUserId) };
});
