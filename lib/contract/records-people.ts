import * as z from "zod";
import { accessTypes, permissionResources, providers, seatAssignmentModes } from "./access.ts";
import type { ItemErrorCode } from "./errors.ts";
import { nextCursor } from "./records.ts";

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
};

export const seatsAnswer = z.strictObject({
  ...batch,
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
