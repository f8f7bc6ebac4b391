import * as z from "zod";
import { permissions } from "../../contract/access.ts";
import { parseItem } from "./parse.ts";

/** Bits of a role's permissions, in the order of the contract's list. */
export const permissionBit = (permission: (typeof permissions)[number]): number =>
  1 << permissions.indexOf(permission);

/**
 * The guard of an organization's people: every change of people updates it in its own transaction, so its
 * counts are exact and its conditions decide races (last admin, seats left, role in use).
 */
const peopleItem = z.object({
  pk: z.string(),
  sk: z.string(),
  /** Members per role, system and custom. A role exists exactly when it has a count. */
  counts: z.record(z.string(), z.number()),
  /** Custom role id to permission bits. */
  roles: z.record(z.string(), z.number()),
  /** Digest of the lower-cased name to role id. */
  role_names: z.record(z.string(), z.string()),
  default_role: z.string().nullable(),
  custom: z.number(),
  /** The organization's own pool; organizations of a workspace draw on the workspace's. */
  seats_free: z.number(),
});

const memberItem = z.object({
  pk: z.string(),
  sk: z.string(),
  user_id: z.string(),
  username: z.string().nullable(),
  email: z.string().nullable(),
  role: z.string(),
  active: z.boolean(),
  version: z.string(),
  first_version: z.string(),
  role_decided: z.boolean().optional(),
});

export type PeopleItem = z.output<typeof peopleItem>;
export type MemberItem = z.output<typeof memberItem>;
export const parsePeople = parseItem("people guard", peopleItem);
export const parseMember = parseItem("member", memberItem);
