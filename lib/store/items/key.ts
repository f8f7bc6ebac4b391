import * as z from "zod";
import { keyKinds } from "../../contract/access.ts";
import { itemSchema, parseItem, tenantKeySchema } from "./parse.ts";

const keyItem = itemSchema({
  id: z.string(),
  kind: z.enum(keyKinds),
  name: z.string().nullable(),
  /** Made from the whole key, `only` and `made_by` by `storedHash`. The key itself is shown once and is not stored. */
  hash: z.string(),
  /** Organization for organization, user, legacy and agentic keys; home organization for instance keys. */
  organization: z.string().nullable(),
  /** The organization's tenant when the key was created; compared with the organization at every use. */
  tenant: tenantKeySchema,
  workspace_id: z.string().nullable(),
  instance_id: z.string().nullable(),
  /** Instance keys: the organizations (UUIDs) that the key may see; null means all organizations of the instance. */
  authorized: z.array(z.string()).nullable(),
  /** The member (provider user id) who owns the key, or as whom it acts. */
  owner: z.string().nullable(),
  role: z.string().nullable(),
  created_at: z.string(),
  /** In milliseconds. After a rotation it is the end of the old key's grace period. */
  expires_at_ms: z.number().nullable(),
  revoked_at: z.string().nullable(),
  rotated_to: z.string().nullable(),
  /** The key that made this rotation; null: the operator. Absent in a rotation of release 1: somebody else made it. */
  rotated_by: z.string().nullable().optional(),
  /** The key that it succeeded; absent if it was created. */
  rotated_from: z.string().optional(),
  /** What a narrow key may do; absent: everything that its kind and role allow. */
  only: z.array(z.string()).optional(),
  /** The first key of the line whose key made this one; absent if the operator made it. */
  made_by: z.string().optional(),
});

export type KeyItem = z.output<typeof keyItem>;
/** The key works now: it is not revoked, not expired, and not past the grace period of its rotation. */
export const isLive = ({ revoked_at, expires_at_ms }: KeyItem, nowMs: number): boolean =>
  revoked_at === null && (expires_at_ms === null || expires_at_ms > nowMs);

export const parseKey = parseItem("key", keyItem);

/** What a line of keys (a key and its rotations) made, by the id of the line's first key. */
const keyLineItem = itemSchema({
  /** Counts the writes: every writer of the line checks that nobody else wrote it meanwhile. */
  version: z.number(),
  /** No key of the line makes or rotates a key after that. */
  ended: z.boolean(),
  /** `once` and `request` are digests: of the maker with its idempotency key, and of its request. */
  made: z.array(
    z.object({
      id: z.string(),
      at_ms: z.number(),
      ends_at_ms: z.number(),
      once: z.string(),
      request: z.string(),
    }),
  ),
});
export type KeyLineItem = z.output<typeof keyLineItem>;
export const parseKeyLine = parseItem("line of keys", keyLineItem);
