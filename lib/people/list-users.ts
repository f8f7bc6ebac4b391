import type * as z from "zod";
import { onlyOrganization } from "../access/scope.ts";
import type { usersAnswer } from "../contract/records-people.ts";
import type { Table } from "../store/table.ts";
import { listMembers, type UserFilters } from "./list-members.ts";
import { listPeople } from "./list-people.ts";
import { type SeatScope, wholeWorkspace } from "./seat-scope.ts";

type UsersPage = Omit<z.input<typeof usersAnswer>, "next_cursor"> & { readonly next: string | null };

/** One page of the people of a workspace, or of one organization's members, and where the next page starts. */
export async function listUsers(
  call: SeatScope & { readonly table: Table },
  filters: UserFilters,
  place: { readonly after: string | null; readonly limit: number },
): Promise<UsersPage> {
  const workspace = wholeWorkspace(call);
  const page = workspace
    ? await listPeople(call.table, workspace, filters, place)
    : await listMembers(call.table, onlyOrganization(call), filters, place);
  const modes = new Set(call.scope.organizations.map(({ seat_assignment_mode }) => seat_assignment_mode));
  const [mode = null] = modes;
  return {
    seats_purchased: page.seatsPurchased,
    seats_assigned: page.seatsAssigned,
    seat_assignment_mode: modes.size === 1 ? mode : null,
    users: [...page.records],
    next: page.next,
  };
}
