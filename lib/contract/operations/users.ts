import * as z from "zod";
import { seatAssignmentModes } from "../access.ts";
import { batchOf, dryRun, roleChangesLimit, tenAMinute, userIdsWords } from "../batches.ts";
import { pageLimits, peopleLimits, requestLimits } from "../limits.ts";
import { noLegacyKey, operation } from "../operation.ts";
import {
  choice,
  emailAddress,
  identifier,
  identifierUpTo,
  organizationSelector,
  pageParameters,
} from "../parameters.ts";
import { seatsAnswer, systemRolesChangeAnswer, usersAnswer } from "../records-people.ts";
import { parseSeatHolderId, seatHolderId } from "../seat-holder.ts";

const { users } = pageLimits;
const { batchUsersMax, seatHolderIdBytesMax } = peopleLimits;
const { idBytesMax } = requestLimits;

export const listUsers = operation({
  id: "listUsers",
  source: "users/list",
  method: "GET",
  path: "/v1/users",
  tag: "Users",
  only: "people:read",
  summary: "List members, their seats and roles",
  description:
    "The members of one organization. A workspace token without `org_id` gets every person of the workspace once, with " +
    "their organizations; `role_filter` then matches a role in any of them.",
  query: z.strictObject({
    seat_filter: choice(["all", "assigned", "unassigned"])
      .default("all")
      .describe("Everybody, or only people with or without a seat."),
    role_filter: choice(["all", "member", "admin"])
      .default("all")
      .describe("Everybody, only admins, or only people who are not admins."),
    ...pageParameters(users),
    ...organizationSelector,
  }),
  answer: { status: 200, description: "One page of people", schema: usersAnswer },
  keys: noLegacyKey,
  plan: "enterprise",
  needs: "admin",
  organization: "optional",
  instanceScope: "home",
  rateLimit: { bucket: "users", requestsMax: 60, windowSeconds: 60, owner: "quota" },
  paging: { bindsPageSize: false, resumable: false, defaultSize: users.default },
});

const namedUsers = z.looseObject({ user_ids: z.array(z.string()).default([]) });
/** How a workspace token names people without an e-mail address. */
const seatHolders = namedUsers.extend({ action: z.literal("unassign"), user_ids: z.array(z.string()) });

const isIdentifier = (text: string): boolean => identifier.safeParse(text).success;

/** Only as `GET /v1/users` shows it: a person with many spellings would not fit in an audit entry. */
function isSeatHolderId(text: string): boolean {
  const holder = parseSeatHolderId(text);
  if (!holder || seatHolderId(holder) !== text) return false;
  return [holder.organizationId, holder.userId].every(isIdentifier);
}

export const assignSeats = operation({
  id: "assignSeats",
  source: "users/seats",
  method: "POST",
  path: "/v1/users/seats",
  tag: "Users",
  only: "people:write",
  summary: "Assign or unassign seats",
  description:
    "Seats are assigned in the order of the request until no seat is free. You may repeat the request. Workspace tokens name people by `emails`, all other " +
    "keys by `user_ids`. To unassign a person without an e-mail address, a workspace token sends `user_ids` with the " +
    "`seat_holder_id` that `GET /v1/users` shows. Only members of an active organization on the Enterprise plan can get " +
    "a seat; everybody who holds one can lose it. `dry_run` returns what would happen and changes nothing. " +
    "[How seats are counted](docs/people#seats), [idle seats](docs/jobs/idle-seats).",
  query: z.strictObject({ ...organizationSelector }),
  body: z.strictObject({
    action: choice(["assign", "unassign"]).describe("`assign` or `unassign`."),
    user_ids: batchOf(
      identifierUpTo(
        seatHolderIdBytesMax,
        `At most ${idBytesMax} bytes of UTF-8; a \`seat_holder_id\` at most ${seatHolderIdBytesMax}.`,
      ),
    )
      .optional()
      .describe(
        "The people, by the Git provider's user ids; 1 to 500. Repeated ids count once. With a workspace token only for " +
          "`unassign`, and by the `seat_holder_id` that `GET /v1/users` shows.",
      ),
    emails: batchOf(emailAddress)
      .optional()
      .describe(
        "The people, by e-mail address in any letter case; 1 to 500. A person counts once; the response " +
          "has the first spelling. Workspace tokens only.",
      ),
    dry_run: dryRun,
    ...organizationSelector,
  }),
  batch: { fields: ["user_ids", "emails"], elementsMax: batchUsersMax },
  problemFor(kind, { body }) {
    const { data: holders } = seatHolders.safeParse(body);
    if (kind === "workspace" && holders && !("emails" in holders)) {
      return holders.user_ids.every(isSeatHolderId)
        ? undefined
        : "user_ids: with this kind of key each must be the seat_holder_id of a person, as GET /v1/users shows it.";
    }
    const [wanted, other] =
      kind === "workspace" ? (["emails", "user_ids"] as const) : (["user_ids", "emails"] as const);
    if (body && other in body) return `${other}: is not taken with this kind of key; send ${wanted}.`;
    if (!body || !(wanted in body)) return `${wanted}: is required.`;
    const wrong = namedUsers.parse(body).user_ids.findIndex((id) => !isIdentifier(id));
    return wrong === -1 ? undefined : `user_ids[${wrong}]: must have at most ${idBytesMax} bytes.`;
  },
  answer: { status: 200, description: "The result for each person", schema: seatsAnswer },
  keys: noLegacyKey,
  plan: "enterprise",
  needs: "admin",
  organization: "refused",
  instanceScope: "home",
  rateLimit: tenAMinute("seats"),
  // Copies of an audit entry that do not fit its transaction are owed.
  writes: { put: ["person", "owed"], update: ["person", "owed", "people"] },
  errors: ["BATCH_SIZE_EXCEEDED"],
});

const seatAssignment = {
  path: "/v1/users/seats/assignment",
  tag: "Users",
  query: z.strictObject({ ...organizationSelector }),
  keys: { ...noLegacyKey, workspace: "forbidden" },
  plan: "enterprise",
  gates: ["subscription", "self_hosted"],
  needs: "admin",
  organization: "ignored",
  instanceScope: "home",
  rateLimit: tenAMinute("seat-assignment"),
} as const;
const modeWords =
  "`automatic`: a person whose pull request is reviewed (the reviewer was tagged) gets a seat. `manual`: an admin assigns it.";
const modeAnswer = z.strictObject({ mode: z.enum(seatAssignmentModes).describe(modeWords) });

export const getSeatAssignment = operation({
  ...seatAssignment,
  id: "getSeatAssignment",
  only: "people:read",
  source: "users/seat-assignment",
  method: "GET",
  summary: "Read the seat assignment mode",
  description: "Only for fully self-hosted organizations.",
  answer: { status: 200, description: "The mode", schema: modeAnswer },
});

export const setSeatAssignment = operation({
  ...seatAssignment,
  id: "setSeatAssignment",
  only: "people:write",
  source: "users/set-seat-assignment",
  method: "POST",
  summary: "Set the seat assignment mode",
  description: "Decides how developers get their seats. Only for fully self-hosted organizations.",
  body: z.strictObject({ mode: choice(seatAssignmentModes).describe(modeWords), ...organizationSelector }),
  answer: { status: 200, description: "The mode as it is now", schema: modeAnswer },
  writes: { update: ["organization", "tenantOrganization"] },
});

export const changeRoles = operation({
  id: "changeRoles",
  source: "users/roles",
  method: "POST",
  path: "/v1/users/roles",
  tag: "Users",
  only: "roles:write",
  summary: "Change the role of up to 500 users",
  description:
    "Instance keys may send `org_id`: a provider organization id, or `ALL` (in any letter case) for every active " +
    "organization that they are authorized for. `ALL` changes one organization after another and is not atomic. A user " +
    "succeeds only if every organization does; one on another plan fails with `ENTERPRISE_PLAN_REQUIRED`. " +
    "`dry_run` returns what would happen and changes nothing.",
  query: z.strictObject({ ...organizationSelector }),
  body: z.strictObject({
    role: choice(["cr_admin", "cr_member"]).describe("The role to give."),
    user_ids: batchOf(identifier).describe(userIdsWords),
    dry_run: dryRun,
    org_id: organizationSelector.org_id.describe(
      "Workspace tokens must name one organization, by the Git provider's id. Instance keys may name one, or `ALL` in any " +
        "letter case for every active one they are authorized for; without it they act on their home. Other keys ignore it.",
    ),
  }),
  batch: { fields: ["user_ids"], elementsMax: batchUsersMax },
  answer: { status: 200, description: "The result for each person", schema: systemRolesChangeAnswer },
  keys: noLegacyKey,
  plan: "enterprise_somewhere",
  needs: "admin",
  organization: "required",
  instanceScope: "named",
  rateLimit: roleChangesLimit,
  writes: { update: ["member", "people"], rights: ["member"] },
  errors: ["BATCH_SIZE_EXCEEDED"],
});

/** In the order of the reference. */
export const userOperations = [
  listUsers,
  assignSeats,
  getSeatAssignment,
  setSeatAssignment,
  changeRoles,
] as const;
