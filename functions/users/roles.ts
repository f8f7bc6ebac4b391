import { changeRoles as operation } from "../../lib/contract/operations/users.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { changeRoles, changeRolesEverywhere } from "../../lib/people/change-roles.ts";

export const handler = lambda(operation, async (call) => {
  const { scope, input } = call;
  const { role, user_ids: userIds } = input.body;
  const [organization] = scope.organizations;
  if (organization && scope.selector !== "all") {
    const outcomes = await changeRoles(call, organization, role, userIds);
    const failed = outcomes.failed.map((failure) => ({ user_id: failure.id, ...failure }));
    return { json: { status: outcomes.status, succeeded: outcomes.succeeded, failed } };
  }
  const { outcomes, failed } = await changeRolesEverywhere(call, scope.organizations, role, userIds);
  const shown = failed.map((failure) => ({ user_id: failure.id, ...failure }));
  return { json: { status: outcomes.status, succeeded: outcomes.succeeded, failed: shown } };
});
