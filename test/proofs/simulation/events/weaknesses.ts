import * as kinds from "../../../../lib/contract/items.ts";
import { eventLimits } from "../../../../lib/contract/limits.ts";
import { ingest } from "../../../../lib/events/ingest.ts";
import type { QueueMessage } from "../../../../lib/events/ports.ts";
import { type Condition, StoreUnavailable, type TransactionWrite } from "../../../../lib/store/table.ts";
import { lastingUser } from "./history.ts";
import { moveWeaknesses } from "./move-weaknesses.ts";
import type { EventWeakness } from "./world.ts";

/** The mark of an author counted only together with the mode; otherwise the code required that no mark exists. */
const markWithoutMode: EventWeakness = {
  name: "a mark that does not earn a seat counts as no mark",
  breaks: ["dead", "buried", "endless"],
  seedsMax: 300,
  caughtAt: 19,
  table: (table, look) => ({
    ...table,
    transact: (writes, options) => {
      const member = writes.find((write) => "put" in write && write.put.sk.startsWith("MEMBER#"));
      if (!member || !("put" in member) || !writes.some((write) => "check" in write))
        return table.transact(writes, options);
      const uuid = member.put.pk.slice("MEMBERS#".length);
      const mark = kinds.tagged.key({ organization: uuid, userId: String(member.put.user_id) });
      const isManual =
        look({ ...kinds.organization.key({ organization: uuid }) })?.seat_assignment_mode === "manual";
      const isChecked = writes.some((write) => "check" in write && write.check.sk === mark.sk);
      const isSave = member.put.seat_earned !== true;
      const check =
        isManual && !isChecked && isSave ? [{ check: mark, when: { absent: "pk" } as const }] : [];
      return table.transact([...writes, ...check], options);
    },
  }),
};

/**
 * Every error except a refusal counted as temporary: the group waited until the queue moved all of it to the dead
 * letters.
 */
const everyFaultPasses: EventWeakness = {
  name: "the worker waits for a permanent error to pass",
  breaks: ["patient"],
  seedsMax: 60,
  caughtAt: 1,
  table: (table) => ({
    ...table,
    transact: (writes, options) =>
      table.transact(writes, options).catch((error: unknown) => {
        const isOurs = error instanceof Error && /Unavailable|Refused/.test(error.name);
        throw isOurs ? error : new StoreUnavailable(error, false);
      }),
  }),
};

const askingForSeats = (message: QueueMessage): QueueMessage => ({
  ...message,
  body: message.body.replace('"seat_assigned":false', '"seat_assigned":true'),
});

const isSeatsBound = (condition: Condition): boolean =>
  "atMost" in condition && condition.atMost[0] === "seats_free";

function withoutSeatsBound(write: TransactionWrite): TransactionWrite[] {
  if (!write.when || !("all" in write.when)) return [write];
  const all = write.when.all.filter((condition) => !isSeatsBound(condition));
  if (all.length === write.when.all.length) return [write];
  return "check" in write ? [] : [{ ...write, when: { all } }];
}

/** The code did not check whether seats were still short when it left a member without one. */
const shortUnconditionally: EventWeakness = {
  name: "a member stays without a seat although seats were bought meanwhile",
  breaks: ["people"],
  seedsMax: 1_000,
  caughtAt: 874,
  table: (table) => ({
    ...table,
    transact: async (writes, options) => {
      const unbound = writes.flatMap(withoutSeatsBound);
      // Such a save is slowed down; otherwise seats would hardly ever be bought meanwhile.
      const isSlow = JSON.stringify(unbound) !== JSON.stringify(writes);
      for (let reads = 0; isSlow && reads < 40; reads++)
        await table.get(kinds.organization.key({ organization: "nobody" }));
      return await table.transact(unbound, options);
    },
  }),
};

/** When the time was up the worker answered, but the work that it had begun continued. */
const goesOnAfterTheEnd: EventWeakness = {
  name: "work continues after its run has answered",
  breaks: ["late"],
  seedsMax: 60,
  caughtAt: 2,
  ingest: async (deps, messages, { timeBudgetMs = 0 } = {}) => {
    const done = await Promise.race([ingest(deps, messages), deps.clock.sleep(timeBudgetMs)]);
    return done ?? messages;
  },
};

/** The worker acknowledged events that it never read. */
const dropsPullRequests: EventWeakness = {
  name: "pull requests are acknowledged without being applied",
  breaks: ["missed"],
  seedsMax: 5,
  caughtAt: 1,
  ingest: (deps, messages, options) =>
    ingest(
      deps,
      messages.filter(({ body }) => !body.includes('"pull_request.finalized"')),
      options,
    ),
};

/** Members were stored, and got seats, because of a wish that no event contained. */
const seatsForEverybody: EventWeakness = {
  name: "every member is saved as if an event assigned a seat",
  breaks: ["missed"],
  seedsMax: 5,
  caughtAt: 1,
  ingest: async (deps, messages, options) => {
    const left = await ingest(deps, messages.map(askingForSeats), options);
    return messages.filter(({ id }) => left.some((message) => message.id === id));
  },
};

/** The time that an event took never counted against it. */
const endlessPatience: EventWeakness = {
  name: "an event that takes longer than any delivery is never given up",
  breaks: ["patient"],
  seedsMax: 60,
  caughtAt: 12,
  table: (table, _, clock) => ({
    ...table,
    getMany: async (keys, options) => {
      // An answer that is not quick excuses the event.
      const isLasting = keys.some(
        ({ sk }) => sk === kinds.member.key({ organization: "", userId: lastingUser }).sk,
      );
      if (isLasting) await clock.sleep(2 * eventLimits.quickAnswerMsMax);
      return await table.getMany(keys, options);
    },
  }),
};

/** A worker forgot the tries that it could not take back while the store was unavailable. */
const forgetsTries: EventWeakness = {
  name: "a try is never taken back if the store was unavailable",
  breaks: ["dead"],
  seedsMax: 60,
  caughtAt: 3,
  ingest: (deps, messages, options) => ingest({ ...deps, triesToTakeBack: new Map() }, messages, options),
};

/** Only the queue ever gave up a message that always met temporary errors. */
const neverGivesUp: EventWeakness = {
  name: "a message that always meets temporary errors is given up only by the queue",
  breaks: ["buried"],
  seedsMax: 60,
  caughtAt: 15,
  ingest: (deps, messages, options) =>
    ingest({ ...deps, receivesMax: Number.POSITIVE_INFINITY }, messages, options),
};

export const eventWeaknesses: readonly EventWeakness[] = [
  ...moveWeaknesses,
  seatsForEverybody,
  endlessPatience,
  neverGivesUp,
  forgetsTries,
  markWithoutMode,
  everyFaultPasses,
  shortUnconditionally,
  goesOnAfterTheEnd,
  dropsPullRequests,
];
