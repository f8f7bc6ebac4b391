import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { apiGatewayLimits } from "../../../lib/contract/platform.ts";
import { everyKindOfKey } from "../../support/world.ts";
import { useDeployment } from "./deployment.ts";
import { logLines } from "./logs.ts";
import { QueuedWorld } from "./platform.ts";
import { accessLogFields, runSavedQuery, savedQueries } from "./saved-queries.ts";

const deployment = useDeployment();
const world = new QueuedWorld(deployment);
let used: Awaited<ReturnType<typeof everyKindOfKey>>["keys"]["organization"];
beforeAll(async () => {
  used = (await everyKindOfKey(world, "saved")).keys.organization;
  await whoami("good");
  await whoami("bad-one", "?unknown=1");
  await whoami("bad-two", "?unknown=1");
});

const whoami = (id: string, query = "") =>
  deployment().call(`/v1/whoami${query}`, { key: used.text, headers: ["x-request-id", id] });
const requestLines = () => logLines(deployment()).filter(({ message }) => message === "request");
const byRequestId = (id: string) =>
  runSavedQuery(deployment(), "by request id", { REQUEST_ID: id }).map(
    (row): Record<string, unknown> => JSON.parse(String(row["@message"])),
  );

test("every field that a saved query names is a field of the lines that it searches", async () => {
  await expect.poll(() => requestLines().some(({ code }) => code !== undefined)).toBe(true);
  const { template } = deployment();
  const written: Readonly<Record<string, readonly string[]>> = {
    ApiLogs: requestLines().flatMap((line) => Object.keys(line)),
    AccessLogs: accessLogFields(template),
  };
  const queries = savedQueries(template);
  expect(Object.fromEntries(queries.map(({ name, logGroups }) => [name, logGroups]))).toEqual({
    "by request id": ["ApiLogs", "AccessLogs"],
    "by key": ["ApiLogs"],
    slowest: ["AccessLogs"],
    refused: ["ApiLogs"],
  });
  for (const { logGroups, fields } of queries) {
    expect(fields.length).toBeGreaterThan(0);
    const known = logGroups.flatMap((logGroup) => written[logGroup] ?? []);
    expect(fields.filter((field) => !known.includes(field))).toEqual([]);
  }
});

test("the saved query by request id finds a call by the caller's id and by the gateway's id", async () => {
  await expect.poll(() => byRequestId("good")).toMatchObject([{ operation: "whoami", status: 200 }]);
  const id = String(byRequestId("good")[0]?.gateway_request_id);
  await expect
    .poll(() => byRequestId(id))
    .toMatchObject([{ request_id: "good" }, { requestId: id, resource: "/v1/whoami" }]);
});

test("the saved query by request id finds an answer that the gateway gave itself", async () => {
  const body = "x".repeat(apiGatewayLimits.requestBytesMax + 1);
  const { status, headers } = await deployment().call("/v1/learnings", { method: "POST", body });
  expect(status).toBe(413);
  const id = z.string().parse(headers["x-request-id"]);
  await expect.poll(() => byRequestId(id)).toMatchObject([{ requestId: id, status: "413" }]);
});

test("the saved query by key finds the calls of this key, and no other", async () => {
  await deployment().call("/v1/whoami", { headers: ["x-request-id", "without-key"] });
  const found = () =>
    runSavedQuery(deployment(), "by key", { KEY_ID: used.key.id }).toSorted((one, other) =>
      String(one.request_id).localeCompare(String(other.request_id)),
    );
  await expect.poll(() => found().length).toBe(3);
  expect(found()).toMatchObject([
    { request_id: "bad-one", operation: "whoami", status: 400, code: "INVALID_REQUEST" },
    { request_id: "bad-two", operation: "whoami", status: 400, code: "INVALID_REQUEST" },
    { request_id: "good", operation: "whoami", status: 200 },
  ]);
});

test("the saved query of refused calls counts them by code, operation and key, the most first", async () => {
  await deployment().call("/v1/whoami", { headers: ["x-request-id", "refused"] });
  await expect.poll(() => byRequestId("refused").length).toBe(1);
  const counted = runSavedQuery(deployment(), "refused");
  const own = { code: "INVALID_REQUEST", operation: "whoami", key_id: used.key.id };
  expect(counted).toContainEqual({ ...own, refused: 2 });
  const numbers = counted.map(({ refused }) => Number(refused));
  expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
  expect(numbers.reduce((sum, each) => sum + each, 0)).toBe(
    requestLines().filter(({ status }) => Number(status) >= 400).length,
  );
});

test("the saved query of the slowest calls begins with the slowest call of all", () => {
  const latencies = deployment().gateway.accessLog.map((line) => Number(JSON.parse(line).latencyMs));
  const slowest = runSavedQuery(deployment(), "slowest").map(({ latencyMs }) => Number(latencyMs));
  expect(slowest).toEqual(latencies.toSorted((one, other) => other - one).slice(0, 100));
  expect(new Set(slowest).size).toBeGreaterThan(1);
});
