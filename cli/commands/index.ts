import { plural } from "../../lib/contract/plural.ts";
import { reconcileAll } from "../../lib/index/reconcile.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { Command } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { formatRecord, startTally } from "../terminal.ts";

const reconcile: Command = {
  name: "reconcile",
  summary: "Compare the whole review index with the Learnings and repair what differs",
  examples: ["index reconcile", "index reconcile --stack ReviewApi --json"],
  run: (input, terminal) =>
    withConnection(input, async ({ table, embedder }) => {
      const tally = startTally(terminal, "Comparing Learnings");
      const deps = { table, clock: systemClock, random: systemRandom, embedder: await embedder() };
      const report = await reconcileAll(deps, ({ looked_at }) => tally.show(looked_at)).finally(tally.end);
      terminal.out(input.flag("json") ? JSON.stringify(report) : formatRecord(report));
      if (report.failed > 0)
        throw new OperatorError(
          `${plural(report.failed, "Learning")} could not be indexed; they are marked, and the next run tries again.`,
        );
    }),
};

export const commands: readonly Command[] = [reconcile];
