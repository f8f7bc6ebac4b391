import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { auditWrites, operator } from "../../../lib/audit/entry.ts";
import { requestLimits } from "../../../lib/contract/limits.ts";
import { apiGatewayLimits, functionSettings, lambdaLimits } from "../../../lib/contract/platform.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { everyKindOfKey, World } from "../../support/world.ts";
import { alterRoutes, partOf, properties, type StackTemplate } from "../infra/support.ts";
import { useDeployment } from "./deployment.ts";
import type { AwsCall } from "./iam-proxy.ts";
import { pullRequest } from "./samples.ts";

const { operation, streaming } = functionSettings;
/** A timeout that leaves a function this long for its work. */
const secondsFor = (workMs: number, { answerMs }: { readonly answerMs: number }) =>
  (workMs + answerMs) / 1000;
/** Warm functions begin their reads within a part of it, on a busy machine too. */
const workMs = 2_000;
/** After the work's time, and before the store's client gives up. */
const lateMs = 1.25 * workMs;

/** Time and size on AWS's terms: at the limits in lib/contract/platform.ts, and near the timeout. */
const deployment = useDeployment({
  alter(template) {
    const change = (id: string, change: object) =>
      Object.assign(properties(template, partOf(id, "Function")), change);
    const buffered = { Timeout: secondsFor(workMs, operation.work) };
    for (const id of ["whoami", "createRole", "listUsers", "assignSeats"]) change(id, buffered);
    change("createLearnings", { Timeout: secondsFor(4 * workMs, operation.work) });
    change("listMcpMetrics", { Timeout: secondsFor(workMs, streaming.work) });
    for (const id of ["listReviewMetrics", "listLearnings", "listSecurityFindings"])
      change(id, { Timeout: secondsFor(workMs + streaming.work.wrapUpMs, streaming.work) });
    change("listRoles", { ReservedConcurrentExecutions: 1 });
    shortenIntegration(template, "ListRepositoriesFunction", 500);
  },
});

function shortenIntegration(template: StackTemplate, functionId: string, timeoutInMillis: number): void {
  alterRoutes(template, functionId, (integration) => ({ ...integration, timeoutInMillis }));
}

const world = new World(() => deployment().store.table);
let fixture: Awaited<ReturnType<typeof everyKindOfKey>>;
beforeAll(async () => {
  fixture = await everyKindOfKey(world, "limits");
  await world.repository(fixture.cloud, "1");
});

const key = () => fixture.keys.organization.text;
const window = "start_date=2026-01-01&end_date=2026-12-31";
const codesOf = (json: unknown): string[] =>
  [...JSON.stringify(json ?? null).matchAll(/"code":"(\w+)"/g)].map(([, code = ""]) => code);

describe("the body of a request", () => {
  const learnings = (bytes: number): string => {
    const frame = '{"data":[""]}';
    return frame.replace('""', `"${"x".repeat(bytes - frame.length)}"`);
  };
  const send = async (bytes: number) => {
    const { status, json } = await deployment().call("/v1/learnings", { key: key(), body: learnings(bytes) });
    return [status, codesOf(json)];
  };

  test("a body of 4 MiB reaches the function despite base64; one byte more is the function's own 413", async () => {
    const bytesMax = requestLimits.learningsBodyBytesMax;
    expect(await send(bytesMax)).toEqual([200, ["INVALID_ITEM"]]);
    expect(await send(bytesMax + 1)).toEqual([413, ["PAYLOAD_TOO_LARGE"]]);
  });

  test("a body that Lambda or the gateway refuses gets the same code, in both shapes", async () => {
    const inBase64 = Math.ceil((lambdaLimits.eventBytesMax * 3) / 4);
    const both = [413, ["PAYLOAD_TOO_LARGE", "PAYLOAD_TOO_LARGE"]];
    expect(await send(inBase64)).toEqual(both);
    expect(await send(apiGatewayLimits.requestBytesMax)).toEqual(both);
    expect(await send(apiGatewayLimits.requestBytesMax + 1)).toEqual(both);
  });
});

describe("a buffered answer", () => {
  const entriesOf = (text: string) =>
    z.object({ data: z.array(z.unknown()) }).parse(JSON.parse(text)).data.length;
  /** Entries whose page takes about this many bytes of the JSON that Lambda buffers. */
  async function fill(tenant: `i#${string}`, bytes: number): Promise<void> {
    const note = '"'.repeat(Math.floor(bytes / 100 / 4) - 250);
    const writes = Array.from({ length: 100 }, () =>
      auditWrites(
        { ...world.deps, clock: systemClock },
        {
          action: "role.created",
          resourceType: "role",
          resourceId: null,
          summary: "",
          tenant,
          organization: null,
          metadata: { note },
          actor: operator,
          ipAddress: null,
          requestId: null,
        },
      ),
    );
    await deployment().store.table.writeMany(writes.flat());
  }
  const list = (name: string, headers: readonly string[] = []) =>
    deployment().call("/v1/audit-logs", { key: keys[name] ?? "", headers });
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    for (const [name, share] of [
      ["just-fits", 0.9],
      ["too-large", 1.1],
    ] as const) {
      const { keys: own } = await everyKindOfKey(world, name);
      keys[name] = own.instance.text;
      await fill(`i#${name}-instance`, lambdaLimits.answerBytesMax * share);
    }
  });

  test("a buffered answer just below Lambda's limit is sent", async () => {
    const { status, text } = await list("just-fits");
    expect([status, entriesOf(text)]).toEqual([200, 100]);
  });

  test("a buffered answer above Lambda's limit is a 413 that says what to do; compressed it fits", async () => {
    const { status, json } = await list("too-large");
    expect([status, json]).toMatchObject([413, { error: { code: "RESPONSE_TOO_LARGE" } }]);
    const compressed = await list("too-large", ["accept-encoding", "gzip"]);
    expect([compressed.status, entriesOf(compressed.text)]).toEqual([200, 100]);
  });
});

describe("a streamed answer", () => {
  test("a streamed answer larger than Lambda's buffer arrives completely, and its head fits the prelude", async () => {
    const comments = Array.from({ length: 4_000 }, (_, index) => ({
      url: `https://git.example.com/group/repository-1/pull/1#discussion_r${"0".repeat(150)}${index}`,
      severity: "minor",
      category: null,
      accepted: null,
    }));
    for (const number of [1, 2, 3, 4, 5, 6, 7])
      await world.sendEvent("pull_request.finalized", pullRequest(fixture.cloud, number, { comments }));
    const { status, json, body, rawHeaders } = await deployment().call(
      `/v1/metrics/review-comments?${window}`,
      {
        key: key(),
        headers: ["x-request-id", "r".repeat(requestLimits.requestIdCharactersMax)],
      },
    );
    expect([status, body.length > lambdaLimits.answerBytesMax]).toEqual([200, true]);
    expect(json).toMatchObject({ data: new Array(7).fill({}) });
    expect(Buffer.byteLength(JSON.stringify(rawHeaders))).toBeLessThan(lambdaLimits.preludeBytesMax / 4);
  });
});

describe("a request near its timeout", () => {
  const stall = (isStalled: (call: AwsCall) => boolean) =>
    deployment().iamProxy.interfere((call) => (isStalled(call) ? "stay silent" : undefined));
  const of = (functionId: string) => (call: AwsCall) => call.functionId === functionId;

  /** The function's own error, in one shape: the gateway's would be in both. */
  const outOfTime = { code: "SERVICE_UNAVAILABLE", message: expect.stringContaining("in time") };
  const requests = (round: string): ReadonlyArray<readonly [string, object?]> => [
    ["/v1/whoami"],
    ["/v1/users"],
    [`/v1/metrics/mcp?${window}`],
    ["/v1/learnings?format=ndjson"],
    ["/v1/security/scans/code?format=csv"],
    ["/v1/users/seats", { action: round, user_ids: ["u-member"] }],
    ["/v1/learnings", { data: [{ repository_id: "1", learning: `To ${round} in time.` }] }],
  ];
  const askAll = (round: string) =>
    Promise.all(
      requests(round).map(([target, body]) =>
        deployment().call(target, { key: key(), ...(body && { body }) }),
      ),
    );

  test("near its timeout, a read of a key, list or export or a batch of writes is a 503 with Retry-After", async () => {
    // Warm functions: seven that load at once may exceed their timeout on a busy machine.
    await askAll("assign");
    const stalled: Readonly<Record<string, (call: AwsCall) => boolean>> = {
      WhoamiFunction: () => true,
      ListUsersFunction: ({ operation: name }) => name === "Query",
      ListMcpMetricsFunction: ({ operation: name }) => name === "Query",
      ListLearningsFunction: ({ operation: name }) => name === "Query",
      ListSecurityFindingsFunction: ({ operation: name }) => name === "Query",
      AssignSeatsFunction: ({ operation: name }) => name === "TransactWriteItems",
      CreateLearningsFunction: ({ operation: name }) => name === "TransactWriteItems",
    };
    stall((call) => stalled[call.functionId]?.(call) ?? false);
    const startedMs = systemClock.nowMs();
    const answers = await askAll("unassign");
    expect(systemClock.nowMs() - startedMs).toBeGreaterThanOrEqual(workMs);
    const one = { error: outOfTime };
    const several = { errors: [outOfTime] };
    expect(answers.map(({ json }) => json)).toEqual([one, one, one, several, one, one, several]);
    for (const { status, headers } of answers) {
      expect(status).toBe(503);
      expect(headers).toMatchObject({ "retry-after": "1", "x-request-id": expect.any(String) });
    }
  });

  test("a page ends early near the timeout with the records read so far and a cursor to continue", async () => {
    const { cloud, keys } = await everyKindOfKey(world, "slow");
    await world.repository(cloud, "1");
    for (let number = 0; number < 24; number++) {
      const merged_at = number % 2 === 0 ? "2026-10-01T10:00:00.000Z" : "2026-11-01T10:00:00.000Z";
      await world.sendEvent(
        "pull_request.finalized",
        pullRequest(cloud, number, { merged_at, comments: [] }),
      );
    }
    await deployment().call(`/v1/metrics/reviews?${window}&limit=1`, { key: keys.organization.text });
    let queries = 0;
    // Two weeks that are longer than the page are read concurrently; the next query is answered late, however often it
    // is tried.
    deployment().iamProxy.interfere((call) => {
      if (!of("ListReviewMetricsFunction")(call) || call.operation !== "Query") return undefined;
      return ++queries >= 3 ? { lateMs } : undefined;
    });
    const read = async (cursor: string) => {
      const target = `/v1/metrics/reviews?${window}&limit=20${cursor}`;
      const { status, json } = await deployment().call(target, { key: keys.organization.text });
      expect(status).toBe(200);
      return z.object({ data: z.array(z.unknown()), next_cursor: z.string().nullable() }).parse(json);
    };
    const short = await read("");
    expect(short.data.length).toBeGreaterThan(0);
    expect(short.data.length).toBeLessThan(20);
    deployment().iamProxy.interfere();
    const rest = await read(`&cursor=${short.next_cursor}`);
    expect([short.data.length + rest.data.length, rest.next_cursor]).toEqual([24, null]);
  });

  test.each([
    ["never answers", "stay silent"],
    ["admits the request late", { lateMs }],
  ] as const)("a request starts no work after its answer, when the limiter %s", async (_, turn) => {
    const seen: string[] = [];
    // Warm: on a busy machine a function may use all its time to load.
    await deployment().call("/v1/roles", { key: key(), body: {} });
    deployment().iamProxy.interfere((call) => {
      if (!of("CreateRoleFunction")(call)) return undefined;
      const isLimiter = call.operation === "UpdateItem" && call.body.includes("LIMIT#");
      seen.push(isLimiter ? "limiter" : call.operation);
      return isLimiter ? turn : undefined;
    });
    const { status } = await deployment().call("/v1/roles", { key: key(), body: { name: "Late" } });
    expect(status).toBe(503);
    const atAnswer = [...seen];
    expect(atAnswer).toContain("limiter");
    await systemClock.sleep(3 * workMs);
    expect(seen).toEqual(atAnswer);
    expect(seen).not.toContain("TransactWriteItems");
  });
});

describe("when a function gives no answer", () => {
  const both = { code: "SERVICE_UNAVAILABLE", message: expect.any(String) };
  const theGateways = [503, { error: both, errors: [both] }, "1"];
  const outcome = async (target: string) => {
    const { status, json, headers } = await deployment().call(target, { key: key() });
    return [status, json, headers["retry-after"]];
  };
  /** Returns how many of its calls got no answer. */
  function stallFunction(functionId: string): () => number {
    let stalled = 0;
    deployment().iamProxy.interfere((call) =>
      call.functionId === functionId && ++stalled ? "stay silent" : undefined,
    );
    return () => stalled;
  }

  test("without free concurrency the gateway answers 503 with Retry-After; the running call is not affected", async () => {
    const stalled = stallFunction("ListRolesFunction");
    const inside = outcome("/v1/roles");
    await expect.poll(stalled).toBe(1);
    expect(await outcome("/v1/roles")).toEqual(theGateways);
    deployment().iamProxy.interfere();
    expect(await inside).toEqual([200, { roles: expect.any(Array) }, undefined]);
  });

  test("if a function exceeds the gateway's timeout, the gateway answers the same 503", async () => {
    stallFunction("ListRepositoriesFunction");
    expect(await outcome(`/v1/organizations/${fixture.organization}/repositories`)).toEqual(theGateways);
    deployment().iamProxy.interfere();
  });
});
