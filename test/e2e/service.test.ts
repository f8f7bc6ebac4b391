import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { chainGrants } from "../../lib/contract/grants.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { type OperationId, operations } from "../../lib/contract/operations.ts";
import { partOf } from "../infra/support.ts";
import { everyKindOfKey } from "../support/world.ts";
import { useDeployment } from "./deployment.ts";
import { logLines, logsOf, metricsOf } from "./logs.ts";
import { QueuedWorld } from "./platform.ts";
import { captured, findingsOf, pullRequest, scan } from "./samples.ts";
import { unusedGrants } from "./unused-grants.ts";

/**
 * The built bundles behind a gateway that knows nothing but the synthesized template, on AWS services that ask the
 * template's roles before they do anything: what is missing from the template is missing here.
 */
const deployment = useDeployment();
const world = new QueuedWorld(deployment);
const contract: readonly Operation[] = operations;

let fixture: Awaited<ReturnType<typeof everyKindOfKey>>;
beforeAll(async () => {
  fixture = await everyKindOfKey(world, "e2e");
  for (const organization of [fixture.cloud, fixture.hosted]) await world.repository(organization, "1");
  await world.repository(fixture.cloud, "careful", { approval_delay_days: 5 });
  for (const number of [1, 2, 3])
    await world.tell("pull_request.finalized", pullRequest(fixture.cloud, number));
  await world.tell("security_scan.completed", scan(fixture.cloud));
}, 60_000);

const named = (id: string): Operation => {
  const found = contract.find((each) => each.id === id);
  if (!found) throw new Error(`The contract has no ${id}.`);
  return found;
};

type Request = { readonly id?: string; readonly query?: string; readonly body?: object };

/** Calls an operation and holds a good answer to its schema. */
async function callAs(operation: Operation, key: string, { id, query = "", body }: Request = {}) {
  const path = operation.path.replaceAll(/\{\w+\}/g, id ?? fixture.organization);
  const answer = await deployment().call(`${path}${query}`, {
    method: operation.method,
    key,
    ...(body && { body }),
  });
  expect(deployment().warden.denied).toEqual([]);
  if (answer.status < 300) {
    expect(answer.status).toBe(operation.answer.status);
    if (answer.headers["content-type"] === "application/json") operation.answer.schema?.parse(answer.json);
  }
  return answer;
}

const admin = () => fixture.keys.organization.text;
const created = z.object({ id: z.string() });
const results = z.object({ results: z.array(created) });
const anyId = "00000000-0000-4000-8000-000000000000";
const window = "start_date=2026-11-01&end_date=2026-11-30";

/** For every operation one call that does its work; the compiler knows when one is missing. */
const goodCalls: Readonly<Record<OperationId, () => Promise<unknown>>> = {
  async listReviewCommentMetrics() {
    const { json } = await callAs(named("listReviewCommentMetrics"), admin(), { query: `?${window}` });
    expect(json).toMatchObject({ data: [{}, {}, {}], next_cursor: null });
  },
  async listReviewMetrics() {
    const { text } = await callAs(named("listReviewMetrics"), admin(), { query: `?${window}&format=csv` });
    expect(text.split("\r\n")).toHaveLength(5);
  },
  async listMcpMetrics() {
    const { json } = await callAs(named("listMcpMetrics"), admin(), { query: `?${window}` });
    expect(json).toMatchObject({ data: [{}, {}, {}] });
  },
  async createLearnings() {
    const batch = { data: [{ repository_id: "1", learning: "Prefer early returns." }] };
    const first = await callAs(named("createLearnings"), admin(), { body: batch });
    expect(first.json).toMatchObject({ status: "success", created_count: 1 });
    const again = await callAs(named("createLearnings"), admin(), { body: batch });
    expect(again.json).toMatchObject({ duplicate_count: 1 });
    const pending = { repository_id: "careful", learning: "Ask before you drop a table." };
    await world.tell("learning.captured", captured(fixture.cloud, pending));
    const shared = await callAs(named("createLearnings"), admin(), { body: { data: [pending] } });
    expect(shared.json).toMatchObject({ results: [{ status: "duplicate", promoted: true }] });
  },
  async listLearnings() {
    const { json } = await callAs(named("listLearnings"), admin());
    expect(json).toMatchObject({ data: [{ learning: "Prefer early returns." }, {}] });
    const member = await callAs(named("listLearnings"), fixture.keys.user.text, {
      query: "?repository_name=group/repository-1",
    });
    expect(member.json).toMatchObject({ data: [{ learning: "Prefer early returns." }] });
  },
  async updateLearning() {
    const batch = { data: [{ repository_id: "1", learning: "Name things." }] };
    const { json } = await callAs(named("createLearnings"), admin(), { body: batch });
    const id = results.parse(json).results[0]?.id ?? "";
    const change = { id, body: { learning: "Name things in whole words." } };
    expect((await callAs(named("updateLearning"), admin(), change)).json).toMatchObject({ id });
  },
  async deleteLearning() {
    const batch = { data: [{ repository_id: "1", learning: "To be forgotten." }] };
    const { json } = await callAs(named("createLearnings"), admin(), { body: batch });
    const id = results.parse(json).results[0]?.id ?? "";
    expect((await callAs(named("deleteLearning"), admin(), { id })).status).toBe(204);
  },
  async listOrganizations() {
    const { json } = await callAs(named("listOrganizations"), admin());
    expect(json).toMatchObject({ organizations: [{ id: fixture.organization }] });
  },
  async listRepositories() {
    const { json } = await callAs(named("listRepositories"), admin());
    expect(json).toMatchObject({ repositories: [{ provider_repository_id: "1" }, {}] });
  },
  async listUsers() {
    expect((await callAs(named("listUsers"), admin())).json).toMatchObject({ users: [{}, {}] });
    const everybody = await callAs(named("listUsers"), fixture.keys.workspace.text);
    expect(everybody.json).toMatchObject({ users: [{}, {}] });
  },
  async assignSeats() {
    for (const action of ["assign", "unassign"]) {
      const body = { action, user_ids: ["u-member"] };
      expect((await callAs(named("assignSeats"), admin(), { body })).json).toMatchObject({
        succeeded: ["u-member"],
      });
    }
  },
  async getSeatAssignment() {
    const { json } = await callAs(named("getSeatAssignment"), fixture.keys.instance.text);
    expect(json).toEqual({ mode: "manual" });
  },
  async setSeatAssignment() {
    const body = { mode: "automatic" };
    expect((await callAs(named("setSeatAssignment"), fixture.keys.instance.text, { body })).json).toEqual(
      body,
    );
  },
  async changeRoles() {
    const body = { role: "cr_admin", user_ids: ["u-member"] };
    expect((await callAs(named("changeRoles"), admin(), { body })).json).toMatchObject({
      succeeded: ["u-member"],
    });
  },
  async createRole() {
    const { json } = await callAs(named("createRole"), admin(), { body: { name: "Auditor" } });
    expect(json).toMatchObject({ name: "Auditor" });
  },
  async listRoles() {
    const { json } = await callAs(named("listRoles"), admin());
    expect(json).toMatchObject({
      roles: expect.arrayContaining([expect.objectContaining({ name: "Auditor" })]),
    });
  },
  async listPermissions() {
    expect((await callAs(named("listPermissions"), admin())).status).toBe(200);
  },
  async getRole() {
    expect((await callAs(named("getRole"), admin(), { id: "cr_admin" })).json).toMatchObject({
      id: "cr_admin",
    });
  },
  async updateRole() {
    const { json } = await callAs(named("createRole"), admin(), { body: { name: "Reader" } });
    const { id } = created.parse(json);
    const body = { name: "Readers", is_default: true };
    expect((await callAs(named("updateRole"), admin(), { id, body })).json).toMatchObject({ id, ...body });
  },
  async deleteRole() {
    const { json } = await callAs(named("createRole"), admin(), { body: { name: "Nobody" } });
    const { id } = created.parse(json);
    expect((await callAs(named("deleteRole"), admin(), { id })).status).toBe(204);
  },
  async listAuditLogs() {
    const { json } = await callAs(named("listAuditLogs"), admin());
    expect(json).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ summary: expect.any(String) })]),
    });
  },
  async listSecurityFindings() {
    const { json } = await callAs(named("listSecurityFindings"), fixture.keys.instance.text);
    expect(json).toMatchObject({ data: [] });
    const own = await callAs(named("listSecurityFindings"), admin(), { query: "?format=sarif" });
    expect(findingsOf(own.json)).toBe(2);
  },
  async whoami() {
    expect((await callAs(named("whoami"), admin())).json).toMatchObject({ key: { kind: "organization" } });
  },
};

describe("every operation does its work", () => {
  test.each(Object.entries(goodCalls))("%s", async (_, run) => {
    await run();
  });
});

/** Enough of a request for the chain to get to its end, or to the key's kind. */
function requestOf({ method, path, organization, body }: Operation, kind: string): Request {
  const selector = kind === "workspace" && organization === "required" ? { org_id: "e2e-org" } : {};
  const parameters = [
    ...(path.startsWith("/v1/metrics/") ? [window] : []),
    ...(Object.keys(selector).length > 0 && !body ? ["org_id=e2e-org"] : []),
  ];
  const id = path.includes("role_id") ? "cr_member" : path.includes("learning_id") ? anyId : undefined;
  return {
    ...(id !== undefined && { id }),
    ...(parameters.length > 0 && { query: `?${parameters.join("&")}` }),
    ...(method !== "GET" && method !== "DELETE" && { body: selector }),
  };
}

describe.each(contract)("$id", (operation) => {
  test.each(["workspace", "legacy", "instance"] as const)(
    "takes or refuses a key of kind %s within its role",
    async (kind) => {
      const { status } = await callAs(operation, fixture.keys[kind].text, requestOf(operation, kind));
      const expected = { accepted: 200, forbidden: 403, gone: 410 }[operation.keys[kind]];
      expect(status).toBeLessThan(500);
      if (expected !== 200) expect(status).toBe(expected);
    },
  );

  test("writes the use of a revoked key down within its role", async () => {
    const revoked = await world.key({
      kind: "organization",
      organization: fixture.organization,
      owner: "u-admin",
      role: "cr_admin",
    });
    await world.revoke(revoked);
    expect((await callAs(operation, revoked.text, requestOf(operation, "organization"))).status).toBe(401);
  });
});

describe("beside the operations", () => {
  test("an unknown path is a 404, an unknown method a 405 that names the known ones, in the shape of the path", async () => {
    const lost = await deployment().call("/v1/nowhere");
    expect([lost.status, lost.json]).toMatchObject([404, { error: { code: "NOT_FOUND" } }]);
    const wrong = await deployment().call("/v1/learnings", { method: "PUT" });
    expect([wrong.status, wrong.json, wrong.headers.allow]).toMatchObject([
      405,
      { errors: [{ code: "METHOD_NOT_ALLOWED" }] },
      "GET, POST",
    ]);
    for (const path of ["/", "/v1", "/v1/roles/permissions/more"])
      expect((await deployment().call(path)).status).toBe(404);
  });

  test("the reference is served with all it needs", async () => {
    for (const path of ["/docs", "/docs/swagger-ui.js", "/docs/errors/UNAUTHORIZED", "/openapi.json"]) {
      const answer = await deployment().call(path, { headers: ["accept-encoding", "gzip"] });
      expect([path, answer.status, answer.text.length > 100]).toEqual([path, 200, true]);
    }
  });
});

describe("answers", () => {
  const metrics = `/v1/metrics/review-comments?${window}`;

  test.each(["gzip", "br"])(
    "are compressed with %s where the caller likes it, streamed or not",
    async (coding) => {
      const headers = ["accept-encoding", coding];
      const streamed = await deployment().call(metrics, { key: admin(), headers });
      expect(streamed.headers).toMatchObject({ "content-encoding": coding, "transfer-encoding": "chunked" });
      expect(streamed.json).toMatchObject({ data: [{}, {}, {}] });
      const buffered = await deployment().call("/v1/audit-logs", { key: admin(), headers });
      expect(buffered.headers).toMatchObject({ "content-encoding": coding });
      expect(buffered.json).toMatchObject({ data: expect.any(Array) });
    },
  );

  test("carry the headers of every answer", async () => {
    for (const target of [metrics, "/v1/whoami", "/v1/nowhere", "/docs"]) {
      const { headers } = await deployment().call(target, {
        key: admin(),
        headers: ["x-request-id", "mine"],
      });
      expect([target, headers]).toMatchObject([
        target,
        { "x-request-id": "mine", "cache-control": "no-store", "x-content-type-options": "nosniff" },
      ]);
    }
  });
});

describe("roles", () => {
  test("no function asked for what its role does not allow", () => {
    expect(deployment().warden.denied).toEqual([]);
    expect(deployment().warden.asked.size).toBeGreaterThan(contract.length);
  });

  test("no operation may do what it never does", () => {
    const ids = contract.map(({ id }) => partOf(id, "Function"));
    expect(unusedGrants(deployment(), (id) => ids.includes(id))).toEqual([]);
  });

  test("every partition that the chain may touch is one that it touches", () => {
    const asked = [...deployment().warden.asked.values()].flat();
    const touches = (action: string, prefix: string) =>
      asked.some(
        (access) =>
          access.action === `dynamodb:${action}` &&
          access.partitions?.some((each) => each.startsWith(prefix)),
      );
    const idle = chainGrants.flatMap(({ actions, partitions = [] }) =>
      partitions.filter((prefix) => !actions.some((action) => touches(action, prefix))),
    );
    expect(idle).toEqual([]);
  });
});

describe("logs", () => {
  const requestLines = () => logLines(deployment()).filter(({ message }) => message === "request");

  test("every request of an operation leaves one line that says who, what, how it ended and what it cost", async () => {
    const before = requestLines().length;
    await deployment().call("/v1/whoami", { key: admin(), headers: ["x-request-id", "traced"] });
    await expect.poll(() => requestLines().length).toBe(before + 1);
    expect(requestLines().find(({ request_id }) => request_id === "traced")).toEqual({
      level: "info",
      message: "request",
      request_id: "traced",
      operation: "whoami",
      status: 200,
      key_id: fixture.keys.organization.key.id,
      key_kind: "organization",
      tenant: "w#e2e-workspace",
      duration_ms: expect.any(Number),
      round_trips: 2,
      read_units: expect.any(Number),
      write_units: expect.any(Number),
      _aws: expect.any(Object),
    });
  });

  test("every operation emitted its metrics, and every metric is a number of its line", () => {
    const lines = logLines(deployment());
    const emitted = new Set(lines.flatMap(metricsOf));
    for (const { id } of contract) expect(emitted).toContain(`ReviewApi duration_ms operation=${id}`);
    for (const code of ["UNAUTHORIZED", "LEGACY_API_KEY", "INVALID_REQUEST"])
      expect(emitted).toContain(`ReviewApi errors code=${code}`);
    expect(emitted).toContain("ReviewApi events_applied");
  });

  test("the access log has a line for every call, and no query in it", () => {
    const { accessLog } = deployment().gateway;
    expect(accessLog.length).toBeGreaterThan(contract.length);
    for (const line of accessLog)
      expect(JSON.parse(line)).toMatchObject({ status: expect.stringMatching(/^\d{3}$/) });
    expect(accessLog.join("\n")).not.toContain("start_date");
  });

  test("no sink holds a key, a body or a Learning's text", () => {
    const sinks = [...deployment().gateway.accessLog, ...logsOf(deployment())].join("\n");
    const secrets = [
      ...Object.values(fixture.keys).map(({ text }) => text),
      "Prefer early returns.",
      "Ask before you drop a table.",
      "Name things",
      "Auditor",
      "A query is built from text",
    ];
    expect(sinks.length).toBeGreaterThan(10_000);
    expect(secrets.filter((secret) => sinks.includes(secret))).toEqual([]);
  });
});
