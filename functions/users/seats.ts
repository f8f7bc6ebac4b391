import { assignSeats as operation } from "../../lib/contract/operations/users.ts";
import { lambda } from "../../lib/http/lambda.ts";
import { onlyOrganization } from "../../lib/http/only-organization.ts";
import { assignSeatsByEmail, assignSeatsToMembers } from "../../lib/people/assign-seats.ts";

export const handler = lambda(operation, async (call) => {
  const { principal, input } = call;
  const { action, emails, user_ids: userIds = [] } = input.body;
  if (emails) {
    const outcomes = await assignSeatsByEmail(call, `w#${principal.tenant.slice(2)}`, action, emails);
    const failed = outcomes.failed.map((failure) => ({ email: failure.id, ...failure }));
    return { json: { status: outcomes.status, succeeded: outcomes.succeeded, failed } };
  }
  const outcomes = await assignSeatsToMembers(call, onlyOrganization(call), action, userIds);
  const failed = outcomes.failed.map((failure) => ({ user_id: failure.id, ...failure }));
  return { json: { status: outcomes.status, succeeded: outcomes.succeeded, failed } };
});
