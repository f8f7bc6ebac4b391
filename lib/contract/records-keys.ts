import * as z from "zod";
import { keyKinds, keyRefusals, keyStates } from "./access.ts";
import { createdAt, timestamp } from "./records.ts";

/** A key as its administrators see it, without its value. */
export const keyRecord = z.strictObject({
  id: z.string().describe("The key's id, which is no secret."),
  kind: z.enum(keyKinds).describe("The kind of key, which decides its scope."),
  name: z.string().nullable().describe("The name that its creator gave it; null for none."),
  role: z
    .string()
    .nullable()
    .describe(
      "The role stored on the key; null where the key has the rights of a member or of a workspace admin.",
    ),
  owner: z.string().nullable().describe("The Git provider's user id of its owner; null where it has none."),
  /** Ids of workspace admins are not those of members, so a person is known by the address. */
  owner_email: z
    .string()
    .nullable()
    .describe(
      "Of a workspace token: the e-mail address of the workspace admin who owns it; null where it is not known, and for other kinds.",
    ),
  organizations: z
    .array(z.string())
    .nullable()
    .describe("The Git provider's ids of its organizations; null for all of its workspace or instance."),
  created_at: createdAt,
  rotated_at: timestamp.nullable().describe("When it was last rotated, UTC; null for never."),
  old_until: timestamp
    .nullable()
    .describe(
      "Until when the value before the last rotation works, UTC; null where it ended with the rotation.",
    ),
  old_last_used_at: timestamp
    .nullable()
    .describe(
      "When the value before the last rotation was last used, UTC; null for never. Kept to the minute.",
    ),
  last_used_at: timestamp
    .nullable()
    .describe("When one of its values was last used, UTC; null for never. Kept to the minute."),
  expires_at: timestamp.nullable().describe("When it expires, UTC; null for never."),
  state: z.enum(keyStates).describe("Whether it works: `active`, or why it does not."),
  only: z
    .array(z.string())
    .nullable()
    .describe(
      "What the key may do, such as `metrics:read`; `:write` includes `:read`; null or left out for all that its kind and role allow.",
    ),
  made_by: z.string().nullable().describe("The id of the key that made it; null for the operator."),
  refused_because: z
    .enum(keyRefusals)
    .nullable()
    .describe(
      "Why the service refuses it although it is active: `owner_left`, `organization_inactive` (also where its workspace or " +
        "instance is), `owner_not_admin` (of a workspace token); null where it works or is revoked or expired.",
    ),
});

/** The only answer that shows the value of a key. */
export const issuedKeyRecord = z.strictObject({
  key: z.string().describe("The value of the new key, shown once."),
  ...keyRecord.shape,
});
