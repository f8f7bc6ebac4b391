import { expect, test } from "vitest";
import { ApiError } from "../../lib/contract/api-error.ts";
import type { TenantKey } from "../../lib/contract/tenants.ts";
import { readMcp, readReviewComments, readReviews } from "../../lib/metrics/read-metrics.ts";
import { prUrlOfComments } from "../../lib/metrics/review-comments.ts";
import { headPrefetch, type MetricsContext, walkMetrics } from "../../lib/metrics/walk.ts";
import { type Clock, systemClock } from "../../lib/runtime/clock.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import { ReadAhead } from "../../lib/store/read-ahead.ts";
import { useApi } from "../support/api.ts";
import { comments, mcp, urlOf } from "../support/event-data.ts";
import { organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";
import { standalone } from "./support.ts";

const api = useApi();
const world = new World(() => api.store().table);

const query = {
  start_date: "2026-10-01",
  end_date: "2026-11-30",
  status: "merged" as const,
  format: "json" as const,
};

/** A call as the request lifecycle makes it, with a metered table and cursors that show their position. */
async function callOf(
  uuid: string,
  change: Partial<Pick<MetricsContext, "clock" | "signal">> & { limit?: number; position?: unknown } = {},
) {
  const { table: plain } = api.store();
  const meter = new StoreMeter();
  const tenant: TenantKey = `o#${uuid}`;
  const { limit = 1000, position = null, ...rest } = change;
  const call = {
    principal: { tenant },
    scope: { organizations: [await organizationOf(plain, uuid)] },
    input: { query },
    paging: {
      position,
      pageSize: limit,
      next: (at: number) => `next ${at}`,
      resume: (at: number) => `resume ${at}`,
    },
    table: plain.metered(meter),
    clock: systemClock,
    prefetched: await new ReadAhead().read(plain, headPrefetch(tenant)),
    signal: new AbortController().signal,
    ...rest,
  };
  return { call, meter };
}

const trips = (meter: StoreMeter) => ({
  sequential: meter.sequentialRoundTrips,
  calls: meter.calls.map(({ operation }) => operation).toSorted(),
});

test("a last page reads one data page and checks head and organization again; names are read in parallel", async () => {
  const { uuid, sendPullRequest } = await standalone(api, world, "trips");
  for (const number of [1, 2, 3]) await sendPullRequest(number, mcp);
  const inComments = await callOf(uuid);
  await readReviewComments(inComments.call);
  expect(trips(inComments.meter)).toEqual({ sequential: 2, calls: ["GetItem", "GetItem", "Query"] });
  const inReviews = await callOf(uuid);
  const { records } = await readReviews(inReviews.call);
  expect(records.map(({ names }) => names.repositoryName)).toEqual(Array(3).fill("repository-9001"));
  expect(trips(inReviews.meter)).toEqual({
    sequential: 2,
    calls: ["BatchGetItem", "GetItem", "GetItem", "Query"],
  });
});

test("a full page reads one data page; the names of its repositories take one more trip", async () => {
  const { uuid, sendPullRequest } = await standalone(api, world, "full");
  for (const number of [1, 2, 3]) await sendPullRequest(number, mcp);
  const inMcp = await callOf(uuid, { limit: 2 });
  expect(await readMcp(inMcp.call)).toMatchObject({ nextCursor: "next 2", resumeCursor: null });
  expect(trips(inMcp.meter)).toEqual({ sequential: 1, calls: ["Query"] });
  const inReviews = await callOf(uuid, { limit: 2 });
  expect(await readReviews(inReviews.call)).toMatchObject({ nextCursor: "next 2", resumeCursor: null });
  expect(trips(inReviews.meter)).toEqual({ sequential: 2, calls: ["BatchGetItem", "Query"] });
});

test("one part is enough to refuse a too large answer, and the error names the largest pull request", async () => {
  const { uuid, sendPullRequest } = await standalone(api, world, "parts");
  await sendPullRequest(1, { comments: comments(`${urlOf(1)}/files/as/reviewed`, 5_000) });
  const { call, meter } = await callOf(uuid);
  const options = { dataset: "review-comments", recordBytesMax: 500_000, prUrlOf: prUrlOfComments } as const;
  await expect(walkMetrics(call, options)).rejects.toMatchObject({
    code: "RESPONSE_TOO_LARGE",
    message: expect.stringContaining(`${urlOf(1)} of organization github:parts in repository 9001`),
  });
  expect(trips(meter)).toEqual({ sequential: 2, calls: ["GetItem", "Query"] });
});

test("a pull request that shrinks while its page is refused is named by its repository only", async () => {
  const { uuid, sendPullRequest } = await standalone(api, world, "shrinks-meanwhile");
  await sendPullRequest(1, { comments: comments(`${urlOf(1)}/files/as/reviewed`, 5_000) });
  const { call } = await callOf(uuid);
  const table = {
    ...call.table,
    get: async (...key: Parameters<typeof call.table.get>) => {
      await sendPullRequest(1);
      return await call.table.get(...key);
    },
  };
  const options = { dataset: "review-comments", recordBytesMax: 500_000, prUrlOf: prUrlOfComments } as const;
  await expect(walkMetrics({ ...call, table }, options)).rejects.toMatchObject({
    code: "RESPONSE_TOO_LARGE",
    message: expect.stringContaining("The largest pull request here, one in repository 9001, takes"),
  });
});

test("a 413 keeps the walk's position and the start of its removals, also during a catch-up", async () => {
  const { uuid, sendPullRequest } = await standalone(api, world, "caught-up");
  await sendPullRequest(1);
  const { call } = await callOf(uuid, { limit: 1, position: [1, 7] });
  const { organizations } = call.scope;
  const following = {
    mark: { epoch: 2 },
    newlyVisible: organizations,
    left: [],
    caughtUpTo: undefined,
    markAt: (place: string | number) => ({ epoch: 1, catchUp: { epoch: 2, place } }),
    isCurrent: true,
  };
  const next = (at: unknown, mark: unknown) => JSON.stringify([at, mark]);
  const caughtUp: MetricsContext = {
    ...call,
    scope: { organizations, following },
    input: { query: { ...query, include_removed: true } },
    paging: { ...call.paging, next },
  };
  const options = { dataset: "review-comments", recordBytesMax: 1, prUrlOf: prUrlOfComments } as const;
  await expect(walkMetrics(caughtUp, options)).rejects.toMatchObject({
    message: expect.stringContaining(`${urlOf(1)} of organization github:caught-up alone takes`),
    headers: { "x-next-cursor": next([1, 7], following.markAt(1)) },
  });
  const walked = { ...caughtUp, scope: { organizations }, paging: { ...caughtUp.paging, position: [0, 7] } };
  await expect(walkMetrics(walked, options)).rejects.toMatchObject({
    headers: { "x-next-cursor": next([1, 7], undefined) },
  });
});

/** A clock whose timers a test fires. */
function alarm() {
  const waiting: Array<{ ring: () => void; signal: AbortSignal | undefined }> = [];
  const clock: Clock = {
    nowMs: systemClock.nowMs,
    sleep: (_, signal) => new Promise((resolve) => waiting.push({ ring: resolve, signal })),
  };
  return { clock, waiting, ring: () => waiting.map(({ ring }) => ring()) };
}

test("a request whose time is up returns partial results and a cursor", async () => {
  const { uuid, sendPullRequest } = await standalone(api, world, "slow");
  for (let number = 0; number < 12; number++)
    await sendPullRequest(number, { merged_at: `2026-${10 + (number % 2)}-0${1 + (number % 9)}T10:00:00Z` });
  const { clock, ring } = alarm();
  const { call } = await callOf(uuid, { clock });
  let queries = 0;
  const slow = {
    ...call.table,
    queryPage: async (...range: Parameters<typeof call.table.queryPage>) => {
      const page = await call.table.queryPage(...range);
      if (++queries === 1) ring();
      return page;
    },
  };
  const first = await readReviewComments({ ...call, table: slow });
  expect(first.resumeCursor).toBeNull();
  expect(first.nextCursor).toMatch(/^next \d+$/);
  const position = Number(first.nextCursor?.slice("next ".length));
  const rest = await readReviewComments((await callOf(uuid, { position })).call);
  expect([...first.records, ...rest.records].map(({ entry }) => prUrlOfComments(entry))).toEqual(
    Array.from({ length: 12 }, (_, number) => urlOf(number)),
  );
});

test("a request that has read nothing when its time is up is a 503, never the same cursor again", async () => {
  const { uuid, sendPullRequest } = await standalone(api, world, "stuck");
  await sendPullRequest(1);
  const { call } = await callOf(uuid, { signal: AbortSignal.abort() });
  const refused = await readReviewComments(call).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 1 });
});

test("a page whose organization moves while it is read is refused for a retry, never reported as last", async () => {
  const { uuid, sendPullRequest } = await standalone(api, world, "leaver");
  await world.workspace("elsewhere");
  await sendPullRequest(1);
  const { call } = await callOf(uuid);
  const leaving = {
    ...call.table,
    queryPage: async (...range: Parameters<typeof call.table.queryPage>) => {
      await world.organization("leaver", { workspace_id: "elsewhere" });
      return call.table.queryPage(...range);
    },
  };
  const refused = await readReviewComments({ ...call, table: leaving }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: "METRICS_PREPARING",
    message: "The metrics of organization leaver are being prepared. Retry the same request later.",
  });
});

test("the deadline timer is cancelled when the page is read", async () => {
  const { uuid } = await standalone(api, world, "quiet");
  const { clock, waiting } = alarm();
  await readMcp((await callOf(uuid, { clock })).call);
  expect(waiting.map(({ signal }) => signal?.aborted)).toEqual([true]);
});
