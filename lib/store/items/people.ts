import * as z from "zod";
import { permissions } from "../../contract/access.ts";
import type { PoolKey } from "../../contract/tenants.ts";
import { itemSchema, parseItem } from "./parse.ts";

/** Bits of a role's permissions, in the order of the contract's list. */
export const permissionBit = (permission: (typeof permissions)[number]): number =>
  1 << permissions.indexOf(permission);

const poolKeySchema = z.custom<PoolKey>((value) => typeof value === "string" && /^[wo]#./s.test(value));

/**
 * The seats of a pool: `seats_free` is purchased minus assigned seats, and is below 0 after a purchase of fewer seats.
 * Part of the people guard for an organization's own pool; a separate item for a workspace's pool.
 */
const poolItem = itemSchema({
  seats_free: z.number(),
  /** People who should have a seat but found none free; they get one as soon as events free a seat. */
  seats_short: z.number().default(0),
});

/**
 * The guard of an organization's people: every change of people updates it in its own transaction, so its counts are
 * exact and its conditions decide races (last admin, seats left, role in use). In a workspace its seats are not used:
 * they hold what the organization itself has purchased.
 */
const peopleItem = poolItem.extend({
  /** Active members per role, system and custom. A role exists exactly when it has a count. */
  counts: z.record(z.string(), z.number()),
  /** Custom role id to permission bits. */
  roles: z.record(z.string(), z.number()),
  /** Digest of the folded name to role id. */
  role_names: z.record(z.string(), z.string()),
  default_role: z.string().nullable(),
  custom: z.number(),
  /** Number of keys that were ever given a custom role, per role; see lib/access/key-roles.ts. */
  keys_given: z.record(z.string(), z.number()),
});

const memberItem = itemSchema({
  user_id: z.string(),
  username: z.string().nullable(),
  email: z.string().nullable(),
  /** Kept while the member is inactive; no guard counts it then. */
  role: z.string(),
  active: z.boolean(),
  /** The pool of the person who holds this membership; null while inactive. */
  pool: poolKeySchema.nullable().default(null),
  /** The first event's `seat_assigned`; the person's item says whether a seat is held. */
  seat_wanted: z.boolean().default(false),
  /** One of the member's pull requests was reviewed while seats were assigned automatically. */
  seat_earned: z.boolean().optional(),
  /** The person has only this membership: the person with its e-mail address had no room for another one. */
  stands_alone: z.boolean().optional(),
  /** The decision about the person's seat when this membership left it; restored on return. */
  seat_decided: z.boolean().optional(),
  /** Identifies the repository list, so that an unchanged list of 100 KB is not written again. */
  reads: z.object({ digest: z.string(), parts: z.number() }).nullable().default(null),
  /** `occurred_at#event id` of the newest event applied, and of the earliest (first values only). */
  version: z.string(),
  first_version: z.string(),
  role_decided: z.boolean().optional(),
});

/** One human in one pool, and the only place where a seat is held. Exists while the person has a membership. */
const personItem = itemSchema({
  /** Lower case; null if the person is a single membership. */
  email: z.string().nullable(),
  /** Active memberships, ordered by organization and user id. */
  memberships: z.array(z.object({ organization: z.string(), user_id: z.string(), seat_wanted: z.boolean() })),
  seat: z.boolean(),
  /** Set by the API or the operator: the wishes of events no longer count then. */
  seat_decided: z.boolean().optional(),
});

/** The repositories a member can read: the first part says how many there are. */
const memberReadsItem = itemSchema({
  /** True: every repository of the organization, and the list is empty. */
  all: z.boolean(),
  parts: z.number(),
  repository_ids: z.array(z.string()),
});

export type PoolItem = z.output<typeof poolItem>;
export type PeopleGuard = z.output<typeof peopleItem>;
export type MemberItem = z.output<typeof memberItem>;
export type PersonItem = z.output<typeof personItem>;
export const parsePool = parseItem("seat pool", poolItem);
export const parsePeopleGuard = parseItem("people guard", peopleItem);
export const parseMember = parseItem("member", memberItem);
export const parsePerson = parseItem("person", personItem);
export const parseMemberReads = parseItem("member's repositories", memberReadsItem);
