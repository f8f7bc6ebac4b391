import type { SeatCaller } from "../../lib/client/caller.ts";
import { peopleLimits } from "../../lib/contract/limits.ts";
import { reviewMetrics } from "../../lib/contract/operations/metrics.ts";
import { plural } from "../../lib/contract/plural.ts";
import { groupBy } from "../../lib/report/group-by.ts";
import {
  findIdleSeats,
  holderRow,
  type IdleSeats,
  idleRow,
  notJudgedSentences,
} from "../../lib/report/seats.ts";
import { seatName } from "../../lib/roster/people.ts";
import { chunksOf } from "../../lib/runtime/chunks.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { OperatorError, UsageError } from "../../lib/runtime/operator-error.ts";
import type { Command } from "../command.ts";
import { listFormatOf, listOptions, showList } from "../listing.ts";
import type { Terminal } from "../terminal.ts";
import { overHttp, type SharedCommand } from "./call.ts";

const daysDefault = 30;
const daysMax = 366;

const idle: SharedCommand = {
  name: "idle",
  summary:
    "List people who held a seat for N days without a merged or closed, reviewed pull request; --unassign takes the seats away",
  options: {
    days: { value: "N", help: `1 to ${daysMax} (default ${daysDefault})` },
    unassign: { help: "take these seats away; without it nothing is changed" },
    ...listOptions,
  },
  operatorOptions: {
    org: {
      value: "ORG",
      help: "only the seats of this organization (of its workspace, if it has one), by provider id or UUID; a key has one group of seats",
    },
  },
  examples: ["seats idle --days 30", "seats idle --days 60 --unassign"],
  pace: reviewMetrics.rateLimit,
  run: (input, terminal, withCaller) => {
    // Checked before seats are removed: a wrong format must not fail afterwards.
    const format = listFormatOf(input);
    const days = input.integer("days", { min: 1, max: daysMax }) ?? daysDefault;
    const unassigns = input.flag("unassign");
    return withCaller(async (caller) => {
      const groups = await caller.seatGroups(input.text("org"));
      if (unassigns && groups.length > 1)
        throw new UsageError(`--unassign needs --org here: there are ${groups.length} groups of seats.`);
      const question = { days, nowMs: systemClock.nowMs() };
      const found = await Promise.all(groups.map((group) => findIdleSeats(group, question)));
      const answer = { days, since: found[0]?.since, dry_run: !unassigns, ...totalsOf(found) };
      if (format === "table" && groups.some(({ isOperator }) => !isOperator))
        terminal.say(
          "Only pull requests that the key can read count: those of organizations on the Enterprise plan.",
        );
      const failed = unassigns
        ? (await Promise.all(groups.map((each, index) => unassign(each, found[index])))).flat()
        : [];
      const document = { ...answer, ...(unassigns && { failed }) };
      if (showList(input, terminal, { records: answer.idle, document, line: lineOf }) === "table")
        say(answer, terminal);
      if (failed.length > 0)
        throw new OperatorError(failed.map(({ id, message }) => `${id}: ${message}`).join("\n"));
    });
  },
};

export const shared: readonly SharedCommand[] = [idle];
export const commands: readonly Command[] = shared.map(overHttp);

function totalsOf(found: readonly IdleSeats[]) {
  const sum = (name: "held" | "notJudged" | "tooNew") => found.reduce((total, each) => total + each[name], 0);
  const idle = found.flatMap((each) => each.idle.map(idleRow));
  const not_judged_holders = found.flatMap((each) => each.notJudgedHolders.map(holderRow));
  return {
    seats_held: sum("held"),
    not_judged: sum("notJudged"),
    not_judged_holders,
    too_new: sum("tooNew"),
    idle,
  };
}

/** People read days; files and programs get the time. */
const lineOf = ({ seat_since, last_reviewed_at, ...row }: ReturnType<typeof idleRow>) => ({
  ...row,
  seat_since: seat_since?.slice(0, 10) ?? "not known",
  last_reviewed: last_reviewed_at?.slice(0, 10) ?? "none in a year",
});

type Answer = ReturnType<typeof totalsOf> & { readonly days: number; readonly dry_run: boolean };

function say({ days, dry_run, idle: rows, ...answer }: Answer, terminal: Terminal): void {
  const seats = plural(answer.seats_held, "assigned seat");
  terminal.say(`${rows.length} of ${seats} idle for ${plural(days, "day")}.`);
  for (const sentence of notJudgedSentences(answer.not_judged, answer.too_new)) terminal.say(sentence);
  if (rows.length === 0) return;
  terminal.say(
    dry_run ? "Nothing was changed; --unassign takes these seats away." : "These seats were taken away.",
  );
}

async function unassign(caller: SeatCaller, found: IdleSeats | undefined) {
  const names = (found?.idle ?? []).flatMap(({ user }) => seatName(user, "unassign") ?? []);
  const failures: { readonly id: string; readonly message: string }[] = [];
  for (const [field, ofField] of groupBy(names, (name) => name.field))
    for (const some of chunksOf(ofField, peopleLimits.batchUsersMax)) {
      const body = { action: "unassign", [field]: some.map(({ id }) => id) } as const;
      failures.push(...(await caller.assignSeats({ body })).body.failed);
    }
  return failures;
}
