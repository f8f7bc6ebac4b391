import type { Client } from "../client/client.ts";
import { ReviewApiError } from "../client/error.ts";
import { peopleLimits } from "../contract/limits.ts";
import { plural } from "../contract/plural.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { OperatorError, UsageError } from "../runtime/operator-error.ts";
import type { Wish } from "./csv.ts";
import { isIn, labelOf, type People, type Person, peopleNamed, problemOf, seatName } from "./people.ts";

/** What happens to one person's seat or role. */
export type Step = {
  readonly line: number;
  readonly person: string;
  /** `gets`, `loses`: the plan. `has`, `lacks`: nothing to do. `fails`: `why` says so. */
  outcome: "gets" | "loses" | "has" | "lacks" | "fails";
  readonly what: string;
  why: string | null;
};
type Call = { readonly step: Step; readonly id: string };
/** Calls of one kind: of the same action, or with the same role. */
type Batch = {
  readonly isSeat: boolean;
  readonly makesAdmins?: boolean;
  readonly outcome: "gets" | "loses";
  readonly calls: Call[];
  send(calls: readonly Call[], dryRun: boolean): Promise<Answer>;
};
const idsOf = (calls: readonly Call[]) => calls.map(({ id }) => id);
type Answer = {
  readonly failed: ReadonlyArray<{ readonly id: string; readonly code: string; readonly message: string }>;
  readonly unchanged?: readonly string[] | undefined;
  readonly seats_left?: number | undefined;
};

/** What the file asks for, in calls of one kind each. `org`: the organization of the roles, for workspace tokens. */
export async function batchesOf(
  client: Client,
  people: People,
  wishes: readonly Wish[],
  org: string | undefined,
) {
  const place = org === undefined ? {} : { org_id: org };
  const needsRoles = wishes.some(({ role }) => role !== undefined);
  if (needsRoles && people.isWorkspace && org === undefined)
    throw new UsageError("--org is missing: with a workspace token, roles are given in one organization.");
  const { roles } = needsRoles ? (await client.listRoles({ query: place })).body : { roles: [] };
  const steps: Step[] = [];
  const batches = new Map<string, Batch>();
  const add = (key: string, batch: Omit<Batch, "calls">, call: Call) => {
    const known = batches.get(key) ?? { ...batch, calls: [] };
    batches.set(key, known);
    known.calls.push(call);
  };
  const lines = new Map<Person, number>();
  for (const { line, email, userId, seat, role } of wishes) {
    const name = email || userId;
    const begin = (what: string, why: string | null = null): Step => {
      const same = what === "seat" && seat === "unassign" ? "lacks" : "has";
      const step: Step = { line, person: name, outcome: why === null ? same : "fails", what, why };
      steps.push(step);
      return step;
    };
    const named = peopleNamed(people, name, org);
    const isBoth = email !== "" && userId !== "";
    const found = named.filter(
      ({ memberships }) => !isBoth || memberships.some(({ user_id }) => user_id === userId),
    );
    const [person] = found;
    const first = person && lines.get(person);
    const problem =
      first === undefined
        ? problemOf(found, isBoth && named.length > 0 ? `${name} with the user id ${userId}` : name)
        : `${name} is on line ${first} already`;
    if (problem !== undefined || !person) {
      begin("person", problem ?? null);
      continue;
    }
    lines.set(person, line);
    if (seat !== undefined) {
      const named = seatName(people, person, seat);
      if (!named) begin("seat", `${labelOf(person)} has no e-mail address; use a key of the organization`);
      else
        add(
          `${seat} ${named.field}`,
          {
            isSeat: true,
            outcome: seat === "assign" ? "gets" : "loses",
            send: async (calls, dry_run) =>
              (await client.assignSeats({ body: { action: seat, [named.field]: idsOf(calls), dry_run } }))
                .body,
          },
          { step: begin("seat"), id: named.id },
        );
    }
    if (role === undefined) continue;
    const wanted = roles.find(
      ({ id, name: called }) => id === role || called.toLowerCase() === role.toLowerCase(),
    );
    const member = person.memberships.find((each) => !people.isWorkspace || isIn(each, org ?? ""));
    const why = !wanted
      ? `there is no role ${role}; there are ${roles.map((each) => each.name).join(", ")}`
      : !member
        ? `${labelOf(person)} is no member of the organization ${org}`
        : member.role === "cr_billing_admin" && wanted.id !== member.role
          ? "a billing admin's role is changed by the operator"
          : wanted.id === "cr_billing_admin" && wanted.id !== member.role
            ? "the role cr_billing_admin is given by the operator"
            : null;
    const step = begin(`role ${wanted?.name ?? role}`, why);
    if (!wanted || !member || why !== null || member.role === wanted.id) continue;
    add(
      `role ${wanted.id}`,
      {
        isSeat: false,
        makesAdmins: wanted.id === "cr_admin",
        outcome: "gets",
        send: async (calls, dry_run) => {
          const body = { user_ids: idsOf(calls), dry_run, ...place };
          return wanted.id === "cr_admin" || wanted.id === "cr_member"
            ? (await client.changeRoles({ body: { ...body, role: wanted.id } })).body
            : (await client.giveRole({ path: { role_id: wanted.id }, body })).body;
        },
      },
      { step, id: member.user_id },
    );
  }
  const ordered = [...batches.values()].toSorted((one, other) => rank(one) - rank(other));
  return { steps, batches: ordered };
}

/** Seats that the file takes are free for those that it gives; new admins come before those who lose that role. */
const rank = ({ isSeat, outcome, makesAdmins }: Batch): number =>
  isSeat ? (outcome === "loses" ? 0 : 1) : makesAdmins ? 2 : 3;

/** Dry runs decide what would happen. A dry run does not know the others, so free seats are counted here. */
export async function planOf(batches: readonly Batch[]): Promise<number | null> {
  let free: number | null = null;
  for (const { isSeat, outcome, calls, send } of batches)
    for (const some of chunksOf(calls, peopleLimits.batchUsersMax)) {
      const { failed, unchanged = [], seats_left } = await send(some, true);
      const failures = new Map(failed.map((each) => [each.id, each]));
      const changing = some.filter(({ id }) => !unchanged.includes(id) && !failures.has(id));
      if (isSeat && free === null && seats_left !== undefined)
        free = outcome === "gets" ? seats_left + changing.length : seats_left - changing.length;
      for (const { step, id } of some) {
        const failure = failures.get(id);
        const isShort = failure?.code === "NO_SEATS_AVAILABLE";
        if (failure && !isShort) fail(step, failure.message);
        else if (unchanged.includes(id)) continue;
        else if (isSeat && outcome === "gets" && (free ?? 0) <= 0)
          fail(step, "All purchased seats are assigned.");
        else {
          step.outcome = outcome;
          if (isSeat) free = (free ?? 0) + (outcome === "gets" ? -1 : 1);
        }
      }
    }
  return free === null ? null : Math.max(0, free);
}

function fail(step: Step, why: string): void {
  step.outcome = "fails";
  step.why = why;
}

/** Only those whom the plan changes. What was done stays; the error names the rest. */
export async function carryOut(batches: readonly Batch[], say: (text: string) => void): Promise<void> {
  const left = batches.flatMap(({ outcome, calls, send }) =>
    chunksOf(
      calls.filter(({ step }) => step.outcome === outcome),
      peopleLimits.batchUsersMax,
    ).map((some) => ({ some, send })),
  );
  let done = 0;
  for (const [index, { some, send }] of left.entries()) {
    try {
      const { failed } = await send(some, false);
      const failures = new Map(failed.map((each) => [each.id, each.message]));
      for (const { step, id } of some) {
        const why = failures.get(id);
        if (why === undefined) done++;
        else {
          fail(step, why);
          say(`Line ${step.line}: ${step.person}: ${why}`);
        }
      }
    } catch (error) {
      const rest = left
        .slice(index)
        .flatMap((each) => each.some.map(({ step }) => `${step.person} (${step.what})`));
      throw new OperatorError(
        `${error instanceof ReviewApiError ? `${error.status} ${error.code}: ${error.message}` : String(error)} ${plural(done, "change")} done. Not done: ${rest.join(", ")}. The same command does what is left.`,
      );
    }
  }
  say(`${plural(done, "change")} done.`);
}
