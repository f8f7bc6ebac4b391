import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { learningLimits } from "../../lib/contract/limits.ts";
import { NoAnswer } from "../../lib/runtime/aws-error.ts";
import { toTimestamp } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { StoreClient } from "../../lib/store/client.ts";
import { createDynamoTable } from "../../lib/store/dynamo.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { github, World } from "../support/world.ts";

const store = useStore();
const frozenMs = 10 * 60_000;

/** The first transaction is lost, and its sender is frozen for ten minutes before it retries. */
function frozenClient(client: StoreClient, clock: TestClock): StoreClient {
  let isFrozen = false;
  return {
    ...client,
    async send(command, signal) {
      if (!(command instanceof TransactWriteCommand) || isFrozen) return await client.send(command, signal);
      isFrozen = true;
      clock.advance(frozenMs);
      throw new NoAnswer("lost");
    },
  };
}

test("a Learning whose transaction stalled is listed at a place that a resumed export still reads", async () => {
  const clock = new TestClock();
  const calm = new World(() => store().table, clock);
  const uuid = await calm.organization("stalled");
  await calm.repository(github("stalled"), "r1");
  const client = frozenClient(store().client, clock);
  const table = createDynamoTable({ client, tableName: store().tableName, clock, random: systemRandom });
  const begunMs = clock.nowMs();

  const stalling = new World(() => table, clock);
  await stalling.learning(github("stalled"), "Prefer early returns.", { repository_id: "r1" });

  const { items } = await table.queryPage({ pk: kinds.listedLearning.partition({ tenant: `o#${uuid}` }) });
  expect(items).toHaveLength(1);
  const settledMs = begunMs + frozenMs - learningLimits.settledAfterMs;
  expect(String(items[0]?.sk) > toTimestamp(settledMs)).toBe(true);
});
