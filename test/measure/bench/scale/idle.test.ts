import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { environmentVariables } from "../../../../lib/contract/platform.ts";
import { probeApi, workers } from "../../../../lib/contract/workers.ts";
import { loadFunction } from "../../../../lib/local/functions.ts";
import { invokeBuffered } from "../../../../lib/local/lambda.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { useApi } from "../../../support/api.ts";
import { useFaultyEngine } from "../../../support/faulty-engine.ts";
import { idleReadUnits } from "./resources.ts";

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
beforeAll(() => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
  process.env[environmentVariables.eventsBucket] = "none";
  process.env[environmentVariables.deadLetterQueueUrl] = "none";
});

const readShape = z.object({ ConsistentRead: z.boolean().optional() });

/** Reads of nothing: the smallest unit each, half of it where the newest state is not needed. */
async function readUnitsOf(source: string): Promise<number> {
  let units = 0;
  engine.inject(({ operation, body }) => {
    if (operation === "Query" || operation === "GetItem")
      units += readShape.parse(JSON.parse(body)).ConsistentRead ? 1 : 0.5;
    return undefined;
  });
  const handler = await loadFunction(source);
  const options = { functionName: source, timeoutMs: 60_000, clock: systemClock, random: systemRandom };
  await invokeBuffered(handler, {}, options);
  units = 0;
  await invokeBuffered(handler, {}, options);
  engine.inject();
  return units;
}

test("a scheduled worker with nothing to do reads no more than the cost page counts", async () => {
  const counted: Record<string, number> = {};
  for (const { id, source, trigger } of workers)
    if (trigger.kind === "schedule" && id !== probeApi.id) counted[id] = await readUnitsOf(source);
  expect(counted).toEqual(idleReadUnits);
});
