import * as z from "zod";
import { accessTypes, permissionResources, providers, seatAssignmentModes } from "./access.ts";
import type { ItemErrorCode } from "./errors.ts";
import { type FieldWords, nextCursor } from "./records.ts";

const seatCode = z.enum(["USER_NOT_FOUND", "NO_SEATS_AVAILABLE"] satisfies ItemErrorCode[]);
const roleCode = z.enum([
  "USER_NOT_FOUND",
  "LAST_ADMIN",
  "BILLING_ADMIN_PROTECTED",
  "ENTERPRISE_PLAN_REQUIRED",
] satisfies ItemErrorCode[]);
const seatsAndMode = {
  seats_purchased: z.int(),
  seats_assigned: z.int(),
  seat_assignment_mode: z.enum(seatAssignmentModes).nullable(),
};

/** One organization's member. */
export const userRecord = z.strictObject({
  user_id: z.string(),
  username: z.string().nullable(),
  email: z.string().nullable(),
  seat_assigned: z.boolean(),
  role: z.string(),
  role_name: z.string(),
  role_type: z.enum(["system", "custom"]),
});

/** A person across a workspace. */
export const personRecord = z.strictObject({
  email: z.string().nullable(),
  username: z.string().nullable(),
  seat_assigned: z.boolean(),
  /** Only for a seat holder without an e-mail address. */
  seat_holder_id: z.string().optional(),
  /** Empty for a seat holder who has no active organization on the plan any more. */
  organizations: z.array(
    z.strictObject({
      provider: z.enum(providers),
      org_id: z.string(),
      user_id: z.string(),
      role: z.string(),
    }),
  ),
});

export const usersAnswer = z.strictObject({
  ...seatsAndMode,
  users: z.array(z.union([userRecord, personRecord])),
  next_cursor: nextCursor,
});

const failure = <Code extends z.ZodType>(code: Code) => ({ id: z.string(), code, message: z.string() });
const batch = {
  status: z.enum(["success", "partial_success", "failure"]),
  succeeded: z.array(z.string()),
  /** Present if nothing was changed, because the request was a dry run. */
  dry_run: z.literal(true).optional(),
  unchanged: z.array(z.string()).optional(),
};

export const seatsAnswer = z.strictObject({
  ...batch,
  seats_left: z.int().min(0).optional(),
  failed: z.array(
    z.union([
      z.strictObject({ user_id: z.string(), ...failure(seatCode) }),
      z.strictObject({ email: z.string(), ...failure(seatCode) }),
    ]),
  ),
});

export const rolesChangeAnswer = z.strictObject({
  ...batch,
  failed: z.array(
    z.strictObject({
      user_id: z.string(),
      ...failure(roleCode),
      /** With `ALL`: the organizations where it failed. */
      organizations: z
        .array(z.strictObject({ org_id: z.string(), code: roleCode, message: z.string() }))
        .optional(),
    }),
  ),
});

export const teamRecord = z.strictObject({
  provider: z.enum(providers),
  organization_id: z.string(),
  team_id: z.string(),
  name: z.string(),
  user_ids: z.array(z.string()),
});

export const peopleWords: FieldWords = {
  teams: "The teams of this page.",
  team_id: "The platform's id of the team, unique within the organization.",
  "teams.name": "The team's name.",
  "teams.user_ids": "Its members, by the Git provider's user ids.",
  seats_purchased: "Purchased seats, of the workspace where there is one.",
  seats_assigned: "Seats that people hold. After a smaller purchase it can be more than the purchased seats.",
  seat_assignment_mode:
    "`automatic`: a person whose pull request is reviewed gets a seat. `manual`: an admin assigns it. null where the " +
    "organizations differ.",
  users: "The people of this page.",
  email: "The e-mail address; null where it is not known.",
  username: "The login; null where it is not known.",
  seat_assigned: "Whether the person holds a seat.",
  seat_holder_id:
    "Send it in `user_ids` of `POST /v1/users/seats` to unassign the seat: `provider:org_id:user_id`. Only for a holder " +
    "without an e-mail address; left out otherwise.",
  role: "The id of the role: a system role's name, or the UUID of a custom one.",
  role_name: "The role's name, for people.",
  role_type: "`system` roles are the same everywhere, `custom` ones are the organization's own.",
  "users.organizations":
    "The organizations of the scope that the person belongs to. Empty for a seat holder who has left all of them.",
  succeeded: "The people who succeeded, as the request named them.",
  dry_run:
    "true: returns what would happen and changes nothing. Default `false`. Left out of a response unless requested.",
  unchanged: "With `dry_run`: those of `succeeded` who have it already. Left out otherwise.",
  seats_left: "With `dry_run`: how many seats would be free after the call. Left out otherwise.",
  failed: "The people who failed.",
  "failed.user_id": "The Git provider's user id as it was sent.",
  "failed.email": "The e-mail address as it was sent.",
  "failed.id": "The same name, in a field that every failure has.",
  "failed.organizations":
    "With `ALL`: the organizations where it failed. Changes in other organizations stay. Left out otherwise.",
  "giveRole: failed.organizations": "Left out: only one organization is concerned.",
};

export const permissionRecord = z.strictObject({
  resource_id: z.enum(permissionResources),
  access_type: z.enum(accessTypes),
});

export const roleRecord = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  type: z.enum(["system", "custom"]),
  is_default: z.boolean(),
  permissions: z.array(permissionRecord).optional(),
  user_count: z.int().optional(),
});

export const roleWords: FieldWords = {
  roles: "The roles, system ones first.",
  id: "A system role's name, or the UUID of a custom one.",
  name: "1 to 255 characters, unique within the organization in any letter case.",
  description: "Up to 1,000 characters; null for none.",
  type: "`system`, or `custom`.",
  is_default: "Whether new members without a role get it. Default `false`; at most one role.",
  permissions: "What the role allows. Left out with `include_permissions=false`.",
  "listRoles: permissions": "What the role allows. Left out without `include_permissions=true`.",
  "createRole: permissions":
    "What the role allows. Repeated permissions count once. Without it and without `duplicate_from` the role gets those " +
    "of `cr_member`.",
  "updateRole: permissions":
    "What the role allows. Repeated permissions count once. Left out of the request, they stay as they are.",
  resource_id: "What the permission is about.",
  access_type: "What it allows there.",
  user_count: "How many active members have it. Left out with `include_user_count=false`.",
};
