import { onlyOrganization } from "../../lib/access/scope.ts";
import { assignSeats as operation } from "../../lib/contract/operations/users.ts";
import { requireWorkspaceTenant } from "../../lib/contract/tenants.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import {
  assignSeatsByEmail,
  assignSeatsToMembers,
  unassignSeatHolders,
} from "../../lib/people/assign-seats.ts";
import { batchAnswer } from "../../lib/people/batch-answer.ts";

export const handler = createHandler(operation, async (call) => {
  const { action, emails, user_ids: userIds = [], dry_run: dryRun } = call.input.body;
  if (call.principal.key.kind === "workspace") {
    const place = {
      tenant: requireWorkspaceTenant(call.principal.tenant),
      organizations: call.scope.organizations,
    };
    if (!emails) {
      const outcomes = await unassignSeatHolders(call, place, { holders: userIds, dryRun });
      return { json: batchAnswer({ outcomes, dryRun }, "user_id") };
    }
    const outcomes = await assignSeatsByEmail(call, place, { action, emails, dryRun });
    return { json: batchAnswer({ outcomes, dryRun }, "email") };
  }
  const outcomes = await assignSeatsToMembers(call, onlyOrganization(call), { action, userIds, dryRun });
  return { json: batchAnswer({ outcomes, dryRun }, "user_id") };
});
