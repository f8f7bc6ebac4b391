import type { OperationContext } from "../../lib/access/operation-context.ts";
import { onlyOrganization } from "../../lib/access/scope.ts";
import { listUsers as operation } from "../../lib/contract/operations/users.ts";
import { requireWorkspaceTenant } from "../../lib/contract/tenants.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { positionText } from "../../lib/http/cursors.ts";
import { listMembers } from "../../lib/people/list-members.ts";
import { listPeople } from "../../lib/people/list-people.ts";

export const handler = createHandler(operation, async (call) => {
  const { scope, paging } = call;
  const page = await readPage(call);
  const modes = new Set(scope.organizations.map(({ seat_assignment_mode }) => seat_assignment_mode));
  const [mode] = modes;
  return {
    json: {
      seats_purchased: page.seatsPurchased,
      seats_assigned: page.seatsAssigned,
      seat_assignment_mode: modes.size === 1 ? mode : null,
      users: page.records,
      next_cursor: page.next === null ? null : paging.next(page.next),
    },
  };
});

function readPage({ table, principal, scope, input, paging }: OperationContext<typeof operation>) {
  const { seat_filter: seat, role_filter: role } = input.query;
  const place = { after: positionText(paging), limit: paging.pageSize };
  return scope.selector === "all" && principal.key.workspace_id !== null
    ? listPeople(
        table,
        { tenant: requireWorkspaceTenant(principal.tenant), organizations: scope.organizations },
        { seat, role },
        place,
      )
    : listMembers(table, onlyOrganization({ scope }), { seat, role }, place);
}
