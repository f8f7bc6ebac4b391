import * as z from "zod";
import { accessTypes, permissionResources, seatAssignmentModes } from "./access.ts";
import { itemErrorCodes } from "./errors.ts";
import { nextCursor } from "./records.ts";

const itemCode = z.enum(Object.keys(itemErrorCodes));
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
  organizations: z.array(z.strictObject({ org_id: z.string(), user_id: z.string(), role: z.string() })),
});

export const usersAnswer = z.strictObject({
  ...seatsAndMode,
  users: z.array(z.union([userRecord, personRecord])),
  next_cursor: nextCursor,
});

const failure = { id: z.string(), code: itemCode, message: z.string() };
const batchStatus = z.enum(["success", "partial_success", "failure"]);

export const seatsAnswer = z.strictObject({
  status: batchStatus,
  succeeded: z.array(z.string()),
  failed: z.array(
    z.union([
      z.strictObject({ user_id: z.string(), ...failure }),
      z.strictObject({ email: z.string(), ...failure }),
    ]),
  ),
});

export const rolesChangeAnswer = z.strictObject({
  status: batchStatus,
  succeeded: z.array(z.string()),
  failed: z.array(
    z.strictObject({
      user_id: z.string(),
      ...failure,
      /** With `ALL`: where it failed. */
      organizations: z
        .array(z.strictObject({ org_id: z.string(), code: itemCode, message: z.string() }))
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
