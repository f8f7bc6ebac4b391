import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { issued, keyCallsOf, type Setup } from "../../functions/key-calls.ts";
import { useApi } from "../../support/api.ts";
import { type Injection, useFaultyEngine } from "../../support/faulty-engine.ts";
import { everyKindOfKey, World } from "../../support/world.ts";

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
const { call, works } = keyCallsOf(api);
let setup: Setup;
beforeAll(async () => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
  setup = await everyKindOfKey(world, "deadline");
});
afterEach(() => engine.inject());

/** From the first transaction on, the store answers nothing. */
const silentFrom = (transaction: "lost_before" | "lost_after"): Injection => {
  let isSilent = false;
  return ({ operation }) => {
    isSilent ||= operation === "TransactWriteItems";
    if (!isSilent) return undefined;
    return operation === "TransactWriteItems" ? transaction : "lost_before";
  };
};
const log = z.object({ data: z.array(z.looseObject({})) });

describe.each([
  ["nothing was written", "lost_before"],
  ["all was written", "lost_after"],
] as const)("a store that does not answer until the deadline: %s", (_, fault) => {
  test.each([
    ["rotating", (id: string) => `/v1/keys/${id}/rotate`, { grace_seconds: 60 }, "key.rotated"],
    ["making", () => "/v1/keys", { name: "made" }, "key.created"],
  ] as const)("%s is a 503, and every repeat returns one value", async (__, pathOf, fields, action) => {
    const own = await world.key({
      kind: "organization",
      organization: setup.organization,
      owner: "u-admin",
      role: "cr_admin",
    });
    const body = { ...fields, idempotency_key: randomUUID() };
    const send = () => api.call(pathOf(own.key.id), { key: own.text, body, timeoutMs: 6_000 });
    const entries = async () =>
      log.parse((await call(`/v1/audit-logs?actions=${action}`, { key: setup.keys.organization.text })).json)
        .data.length;
    const before = await entries();
    engine.inject(silentFrom(fault));
    const first = await send();
    expect([first.status, first.codes]).toEqual([503, ["SERVICE_UNAVAILABLE"]]);
    engine.inject();
    expect(await entries()).toBe(fault === "lost_after" ? before + 1 : before);
    const [second, third] = [issued.parse((await send()).json), issued.parse((await send()).json)];
    expect([third.id, third.key]).toEqual([second.id, second.key]);
    expect(await Promise.all([own.text, second.key].map(works))).toEqual([true, true]);
    expect(await entries()).toBe(before + 1);
  });
});
