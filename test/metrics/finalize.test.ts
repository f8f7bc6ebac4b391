import { describe, expect, test } from "vitest";
import { organizationUuid } from "../../lib/contract/identity.ts";
import * as kinds from "../../lib/contract/items.ts";
import { metricsLimits } from "../../lib/contract/limits.ts";
import { checkData } from "../../lib/events/check.ts";
import { EventRefused } from "../../lib/events/envelope.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import { finalizePullRequests, keysToFinalize } from "../../lib/metrics/finalize.ts";
import { pullRequestFinalized } from "../../lib/metrics/finalized.ts";
import { ReadAhead } from "../../lib/store/read-ahead.ts";
import type { Key, Table } from "../../lib/store/table.ts";
import { StreamBusy } from "../../lib/stream/stream.ts";
import { useApi } from "../support/api.ts";
import { TestClock } from "../support/clock.ts";
import { closed, comments, finalized, mcp, urlOf } from "../support/event-data.ts";
import { github, World } from "../support/world.ts";
import { november, readerOf, standalone } from "./support.ts";

const api = useApi();
const clock = new TestClock("2026-11-15T12:00:00.000Z");
const world = new World(() => api.store().table);
const organization = github("1001");

const problemsOf = (change: object): string[] =>
  pullRequestFinalized
    .safeParse(finalized(organization, 1, change))
    .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

describe("the data of pull_request.finalized", () => {
  test("a nullable field can be left out", () => {
    const { author_id, author_username, ready_for_review_at, closed_at, mcp_servers, ...rest } = finalized(
      organization,
      1,
    );
    expect(pullRequestFinalized.parse(rest)).toEqual(
      pullRequestFinalized.parse({
        ...rest,
        author_id: null,
        author_username: null,
        ready_for_review_at: null,
        closed_at: null,
        mcp_servers: [],
      }),
    );
  });

  test("unknown fields are ignored", () => {
    expect(problemsOf({ labels: ["newer"], comments: [{ url: "x", line: 3 }] })).toEqual([]);
  });

  test.each([
    ["merged without a merge time", { merged_at: null }, "merged_at: is required of a merged pull request"],
    ["closed with one", { ...closed, merged_at: "2026-11-02T10:00:00Z" }, /^merged_at: must be null/],
    [
      "closed without a time",
      { ...closed, closed_at: null },
      "closed_at: is required of a closed pull request",
    ],
    ["a time without an offset", { merged_at: "2026-11-02T10:00:00" }, /^merged_at: .*offset/],
    ["a complexity of 6", { estimated_complexity: 6 }, /^estimated_complexity/],
    ["half an iteration", { review_iterations: 1.5 }, /^review_iterations/],
    ["an open state", { status: "open" }, /^status/],
    ["a comment without a URL", { comments: [{ severity: "minor" }] }, /^comments\.0\.url/],
    ["a comment accepted perhaps", { comments: [{ url: "x", accepted: "yes" }] }, /^comments\.0\.accepted/],
    [
      "minus one call",
      { mcp_servers: [{ name: "a", tools: [{ name: "b", calls: -1, failures: 0 }] }] },
      /calls/,
    ],
    ["a URL with half a character", { pr_url: "https://example.test/\ud800" }, /^pr_url/],
  ])("the data is refused with %s", (_, change, problem) => {
    expect(problemsOf(change)).toEqual([expect.stringMatching(problem)]);
  });
});

describe("the time of merging or closing", () => {
  const apply = (name: string, change: object) => {
    const type = eventTypes["pull_request.finalized"];
    const data = type?.schema.parse(finalized(github(name), 1, change));
    const deps = { ...world.deps, clock };
    return type?.apply(deps, [{ id: "e", version: "2026-11-15T12:00:00.000Z#e", data }]);
  };

  test.each([
    ["the last moment of 1999", { merged_at: "1999-12-31T23:59:59.999Z" }],
    ["the day after tomorrow", { merged_at: "2026-11-17T00:00:00.000Z" }],
    ["a closing the day after tomorrow", { ...closed, closed_at: "2026-11-17T00:00:00.000Z" }],
    ["the day after tomorrow, sent in another offset", { merged_at: "2026-11-16T23:00:00.000-02:00" }],
  ])("at %s the event is bad", (_, change) => {
    const check = () =>
      checkData(
        { type: "pull_request.finalized", data: finalized(github("times"), 1, change) },
        clock.nowMs(),
      );
    expect(check).toThrow(EventRefused);
    expect(check).toThrow(`between ${metricsLimits.firstDay} and tomorrow`);
  });

  test.each([
    ["the first moment of 2000", "2000-01-01T00:00:00.000Z"],
    ["the last moment of tomorrow", "2026-11-16T23:59:59.999Z"],
  ])("a pull request merged at %s is stored", async (_, merged_at) => {
    const { page } = await standalone(api, world, `times-${merged_at}`);
    await apply(`times-${merged_at}`, { merged_at });
    const day = merged_at.slice(0, 10);
    const { data } = await page(`review-comments?start_date=${day}&end_date=${day}`);
    expect(data).toMatchObject([{ merged_at }]);
  });
});

describe("events", () => {
  const event = (name: string, number: number, occurredAt: string, id: string, change: object = {}) => ({
    id,
    version: `${occurredAt}#${id}`,
    data: pullRequestFinalized.parse(finalized(github(name), number, change)),
  });
  const first = "2026-11-03T00:00:00.000Z";
  const second = "2026-11-04T00:00:00.000Z";

  test("redelivered events change nothing, older ones are ignored, newer equal ones move nothing", async () => {
    const { walk } = await standalone(api, world, "idempotent");
    const sent = event("idempotent", 1, second, "b");
    const send = (...events: Parameters<typeof finalizePullRequests>[1][number][]) =>
      finalizePullRequests(world.deps, events);
    expect(await send(sent, event("idempotent", 2, second, "c"))).toEqual(["appended", "appended"]);
    const before = await walk(`review-comments?${november}`);
    expect(await send(sent)).toEqual(["duplicate"]);
    expect(await send(event("idempotent", 1, first, "z", { comments: [] }))).toEqual(["older"]);
    expect(await send(event("idempotent", 1, second, "a", { comments: [] }))).toEqual(["older"]);
    expect(await send(event("idempotent", 1, second, "d"))).toEqual(["unchanged"]);
    expect(await walk(`review-comments?${november}`)).toEqual(before);
    expect(await send(event("idempotent", 1, second, "e", { comments: comments(urlOf(1), 1) }))).toEqual([
      "appended",
    ]);
    expect(await walk(`review-comments?${november}`)).toEqual(before.toReversed());
  });

  test("an unreviewed state received first keeps an older reviewed state out", async () => {
    const { walk } = await standalone(api, world, "order");
    await finalizePullRequests(world.deps, [event("order", 1, second, "b", { reviewed: false })]);
    expect(await finalizePullRequests(world.deps, [event("order", 1, first, "a")])).toEqual(["older"]);
    expect(await walk(`reviews?${november}`)).toEqual([]);
  });

  test("one batch applies events of several organizations and tenants", async () => {
    await world.workspace("batch");
    for (const name of ["batch-1", "batch-2"]) {
      await world.organization(name, { workspace_id: "batch" });
      await world.repository(github(name), "9001");
    }
    const alone = await standalone(api, world, "batch-alone");
    const events = ["batch-1", "batch-alone", "batch-2"].map((name, index) =>
      event(name, index, first, `e${index}`, mcp),
    );
    expect(await finalizePullRequests(world.deps, events)).toEqual(["appended", "appended", "appended"]);
    const token = await world.token("batch");
    expect(await readerOf(api, token.text).walk(`mcp?${november}`)).toEqual([urlOf(0), urlOf(2)]);
    expect(await alone.walk(`mcp?${november}`)).toEqual([urlOf(1)]);
  });

  test("events of an organization that moves while they are applied go to its new tenant", async () => {
    await world.workspace("new-home");
    const { uuid } = await standalone(api, world, "mover");
    const { table } = world.deps;
    let looked = 0;
    /** The organization moves right after its tenant was first looked up. */
    const moving: Table = {
      ...table,
      getMany: async (keys, options) => {
        const items = await table.getMany(keys, options);
        if (looked++ === 0) await world.organization("mover", { workspace_id: "new-home" });
        return items;
      },
    };
    const outcome = await finalizePullRequests({ ...world.deps, table: moving }, [
      event("mover", 1, first, "a"),
    ]);
    expect(outcome).toEqual(["appended"]);
    expect(await table.get(kinds.streamHead.key({ tenant: `o#${uuid}` }))).toBeUndefined();
    const token = await world.token("new-home");
    expect(await readerOf(api, token.text).walk(`review-comments?${november}&org_id=mover`)).toEqual([
      urlOf(1),
    ]);
  });

  test("a worker that remembers the tenant that an organization has left appends to the new one", async () => {
    await world.workspace("second-home");
    await standalone(api, world, "remembered");
    const deps = { ...world.deps, knownTenants: new Map() };
    await finalizePullRequests(deps, [event("remembered", 1, first, "a")]);
    const changed = event("remembered", 1, second, "b", { review_iterations: 9 });
    const keys = keysToFinalize(deps, [changed.data]);
    const ahead = await new ReadAhead().read(deps.table, keys);
    expect(keys).toHaveLength(3);
    await world.organization("remembered", { workspace_id: "second-home" });
    expect(await finalizePullRequests(deps, [changed], ahead)).toEqual(["appended"]);
    const token = await world.token("second-home");
    expect(await readerOf(api, token.text).walk(`reviews?${november}&org_id=remembered`)).toEqual([urlOf(1)]);
  });

  test("an organization that was created while its events were read ahead is read again", async () => {
    const key = kinds.organization.key({ organization: organizationUuid(github("just-created")) });
    const ahead = await new ReadAhead().read(world.deps.table, [key]);
    const { walk } = await standalone(api, world, "just-created");
    const outcomes = await finalizePullRequests(world.deps, [event("just-created", 1, first, "a")], ahead);
    expect(outcomes).toEqual(["appended"]);
    expect(await walk(`review-comments?${november}`)).toEqual([urlOf(1)]);
  });

  test("events of an organization that moves at every read fail for redelivery, and nothing is written", async () => {
    await world.workspace("next-home");
    const { uuid } = await standalone(api, world, "restless");
    const { table } = world.deps;
    const before = await table.getMany([kinds.organization.key({ organization: uuid })]);
    await world.organization("restless", { workspace_id: "next-home" });
    const isLook = ({ sk }: Key) => sk === kinds.organization.key({ organization: uuid }).sk;
    const behind: Table = {
      ...table,
      getMany: async (keys, options) => (keys.every(isLook) ? before : table.getMany(keys, options)),
    };
    await expect(
      finalizePullRequests({ ...world.deps, table: behind }, [event("restless", 1, first, "a")]),
    ).rejects.toThrow(StreamBusy);
    expect(
      await table.getMany([
        kinds.streamHead.key({ tenant: `o#${uuid}` }),
        kinds.streamHead.key({ tenant: "w#next-home" }),
      ]),
    ).toEqual([undefined, undefined]);
  });
});
