import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { IssuedKey } from "../../lib/access/key-registry.ts";
import { useApi } from "../support/api.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";
import { everyKindOfKey, World } from "../support/world.ts";
import { issued, keyCallsOf, type Setup } from "./key-calls.ts";

/** Attacks that succeeded while a rotation made another key. */
const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
const { call, rotate, end, works } = keyCallsOf(api);
let setup: Setup;
beforeAll(async () => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
  setup = await everyKindOfKey(world, "attacks");
});
const adminKey = (): Promise<IssuedKey> =>
  world.key({
    kind: "organization",
    organization: setup.organization,
    owner: "u-admin",
    role: "cr_admin",
  });
const make = async (key: string) =>
  issued.parse((await call("/v1/keys", { key, body: { name: "made", expires_in_days: 1 } })).json);
const valueIn = (answer: { json: unknown }, otherwise: string) =>
  issued.safeParse(answer.json).data?.key ?? otherwise;

describe("whoever has stolen a key", () => {
  test("does not turn a made key into its maker, of an organization or of a workspace", async () => {
    for (const maker of [await adminKey(), await world.token("attacks-workspace")]) {
      const made = await make(maker.text);
      const stolen = valueIn(await rotate(maker.key.id, made.key, { grace_seconds: 0 }), made.key);
      expect(await works(maker.text)).toBe(true);
      expect((await end(made.id, maker.text)).status).toBe(204);
      expect(await works(stolen)).toBe(false);
    }
  });

  test("does not block its own revocation with requests that fail", async () => {
    const [leaked, admin] = [await adminKey(), await adminKey()];
    await call("/v1/whoami", { key: admin.text });
    for (let count = 0; count < 30; count++)
      await api.call("/v1/keys/kaaaaaaaaaaaaaaaa", { key: leaked.text, method: "DELETE" });
    const answer = await api.call(`/v1/keys/${leaked.key.id}`, { key: admin.text, method: "DELETE" });
    expect([answer.status, await works(leaked.text)]).toEqual([204, false]);
  });

  test("keeps nothing of the keys of others after the stolen key was revoked", async () => {
    const [leaked, other, admin] = [await adminKey(), await adminKey(), await adminKey()];
    const kept = valueIn(await rotate(other.key.id, leaked.text, { grace_seconds: 0 }), leaked.text);
    expect((await end(leaked.key.id, admin.text)).status).toBe(204);
    expect([await works(kept), await works(other.text)]).toEqual([false, true]);
  });

  test("rotates a stolen key ten times a minute, not thousands, and one DELETE of its id ends all", async () => {
    const [leaked, admin] = [await adminKey(), await adminKey()];
    await call("/v1/whoami", { key: admin.text });
    let key: string = leaked.text;
    const values = [key];
    let id: string = leaked.key.id;
    let refused = 0;
    for (let count = 0; count < 14; count++) {
      const body = { idempotency_key: randomUUID() };
      const answer = await api.call(`/v1/keys/${id}/rotate`, { key, body });
      if (answer.status === 429) refused++;
      const next = issued.safeParse(answer.json).data;
      ({ id, key } = next ?? { id, key });
      values.push(key);
    }
    expect(refused).toBe(4);
    expect((await api.call(`/v1/keys/${leaked.key.id}`, { key: admin.text, method: "DELETE" })).status).toBe(
      204,
    );
    expect((await Promise.all(values.map(works))).includes(true)).toBe(false);
  });

  test("keeps no value by repeating a rotation: the DELETE of any answer's id ends the key", async () => {
    const own = await adminKey();
    const body = { idempotency_key: randomUUID() };
    const first = issued.parse((await rotate(own.key.id, own.text, body)).json);
    await world.deps.table.write({
      update: { pk: `KEY#${first.id}`, sk: "KEY" },
      change: { set: [["created_at", new Date(Date.now() - 120_000).toISOString()]] },
    });
    const again = issued.parse((await rotate(own.key.id, own.text, body)).json);
    expect((await end(first.id, (await adminKey()).text)).status).toBe(204);
    expect([await works(first.key), await works(again.key)]).toEqual([false, false]);
  });
});

test("a rotation without grace that reports success has ended the old value, whatever other write fails", async () => {
  const own = await adminKey();
  engine.inject(({ operation, body }) =>
    operation === "UpdateItem" && body.includes("KEY#") ? "server_error" : undefined,
  );
  const answer = await rotate(own.key.id, own.text, { grace_seconds: 0 });
  engine.inject();
  expect([answer.status, await works(own.text)]).toEqual([201, false]);
});
