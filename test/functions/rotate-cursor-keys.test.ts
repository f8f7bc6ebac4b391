import { beforeAll, expect, test } from "vitest";
import { handler as rotateCursorKeys } from "../../functions/workers/rotate-cursor-keys.ts";
import * as kinds from "../../lib/contract/items.ts";
import { rotateCursorKeys as contract } from "../../lib/contract/workers.ts";
import { useApi } from "../support/api.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
beforeAll(() => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
});

test("when the first run after a deployment fails, the next run a minute later makes the first signing key", async () => {
  const { table } = api.store();
  const current = async () => (await table.get(kinds.cursorKeys.key()))?.current;
  await table.write({ delete: kinds.cursorKeys.key() });

  engine.inject(() => "validation");
  await expect(rotateCursorKeys()).rejects.toThrow("rotateCursorKeys failed");
  expect(await current()).toBeUndefined();

  engine.inject();
  await rotateCursorKeys();
  const first = await current();
  expect(first).toBeDefined();
  expect(contract.trigger).toEqual({ kind: "schedule", everyMinutes: 1 });

  await rotateCursorKeys();
  expect(await current()).toBe(first);
});
