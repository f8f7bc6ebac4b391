import { readAllOrganizations } from "../../lib/organizations/find.ts";
import { NothingToResume, repairTable } from "../../lib/organizations/repair.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { Table } from "../../lib/store/table.ts";
import { StreamBusy } from "../../lib/stream/stream.ts";
import { sweepParts } from "../../lib/stream/sweep.ts";
import type { Command } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { commandFor } from "../show-once.ts";
import { formatRecord, startTally } from "../terminal.ts";

const repair: Command = {
  name: "",
  summary:
    "After a restore: complete half-written data, repair copies that differ, and invalidate cursors that the restore made wrong",
  note: "Stop the service before. The command says when you may start it again; the rest runs beside it. If the command is stopped after that, continue with --resume.",
  options: { resume: { help: "continue a repair that was stopped after its first part" } },
  examples: ["repair", "repair --stack ReviewApi", "repair --stack ReviewApi --resume"],
  run: (input, terminal) =>
    withConnection(input, async ({ table }) => {
      const tally = startTally(terminal, "Reading items");
      const deps = { table: countedScan(table, tally.add), clock: systemClock, random: systemRandom };
      let isBegun = false;
      const work = async () => {
        const isResumed = input.flag("resume");
        const onBegun = () => {
          isBegun = true;
          if (!isResumed) terminal.say("The first part is done. You may start the service now.");
        };
        let partsDropped = 0;
        const onMended = async () => {
          for (const { uuid } of await readAllOrganizations(table))
            partsDropped += (await sweepParts(deps, uuid)).dropped;
        };
        const found = await repairTable(deps, { isResumed, onBegun, onMended });
        return {
          streams: found.streams,
          entries_removed: found.entriesRemoved,
          copies_restored: found.copiesRestored,
          pull_requests_reset: found.pullRequestsReset,
          rows_mended: found.rowsRepaired,
          parts_dropped: partsDropped,
        };
      };
      const report = await work()
        .catch((error: unknown) => explain(error, isBegun))
        .finally(tally.end);
      terminal.out(input.flag("json") ? JSON.stringify(report) : formatRecord(report));
      terminal.say(
        "Exports of Learnings, of several organizations, and with include_removed must start again without a cursor.",
      );
      terminal.say(
        `Next: send the events since the restore point again, then run ${commandFor(input, "index reconcile")}.`,
      );
    }),
};

export const commands: readonly Command[] = [repair];

function explain(error: unknown, isBegun: boolean): never {
  if (error instanceof NothingToResume)
    throw new OperatorError("There is no repair to continue. Run repair without --resume.");
  if (error instanceof StreamBusy && isBegun)
    throw new OperatorError("The streams are too busy now. Continue later with repair --resume.");
  if (error instanceof StreamBusy)
    throw new OperatorError(
      "Something still writes to the streams. Stop the ingest worker, then run repair again.",
    );
  throw error;
}

/** The table, with progress reports during a full scan. */
const countedScan = (table: Table, onItems: (count: number) => void): Table => ({
  ...table,
  async scanPage(options, resume) {
    const page = await table.scanPage(options, resume);
    onItems(page.items.length);
    return page;
  },
});
