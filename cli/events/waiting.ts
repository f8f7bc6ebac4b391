import { msPerDay } from "../../lib/contract/days.ts";
import { eventLimits } from "../../lib/contract/limits.ts";
import { readWaitingEvents, waitingEventId, waitingRows } from "../../lib/events/waiting-list.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import type { Command } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { listOptions, showList } from "../listing.ts";
import { eventOf } from "./event-of.ts";

export const waiting: Command = {
  name: "waiting",
  summary: "List the events that wait for something that has not arrived: since when, and for what",
  options: listOptions,
  examples: ["events waiting", "events waiting --stack ReviewApi --json"],
  run: (input, terminal) =>
    withConnection(input, async ({ table }) => {
      const rows = await Array.fromAsync(waitingRows(table));
      const records = await Array.fromAsync(readWaitingEvents(table, rows), ({ row, item }) => ({
        id: waitingEventId(row),
        type: eventOf(item).type,
        waits_for: row.label,
        since: row.since,
        given_up_at: toTimestamp(Date.parse(row.since) + eventLimits.waitingDaysMax * msPerDay),
      }));
      const nowMs = systemClock.nowMs();
      showList(input, terminal, {
        records,
        document: { waiting: records },
        line: ({ id, type, waits_for, since }) => ({ id, type, waits_for, age: ageOf(since, nowMs) }),
        none: "No event waits.",
      });
    }),
};

/** In the largest unit that is not zero. */
function ageOf(since: string, nowMs: number): string {
  const minutes = Math.max(0, Math.floor((nowMs - Date.parse(since)) / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / (24 * 60))} d`;
}
