import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { webhookLimits } from "../../lib/contract/limits.ts";
import { type Answer, useApi } from "../support/api.ts";
import { github, gitlab, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const missing = "00000000-0000-4000-8000-000000000000";
const url = "http://127.0.0.1:9/rings?token=hidden";

type Record = { id: string; url: string; types: string[]; active: boolean; secret: string };
const json = <Shape>(answer: Answer): Shape => answer.json as Shape;

async function company(name: string, change: Readonly<{ workspace_id?: string }> = {}) {
  const uuid = await world.organization(name, change);
  await world.member(github(name), "boss", { role: "cr_admin" });
  const key = await world.adminKey(uuid, "boss");
  const owner = change.workspace_id ?? uuid;
  return { uuid, key, ...callerOf(key, [uuid, owner]) };
}

function callerOf(key: string, owners: readonly string[]) {
  const call = async (path: string, options: { method?: string; body?: object } = {}) => {
    for (const owner of owners)
      await api.store().table.write({ delete: kinds.limit.key({ bucket: "webhooks-write", owner }) });
    return await api.call(`/v1/webhooks${path}`, { key, ...options });
  };
  const create = async (body: object = {}) =>
    json<Record>(await call("", { body: { url, types: ["learnings"], ...body } }));
  const list = async (query = "") => json<{ data: Record[] }>(await call(query)).data;
  return { call, create, list };
}

const entriesOf = async (key: string) =>
  json<{ data: Array<{ action: string; metadata: object; summary: string }> }>(
    await api.call("/v1/audit-logs?resource_types=webhook&order=asc", { key }),
  ).data;

const closers: Array<() => void> = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function receiver(status = 204) {
  const requests: Array<{ headers: IncomingHttpHeaders; body: string }> = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    requests.push({ headers: request.headers, body });
    response.writeHead(status).end("heard");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests };
}

describe("webhooks", () => {
  test("are created with a secret that no other answer shows", async () => {
    const { create, call, list } = await company("hooks-create");
    const { secret, ...record } = await create({ types: ["learnings", "metrics.mcp", "learnings"] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(record).toEqual({
      id: expect.any(String),
      url,
      types: ["metrics.mcp", "learnings"],
      description: null,
      active: true,
      created_at: expect.any(String),
      last_success_at: null,
      last_failure_at: null,
      disabled_reason: null,
      next_attempt_at: null,
    });
    expect(await list()).toEqual([record]);
    expect((await call(`/${record.id.toUpperCase()}`)).json).toEqual(record);
    expect((await call(`/${record.id}/deliveries`)).json).toEqual({ data: [], next_cursor: null });
  });

  test("keep their secret encrypted, and for themselves", async () => {
    const { create } = await company("hooks-secret");
    const { id, secret } = await create();
    const stored = JSON.stringify(await api.store().table.get(kinds.webhookSecrets.key({ webhookId: id })));
    expect(stored).toContain("sealed");
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(Buffer.from(secret.slice(6), "base64").toString("base64url"));
  });

  test("go to no forbidden address, and the message names the rule", async () => {
    const { call, create } = await company("hooks-addresses");
    const { id } = await create();
    for (const [forbidden, rule] of [
      ["https://10.0.0.1/", "url: must not lead to an address that is not public."],
      ["https://169.254.169.254/latest", "url: must not lead to an address that is not public."],
      ["https://1.1.1.1:22/", "url: must have port 443 or 8443."],
      ["http://1.1.1.1/", "url: must begin with https://."],
      ["https://a:b@1.1.1.1/", "url: must not contain a user or a password."],
    ]) {
      const created = await call("", { body: { url: forbidden, types: ["learnings"] } });
      expect([created.status, created.message]).toEqual([400, rule]);
      const changed = await call(`/${id}`, { method: "PATCH", body: { url: forbidden } });
      expect([changed.status, changed.message]).toEqual([400, rule]);
    }
  });

  test("have no URL with control characters or invisible formatting, neither made nor changed", async () => {
    const { call, create, list } = await company("hooks-characters");
    const { secret: _, ...own } = await create();
    for (const character of ["\u001b", "\r", "\n", "\u202e", "\u200b"]) {
      const body = { url: `${url}${character}a`, types: ["learnings"] };
      for (const answer of [await call("", { body }), await call(`/${own.id}`, { method: "PATCH", body })])
        expect([answer.status, answer.message]).toEqual([
          400,
          "url: must not contain control characters or invisible formatting characters.",
        ]);
    }
    expect(await list()).toEqual([own]);
  });

  test("are at most 20 in a scope, however many are created at once", async () => {
    const { key, uuid, create, call, list } = await company("hooks-limit");
    const made = await Promise.all(
      Array.from({ length: webhookLimits.perScopeMax - 2 }, () => world.webhook(uuid)),
    );
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api.call("/v1/webhooks", { key, body: { url, types: ["learnings"] } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.flatMap(({ codes }) => codes)).toEqual(Array(3).fill("WEBHOOK_LIMIT_REACHED"));
    expect(await list()).toHaveLength(webhookLimits.perScopeMax);
    expect((await call(`/${made[0]}`, { method: "DELETE" })).status).toBe(204);
    expect((await create()).active).toBe(true);
  });

  describe("a request with an idempotency_key", () => {
    const idempotency_key = "0d5e1c52-0000-4000-8000-00000000abcd";

    test("returns the same webhook and secret when the same key repeats it, and creates one", async () => {
      const { key, create, list } = await company("hooks-once");
      const first = await create({ idempotency_key });
      expect(await create({ idempotency_key: idempotency_key.toUpperCase() })).toEqual(first);
      expect((await list()).map(({ id }) => id)).toEqual([first.id]);
      expect((await entriesOf(key)).map(({ action }) => action)).toEqual(["webhook.created"]);
    });

    test("is a 409 with another body, and another webhook with another idempotency_key or none", async () => {
      const { call, create, list } = await company("hooks-another-body");
      const { id } = await create({ idempotency_key });
      const other = await call("", { body: { url, types: ["audit_logs"], idempotency_key } });
      expect([other.status, other.codes]).toEqual([409, ["WEBHOOK_EXISTS"]]);
      expect(other.message).toContain("idempotency_key");
      const further = [await create({ idempotency_key: missing }), await create(), await create()];
      expect(new Set([id, ...further.map((each) => each.id)]).size).toBe(4);
      expect(await list()).toHaveLength(4);
    });

    test("is a 409 for another organization of the same workspace token", async () => {
      await world.workspace("hooks-once-workspace");
      for (const name of ["hooks-once-a", "hooks-once-b"])
        await world.organization(name, { workspace_id: "hooks-once-workspace" });
      const { text } = await world.token("hooks-once-workspace");
      const { call, create } = callerOf(text, ["w#hooks-once-workspace"]);
      const first = await create({ idempotency_key, org_id: "hooks-once-a" });
      expect(await create({ idempotency_key, org_id: "hooks-once-a" })).toEqual(first);
      for (const org_id of ["hooks-once-b", undefined]) {
        const other = await call("", { body: { url, types: ["learnings"], idempotency_key, org_id } });
        expect([other.status, other.codes]).toEqual([409, ["WEBHOOK_EXISTS"]]);
      }
    });

    test("says nothing about another tenant, or another key, that sent the same value", async () => {
      const [one, two] = [await company("hooks-tenant-one"), await company("hooks-tenant-two")];
      const other = callerOf(await world.adminKey(one.uuid, "boss"), [one.uuid]);
      const made = [
        await one.create({ idempotency_key }),
        await two.create({ idempotency_key }),
        await other.create({ idempotency_key }),
      ];
      expect(new Set(made.map(({ id }) => id)).size).toBe(3);
      expect(new Set(made.map(({ secret }) => secret)).size).toBe(3);
      expect([
        await one.create({ idempotency_key }),
        await two.create({ idempotency_key }),
        await other.create({ idempotency_key }),
      ]).toEqual(made);
      expect((await two.list()).map(({ id }) => id)).toEqual([made[1]?.id]);
    });

    test("creates one webhook if it is sent five times at once", async () => {
      const { key, list } = await company("hooks-at-once");
      const body = { url, types: ["learnings"], idempotency_key };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => api.call("/v1/webhooks", { key, body })),
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      expect(new Set(answers.map((answer) => json<Record>(answer).secret)).size).toBe(1);
      expect(await list()).toHaveLength(1);
    });

    test("returns the same webhook also when the scope is full", async () => {
      const { uuid, create, call } = await company("hooks-once-full");
      const first = await create({ idempotency_key });
      await Promise.all(Array.from({ length: webhookLimits.perScopeMax - 1 }, () => world.webhook(uuid)));
      expect((await call("", { body: { url, types: ["learnings"] } })).codes).toEqual([
        "WEBHOOK_LIMIT_REACHED",
      ]);
      expect(await create({ idempotency_key })).toEqual(first);
    });

    test("returns the webhook as it is now with its first secret, and is a 409 once that does not sign", async () => {
      const { call, create } = await company("hooks-once-later");
      const { id, secret } = await create({ idempotency_key });
      await call(`/${id}`, { method: "PATCH", body: { description: "Changed" } });
      await call(`/${id}/rotate`, { method: "POST" });
      expect(await create({ idempotency_key })).toMatchObject({ id, secret, description: "Changed" });
      for (let rotations = 0; rotations < webhookLimits.oldSecretsMax; rotations++)
        await call(`/${id}/rotate`, { method: "POST" });
      const body = { url, types: ["learnings"], idempotency_key };
      expect((await call("", { body })).codes).toEqual(["WEBHOOK_EXISTS"]);
      await call(`/${id}`, { method: "DELETE" });
      expect((await call("", { body })).codes).toEqual(["WEBHOOK_EXISTS"]);
    });

    test("returns the same new secret when a rotation is repeated, and rotates once", async () => {
      const { key, call, create } = await company("hooks-rotate-once");
      const [one, two] = [await create(), await create()];
      const rotate = async (id: string, body: object) =>
        json<Record>(await call(`/${id}/rotate`, { method: "POST", body }));
      const first = await rotate(one.id, { idempotency_key });
      expect(await rotate(one.id, { idempotency_key })).toEqual(first);
      const others = [
        await rotate(two.id, { idempotency_key }),
        await rotate(one.id, { idempotency_key: missing }),
        await rotate(one.id, {}),
      ];
      expect(new Set([first, ...others].map(({ secret }) => secret)).size).toBe(4);
      const rotations = (await entriesOf(key)).filter(({ action }) => action === "webhook.rotated");
      expect(rotations).toHaveLength(4);
      // The secret of the first rotation no longer signs: there is nothing to return, and this is a new rotation.
      for (let more = 0; more < webhookLimits.oldSecretsMax; more++) await rotate(one.id, {});
      const late = await rotate(one.id, { idempotency_key });
      expect(late.secret).not.toBe(first.secret);
      expect(await rotate(one.id, { idempotency_key })).toEqual(late);
    });

    test.each([["no-uuid"], [7], [null], [""]])("is a 400 if the value is %j", async (value) => {
      const { call, create } = await company(`hooks-wrong-${String(value)}`);
      const { id } = await create();
      for (const [path, body] of [
        ["", { url, types: ["learnings"] }],
        [`/${id}/rotate`, {}],
      ] as const) {
        const answer = await call(path, { method: "POST", body: { ...body, idempotency_key: value } });
        expect([answer.status, answer.message]).toEqual([400, "idempotency_key: must be a UUID."]);
      }
    });
  });

  test("of types that a narrow key may not read are not changed, rotated, tested or deleted by it", async () => {
    const { uuid, create, list } = await company("hooks-narrow");
    const by = { kind: "organization", organization: uuid, owner: "boss", role: "cr_admin" } as const;
    const narrow = callerOf((await world.key({ ...by, only: ["webhooks:write", "metrics:read"] })).text, [
      uuid,
    ]);
    const { secret: _1, ...audited } = await create({ types: ["metrics.reviews", "audit_logs"] });
    const { secret: _2, ...own } = await create({ types: ["metrics.reviews"] });
    const refused = [
      await narrow.call(`/${audited.id}`, { method: "PATCH", body: { types: ["metrics.reviews"] } }),
      await narrow.call(`/${audited.id}`, { method: "PATCH", body: { active: false } }),
      await narrow.call(`/${audited.id}/rotate`, { method: "POST" }),
      await narrow.call(`/${audited.id}/test`, { method: "POST" }),
      await narrow.call(`/${audited.id}`, { method: "DELETE" }),
      await narrow.call(`/${own.id}`, { method: "PATCH", body: { types: ["audit_logs"] } }),
    ];
    expect(refused.map(({ status, codes }) => [status, codes])).toEqual(
      refused.map(() => [403, ["KEY_LIMITED"]]),
    );
    for (const { message } of refused) expect(message).toContain("audit_logs:read");
    expect(await list()).toEqual([audited, own]);
    const changed = await narrow.call(`/${own.id}`, { method: "PATCH", body: { active: false } });
    expect([changed.status, (await narrow.call(`/${own.id}`, { method: "DELETE" })).status]).toEqual([
      200, 204,
    ]);
  });

  test("can be changed, switched off and on, and deleted; unknown ids are 404", async () => {
    const { call, create, list } = await company("hooks-change");
    const { id } = await create();
    const change = async (body: object) => (await call(`/${id}`, { method: "PATCH", body })).json;
    expect(await change({ types: ["audit_logs"], description: " For the SIEM " })).toMatchObject({
      types: ["audit_logs"],
      description: "For the SIEM",
      url,
    });
    expect(await change({ active: false })).toMatchObject({ active: false, disabled_reason: "switched_off" });
    expect(await change({ active: true })).toMatchObject({ active: true, disabled_reason: null });
    expect((await call(`/${id}`, { method: "DELETE" })).status).toBe(204);
    for (const target of [id, missing])
      for (const [path, method] of [
        ["", "GET"],
        ["", "PATCH"],
        ["", "DELETE"],
        ["/rotate", "POST"],
        ["/test", "POST"],
        ["/deliveries", "GET"],
      ] as const) {
        const answer = await call(`/${target}${path}`, { method, ...(method === "PATCH" && { body: {} }) });
        expect([method, path, answer.status, answer.codes]).toEqual([
          method,
          path,
          404,
          ["WEBHOOK_NOT_FOUND"],
        ]);
      }
    expect(await list()).toEqual([]);
  });

  test("leave an audit entry for every change, without the URL's query and without a secret", async () => {
    const { key, call, create } = await company("hooks-audit");
    const { id, secret } = await create();
    await call(`/${id}`, { method: "PATCH", body: { active: false } });
    await call(`/${id}`, { method: "PATCH", body: { active: false } });
    const rotated = json<Record>(await call(`/${id}/rotate`, { method: "POST" }));
    await call(`/${id}/test`, { method: "POST" });
    await call(`/${id}`, { method: "DELETE" });
    const entries = await entriesOf(key);
    expect(entries.map(({ action }) => action)).toEqual([
      "webhook.created",
      "webhook.updated",
      "webhook.rotated",
      "webhook.deleted",
    ]);
    expect(entries[1]?.metadata).toEqual({ before: { active: true }, after: { active: false } });
    const text = JSON.stringify(entries);
    for (const hidden of ["hidden", secret, rotated.secret]) expect(text).not.toContain(hidden);
    expect(entries[0]?.summary).toBe("webhook created: http://127.0.0.1:9/rings");
  });

  test("send a signed ping for a test, and tell what came back", async () => {
    const { call, create } = await company("hooks-test");
    const { url: target, requests } = await receiver(202);
    const { id, secret } = await create({ url: target });
    expect((await call(`/${id}/test`, { method: "POST" })).json).toEqual({
      status: 202,
      ms: expect.any(Number),
      answer: "heard",
    });
    const [request] = requests;
    const { body = "", headers = {} } = request ?? {};
    expect(new Webhook(secret).verify(body, headers as { [name: string]: string })).toMatchObject({
      type: "ping",
      data: {},
    });
    const { data } = json<{ data: object[] }>(await call(`/${id}/deliveries`));
    expect(data).toEqual([
      {
        id: headers["webhook-id"],
        type: "ping",
        state: "delivered",
        attempts: [{ at: expect.any(String), status: 202, ms: expect.any(Number), answer: "heard" }],
        request: { headers: expect.objectContaining({ "webhook-id": headers["webhook-id"] }), body },
      },
    ]);
    expect(JSON.stringify(data)).not.toContain("signature");
    const { id: dead } = await create();
    expect((await call(`/${dead}/test`, { method: "POST" })).json).toMatchObject({
      status: null,
      answer: "the connection failed (ECONNREFUSED)",
    });
  });

  test("are signed by the old and the new secret after a rotation", async () => {
    const { call, create } = await company("hooks-rotate");
    const { url: target, requests } = await receiver();
    const first = await create({ url: target });
    const second = json<Record>(await call(`/${first.id}/rotate`, { method: "POST" }));
    expect(second.secret).not.toBe(first.secret);
    await call(`/${first.id}/test`, { method: "POST" });
    const { body = "", headers = {} } = requests[0] ?? {};
    for (const { secret } of [first, second])
      expect(new Webhook(secret).verify(body, headers as { [name: string]: string })).toBeTruthy();
  });
});

describe("the scope of a webhook", () => {
  let one: Awaited<ReturnType<typeof company>>;
  let two: Awaited<ReturnType<typeof company>>;
  let token: ReturnType<typeof callerOf>;
  beforeAll(async () => {
    await world.workspace("hooks-workspace");
    one = await company("hooks-one", { workspace_id: "hooks-workspace" });
    two = await company("hooks-two", { workspace_id: "hooks-workspace" });
    token = callerOf((await world.token("hooks-workspace")).text, ["w#hooks-workspace", "hooks-workspace"]);
  });

  test("is the organization of the key; another organization sees nothing of it", async () => {
    const { id } = await one.create();
    expect((await one.list()).map((each) => each.id)).toEqual([id]);
    expect(await two.list()).toEqual([]);
    expect((await two.call(`/${id}`)).codes).toEqual(["WEBHOOK_NOT_FOUND"]);
    expect((await two.call(`/${id}`, { method: "DELETE" })).codes).toEqual(["WEBHOOK_NOT_FOUND"]);
  });

  test("is the whole workspace for a token, or the organization that org_id names", async () => {
    const whole = await token.create();
    const ofTwo = await token.create({ org_id: "hooks-two" });
    expect((await token.list()).map(({ id }) => id)).toEqual([whole.id]);
    expect((await token.list("?org_id=hooks-two")).map(({ id }) => id)).toEqual([ofTwo.id]);
    expect((await two.list()).map(({ id }) => id)).toEqual([ofTwo.id]);
    expect((await two.call(`/${whole.id}`)).codes).toEqual(["WEBHOOK_NOT_FOUND"]);
  });

  test("of an instance key never reaches beyond its authorized organizations", async () => {
    await world.instance("hooks-instance");
    const place = gitlab("hooks-instance", "hooks-home");
    const home = await world.organization("hooks-home", { instance_id: "hooks-instance" });
    const other = await world.organization("hooks-branch", { instance_id: "hooks-instance" });
    await world.member(place, "boss", { role: "cr_admin" });
    const shared = {
      kind: "instance",
      instanceId: "hooks-instance",
      home,
      owner: "boss",
      role: "cr_admin",
    } as const;
    const whole = callerOf((await world.key(shared)).text, ["i#hooks-instance"]);
    const narrow = callerOf((await world.key({ ...shared, authorized: [home] })).text, ["i#hooks-instance"]);
    const both = callerOf((await world.key({ ...shared, authorized: [home, other] })).text, [
      "i#hooks-instance",
    ]);
    const ofWhole = await whole.create();
    const ofNarrow = await narrow.create();
    const idsOf = async (caller: typeof whole) => (await caller.list()).map(({ id }) => id);
    expect(await idsOf(whole)).toEqual([ofWhole.id, ofNarrow.id]);
    expect(await idsOf(both)).toEqual([ofNarrow.id]);
    expect(await idsOf(narrow)).toEqual([ofNarrow.id]);
    expect((await narrow.call(`/${ofWhole.id}`)).codes).toEqual(["WEBHOOK_NOT_FOUND"]);
  });
});
