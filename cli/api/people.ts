import type { Client } from "../../lib/client/client.ts";
import { ReviewApiError } from "../../lib/client/error.ts";
import { plural } from "../../lib/contract/plural.ts";
import { leftOutNote, noteText } from "../../lib/report/left-out.ts";
import { filtersOfSome } from "../../lib/report/metrics-filters.ts";
import { fetchLastReviews, fetchSeatSince } from "../../lib/report/seats.ts";
import { readWishes } from "../../lib/roster/csv.ts";
import {
  isIn,
  isInAuditLog,
  keysOf,
  labelOf,
  organizationsNotSeen,
  type People,
  peopleNamed,
  personNamed,
  readPeople,
  seatName,
  whereFrom,
} from "../../lib/roster/people.ts";
import { carryOut, planOf, type Step, stepsOf } from "../../lib/roster/plan.ts";
import { undoFile, writeUndo } from "../../lib/roster/undo.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { Command } from "../command.ts";
import { keyRowOf } from "../show-keys.ts";
import { commandFor } from "../show-once.ts";
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
  options: {
    "dry-run": { help: "only show the plan" },
    undo: {
      value: "FILE.csv",
      help: "where the rows go that undo it, before the first change (default: beside FILE.csv)",
    },
    ...orgOption,
  },
  examples: ["people apply people.csv --dry-run", "people apply people.csv --org 1001"],
  async run(input, terminal, withCaller) {
    const file = input.requiredArgument("FILE.csv");
    const wishes = await readWishes(file);
    await withCaller(async (client) => {
      const org = input.text("org");
      const people = await readPeople(client, org);
      const { steps, batches, stock, unknown } = await stepsOf({ client, people, org }, wishes);
      const left = await planOf(batches, stock);
      const seatsLeft = steps.some(({ what }) => what === "seat") ? left.seats : null;
      const isDry = input.flag("dry-run");
      if (!input.flag("json")) showPlan(terminal, steps, seatsLeft);
      const undone = isDry ? undefined : undoFile(batches);
      const undo = undone === undefined ? null : (input.text("undo") ?? undoName(file));
      if (undone !== undefined && undo !== null) {
        await writeUndo(undo, undone);
        terminal.say(`To undo what follows: ${commandFor(input, `people apply ${inShell(undo)}`, ["org"])}`);
      }
      if (!isDry) await carryOut(batches, terminal.say);
      if (input.flag("json"))
        terminal.out(JSON.stringify({ dry_run: isDry, steps, seats_left: seatsLeft, undo }));
      const failed = new Set(steps.filter(({ outcome }) => outcome === "fails").map(({ line }) => line));
      const about =
        unknown > 0
          ? ` ${unknown === 1 ? "1 person is" : `${unknown} people are`} unknown. ${whereFrom}`
          : "";
      if (failed.size > 0)
        throw new OperatorError(`${failed.size} of ${plural(wishes.length, "line")} failed.${about}`);
    });
  },
});

/** A name that sorts by time and that every system takes. */
const undoName = (file: string): string =>
  `${file.replace(/\.csv$/i, "")}.undo-${toTimestamp(systemClock.nowMs()).replaceAll(/[-:.]/g, "")}.csv`;

const inShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

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
  finalCodes: ["METRICS_PREPARING"],
  run: (input, terminal, withCaller) =>
    withCaller(async (client) => {
      const people = await readPeople(client, input.text("org"));
      const person = personNamed(people, input.requiredArgument(somebody.name), input.text("org"));
      const notReadable: string[] = [];
      /** A part that the key may not read, or that is being prepared, is left out and named. */
      const part = async <Part>(name: string, read: () => Promise<Part>): Promise<Part | null> =>
        await read().catch((error: unknown) => {
          const isMissing =
            error instanceof ReviewApiError && (error.status === 403 || error.code === "METRICS_PREPARING");
          if (!isMissing) throw error;
          notReadable.push(`${name} (${error.code})`);
          return null;
        });
      const { user, memberships } = person;
      const { scope, key } = people.caller;
      const theirs = scope.organizations.filter((each) =>
        memberships.some((one) => isIn(one, `${each.provider}:${each.provider_organization_id}`)),
      );
      const filters = filtersOfSome(key.kind, scope.organizations, theirs);
      const leftOut = leftOutNote(theirs)?.names ?? [];
      const since = await part("seat since", () => fetchSeatSince(client, [user], people.home, {}));
      const reviewed = await part("last review", () =>
        fetchLastReviews(client, [user], people.home, { filters, nowMs: systemClock.nowMs() }),
      );
      const keys = await part("keys", () => keysOf(client, people, user.email, memberships));
      const notSeen = organizationsNotSeen(people);
      const { username, email, seat_assigned } = user;
      const about = {
        email,
        username,
        seat_assigned,
        seat_since: seat_assigned ? (since?.get(user) ?? null) : null,
        last_reviewed_at: reviewed?.get(user) ?? null,
      };
      const shown = memberships.map(({ provider, org_id, user_id, role }) => ({
        provider,
        organization_id: org_id,
        user_id,
        role,
      }));
      if (input.flag("json"))
        return terminal.out(
          JSON.stringify({
            ...about,
            memberships: shown,
            keys,
            keys_not_in: notSeen,
            left_out: leftOut,
            not_readable: notReadable,
          }),
        );
      terminal.out(formatRecord(about, terminal.paint));
      const table = (rows: Parameters<typeof formatTable>[0], none: string) =>
        terminal.out(`\n${rows.length > 0 ? formatTable(rows, terminal.paint) : none}`);
      table(shown, `${labelOf(person)} is in no active organization.`);
      if (keys)
        table(
          keys.map(keyRowOf).map(({ id, kind, name, bound_to, role, last_used_at, refused_because }) => ({
            id,
            kind,
            name,
            bound_to,
            role,
            last_used_at,
            refused_because,
          })),
          "They own no keys that work.",
        );
      if (leftOut.length > 0) terminal.say(noteText({ text: "The last review leaves out", names: leftOut }));
      if (notSeen.length > 0) terminal.say(notSeenText(notSeen));
      if (notReadable.length > 0) terminal.say(`Not readable: ${notReadable.join(", ")}.`);
    }),
});

const notSeenText = (names: readonly string[]): string =>
  noteText({ text: "Keys in these organizations are not looked at", names });

/** An address that no member has: somebody who has left, or a mistake, which is an error. */
async function checkHasLeft(client: Client, people: People, email: string): Promise<void> {
  const isKnown = await isInAuditLog(client, email);
  if (isKnown) return;
  const notSeen = organizationsNotSeen(people);
  const sentences = [
    `Nobody with the address ${email} is a member, and no key of theirs was found: check the spelling. Nothing was changed.`,
    ...(isKnown === undefined
      ? ["Your key may not read the audit log, which names the people who have left."]
      : []),
    ...(notSeen.length > 0 ? [notSeenText(notSeen)] : []),
  ];
  throw new OperatorError(sentences.join(" "));
}

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
      const { id: inUse, made_by } = people.caller.key;
      if (made_by !== null)
        throw new OperatorError(
          `Your key was made by key ${made_by}, so it revokes no other key. Nothing was changed. Use ${made_by}, or another Admin key.`,
        );
      const isGone =
        people.isWorkspace && name.includes("@") && peopleNamed(people, name, undefined).length === 0;
      // Whoever has left every organization may still own tokens of the workspace.
      const person = isGone ? undefined : personNamed(people, name, input.text("org"));
      const named = person?.user.seat_assigned ? seatName(person.user, "unassign") : undefined;
      const keys = await keysOf(client, people, person ? person.user.email : name, person?.memberships ?? []);
      const hasNothing = isGone && keys.length === 0;
      if (hasNothing) await checkHasLeft(client, people, name);
      const personal = keys.filter(({ kind }) => ["user", "agentic", "workspace"].includes(kind));
      const ends = personal.filter(({ id }) => id !== inUse);
      const owned = keys.filter((key) => !ends.includes(key));
      const isDone = input.flag("yes");
      if (personal.length > ends.length)
        terminal.say(
          `Your key ${inUse} belongs to them too. This command does not revoke the key that it uses: revoke it with another Admin key.`,
        );
      if (isDone) {
        if (named) {
          const body = { action: "unassign", [named.field]: [named.id] } as const;
          const [failure] = (await client.assignSeats({ body })).body.failed;
          if (failure) throw new OperatorError(`The seat was not taken: ${failure.message}`);
        }
        for (const { id } of ends) await client.deleteKey({ path: { key_id: id } });
      }
      const brief = (key: (typeof keys)[number]) => ({
        id: key.id,
        kind: key.kind,
        name: key.name,
        organizations: key.organizations?.join(", ") ?? "all",
      });
      const answer = {
        done: isDone,
        seat: named !== undefined,
        ended_keys: ends.map(brief),
        owned_keys: owned.map(brief),
        left_out: organizationsNotSeen(people),
      };
      if (input.flag("json")) return terminal.out(JSON.stringify(answer));
      if (named) terminal.say(isDone ? "Took the seat." : "Would take the seat.");
      if (ends.length > 0) {
        terminal.say(`${isDone ? "Revoked" : "Would revoke"} ${plural(ends.length, "key")}:`);
        terminal.out(formatTable(answer.ended_keys, terminal.paint));
      }
      if (hasNothing)
        terminal.say(`${name} is in the audit log, but is no member now, and no key of theirs was found.`);
      if (!named && ends.length === 0) terminal.say("There is nothing to do.");
      if (owned.length > 0) {
        terminal.say(
          "They own these keys, which this command does not revoke. A key of an organization gets 401 from the day its owner leaves: make new ones before.",
        );
        terminal.out(formatTable(answer.owned_keys, terminal.paint));
      }
      if (answer.left_out.length > 0) terminal.say(notSeenText(answer.left_out));
      if (!isDone && (named || ends.length > 0)) terminal.say("Nothing was changed; --yes does it.");
    }),
});

export const commands: readonly Command[] = [apply, show, leave];
