import { plural } from "../../lib/contract/plural.ts";
import { readWishes } from "../../lib/roster/csv.ts";
import { readPeople } from "../../lib/roster/people.ts";
import { batchesOf, carryOut, planOf, type Step } from "../../lib/roster/plan.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import { callApi, orgOption } from "../api/call.ts";
import type { Command } from "../command.ts";
import { apiOptions } from "../connection/named-target.ts";
import { formatTable, type Terminal } from "../terminal.ts";

export const apply: Command = {
  name: "apply",
  summary: "Give and take seats and roles as a CSV file says; running it again does what is left",
  note: "The columns are email or user_id, seat (yes, no, or empty to leave it) and role (id or name, or empty to leave it).",
  connects: true,
  argument: { name: "FILE.csv", required: true, help: "one row for each person" },
  options: { "dry-run": { help: "only show the plan" }, ...orgOption, ...apiOptions },
  examples: ["people apply people.csv --dry-run", "people apply people.csv --org 1001"],
  async run(input, terminal, findTarget) {
    const wishes = await readWishes(input.requiredArgument("FILE.csv"));
    await callApi(input, findTarget, async (client) => {
      const people = await readPeople(client, input.text("org"));
      const { steps, batches } = await batchesOf(client, people, wishes, input.text("org"));
      const seatsLeft = await planOf(batches);
      const isDry = input.flag("dry-run");
      if (!input.flag("json")) showPlan(terminal, steps, seatsLeft);
      if (!isDry) await carryOut(batches, terminal.say);
      if (input.flag("json")) terminal.out(JSON.stringify({ dry_run: isDry, steps, seats_left: seatsLeft }));
      const failed = new Set(steps.filter(({ outcome }) => outcome === "fails").map(({ line }) => line));
      if (failed.size > 0)
        throw new OperatorError(`${plural(failed.size, "line")} of ${plural(wishes.length, "line")} failed.`);
    });
  },
};

const marks = { gets: "+", loses: "-", has: "=", lacks: "=", fails: "!" } as const;

const words = {
  gets: "gets",
  loses: "loses",
  has: "has already:",
  lacks: "has no",
  fails: "fails:",
} as const;

function showPlan(terminal: Terminal, steps: readonly Step[], seatsLeft: number | null): void {
  const rows = steps.map(({ line, person, outcome, what, why }) => ({
    " ": marks[outcome],
    line,
    person,
    plan: why === null ? `${words[outcome]} ${what}` : `fails: ${why}`,
  }));
  if (rows.length > 0) terminal.out(formatTable(rows, terminal.paint));
  else terminal.say("The file asks for nothing.");
  if (seatsLeft !== null) terminal.say(`Seats left after it: ${seatsLeft}.`);
}
