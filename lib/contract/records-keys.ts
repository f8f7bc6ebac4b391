import * as z from "zod";
import { keyKinds, keyStates } from "./access.ts";
import { timestamp } from "./records.ts";

/** A key as its administrators see it, without its value. */
export const keyRecord = z.strictObject({
  id: z.string(),
  kind: z.enum(keyKinds),
  name: z.string().nullable(),
  /** The role stored on the key; null if the key has the rights of a member or of a workspace admin. */
  role: z.string().nullable(),
  /** The provider's user id. */
  owner: z.string().nullable(),
  /** The provider's ids; null: every organization of its workspace or instance. */
  organizations: z.array(z.string()).nullable(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
  state: z.enum(keyStates),
  /** The key that replaces it. */
  successor_id: z.string().nullable(),
});

/** The only answer that shows the value of a key. */
export const issuedKeyRecord = z.strictObject({ key: z.string(), ...keyRecord.shape });
