import { plural } from "../lib/contract/plural.ts";
import { OperatorError } from "../lib/runtime/operator-error.ts";
import type { CommandInput, OptionDefinitions } from "./command.ts";
import { listOptions, showList } from "./listing.ts";
import type { Terminal } from "./terminal.ts";

const daysDefault = 30;
const daysMax = 366;

export const idleSummary =
  "List people who held a seat for N days without a finished, reviewed pull request; --unassign takes the seats away";

export const idleOptions: OptionDefinitions = {
  days: { value: "N", help: `1 to ${daysMax} (default ${daysDefault})` },
  unassign: { help: "take these seats away; without it nothing is changed" },
  ...listOptions,
};

export const idleDays = (input: CommandInput): number =>
  input.integer("days", { min: 1, max: daysMax }) ?? daysDefault;

export type SeatRow = {
  readonly organizations: string;
  readonly user_ids: string;
  readonly username: string | null;
  readonly email: string | null;
  /** Null if it is not known. */
  readonly seat_since: string | null;
  /** Null if no pull request of theirs was reviewed in a year. */
  readonly last_reviewed_at: string | null;
};

/** A person may have the same id in several organizations: each is shown once. */
export const distinct = (values: readonly string[]): string => [...new Set(values)].join(", ");

export type IdleAnswer = {
  readonly days: number;
  readonly since: string;
  readonly dry_run: boolean;
  readonly seats_held: number;
  readonly not_judged: number;
  readonly idle: readonly SeatRow[];
};

/** A person whose seat could not be taken away. */
export type SeatFailure = { readonly id: string; readonly message: string };

/** `failed` is absent if nothing was to be changed. */
export function showIdleSeats(
  input: CommandInput,
  terminal: Terminal,
  answer: IdleAnswer,
  failed: readonly SeatFailure[] | undefined,
): void {
  const document = { ...answer, ...(failed && { failed }) };
  if (showList(input, terminal, { records: answer.idle, document, line: lineOf }) === "table")
    say(answer, terminal);
  if (failed && failed.length > 0)
    throw new OperatorError(failed.map(({ id, message }) => `${id}: ${message}`).join("\n"));
}

/** People read days; files and programs get the time. */
const lineOf = ({ seat_since, last_reviewed_at, ...row }: SeatRow) => ({
  ...row,
  seat_since: seat_since?.slice(0, 10) ?? "not known",
  last_reviewed: last_reviewed_at?.slice(0, 10) ?? "none in a year",
});

function say({ days, dry_run, seats_held, not_judged, idle: rows }: IdleAnswer, terminal: Terminal): void {
  terminal.say(`${rows.length} of ${plural(seats_held, "assigned seat")} idle for ${plural(days, "day")}.`);
  if (not_judged > 0)
    terminal.say(
      `Not judged: ${plural(not_judged, "holder")}. One of their organizations sends no metrics, is still preparing them, or is outside the scope of the key.`,
    );
  if (rows.length === 0) return;
  terminal.say(
    dry_run ? "Nothing was changed; --unassign takes these seats away." : "These seats were taken away.",
  );
}
