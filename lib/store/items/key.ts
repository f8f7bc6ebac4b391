import * as z from "zod";
import { keyKinds } from "../../contract/access.ts";
import type { Item } from "../table.ts";
import { itemSchema, parseItem, tenantKeySchema } from "./parse.ts";

const keyItem = itemSchema({
  id: z.string(),
  kind: z.enum(keyKinds),
  name: z.string().nullable(),
  /** Of the current value: made from its text, `only` and `made_by` by `storedHash`. The text itself is not stored. */
  hash: z.string(),
  /** Of the value before the last rotation, in the same form. */
  old_hash: z.string().optional(),
  rotated_at: z.string().optional(),
  /** When the old value ends; absent: it ended with the rotation. */
  old_until: z.string().optional(),
  /** With it and the request that made the current value, the value can be derived again; absent: it cannot. */
  salt: z.string().optional(),
  /** Organization for organization, user, legacy and agentic keys; home organization for instance keys. */
  organization: z.string().nullable(),
  /** The organization's tenant when the key was created; compared with the organization at every use. */
  tenant: tenantKeySchema,
  workspace_id: z.string().nullable(),
  instance_id: z.string().nullable(),
  /**
   * Instance keys: the organizations (UUIDs) that the key may see; null means all organizations of the instance. In the
   * table an empty list means that the list is an item of its own (`withList`); the last release stored it here.
   */
  authorized: z.array(z.string()).nullable(),
  /** The member (provider user id) who owns the key, or as whom it acts. */
  owner: z.string().nullable(),
  role: z.string().nullable(),
  created_at: z.string(),
  /** In milliseconds. If `rotated_to` is set, the end of the grace period. */
  expires_at_ms: z.number().nullable(),
  revoked_at: z.string().nullable(),
  /**
   * The key that replaced this one in the last release, which made a key of each rotation. New keys have null, because
   * that release reads no item without it.
   */
  rotated_to: z.string().nullable(),
  /** What a narrow key may do; absent: everything that its kind and role allow. */
  only: z.array(z.string()).optional(),
  /** The key that made this one; absent if the operator made it. */
  made_by: z.string().optional(),
});

export type KeyItem = z.output<typeof keyItem>;
/** The key is not revoked and has not expired: its current value works. */
export const isLive = (
  { revoked_at, expires_at_ms }: Pick<KeyItem, "revoked_at" | "expires_at_ms">,
  nowMs: number,
): boolean => revoked_at === null && (expires_at_ms === null || expires_at_ms > nowMs);

export const parseKey = parseItem("key", keyItem);

const keyListItem = itemSchema({ authorized: z.array(z.string()) });
const parseKeyList = parseItem("list of an instance key", keyListItem);

/** A key whose list was read, if it has one. A lost list is an empty one: such a key sees nothing. */
export const withList = (key: KeyItem, list: Item | undefined): KeyItem =>
  hasList(key) && list ? { ...key, authorized: parseKeyList(list).authorized } : key;

export const hasList = ({ authorized }: KeyItem): boolean => authorized?.length === 0;

/** The keys that a key made. A key that has ended stays until the item is full. */
const madeKeysItem = itemSchema({
  /** Counts the writes: a key is made, and its maker is ended, only if nobody else wrote the item meanwhile. */
  version: z.number(),
  made: z.array(z.object({ id: z.string(), expires_at_ms: z.number() })),
});
export type MadeKeysItem = z.output<typeof madeKeysItem>;
export const parseMadeKeys = parseItem("list of made keys", madeKeysItem);
