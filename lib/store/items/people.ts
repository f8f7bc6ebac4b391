import * as z from "zod";
import { permissions } from "../../contract/access.ts";
import type { PoolKey } from "../layout.ts";
import { parseItem } from "./parse.ts";

/** Bits of a role's permissions, in the order of the contract's list. */
export const permissionBit = (permission: (typeof permissions)[number]): number =>
  1 << permissions.indexOf(permission);

const poolKeySchema = z.custom<PoolKey>((value) => typeof value === "string" && /^[wo]#./s.test(value));

/**
 * The seats of a pool: `seats_free` is purchased less assigned, below 0 after fewer were bought. Part of the
 * people guard for an organization's own pool, an item of its own for a workspace's.
 */
const poolItem = z.object({
  pk: z.string(),
  sk: z.string(),
  seats_free: z.number(),
  /** People who are due a seat but found none free; they get one as soon as events make room. */
  seats_short: z.number().default(0),
});

/**
 * The guard of an organization's people: every change of people updates it in its own transaction, so its
 * counts are exact and its conditions decide races (last admin, seats left, role in use). In a workspace its
 * seats are not used: they stand at what the organization itself has purchased.
 */
const peopleItem = poolItem.extend({
  /** Active members per role, system and custom. A role exists exactly when it has a count. */
  counts: z.record(z.string(), z.number()),
  /** Custom role id to permission bits. */
  roles: z.record(z.string(), z.number()),
  /** Digest of the lower-cased name to role id. */
  role_names: z.record(z.string(), z.string()),
  default_role: z.string().nullable(),
  custom: z.number(),
  /** Keys that were ever given a custom role, per role; see lib/access/key-roles.ts. */
  keys_given: z.record(z.string(), z.number()).optional(),
});

const memberItem = z.object({
  pk: z.string(),
  sk: z.string(),
  user_id: z.string(),
  username: z.string().nullable(),
  email: z.string().nullable(),
  /** Kept while inactive, when it counts in no guard. */
  role: z.string(),
  active: z.boolean(),
  /** The pool in which a person holds this membership; null while inactive. */
  pool: poolKeySchema.nullable().default(null),
  /** The first event's `seat_assigned`; whether a seat is held stands on the person. */
  seat_wanted: z.boolean().default(false),
  /** A pull request of theirs was reviewed while seats were given automatically. */
  seat_earned: z.boolean().optional(),
  /** Its person is this membership alone: the one of its e-mail address had no room for another. */
  stands_alone: z.boolean().optional(),
  /** What was decided about the person's seat when this membership left it; given back on return. */
  seat_decided: z.boolean().optional(),
  /** What its repository list is, so that an unchanged one of 100 KB is not written again. */
  reads: z.object({ digest: z.string(), parts: z.number() }).nullable().default(null),
  /** `occurred_at#event id` of the newest event applied, and of the earliest (first values only). */
  version: z.string(),
  first_version: z.string(),
  role_decided: z.boolean().optional(),
});

/** One human in one pool, and the one place where a seat is held. Exists while a membership does. */
const personItem = z.object({
  pk: z.string(),
  sk: z.string(),
  /** Lower case; null where the person is a single membership. */
  email: z.string().nullable(),
  /** Active ones, in the order of organization and user id. */
  memberships: z.array(z.object({ organization: z.string(), user_id: z.string(), seat_wanted: z.boolean() })),
  seat: z.boolean(),
  /** Set by the API or the operator: what events want then counts no more. */
  seat_decided: z.boolean().optional(),
});

/** The repositories a member can read: the first part says how many there are. */
const memberReadsItem = z.object({
  pk: z.string(),
  sk: z.string(),
  /** True: every repository of the organization, and the list is empty. */
  all: z.boolean(),
  parts: z.number(),
  repository_ids: z.array(z.string()),
});

export type PoolItem = z.output<typeof poolItem>;
export type PeopleItem = z.output<typeof peopleItem>;
export type MemberItem = z.output<typeof memberItem>;
export type PersonItem = z.output<typeof personItem>;
export type MemberReadsItem = z.output<typeof memberReadsItem>;
export const parsePool = parseItem("seat pool", poolItem);
export const parsePeople = parseItem("people guard", peopleItem);
export const parseMember = parseItem("member", memberItem);
export const parsePerson = parseItem("person", personItem);
export const parseMemberReads = parseItem("member's repositories", memberReadsItem);
