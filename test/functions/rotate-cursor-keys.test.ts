import { beforeAll, expect, test } from "vitest";
import { handler as runRotateCursorKeys } from "../../functions/workers/rotate-cursor-keys.ts";
import * as kinds from "../../lib/contract/items.ts";
import { rotateCursorKeys as contract } from "../../lib/contract/workers.ts";
import { useApi } from "../support/api.ts";
import { answeredTo } from "../support/custom-resource.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";
import { forgetRequests } from "../support/forget-requests.ts";
import { withGrants } from "../support/granted-table.ts";
import { github, World } from "../support/world.ts";

const rotateCursorKeys = withGrants("rotateCursorKeys", runRotateCursorKeys);

const api = useApi();
const world = new World(() => api.store().table);
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
  expect(contract.trigger).toMatchObject({ kind: "schedule", everyMinutes: 1 });

  await rotateCursorKeys();
  expect(await current()).toBe(first);
});

test.each(["Create", "Update"])(
  "the first list after a deployment is 200: CloudFormation waits for the first key (%s)",
  async (RequestType) => {
    const { table } = api.store();
    await table.write({ delete: kinds.cursorKeys.key() });
    const organization = await world.organization(`first-list-${RequestType}`);
    await world.member(github(`first-list-${RequestType}`), "boss", { role: "cr_admin" });
    const key = await world.adminKey(organization, "boss");
    const statusOfList = async () => {
      forgetRequests();
      return (await api.call("/v1/users", { key })).status;
    };
    expect(await statusOfList()).toBe(503);

    expect(await answeredTo(RequestType, rotateCursorKeys)).toMatchObject({ Status: "SUCCESS" });
    expect(await statusOfList()).toBe(200);
  },
);
