import * as z from "zod";
import { keyKinds } from "../../contract/access.ts";
import { parseItem, tenantKeySchema } from "./parse.ts";

const keyItem = z.object({
  pk: z.string(),
  sk: z.string(),
  id: z.string(),
  kind: z.enum(keyKinds),
  name: z.string().nullable(),
  /** SHA-256 of the whole key, hexadecimal. The key itself is shown once and kept nowhere. */
  hash: z.string(),
  /** Organization for organization, user, legacy and agentic keys; home organization for instance keys. */
  organization: z.string().nullable(),
  /** Where the organization was when the key was made; checked against the organization at every use. */
  tenant: tenantKeySchema,
  workspace_id: z.string().nullable(),
  instance_id: z.string().nullable(),
  /** Instance keys: the organizations (UUIDs) it may see; null means all of the instance. */
  authorized: z.array(z.string()).nullable(),
  /** The member (provider user id) who owns it, or as whom it acts. */
  owner: z.string().nullable(),
  role: z.string().nullable(),
  created_at: z.string(),
  /** Milliseconds; a rotated key's old secret lives until its grace ends, through this. */
  expires_at_ms: z.number().nullable(),
  revoked_at: z.string().nullable(),
  rotated_to: z.string().nullable(),
  /** Whoever rotated it may never have heard of the successor: it may be rotated again while that one is unused. */
  untold: z.boolean().optional(),
  last_used_at_ms: z.number().nullable(),
});

export type KeyItem = z.output<typeof keyItem>;
/** It opens something now: neither ended, nor expired, nor past the grace of its rotation. */
export const isLive = ({ revoked_at, expires_at_ms }: KeyItem, nowMs: number): boolean =>
  revoked_at === null && (expires_at_ms === null || expires_at_ms > nowMs);

export const parseKey = parseItem("key", keyItem);
