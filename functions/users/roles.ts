import { onlyOrganization } from "../../lib/access/scope.ts";
import { changeRoles as operation } from "../../lib/contract/operations/users.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { batchAnswer, byUserId } from "../../lib/people/batch-answer.ts";
import { changeRoles } from "../../lib/people/change-roles.ts";
import { changeRolesEverywhere } from "../../lib/people/change-roles-everywhere.ts";

export const handler = createHandler(operation, async (call) => {
  const { role, user_ids: userIds, dry_run: dryRun } = call.input.body;
  const change = { role, userIds, dryRun };
  if (call.scope.selector === "all") {
    const { outcomes, failed } = await changeRolesEverywhere(call, call.scope.organizations, change);
    return { json: batchAnswer({ outcomes, failed, dryRun }, byUserId) };
  }
  const outcomes = await changeRoles(call, onlyOrganization(call), change);
  return { json: batchAnswer({ outcomes, failed: outcomes.failed, dryRun }, byUserId) };
});
