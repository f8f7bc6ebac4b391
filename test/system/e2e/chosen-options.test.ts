import { beforeAll, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { systemClock, toTimestamp } from "../../../lib/runtime/clock.ts";
import { everyKindOfKey, World } from "../../support/world.ts";
import { chosenOptions } from "../infra/build.ts";
import { environmentOf } from "../infra/support.ts";
import { useDeployment } from "./deployment.ts";
import { logLines, metricsOf } from "./logs.ts";

/** The options that change the functions' environment and routes, tested in the functions themselves. */
const deployment = useDeployment({ stack: "chosen" });
const world = new World(() => deployment().store.table);
let fixture: Awaited<ReturnType<typeof everyKindOfKey>>;
beforeAll(async () => {
  fixture = await everyKindOfKey(world, "chosen");
  await world.repository(fixture.cloud, "1");
});

const key = () => fixture.keys.organization.text;
const origin = ["origin", chosenOptions.corsOrigins];

test("domainName and basePath: the API is below its path of the domain, and links contain that path", async () => {
  const { headers } = await deployment().call("/v1/whoami", { key: fixture.keys.legacy.text });
  expect(deployment().gateway.mount).toBe("/review");
  expect(headers.link).toContain("</review/docs/errors/LEGACY_API_KEY>");
});

test("basePath: wrong methods, unknown paths and the reference are distinguished as without one", async () => {
  const answers = await Promise.all([
    deployment().call("/v1/whoami", { method: "PUT", body: {} }),
    deployment().call("/v1/roles/0a1b", { method: "PUT", body: {} }),
    deployment().call("/v1/nowhere/at/all"),
    deployment().call("/docs"),
    deployment().call("/docs/errors/NOT_FOUND"),
    deployment().call("/openapi.json"),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([405, 405, 404, 200, 200, 200]);
  expect(answers[0]?.headers.allow).toBe("GET");
});

test("every line contains its function's release, the invocation, and the gateway's id beside the caller's", async () => {
  const { headers } = await deployment().call("/v1/whoami", {
    key: key(),
    headers: ["x-request-id", "mine"],
  });
  expect(headers["x-request-id"]).toBe("mine");
  const line = () => logLines(deployment()).find(({ request_id }) => request_id === "mine");
  await expect.poll(line).toMatchObject({
    release: environmentOf(deployment().template, "whoami").RELEASE,
    lambda_request_id: expect.any(String),
    gateway_request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    cold_start: expect.any(Boolean),
  });
  const accessLine = deployment().gateway.accessLog.find((each) =>
    each.includes(String(line()?.gateway_request_id)),
  );
  expect(accessLine).toContain('"resource":"/v1/whoami"');
});

test("keyHeaderNames: a key is accepted from the additional header too, but not from both", async () => {
  const further = ["x-api-key", key()];
  expect((await deployment().call("/v1/whoami", { headers: further })).status).toBe(200);
  expect((await deployment().call("/v1/whoami", { headers: further, key: key() })).status).toBe(401);
});

test("corsOrigins: a page of that origin may call and read, also answers of the fallback; others may not", async () => {
  const asked = [
    "access-control-request-method",
    "GET",
    "access-control-request-headers",
    "x-service-api-key",
  ];
  const preflight = await deployment().call("/v1/whoami", {
    method: "OPTIONS",
    headers: [...origin, ...asked],
  });
  expect([preflight.status, preflight.headers["access-control-allow-origin"]]).toEqual([
    204,
    chosenOptions.corsOrigins,
  ]);
  for (const target of ["/v1/whoami", "/v1/metrics/mcp", "/v1/nowhere", "/openapi.json"]) {
    const { headers } = await deployment().call(target, { key: key(), headers: origin });
    expect([target, headers["access-control-allow-origin"]]).toEqual([target, chosenOptions.corsOrigins]);
    const foreign = await deployment().call(target, {
      key: key(),
      headers: ["origin", "https://else.example"],
    });
    expect(foreign.headers).not.toHaveProperty("access-control-allow-origin");
  }
});

test("auditRetentionDays expires entries in time; bedrockModelId and bedrockRegion decide the called model", async () => {
  const body = { data: [{ repository_id: "1", learning: "Write the reason down." }] };
  const { json } = await deployment().call("/v1/learnings", { key: key(), body });
  expect(json).toMatchObject({ created_count: 1 });
  const { iamProxy, account, store } = deployment();
  expect([...iamProxy.asked.values()].flat()).toContainEqual({
    action: "bedrock:InvokeModel",
    resource: account.modelArn(chosenOptions.bedrockModelId, chosenOptions.bedrockRegion),
  });
  expect(iamProxy.denied).toEqual([]);
  const month = toTimestamp(systemClock.nowMs()).slice(0, 7);
  const { items } = await store.table.queryPage({
    pk: kinds.audit.partition({ tenant: "w#chosen-workspace", month }),
  });
  const [entry] = items.filter(({ action }) => String(action).startsWith("learning"));
  const keptMs = Number(entry?.ttl) * 1000 - Date.parse(String(entry?.created_at));
  expect(Math.floor(keptMs / 86_400_000)).toBe(Number(chosenOptions.auditRetentionDays));
});

test("stackName: metrics use it as their namespace", async () => {
  await deployment().wake("ScheduleReconcileIndex");
  await expect.poll(() => logLines(deployment()).flatMap(metricsOf)).toContain("Chosen index_stale");
});
