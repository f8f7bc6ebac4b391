import { beforeAll, describe, expect, test } from "vitest";
import { errorCodes, itemErrorCodes } from "../../../lib/contract/errors.ts";
import { chainGrants } from "../../../lib/contract/grants.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { listLearnings } from "../../../lib/contract/operations/learnings.ts";
import { type ListedOperation, operations } from "../../../lib/contract/operations.ts";
import { referenceFiles } from "../../../lib/contract/reference.ts";
import { memberReadsPartKey } from "../../../lib/store/layout.ts";
import { everyKindOfKey } from "../../support/world.ts";
import { ofType, partOf } from "../infra/support.ts";
import { alarmMetrics, dashboardMetrics } from "../infra/watched.ts";
import { useDeployment } from "./deployment.ts";
import { goodCallsOn, type Sent } from "./good-calls.ts";
import { logLines, logsOf, metricsOf } from "./logs.ts";
import { QueuedWorld } from "./platform.ts";
import { pullRequest, scan } from "./samples.ts";
import { unusedGrants } from "./unused-grants.ts";

/**
 * The built bundles behind a gateway that reads only the synthesized template, on AWS services that check the
 * template's roles before every call: anything that is missing in the template is missing here.
 */
const deployment = useDeployment();
const world = new QueuedWorld(deployment);
const contract: readonly ListedOperation[] = operations;

let fixture: Awaited<ReturnType<typeof everyKindOfKey>>;
beforeAll(async () => {
  fixture = await everyKindOfKey(world, "e2e");
  for (const organization of [fixture.cloud, fixture.hosted]) await world.repository(organization, "1");
  await world.repository(fixture.cloud, "careful", { approval_delay_days: 5 });
  for (const number of [1, 2, 3])
    await world.sendEvent("pull_request.finalized", pullRequest(fixture.cloud, number));
  await world.sendEvent("security_scan.completed", scan(fixture.cloud));
  await world.sendEvent("team.saved", {
    ...fixture.cloud,
    team_id: "1",
    name: "Payments",
    user_ids: ["1"],
    active: true,
  });
});

const { callAs, admin, calls } = goodCallsOn({ deployment, world, fixture: () => fixture });

describe("every operation does its work", () => {
  test.each(calls)("%s does its work", async (_, run) => {
    await run();
  });
});

/** Enough for a workspace token's request to pass the whole chain. */
const passing = ({ organization }: ListedOperation): Sent => ({
  subject: { role_id: "cr_member" },
  kind: "workspace",
  org_id: organization === "required" ? "e2e-org" : undefined,
});

describe.each(contract)("$id, within its role,", (operation) => {
  test(`${operation.id}, within its role, refuses a workspace token if forbidden, otherwise causes no 5xx`, async () => {
    const { status } = await callAs(operation, fixture.keys.workspace.text, passing(operation));
    if (operation.keys.workspace === "forbidden") expect(status).toBe(403);
    else expect(status).toBeLessThan(500);
  });

  /** The longest path of a refusal: two rounds of reads, then the refusal is recorded. */
  test(`${operation.id}, within its role, refuses a revoked legacy key`, async () => {
    const revoked = await world.key({ kind: "legacy", organization: fixture.organization });
    await world.revoke(revoked);
    expect((await callAs(operation, revoked.text, passing(operation))).status).toBe(401);
  });
});

describe("reads in one snapshot", () => {
  const table = () => deployment().store.table;

  test.each(contract.filter(({ readableOnly }) => readableOnly))(
    "$id, within its role, reads a member's list of repositories that fills several items",
    async (operation) => {
      const { organization, keys } = fixture;
      const member = "u-member";
      const list = { all: false, parts: 2, repository_ids: ["1"] };
      for (const index of [0, 1])
        await table().write({ put: { ...memberReadsPartKey(organization, member, index), ...list } });
      const { status } = await callAs(operation, keys.user.text, passing(operation));
      expect(status).toBeLessThan(500);
      const asked = deployment().iamProxy.asked.get(partOf(operation.id, "Function")) ?? [];
      expect(asked.some(({ enclosing }) => enclosing?.operation === "TransactGetItems")).toBe(true);
    },
  );

  test("listLearnings finds a Learning that has just moved in its list", async () => {
    const moved = { moved_to: "2999-01-01T00:00:00.000Z#x", moved_at: "2999-01-01T00:00:00.000Z" };
    const key = {
      pk: kinds.listedLearning.partition({ tenant: `o#${fixture.organization}` }),
      sk: "2026-01-01T00:00:00.000Z#x",
    };
    await table().write({ put: { ...key, ...moved } });
    const { status } = await callAs(listLearnings, admin());
    await table().write({ delete: key });
    expect(status).toBe(200);
    const asked = deployment().iamProxy.asked.get("ListLearningsFunction") ?? [];
    expect(asked.flatMap(({ enclosing }) => enclosing?.partitions ?? [])).toContain(key.pk);
  });
});

describe("requests outside the operations", () => {
  test("an unknown path is a 404, an unknown method a 405 that lists the known ones, in the path's shape", async () => {
    const lost = await deployment().call("/v1/nowhere");
    expect([lost.status, lost.json]).toMatchObject([404, { error: { code: "NOT_FOUND" } }]);
    const wrong = await deployment().call("/v1/learnings", { method: "PUT" });
    expect([wrong.status, wrong.json, wrong.headers.allow]).toMatchObject([
      405,
      { errors: [{ code: "METHOD_NOT_ALLOWED" }] },
      "GET, POST",
    ]);
    for (const path of ["/v1", "/v1/roles/permissions/more"])
      expect((await deployment().call(path)).status).toBe(404);
  });

  test("the root links to the reference, and an error to the page of its code, below the stage", async () => {
    const root = await deployment().call("/");
    expect([root.status, root.headers.location]).toEqual([302, "/live/docs"]);
    const { gateway } = deployment();
    for (const path of ["/v1/nowhere", "/v1/whoami"]) {
      const { headers } = await deployment().call(path);
      const target = /^<([^>]+)>; rel="help"/.exec(String(headers.link))?.[1] ?? "";
      expect(target).toMatch(/^\/live\/docs\/errors\//);
      expect((await deployment().call(target.slice(gateway.mount.length))).status).toBe(200);
    }
    for (const path of ["/docs/errors", "/docs/events", "/docs/events/member.saved.json"])
      expect((await deployment().call(path)).status).toBe(200);
  });

  test("a legacy key's answer links to an existing page, below the stage", async () => {
    const { gateway } = deployment();
    const { headers } = await deployment().call("/v1/whoami", { key: fixture.keys.legacy.text });
    const target = /^<([^>]+)>; rel="deprecation"/.exec(String(headers.link))?.[1] ?? "";
    expect([target, gateway.mount]).toEqual(["/live/docs/errors/LEGACY_API_KEY", "/live"]);
    const page = await deployment().call(target.slice(gateway.mount.length));
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("LEGACY_API_KEY")]);
  });

  test("the reference is served with all its files, and a page for every error code", async () => {
    const codes = Object.keys({ ...errorCodes, ...itemErrorCodes });
    const paths = [...Object.keys(referenceFiles), ...codes.map((code) => `/docs/errors/${code}`)];
    for (const path of paths) {
      const { status, text } = await deployment().call(path, { headers: ["accept-encoding", "gzip"] });
      expect([path, status, text.length > 100]).toEqual([path, 200, true]);
    }
    for (const path of ["/docs/else.js", "/docs/errors/ELSE"])
      expect((await deployment().call(path)).json).toMatchObject({ error: { code: "NOT_FOUND" } });
  });
});

describe("answers", () => {
  const metrics = "/v1/metrics/review-comments?start_date=2026-11-01&end_date=2026-11-30";

  test.each(["gzip", "br"])(
    "answers are compressed with %s if the caller accepts it, streamed or not",
    async (coding) => {
      const headers = ["accept-encoding", coding];
      const streamed = await deployment().call(metrics, { key: admin(), headers });
      expect(streamed.json).toMatchObject({ data: [{}, {}, {}] });
      expect(streamed.headers).toMatchObject({ "content-encoding": coding, "transfer-encoding": "chunked" });
      const buffered = await deployment().call("/v1/audit-logs", { key: admin(), headers });
      expect(buffered.headers).toMatchObject({ "content-encoding": coding });
      expect(buffered.json).toMatchObject({ data: expect.any(Array) });
    },
  );

  test("answers carry the common headers", async () => {
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
  test("no function makes a call that its role does not allow", () => {
    expect(deployment().iamProxy.denied).toEqual([]);
    expect(deployment().iamProxy.asked.size).toBeGreaterThan(contract.length);
  });

  test("the reference and the fallback make no calls to AWS", () => {
    for (const id of ["ReferenceFunction", "FallbackFunction"]) {
      expect(deployment().functions.has(id)).toBe(true);
      expect(deployment().iamProxy.asked.has(id)).toBe(false);
    }
  });

  test("no operation has permissions that it never uses", () => {
    expect(unusedGrants(deployment(), contract)).toEqual([]);
  });

  test("the chain uses every partition that it has access to", () => {
    const asked = [...deployment().iamProxy.asked.values()].flat();
    const touches = (action: string, prefix: string) =>
      asked.some(
        (access) =>
          access.action === `dynamodb:${action}` &&
          access.partitions?.some((each) => each.startsWith(prefix.replace("*", ""))),
      );
    const idle = chainGrants.flatMap(({ actions, partitions }) =>
      partitions.filter((prefix) => !actions.some((action) => touches(action, prefix))),
    );
    expect(idle).toEqual([]);
  });
});

describe("logs", () => {
  const requestLines = () => logLines(deployment()).filter(({ message }) => message === "request");

  test("every request of an operation writes one line with caller, operation, outcome and cost", async () => {
    await deployment().call("/v1/whoami", { key: admin(), headers: ["x-request-id", "traced"] });
    const traced = () => requestLines().filter(({ request_id }) => request_id === "traced");
    await expect.poll(() => traced().length).toBeGreaterThan(0);
    // Another line would have come with the next request at the latest.
    await deployment().call("/v1/whoami", { key: admin(), headers: ["x-request-id", "traced-next"] });
    await expect.poll(() => requestLines().map(({ request_id }) => request_id)).toContain("traced-next");
    expect(traced()).toHaveLength(1);
    expect(traced()[0]).toEqual({
      level: "info",
      message: "request",
      function: "WhoamiFunction",
      release: expect.stringMatching(/^[0-9a-f]{12}$/),
      request_id: "traced",
      gateway_request_id: expect.any(String),
      lambda_request_id: expect.any(String),
      cold_start: expect.any(Boolean),
      operation: "whoami",
      status: 200,
      key_id: fixture.keys.organization.key.id,
      key_kind: "organization",
      tenant: "w#e2e-workspace",
      duration_ms: expect.any(Number),
      round_trips: 2,
      read_units: expect.any(Number),
      write_units: expect.any(Number),
    });
  });

  test("a request that matches no operation writes its line too, without its path", async () => {
    const asked = { lost: "/v1/nowhere", wrong: "/v1/whoami", missing: "/docs/errors/ELSE", page: "/docs" };
    for (const [id, path] of Object.entries(asked))
      await deployment().call(path, {
        method: id === "wrong" ? "PUT" : "GET",
        headers: ["x-request-id", `beside-${id}`],
      });
    const beside = () => requestLines().filter(({ request_id }) => String(request_id).startsWith("beside-"));
    await expect.poll(() => beside().length).toBe(Object.keys(asked).length);
    const ended = beside().map(({ request_id, status, code }) => [request_id, status, code]);
    expect(ended).toEqual(
      expect.arrayContaining([
        ["beside-lost", 404, "NOT_FOUND"],
        ["beside-wrong", 405, "METHOD_NOT_ALLOWED"],
        ["beside-missing", 404, "NOT_FOUND"],
        ["beside-page", 200, undefined],
      ]),
    );
    expect(JSON.stringify(beside())).not.toContain("nowhere");
  });

  test("the line of a refused real key contains its id and kind", async () => {
    const revoked = await world.key({ kind: "legacy", organization: fixture.organization });
    await world.revoke(revoked);
    await deployment().call("/v1/whoami", { key: revoked.text, headers: ["x-request-id", "refused"] });
    const found = () => requestLines().filter(({ request_id }) => request_id === "refused");
    await expect.poll(found).toMatchObject([{ status: 401, key_id: revoked.key.id, key_kind: "legacy" }]);
    expect(JSON.stringify(found())).not.toContain(revoked.text);
  });

  test("the dashboard's queries find every operation and error code in the log; metrics have no dimension", async () => {
    await deployment().call("/v1/whoami?surprise=1", { key: admin() });
    await expect.poll(() => requestLines().map(({ code }) => code)).toContain("INVALID_REQUEST");
    const lines = requestLines();
    const operationsInLog = new Set(lines.map(({ operation }) => operation));
    expect(contract.filter(({ id }) => !operationsInLog.has(id))).toEqual([]);
    const codes = new Set(lines.map(({ code }) => code));
    for (const code of ["UNAUTHORIZED", "KEY_TYPE_FORBIDDEN"]) expect(codes).toContain(code);
    const emitted = logLines(deployment()).flatMap(metricsOf);
    expect(emitted.filter((metric) => metric.split(" ").length !== 2)).toEqual([]);
  });

  test("some function emits every metric of our namespace that an alarm or the dashboard uses", async () => {
    const { iamProxy, template, wake } = deployment();
    iamProxy.interfere(({ operation, body }) =>
      operation === "UpdateItem" && body.includes("LIMIT#") ? { status: 500, body: "{}" } : undefined,
    );
    expect((await deployment().call("/v1/roles", { key: admin() })).status).toBe(200);
    iamProxy.interfere();
    for (const rule of ["ScheduleReconcileIndex", "ScheduleExpireWaiting", "ScheduleRingWebhooks"])
      await wake(rule);
    for (const k of [1, 51])
      await deployment()
        .functions.get("SearchForReviewFunction")
        ?.invoke({ ...fixture.cloud, repository_id: "1", text: "early returns", k });
    const looked = [...alarmMetrics(template), ...dashboardMetrics(template)].map(
      ({ namespace, name, dimensions }) =>
        [namespace, name, ...Object.entries(dimensions).map((pair) => pair.join("="))].join(" "),
    );
    const filters = JSON.stringify(ofType(template, "AWS::Logs::MetricFilter"));
    const counted = new Set(
      [...filters.matchAll(/"MetricName":"(\w+)"/g)].map(([, name]) => `ReviewApi ${name}`),
    );
    expect([...counted].toSorted()).toEqual(
      ["failed_starts", "slow_calls", "throttled_calls"].map((name) => `ReviewApi ${name}`),
    );
    const own = new Set(
      looked.filter((metric) => metric.startsWith("ReviewApi ")).filter((each) => !counted.has(each)),
    );
    expect(own.size).toBeGreaterThan(8);
    await expect
      .poll(() => {
        const emitted = new Set(logLines(deployment()).flatMap(metricsOf));
        return [...own].filter((metric) => !emitted.has(metric));
      })
      .toEqual([]);
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
