import * as z from "zod";
import { keyKinds, keyRefusals, keyStates } from "./access.ts";
import { type FieldWords, timestamp } from "./records.ts";

/** A key as its administrators see it, without its value. */
export const keyRecord = z.strictObject({
  id: z.string(),
  kind: z.enum(keyKinds),
  name: z.string().nullable(),
  /** The role stored on the key; null if the key has the rights of a member or of a workspace admin. */
  role: z.string().nullable(),
  /** The provider's user id. */
  owner: z.string().nullable(),
  /** Of a workspace token: ids of workspace admins are not those of members, so a person is known by the address. */
  owner_email: z.string().nullable(),
  /** The provider's ids; null: every organization of its workspace or instance. */
  organizations: z.array(z.string()).nullable(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
  state: z.enum(keyStates),
  /** The key that replaces it. */
  successor_id: z.string().nullable(),
  only: z.array(z.string()).nullable(),
  made_by: z.string().nullable(),
  /** Null unless the key is active and refused. */
  refused_because: z.enum(keyRefusals).nullable(),
});

/** The only answer that shows the value of a key. */
export const issuedKeyRecord = z.strictObject({ key: z.string(), ...keyRecord.shape });

export const keyWords: FieldWords = {
  keys: "The keys of this page, never their values.",
  id: "The key's id, which is no secret.",
  "key.id": "The key's id, which is no secret.",
  kind: "The kind of key, which decides its scope.",
  name: "The name that its creator gave it; null for none.",
  "key.name": "The name that its creator gave it; null for none.",
  role: "The role stored on the key; null where the key has the rights of a member or of a workspace admin.",
  owner: "The Git provider's user id of its owner; null where it has none.",
  owner_email:
    "Of a workspace token: the e-mail address of the workspace admin who owns it; null where it is not known, and for other kinds.",
  "keys.organizations":
    "The Git provider's ids of its organizations; null for all of its workspace or instance.",
  organizations: "The organizations within the key's reach; null for all of its workspace or instance.",
  last_used_at: "When it was last used, UTC; null for never. Kept to the minute.",
  expires_at: "When it expires, UTC; null for never.",
  state: "Whether it works: `active`, or why it does not.",
  successor_id: "The id of the key that replaces it; null where it was not rotated.",
  only: "What the key may do, such as `metrics:read`; `:write` includes `:read`; null or left out for all that its kind and role allow.",
  made_by:
    "The id of the key that made it, or of the first key of its maker's rotations; null for the operator.",
  refused_because:
    "Why the service refuses it although it is active: `owner_left`, `organization_inactive` (also where its workspace or " +
    "instance is), `owner_not_admin` (of a workspace token); null where it works or is revoked or expired.",
  "rotateKey: key": "The value of the new key, shown once.",
  "createKey: key": "The value of the new key, shown once.",
};
