import { operatorOrigin } from "../../lib/audit/entry.ts";
import { auditLimits } from "../../lib/contract/limits.ts";
import { assignSeatsToMembers } from "../../lib/people/assign-seats.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import type { Store } from "../../lib/store/retry-on-conflict.ts";

/** The operator gives these members a seat, or takes it. */
export const decideSeats = (
  store: Store,
  organization: OrganizationItem,
  userIds: readonly string[],
  assigned: boolean,
) =>
  assignSeatsToMembers(
    { ...store, ...operatorOrigin, retentionDays: auditLimits.retentionDaysDefault },
    organization,
    { action: assigned ? "assign" : "unassign", userIds },
  );
