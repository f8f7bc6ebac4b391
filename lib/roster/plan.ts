import type { Client, ResponseOf } from "../client/client.ts";
import { ReviewApiError } from "../client/error.ts";
import { peopleLimits } from "../contract/limits.ts";
import { plural } from "../contract/plural.ts";
import { groupBy } from "../report/group-by.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { OperatorError, UsageError } from "../runtime/operator-error.ts";
import type { Wish } from "./csv.ts";
import {
  isIn,
  labelOf,
  type Membership,
  type People,
  type Person,
  peopleNamed,
  problemOf,
  seatName,
} from "./people.ts";

/** What happens to one person's seat or role. */
export type Step = {
  readonly line: number;
  readonly person: string;
  /** `gets`, `loses`: the plan. `has`, `lacks`: nothing to do. `fails`: `why` says so. */
  outcome: "gets" | "loses" | "has" | "lacks" | "fails";
  readonly what: string;
  why: string | null;
};

/** The row that brings back what a step changes. */
export type Undo = {
  readonly email: string;
  readonly user_id: string;
  readonly seat?: "yes" | "no";
  /** The id of the role. */
  readonly role?: string;
};

/** How a step is done. Calls of one kind go together. */
type Call = {
  readonly kind: string;
  readonly rank: number;
  readonly id: string;
  /** What the step adds to the free seats and to the admins of the organization, or takes. */
  readonly adds: { readonly seats: number; readonly admins: number };
  readonly undo: Undo;
  send(user_ids: string[], dry_run: boolean): Promise<{ readonly body: { readonly failed: Failure[] } }>;
};
type Failure = { readonly id: string; readonly code: string; readonly message: string };
export type Batch = ReadonlyArray<Call & { readonly step: Step }>;
/** Of which there is a last one. */
type Stock = { readonly seats: number; readonly admins: number };

/**
 * Seats that the file takes are free for those that it gives; new admins come before those who lose that role. Last is
 * the admin whose key this is: without the role it could do no more.
 */
const ranks = { unassign: 0, assign: 1, admins: 2, others: 3, self: 4 } as const;

/** Without an outcome it fails. */
type Change = Pick<Step, "what"> &
  Partial<Pick<Step, "outcome" | "why">> & { readonly call?: Call; readonly isUnknown?: true };

type Request = {
  readonly client: Client;
  readonly people: People;
  /** The organization of the roles, for workspace tokens. */
  readonly org: string | undefined;
};
type Context = Request & { readonly roles: ResponseOf<"listRoles">["roles"] };

/** Whom a row is about: a person may have several accounts, also in one organization. */
type Subject = {
  readonly person: Person;
  /** The user id by which the row names one account; undefined if it names only the person. */
  readonly account: string | undefined;
};
/** An earlier row about the same person. */
type EarlierRow = Pick<Wish, "line" | "seat"> & Pick<Subject, "account">;

/** What the file asks for: a step for each person's seat and role, and the calls that do the steps. */
export async function stepsOf({ client, people, org }: Request, wishes: readonly Wish[]) {
  const needsRoles = wishes.some(({ role }) => role !== undefined);
  if (needsRoles && people.isWorkspace && org === undefined)
    throw new UsageError("--org is missing: with a workspace token, roles are given in one organization.");
  const { roles } = needsRoles ? (await client.listRoles({ query: placeOf(org) })).body : { roles: [] };
  const context = { client, people, org, roles };
  const rows = new Map<Person, readonly EarlierRow[]>();
  const changes = wishes.flatMap((wish) =>
    changesOf(context, wish, rows).map(({ what, outcome = "fails", why = null, call, isUnknown }) => {
      const step: Step = { line: wish.line, person: wish.email || wish.userId, outcome, what, why };
      return { step, isUnknown, calls: call ? [{ ...call, step }] : [] };
    }),
  );
  const kinds = groupBy(
    changes.flatMap(({ calls }) => calls),
    ({ kind }) => kind,
  );
  const batches = [...kinds.values()]
    .flatMap((calls) => chunksOf(calls, peopleLimits.batchUsersMax))
    .toSorted(([one], [other]) => (one?.rank ?? 0) - (other?.rank ?? 0));
  const isAdmin = (each: Membership) => isOfRoles(context, each) && each.role === "cr_admin";
  const admins = people.list.flatMap(({ memberships }) => memberships.filter(isAdmin)).length;
  return {
    steps: changes.map(({ step }) => step),
    batches,
    stock: { seats: people.seatsFree, admins },
    unknown: changes.filter(({ isUnknown }) => isUnknown).length,
  };
}

/** In the organization whose roles are given. */
const isOfRoles = ({ people, org }: Request, membership: Membership): boolean =>
  !people.isWorkspace || isIn(membership, org ?? "");

const placeOf = (org: string | undefined) => (org === undefined ? {} : { org_id: org });

/** Adds the row to `rows`, which has the rows of earlier lines. */
function changesOf(
  context: Context,
  wish: Wish,
  rows: Map<Person, readonly EarlierRow[]>,
): readonly Change[] {
  const { line, email, userId, seat, role } = wish;
  const name = email || userId;
  const named = peopleNamed(context.people, name, context.org);
  const isBoth = email !== "" && userId !== "";
  const found = named.filter(
    ({ memberships }) => !isBoth || memberships.some(({ user_id }) => user_id === userId),
  );
  const problem = problemOf(found, isBoth && named.length > 0 ? `${name} with the user id ${userId}` : name);
  const [person] = found;
  if (!person || problem !== undefined)
    return [{ what: "person", why: problem ?? "", ...(found.length === 0 && { isUnknown: true }) }];
  const account = accountOf(person, userId || email);
  const earlier = rows.get(person) ?? [];
  const same = earlier.find((row) => !row.account || !account || row.account === account);
  if (same) return [{ what: "person", why: `${name} is on line ${same.line} already` }];
  rows.set(person, [...earlier, { line, seat, account }]);
  const seated = earlier.find((row) => row.seat !== undefined);
  const subject = { person, account };
  return [
    ...(seat === undefined ? [] : [seated ? seatIsOn(seated, person) : seatChange(context, subject, seat)]),
    ...(role === undefined ? [] : [roleChange(context, subject, role)]),
  ];
}

const accountOf = ({ memberships }: Person, name: string): Subject["account"] =>
  memberships.find(({ user_id }) => user_id === name)?.user_id;

const seatIsOn = ({ line }: EarlierRow, person: Person): Change => ({
  what: "seat",
  why: `${labelOf(person)} has one seat for all accounts, and it is on line ${line} already`,
});

function seatChange(context: Context, subject: Subject, action: "assign" | "unassign"): Change {
  const { person } = subject;
  const isAssigned = action === "assign";
  if (person.user.seat_assigned === isAssigned)
    return { what: "seat", outcome: isAssigned ? "has" : "lacks" };
  const named = seatName(person.user, action);
  if (!named)
    return { what: "seat", why: `${labelOf(person)} has no e-mail address; use a key of the organization` };
  const { field, id } = named;
  const call: Call = {
    kind: `${action} ${field}`,
    rank: ranks[action],
    id,
    adds: { seats: isAssigned ? -1 : 1, admins: 0 },
    undo: { ...namesOf(context, subject), seat: isAssigned ? "no" : "yes" },
    send: (ids, dry_run) => context.client.assignSeats({ body: { action, [field]: ids, dry_run } }),
  };
  return { what: "seat", outcome: isAssigned ? "gets" : "loses", call };
}

function roleChange(context: Context, { person, account }: Subject, role: string): Change {
  const { client, org, roles } = context;
  const wanted = roles.find(({ id, name }) => id === role || name.toLowerCase() === role.toLowerCase());
  const what = `role ${wanted?.name ?? role}`;
  if (!wanted)
    return { what, why: `there is no role ${role}; there are ${roles.map(({ name }) => name).join(", ")}` };
  const member = memberOf(context, { person, account });
  if (typeof member === "string") return { what, why: member };
  if (member.role === wanted.id) return { what, outcome: "has" };
  if (member.role === "cr_billing_admin")
    return { what, why: "a billing admin's role is changed by the operator" };
  if (wanted.id === "cr_billing_admin")
    return { what, why: "the role cr_billing_admin is given by the operator" };
  const { id: role_id } = wanted;
  const { key, user_id } = context.people.caller;
  const isSelf = key.kind === "user" && user_id === member.user_id;
  const others = isSelf ? ranks.self : ranks.others;
  const call: Call = {
    kind: isSelf ? `${what} of the caller` : what,
    rank: role_id === "cr_admin" ? ranks.admins : others,
    id: member.user_id,
    adds: { seats: 0, admins: Number(role_id === "cr_admin") - Number(member.role === "cr_admin") },
    undo: { ...namesOf(context, { person, account: member.user_id }), role: member.role },
    send(user_ids, dry_run) {
      const body = { user_ids, dry_run, ...placeOf(org) };
      return role_id === "cr_admin" || role_id === "cr_member"
        ? client.changeRoles({ body: { ...body, role: role_id } })
        : client.giveRole({ path: { role_id }, body });
    },
  };
  return { what, outcome: "gets", call };
}

/** The account whose role changes, or a sentence if it is not exactly one. */
function memberOf(request: Request, { person, account }: Subject): Membership | string {
  const accounts = person.memberships.filter((each) => isOfRoles(request, each));
  const [member, ...others] = accounts.filter(({ user_id }) => account === undefined || user_id === account);
  if (member && others.length === 0) return member;
  const place = `the organization ${request.org}`;
  if (!member) {
    const withId = account === undefined ? "" : ` with the user id ${account}`;
    return `${labelOf(person)} is no member of ${place}${withId}`;
  }
  const ids = accounts.map(({ user_id }) => user_id).join(", ");
  return `${labelOf(person)} is ambiguous: the accounts in ${place} have the user ids ${ids}. Give user_id`;
}

/** A person in a row of a file; the user id tells people and accounts apart that share an address. */
function namesOf({ org }: Request, { person, account }: Subject): Pick<Undo, "email" | "user_id"> {
  const { user, memberships } = person;
  const member = memberships.find((each) => org !== undefined && isIn(each, org)) ?? memberships[0];
  return { email: user.email ?? "", user_id: account ?? member?.user_id ?? "" };
}

async function failuresOf(batch: Batch, isDry: boolean): Promise<ReadonlyMap<string, Failure>> {
  const ids = batch.map(({ id }) => id);
  const answer = await batch[0]?.send(ids, isDry);
  return new Map(answer?.body.failed.map((failure) => [failure.id, failure]));
}

/** Dry runs decide what would fail. None of them knows the others, so free seats and admins are counted here. */
export async function planOf(batches: readonly Batch[], stock: Stock): Promise<Stock> {
  let { seats, admins } = stock;
  for (const batch of batches) {
    const failures = await failuresOf(batch, true);
    for (const { step, id, adds } of batch) {
      const failure = failures.get(id);
      if (failure && !countedHere.includes(failure.code)) fail(step, failure.message);
      else if (adds.seats < 0 && seats <= 0) fail(step, "All purchased seats are assigned.");
      else if (adds.admins < 0 && admins <= 1) fail(step, "An organization keeps at least one admin.");
      else {
        seats += adds.seats;
        admins += adds.admins;
      }
    }
  }
  return { seats: Math.max(0, seats), admins };
}

const countedHere = ["NO_SEATS_AVAILABLE", "LAST_ADMIN"];

function fail(step: Step, why: string): void {
  step.outcome = "fails";
  step.why = why;
}

/** Only those whom the plan changes. What was done stays; the error names the rest. */
export async function carryOut(batches: readonly Batch[], say: (text: string) => void): Promise<void> {
  const left = batches
    .map((batch) => batch.filter(({ step }) => step.outcome !== "fails"))
    .filter((batch) => batch.length > 0);
  let done = 0;
  for (const [index, batch] of left.entries()) {
    const failures = await failuresOf(batch, false).catch((error: unknown) => {
      const said =
        error instanceof ReviewApiError ? `${error.status} ${error.code}: ${error.message}` : String(error);
      const rest = left
        .slice(index)
        .flatMap((some) => some.map(({ step }) => `${step.person} (${step.what})`));
      throw new OperatorError(
        `${said} ${plural(done, "change")} done. Not done: ${rest.join(", ")}. The same command does what is left.`,
      );
    });
    for (const { step, id } of batch) {
      const failure = failures.get(id);
      if (!failure) done++;
      else {
        fail(step, failure.message);
        say(`Line ${step.line}: ${step.person}: ${failure.message}`);
      }
    }
  }
  say(`${plural(done, "change")} done.`);
}
