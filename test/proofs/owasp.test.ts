import { readdirSync } from "node:fs";
import { Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import * as kinds from "../../lib/contract/items.ts";
import { operations } from "../../lib/contract/operations.ts";
import { workers } from "../../lib/contract/workers.ts";
import { EventRefused, readMessage } from "../../lib/events/envelope.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import { createBedrockEmbedder } from "../../lib/index/bedrock-embedder.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { useApi } from "../support/api.ts";
import { gitlab, World } from "../support/world.ts";
import { documented } from "./fuzz/document.ts";

/**
 * OWASP API Security Top 10, edition 2023: one group each. The large suites of this folder cover the same risks with
 * thousands of requests; here is one assertion that says what each risk means for this service.
 */
const api = useApi();
const world = new World(() => api.store().table);
let tenants = 0;

/** A self-hosted organization of its own, with an admin's and a member's key: its rate-limit windows are empty. */
async function newTenant(change: object = {}) {
  const name = gitlab(`tenant-${tenants++}`, "home");
  await world.instance(name.instance_id ?? "");
  const uuid = await world.organization("home", { ...name, ...change });
  await world.member(name, "ann", { role: "cr_admin" });
  for (const user of ["bob", "cid", "dan"]) await world.member(name, user);
  await world.repository(name, "r1");
  const admin = await world.key({ kind: "organization", organization: uuid, owner: "ann", role: "cr_admin" });
  const member = await world.key({ kind: "user", organization: uuid, owner: "bob" });
  return { name, uuid, admin: admin.text, member: member.text };
}

type TestTenant = Awaited<ReturnType<typeof newTenant>>;
let tenant: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  tenant = await newTenant();
  other = await newTenant();
});

const played = new Map<string, number>();
beforeEach(({ task: { suite } }) => {
  played.set(suite?.name ?? "", (played.get(suite?.name ?? "") ?? 0) + 1);
});
afterAll(() => {
  const tests = [...played.values()].reduce((one, other) => one + other, 0);
  console.info(`OWASP API Security Top 10 (2023): ${played.size} groups, ${tests} tests`);
});

const learn = async ({ admin }: TestTenant, item: object) =>
  await api.call("/v1/learnings", {
    key: admin,
    body: { data: [{ repository_id: "r1", learning: "x", ...item }] },
  });
const firstResult = z.object({ results: z.tuple([z.looseObject({ id: z.string() })]) });

describe("API1:2023 Broken Object Level Authorization", () => {
  test("an object of another tenant gets the same 404 as one that never existed", async () => {
    const created = await learn(other, { learning: "Theirs" });
    const [{ id }] = firstResult.parse(created.json).results;
    const theirs = [`/v1/learnings/${id}`, `/v1/organizations/${other.uuid}/repositories`];
    const nobodys = [
      `/v1/learnings/${systemRandom.uuid()}`,
      `/v1/organizations/${systemRandom.uuid()}/repositories`,
    ];
    const ask = async ([learning = "", repositories = ""]: string[]) => {
      const patched = await api.call(learning, {
        key: tenant.admin,
        method: "PATCH",
        body: { learning: "Ours" },
      });
      const listed = await api.call(repositories, { key: tenant.admin });
      return [patched, listed].map(({ status, body }) => [status, body.toString()]);
    };
    const answers = await ask(theirs);
    expect(answers.map(([status]) => status)).toEqual([404, 404]);
    expect(answers).toEqual(await ask(nobodys));
  });
});

describe("API2:2023 Broken Authentication", () => {
  test("a key is accepted only in its own header: not in the query, a cookie or as a bearer token", async () => {
    const key = tenant.admin;
    const answers = [
      await api.call(`/v1/whoami?x-service-api-key=${key}`),
      await api.call("/v1/whoami", { rawHeaders: ["cookie", `x-service-api-key=${key}`] }),
      await api.call("/v1/whoami", { rawHeaders: ["authorization", `Bearer ${key}`] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  test("the table holds no key that could be used", async () => {
    const { items } = await api.store().table.scanPage({});
    const dump = JSON.stringify(items);
    for (const key of [tenant.admin, tenant.member]) expect(dump).not.toContain(key.slice(-20));
  });
});

describe("API3:2023 Broken Object Property Level Authorization", () => {
  test.each([
    { author: "ann" },
    { author_id: "ann" },
    { organization_id: "other" },
    { id: "1" },
    { usage_count: 9 },
  ])("a caller cannot set a Learning's %j", async (property) => {
    const { json } = await learn(tenant, property);
    expect(json).toMatchObject({ results: [{ status: "failed", error: { code: "INVALID_ITEM" } }] });
  });

  test("every operation that takes a body refuses unknown fields", async () => {
    const { admin } = await newTenant();
    for (const { method, path } of operations.filter((operation) => "body" in operation)) {
      const target = path.replaceAll(/\{\w+\}/g, systemRandom.uuid());
      const answer = await api.call(target, { method, key: admin, body: { is_admin: true } });
      expect([path, answer.status]).toEqual([path, 400]);
      const said = z.looseObject({}).parse(answer.json);
      expect(JSON.stringify(said)).toContain("is_admin: is unknown");
    }
  });
});

describe("API4:2023 Unrestricted Resource Consumption", () => {
  test("bodies, batches, pages and lists are bounded", async () => {
    const { admin: key } = await newTenant();
    const many = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);
    const answers = [
      await api.call("/v1/roles", { key, body: { name: "x".repeat(1024 * 1024) } }),
      await api.call("/v1/users/seats", { key, body: { action: "assign", user_ids: many(501) } }),
      await api.call("/v1/learnings", { key, body: { data: many(101) } }),
      await api.call("/v1/users?limit=101", { key }),
      await api.call(`/v1/learnings?repository_ids=${many(11)}`, { key }),
    ];
    expect(answers.map(({ status, codes }) => `${status} ${codes[0]}`)).toEqual([
      "413 PAYLOAD_TOO_LARGE",
      "400 BATCH_SIZE_EXCEEDED",
      ...Array(3).fill("400 INVALID_REQUEST"),
    ]);
  });

  test("of a hundred calls at once exactly as many are accepted as the limit allows", async () => {
    const { admin: key } = await newTenant();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => api.call("/v1/organizations", { key })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect([answers.length - refused.length, refused.length]).toEqual([10, 90]);
    for (const { headers } of refused) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  });
});

describe("API5:2023 Broken Function Level Authorization", () => {
  test("a member reaches no operation of admins, with any method or path", async () => {
    const { member: key } = await newTenant();
    const requests = [
      ["GET", "/v1/users"],
      ["GET", "/v1/audit-logs"],
      ["GET", "/v1/users/seats/assignment"],
      ["POST", "/v1/users/seats/assignment", { mode: "automatic" }],
      ["POST", "/v1/users/seats", { action: "assign", user_ids: ["bob"] }],
      ["POST", "/v1/users/roles", { role: "cr_admin", user_ids: ["bob"] }],
      ["POST", "/v1/roles", { name: "Mine" }],
      ["PATCH", `/v1/roles/${systemRandom.uuid()}`, {}],
      ["DELETE", `/v1/roles/${systemRandom.uuid()}`],
    ] as const;
    for (const [method, target, body] of requests) {
      const answer = await api.call(target, { method, key, ...(body && { body }) });
      expect([target, answer.status, answer.codes]).toEqual([target, 403, ["NOT_ADMIN"]]);
    }
    expect((await api.call("/v1/users", { method: "PUT", key })).status).toBe(405);
    const overridden = ["x-http-method-override", "POST", "x-original-url", "/v1/users"];
    expect((await api.call("/v1/whoami", { key, rawHeaders: overridden })).json).toMatchObject({
      role: "cr_member",
    });
  });
});

describe("API6:2023 Unrestricted Access to Sensitive Business Flows", () => {
  test("seats are never oversold and the last admin is never lost, however many calls come at once", async () => {
    const { admin: key, name, uuid } = await newTenant({ seats_purchased: 2 });
    await world.member(name, "eve", { role: "cr_admin" });
    const users = ["bob", "cid", "dan", "eve"];
    await Promise.all(
      users.flatMap((user) => [
        api.call("/v1/users/seats", { key, body: { action: "assign", user_ids: [user] } }),
        api.call("/v1/users/roles", { key, body: { role: "cr_member", user_ids: ["ann", "eve"] } }),
      ]),
    );
    const { json } = await api.call("/v1/users", { key });
    expect(json).toMatchObject({ seats_purchased: 2, seats_assigned: 2 });
    const members = await api
      .store()
      .table.getMany(["ann", "eve"].map((user) => kinds.member.key({ organization: uuid, userId: user })));
    expect(members.filter((member) => member?.role === "cr_admin")).toHaveLength(1);
  });
});

describe("API7:2023 Server Side Request Forgery", () => {
  test("the service never calls an address that a caller sends: it calls only the store", async () => {
    const connect = vi.spyOn(Socket.prototype, "connect");
    const created = await learn(await newTenant(), {
      source_url: "http://169.254.169.254/latest/meta-data/",
    });
    expect(created.json).toMatchObject({ status: "success" });
    const { port } = new URL(api.store().endpoint);
    const called = connect.mock.calls.map((call) => JSON.stringify(call));
    connect.mockRestore();
    expect(called.filter((call) => !call.includes(port))).toEqual([]);
  });
});

describe("API8:2023 Security Misconfiguration", () => {
  test("answers allow no other origin, no caching and no sniffing, and reveal nothing about the software", async () => {
    const rawHeaders = ["origin", "https://evil.example"];
    for (const target of ["/v1/whoami", "/v1/nothing", "/"]) {
      const { headers } = await api.call(target, { key: tenant.admin, rawHeaders });
      expect(Object.keys(headers).filter((name) => /^access-control|^server$|powered/.test(name))).toEqual(
        [],
      );
      expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    }
  });

  test.each(["HEAD", "OPTIONS", "TRACE", "PUT"])("the method %s is not supported", async (method) => {
    expect((await api.call("/v1/users", { method, key: tenant.admin })).status).toBe(405);
  });
});

describe("API9:2023 Improper Inventory Management", () => {
  test("the deployed, the documented and the listed operations are the same", () => {
    expect(documented.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      operations.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    for (const { path } of operations) expect(path).toMatch(/^\/v1\//);
    const files = readdirSync(new URL("../../functions", import.meta.url), { recursive: true })
      .map(String)
      .filter((file) => file.endsWith(".ts"))
      .map((file) => file.slice(0, -3).replaceAll("\\", "/"));
    const listed = [...operations, ...workers].map(({ source }) => source);
    const further = ["docs", "fallback", "mcp", "internal/search-for-review"];
    expect(files.toSorted()).toEqual([...listed, ...further].toSorted());
  });

  test.each(["/health", "/debug", "/v0/users", "/v2/users", "/v1/internal/search", "/.env", "/admin"])(
    "nothing is served at %s",
    async (target) => {
      expect((await api.call(target, { key: tenant.admin })).codes).toEqual(["NOT_FOUND"]);
    },
  );
});

describe("API10:2023 Unsafe Consumption of APIs", () => {
  test.each([
    "",
    "null",
    "[]",
    '{"id":"x"}',
    `{"id":"${systemRandom.uuid()}","type":"__proto__","occurred_at":"2026-01-01","data":{}}`,
    `{"id":"${systemRandom.uuid()}","type":"x","occurred_at":"2026-01-01T00:00:00Z","reference":"../../etc/passwd"}`,
  ])("a message of the platform is parsed like any other input: %s", (body) => {
    expect(() => readMessage(body)).toThrow(EventRefused);
  });

  test("no event type accepts an empty event, or one with only __proto__", () => {
    for (const { schema } of Object.values(eventTypes)) {
      expect(schema.safeParse({}).success).toBe(false);
      expect(schema.safeParse(JSON.parse('{"__proto__":{"id":"x"}}')).success).toBe(false);
    }
  });

  test.each([{}, { embedding: [1, 2] }, { embedding: "0.1" }, { embedding: Array(256).fill(null) }])(
    "an invalid answer of the embedding model is refused: %j",
    async (answer) => {
      const client = { invoke: async () => JSON.stringify(answer) };
      await expect(createBedrockEmbedder("model", client).embed("text")).rejects.toThrow();
    },
  );
});
