import * as z from "zod";
import { accessTypes, permissionResources, seatAssignmentModes } from "./access.ts";
import { dryRunWords } from "./batches.ts";
import type { ItemErrorCode } from "./errors.ts";
import { batchStatus, failureOf, nextCursor, organizationId, provider, userId } from "./records.ts";

const seatCode = z.enum(["USER_NOT_FOUND", "NO_SEATS_AVAILABLE"] satisfies ItemErrorCode[]);
const roleCode = z.enum([
  "USER_NOT_FOUND",
  "LAST_ADMIN",
  "BILLING_ADMIN_PROTECTED",
  "ENTERPRISE_PLAN_REQUIRED",
] satisfies ItemErrorCode[]);
const seatsAndMode = {
  seats_purchased: z.int().describe("Purchased seats, of the workspace where there is one."),
  seats_assigned: z
    .int()
    .describe("Seats that people hold. After a smaller purchase it can be more than the purchased seats."),
  seat_assignment_mode: z
    .enum(seatAssignmentModes)
    .nullable()
    .describe(
      "`automatic`: a person whose pull request is reviewed gets a seat. `manual`: an admin assigns it. null where the " +
        "organizations differ.",
    ),
};
const username = z.string().nullable().describe("The login; null where it is not known.");
const email = z.string().nullable().describe("The e-mail address; null where it is not known.");
const seatAssigned = z.boolean().describe("Whether the person holds a seat.");
const role = z.string().describe("The id of the role: a system role's name, or the UUID of a custom one.");

/** One organization's member. */
export const userRecord = z.strictObject({
  user_id: userId,
  username,
  email,
  seat_assigned: seatAssigned,
  role,
  role_name: z.string().describe("The role's name, for people."),
  role_type: z
    .enum(["system", "custom"])
    .describe("`system` roles are the same everywhere, `custom` ones are the organization's own."),
});

/** A person across a workspace. */
export const personRecord = z.strictObject({
  email,
  username,
  seat_assigned: seatAssigned,
  seat_holder_id: z
    .string()
    .optional()
    .describe(
      "Send it in `user_ids` of `POST /v1/users/seats` to unassign the seat: `provider:org_id:user_id`. Only for a holder " +
        "without an e-mail address; left out otherwise.",
    ),
  organizations: z
    .array(z.strictObject({ provider, org_id: organizationId, user_id: userId, role }))
    .describe(
      "The organizations of the scope that the person belongs to. Empty for a seat holder who has left all of them.",
    ),
});

export const usersAnswer = z.strictObject({
  ...seatsAndMode,
  users: z.array(z.union([userRecord, personRecord])).describe("The people of this page."),
  next_cursor: nextCursor,
});

const failure = <Code extends z.ZodType>(code: Code) => ({
  id: z.string().describe("The same name, in a field that every failure has."),
  ...failureOf(code),
});
const failedUser = z.string().describe("The Git provider's user id as it was sent.");
const failedWords = "The people who failed.";
const batch = {
  status: batchStatus,
  succeeded: z.array(z.string()).describe("The people who succeeded, as the request named them."),
  dry_run: z.literal(true).optional().describe(dryRunWords),
  unchanged: z
    .array(z.string())
    .optional()
    .describe("With `dry_run`: those of `succeeded` who have it already. Left out otherwise."),
};

export const seatsAnswer = z.strictObject({
  ...batch,
  seats_left: z
    .int()
    .min(0)
    .optional()
    .describe("With `dry_run`: how many seats would be free after the call. Left out otherwise."),
  failed: z
    .array(
      z.union([
        z.strictObject({ user_id: failedUser, ...failure(seatCode) }),
        z.strictObject({
          email: z.string().describe("The e-mail address as it was sent."),
          ...failure(seatCode),
        }),
      ]),
    )
    .describe(failedWords),
});

const failedOrganization = z.strictObject({ org_id: organizationId, ...failureOf(roleCode) });
const failedRole = z.strictObject({
  user_id: failedUser,
  ...failure(roleCode),
  organizations: z
    .array(failedOrganization)
    .optional()
    .describe("Left out: only one organization is concerned."),
});
/** Of the operation that changes the roles of one organization, and of the one that takes `ALL`. */
export const rolesChangeAnswer = z.strictObject({
  ...batch,
  failed: z.array(failedRole).describe(failedWords),
});
export const systemRolesChangeAnswer = z.strictObject({
  ...batch,
  failed: z
    .array(
      failedRole.extend({
        organizations: z
          .array(
            failedOrganization.extend({
              org_id: z.string().describe("The Git provider's id of the organization where it failed."),
            }),
          )
          .optional()
          .describe(
            "With `ALL`: the organizations where it failed. Changes in other organizations stay. Left out otherwise.",
          ),
      }),
    )
    .describe(failedWords),
});

export const teamRecord = z.strictObject({
  provider,
  organization_id: organizationId,
  team_id: z.string().describe("The platform's id of the team, unique within the organization."),
  name: z.string().describe("The team's name."),
  user_ids: z.array(z.string()).describe("Its members, by the Git provider's user ids."),
});

/** What the fields mean that a request has too. */
export const permissionWords = { resource: "What the permission is about.", access: "What it allows there." };
export const roleWords = {
  name: "1 to 255 characters, unique within the organization in any letter case.",
  description: "Up to 1,000 characters; null for none.",
  isDefault: "Whether new members without a role get it. Default `false`; at most one role.",
};

export const permissionRecord = z.strictObject({
  resource_id: z.enum(permissionResources).describe(permissionWords.resource),
  access_type: z.enum(accessTypes).describe(permissionWords.access),
});

export const roleRecord = z.strictObject({
  id: z.string().describe("A system role's name, or the UUID of a custom one."),
  name: z.string().describe(roleWords.name),
  description: z.string().nullable().describe(roleWords.description),
  type: z.enum(["system", "custom"]).describe("`system`, or `custom`."),
  is_default: z.boolean().describe(roleWords.isDefault),
  permissions: z
    .array(permissionRecord)
    .optional()
    .describe("What the role allows. Left out with `include_permissions=false`."),
  user_count: z
    .int()
    .optional()
    .describe("How many active members have it. Left out with `include_user_count=false`."),
});
