import { ReviewApiError } from "../../lib/client/error.ts";
import { plural } from "../../lib/contract/plural.ts";
import { fetchSeatUse } from "../../lib/report/seats.ts";
import { readWishes } from "../../lib/roster/csv.ts";
import { keysOf, labelOf, peopleNamed, personNamed, readPeople, seatName } from "../../lib/roster/people.ts";
import { carryOut, planOf, type Step, stepsOf } from "../../lib/roster/plan.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { Command } from "../command.ts";
import { keyRowOf } from "../show-keys.ts";
import { formatRecord, formatTable, type Terminal } from "../terminal.ts";
import { orgOption, overHttp } from "./call.ts";

const somebody = {
  name: "EMAIL|USER",
  required: true,
  help: "the e-mail address, or the provider's user id",
};

const apply: Command = overHttp({
  name: "apply",
  summary: "Give and take seats and roles as a CSV file says; running it again does what is left",
  note: "The columns are email or user_id, seat (yes, no, or empty to leave it) and role (id or name, or empty to leave it).",
  argument: { name: "FILE.csv", required: true, help: "one row for each person" },
  options: { "dry-run": { help: "only show the plan" }, ...orgOption },
  examples: ["people apply people.csv --dry-run", "people apply people.csv --org 1001"],
  async run(input, terminal, withCaller) {
    const wishes = await readWishes(input.requiredArgument("FILE.csv"));
    await withCaller(async (client) => {
      const org = input.text("org");
      const people = await readPeople(client, org);
      const { steps, batches } = await stepsOf({ client, people, org }, wishes);
      const free = await planOf(batches, people.seatsFree);
      const seatsLeft = steps.some(({ what }) => what === "seat") ? free : null;
      const isDry = input.flag("dry-run");
      if (!input.flag("json")) showPlan(terminal, steps, seatsLeft);
      if (!isDry) await carryOut(batches, terminal.say);
      if (input.flag("json")) terminal.out(JSON.stringify({ dry_run: isDry, steps, seats_left: seatsLeft }));
      const failed = new Set(steps.filter(({ outcome }) => outcome === "fails").map(({ line }) => line));
      if (failed.size > 0)
        throw new OperatorError(`${failed.size} of ${plural(wishes.length, "line")} failed.`);
    });
  },
});

const words = {
  gets: ["+", "gets"],
  loses: ["-", "loses"],
  has: ["=", "has already:"],
  lacks: ["=", "has no"],
  fails: ["!", "fails:"],
} as const;

function showPlan(terminal: Terminal, steps: readonly Step[], seatsLeft: number | null): void {
  const rows = steps.map(({ line, person, outcome, what, why }) => {
    const [mark, verb] = words[outcome];
    return { " ": mark, line, person, plan: `${verb} ${why ?? what}` };
  });
  if (rows.length > 0) terminal.out(formatTable(rows, terminal.paint));
  else terminal.say("The file asks for nothing.");
  if (seatsLeft !== null) terminal.say(`Seats left after it: ${seatsLeft}.`);
}

const show: Command = overHttp({
  name: "show",
  summary: "Show a person's memberships, seat, roles, keys and last review",
  argument: somebody,
  options: orgOption,
  examples: ["people show ada@acme.example", "people show 502 --org 1001"],
  run: (input, terminal, withCaller) =>
    withCaller(async (client) => {
      const people = await readPeople(client, input.text("org"));
      const person = personNamed(people, input.requiredArgument(somebody.name), input.text("org"));
      const notReadable: string[] = [];
      /** A part that the key may not read is left out and named. */
      const part = async <Part>(name: string, read: () => Promise<Part>): Promise<Part | null> =>
        await read().catch((error: unknown) => {
          if (!(error instanceof ReviewApiError && error.status === 403)) throw error;
          notReadable.push(`${name} (${error.code})`);
          return null;
        });
      const use = await part("last review", async () =>
        (await fetchSeatUse(client, [person.user], people.home, { nowMs: systemClock.nowMs() })).get(
          person.user,
        ),
      );
      const keys = await part("keys", () => keysOf(client, people, person.user.email, person.memberships));
      const { username, email, seat_assigned } = person.user;
      const about = {
        ...{ email, username, seat_assigned },
        seat_since: use?.seat_since ?? null,
        last_reviewed_at: use?.last_reviewed_at ?? null,
      };
      const memberships = person.memberships.map(({ provider, org_id, user_id, role }) => ({
        ...{ provider, organization_id: org_id, user_id, role },
      }));
      if (input.flag("json"))
        return terminal.out(JSON.stringify({ ...about, memberships, keys, not_readable: notReadable }));
      terminal.out(formatRecord(about, terminal.paint));
      const table = (rows: Parameters<typeof formatTable>[0], none: string) =>
        terminal.out(`\n${rows.length > 0 ? formatTable(rows, terminal.paint) : none}`);
      table(memberships, `${labelOf(person)} is in no active organization.`);
      if (keys)
        table(
          keys.map(keyRowOf).map(({ id, kind, name, bound_to, role, last_used_at, refused_because }) => ({
            ...{ id, kind, name, bound_to, role, last_used_at, refused_because },
          })),
          "They own no keys that work.",
        );
      if (notReadable.length > 0) terminal.say(`This key may not read: ${notReadable.join(", ")}.`);
    }),
});

const leave: Command = overHttp({
  name: "leave",
  summary:
    "Take the seat of somebody who leaves, and revoke their keys and workspace tokens; a plan unless --yes",
  argument: somebody,
  options: { yes: { help: "do it" }, ...orgOption },
  examples: ["people leave ada@acme.example", "people leave ada@acme.example --yes"],
  run: (input, terminal, withCaller) =>
    withCaller(async (client) => {
      const name = input.requiredArgument(somebody.name);
      const people = await readPeople(client, input.text("org"));
      const isGone =
        people.isWorkspace && name.includes("@") && peopleNamed(people, name, undefined).length === 0;
      // Whoever has left every organization may still own tokens of the workspace.
      const person = isGone ? undefined : personNamed(people, name, input.text("org"));
      const named = person?.user.seat_assigned ? seatName(person.user, "unassign") : undefined;
      const keys = await keysOf(client, people, person ? person.user.email : name, person?.memberships ?? []);
      const inUse = people.caller.key.id;
      const ends = keys.filter(
        ({ id, kind }) => ["user", "agentic", "workspace"].includes(kind) && id !== inUse,
      );
      const owned = keys.filter((key) => !ends.includes(key));
      const isDone = input.flag("yes");
      if (isDone) {
        if (named) {
          const body = { action: "unassign", [named.field]: [named.id] } as const;
          const [failure] = (await client.assignSeats({ body })).body.failed;
          if (failure) throw new OperatorError(`The seat was not taken: ${failure.message}`);
        }
        for (const { id } of ends) await client.deleteKey({ path: { key_id: id } });
      }
      const brief = (key: (typeof keys)[number]) => ({
        ...{ id: key.id, kind: key.kind, name: key.name },
        organizations: key.organizations?.join(", ") ?? "all",
      });
      const answer = {
        done: isDone,
        seat: named !== undefined,
        ended_keys: ends.map(brief),
        owned_keys: owned.map(brief),
      };
      if (input.flag("json")) return terminal.out(JSON.stringify(answer));
      if (named) terminal.say(isDone ? "Took the seat." : "Would take the seat.");
      if (ends.length > 0) {
        terminal.say(`${isDone ? "Revoked" : "Would revoke"} ${plural(ends.length, "key")}:`);
        terminal.out(formatTable(answer.ended_keys, terminal.paint));
      }
      if (!named && ends.length === 0) terminal.say("There is nothing to do.");
      if (owned.length > 0) {
        terminal.say(
          "They own these keys, which this command does not revoke. A key of an organization gets 401 from the day its owner leaves: make new ones before.",
        );
        terminal.out(formatTable(answer.owned_keys, terminal.paint));
      }
      if (!isDone && (named || ends.length > 0)) terminal.say("Nothing was changed; --yes does it.");
    }),
});

export const commands: readonly Command[] = [apply, show, leave];
