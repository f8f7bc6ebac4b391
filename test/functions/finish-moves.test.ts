import { expect, test } from "vitest";
import { handler as runFinishMoves } from "../../functions/workers/finish-moves.ts";
import * as kinds from "../../lib/contract/items.ts";
import { eventLimits } from "../../lib/contract/limits.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { useApi } from "../support/api.ts";
import { withGrants } from "../support/granted-table.ts";
import { World } from "../support/world.ts";

const finishMoves = withGrants("finishMoves", runFinishMoves);

const api = useApi();
const world = new World(() => api.store().table);

test("an audit log that is due arrives although a long move uses all the time that moves have", async () => {
  const { table } = api.store();
  for (const id of ["from", "to"]) await world.workspace(id);
  const uuid = await world.organization("small", { workspace_id: "from" });
  await world.organization("small", { workspace_id: "to" });
  await table.write({
    update: kinds.movingLog.key({ organization: uuid }),
    change: { set: [["due_at_ms", 0]] },
  });
  const endsMs = systemClock.nowMs() + eventLimits.workerMarginMs + eventLimits.moveTurnMs + 300;
  // The run waits for this move until the time of moves is up.
  await table.write({
    put: { ...kinds.moving.key({ organization: "large" }), busy_until_ms: endsMs + 60_000 },
  });
  expect(await table.get(kinds.organization.key({ organization: uuid }))).toMatchObject({ log_behind: true });

  await finishMoves(undefined, { getRemainingTimeInMillis: () => endsMs - systemClock.nowMs() });

  expect(await table.get(kinds.organization.key({ organization: uuid }))).not.toHaveProperty("log_behind");
});
