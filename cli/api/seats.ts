import type { SeatCaller } from "../../lib/client/caller.ts";
import { peopleLimits } from "../../lib/contract/limits.ts";
import { reviewMetrics } from "../../lib/contract/operations/metrics.ts";
import { plural } from "../../lib/contract/plural.ts";
import {
  findIdleSeats,
  type IdleSeats,
  idleRow,
  notJudgedSentence,
  type User,
} from "../../lib/report/seats.ts";
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
      const answer = {
        ...{ days, since: found[0]?.since, dry_run: !unassigns },
        seats_held: sum(found.map(({ held }) => held)),
        not_judged: sum(found.map(({ notJudged }) => notJudged)),
        idle: found.flatMap((each) => each.idle.map(idleRow)),
      };
      if (format === "table" && groups.some(({ isOperator }) => !isOperator))
        terminal.say(
          "Only pull requests that the key can read count: those of organizations on the Enterprise plan.",
        );
      const failed = unassigns
        ? await Promise.all(groups.map((each, index) => unassign(each, found[index])))
        : [];
      const document = { ...answer, ...(unassigns && { failed: failed.flat() }) };
      if (showList(input, terminal, { records: answer.idle, document, line: lineOf }) === "table")
        say(answer, terminal);
      if (failed.flat().length > 0)
        throw new OperatorError(
          failed
            .flat()
            .map(({ id, message }) => `${id}: ${message}`)
            .join("\n"),
        );
    });
  },
};

export const shared: readonly SharedCommand[] = [idle];
export const commands: readonly Command[] = shared.map(overHttp);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** People read days; files and programs get the time. */
const lineOf = ({ seat_since, last_reviewed_at, ...row }: ReturnType<typeof idleRow>) => ({
  ...row,
  seat_since: seat_since?.slice(0, 10) ?? "not known",
  last_reviewed: last_reviewed_at?.slice(0, 10) ?? "none in a year",
});

type Answer = {
  readonly days: number;
  readonly dry_run: boolean;
  readonly seats_held: number;
  readonly not_judged: number;
  readonly idle: readonly object[];
};

function say({ days, dry_run, seats_held, not_judged, idle: rows }: Answer, terminal: Terminal): void {
  terminal.say(`${rows.length} of ${plural(seats_held, "assigned seat")} idle for ${plural(days, "day")}.`);
  if (not_judged > 0) terminal.say(notJudgedSentence(not_judged));
  if (rows.length === 0) return;
  terminal.say(
    dry_run ? "Nothing was changed; --unassign takes these seats away." : "These seats were taken away.",
  );
}

/** A workspace's people are addressed by e-mail or by the id of their seat, all others by their user id. */
async function unassign(caller: SeatCaller, found: IdleSeats | undefined) {
  const users = (found?.idle ?? []).map(({ user }) => user);
  const isOfWorkspace = (user: User) => "organizations" in user;
  const emails = users.flatMap((user) => (isOfWorkspace(user) ? (user.email ?? []) : []));
  const userIds = users.flatMap((user) => {
    if ("user_id" in user) return user.user_id;
    return user.email === null ? (user.seat_holder_id ?? []) : [];
  });
  const failures: { readonly id: string; readonly message: string }[] = [];
  const send = async (named: { readonly emails: string[] } | { readonly user_ids: string[] }) => {
    const { body } = await caller.assignSeats({ body: { action: "unassign", ...named } });
    failures.push(...body.failed);
  };
  for (const some of chunksOf(emails, peopleLimits.batchUsersMax)) await send({ emails: [...some] });
  for (const some of chunksOf(userIds, peopleLimits.batchUsersMax)) await send({ user_ids: [...some] });
  return failures;
}
