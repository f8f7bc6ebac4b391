import { describe, expect, test } from "vitest";
import * as z from "zod";
import { msPerDay } from "../../lib/contract/days.ts";
import { parseOrRefuse, readEvent } from "../../lib/events/envelope.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import { scanEvents } from "../../lib/local/demo/findings.ts";
import { pullRequestEvents } from "../../lib/local/demo/pull-requests.ts";
import { demoEvents } from "../../lib/local/demo/story.ts";
import { redact } from "../../lib/redaction/redact.ts";

/** Several days: weekdays, a weekend, the turn of a year, a leap day. */
const moments = ["2026-11-15T03:00Z", "2026-12-26T23:59Z", "2027-01-01T00:00Z", "2028-02-29T12:00Z"].map(
  (text) => Date.parse(text),
);
const whole = (nowMs: number) => {
  const { opening, history } = demoEvents(undefined, nowMs);
  return [...opening, ...history];
};

const pullRequest = z.object({
  provider_organization_id: z.string(),
  status: z.string(),
  merged_at: z.string().nullable(),
  closed_at: z.string(),
  comments: z.array(z.object({ severity: z.string(), accepted: z.boolean().nullable() })),
  mcp_servers: z.array(z.unknown()),
});

describe.each(moments)("the demo, generated at %i", (nowMs) => {
  test("the demo's events are accepted by the worker, each with its own id, and none is in the future", () => {
    const events = whole(nowMs);
    for (const event of events) {
      const { type, data } = readEvent(JSON.parse(JSON.stringify(event)));
      const known = eventTypes[type];
      if (!known) throw new Error(`There is no event type ${type}.`);
      parseOrRefuse(known.schema, data);
      expect(Date.parse(event.occurred_at)).toBeLessThanOrEqual(nowMs);
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  test("the demo has hundreds of pull requests, merged and closed, findings of every severity and use of MCP", () => {
    const pullRequests = pullRequestEvents(nowMs - 84 * msPerDay, nowMs).map(({ data }) =>
      pullRequest.parse(data),
    );
    expect(pullRequests.length).toBeGreaterThan(200);
    expect(pullRequests.length).toBeLessThan(400);
    expect(new Set(pullRequests.map(({ status }) => status))).toEqual(new Set(["merged", "closed"]));
    const severities = new Set(
      pullRequests.flatMap(({ comments }) => comments.map(({ severity }) => severity)),
    );
    expect(severities).toEqual(new Set(["critical", "major", "minor", "trivial", "info", "none"]));
    expect(pullRequests.filter(({ mcp_servers }) => mcp_servers.length > 0).length).toBeGreaterThan(20);
  });

  test("a critical finding of the demo is open in the newest scan of its repository", () => {
    const scan = z.object({
      provider_organization_id: z.string(),
      repository_id: z.string(),
      findings: z.array(z.object({ severity: z.string(), state: z.string().default("open") })),
    });
    const newest = new Map(
      scanEvents(nowMs)
        .toSorted((a, b) => a.occurred_at.localeCompare(b.occurred_at))
        .map(({ data }) => scan.parse(data))
        .map(
          ({ findings, ...of }) => [`${of.provider_organization_id} ${of.repository_id}`, findings] as const,
        ),
    );
    const open = [...newest.values()].flat().filter(({ state }) => state === "open");
    expect(open.map(({ severity }) => severity)).toContain("critical");
  });

  test("the demo has pull requests in every week, and acceptance that changes from month to month", () => {
    const weeks = Array.from({ length: 12 }, (_, index) => nowMs - (index + 1) * 7 * msPerDay).map((fromMs) =>
      pullRequestEvents(fromMs, fromMs + 7 * msPerDay).map(({ data }) => pullRequest.parse(data)),
    );
    for (const week of weeks) expect(week.length).toBeGreaterThan(8);
    const months = [weeks.slice(0, 4), weeks.slice(4, 8), weeks.slice(8)].map((some) => {
      const known = some
        .flat(2)
        .flatMap(({ comments }) => comments.filter(({ accepted }) => accepted !== null));
      return known.filter(({ accepted }) => accepted).length / known.length;
    });
    expect(Math.max(...months) - Math.min(...months)).toBeGreaterThan(0.05);
  });

  test("the demo has data of the last 30 days in every organization that has metrics, from the start", () => {
    const recent = demoEvents(undefined, nowMs)
      .opening.filter(({ type }) => type === "pull_request.finalized")
      .map(({ data }) => pullRequest.parse(data))
      .filter(({ merged_at }) => merged_at !== null && Date.parse(merged_at) >= nowMs - 30 * msPerDay);
    const organizations = new Set(recent.map((each) => each.provider_organization_id));
    expect([...organizations].toSorted()).toEqual(expect.arrayContaining(["1001", "1002", "7001", "7002"]));
  });
});

test("the demo is the same when it is generated again; generated later, it adds only what happened since", () => {
  const [nowMs = 0] = moments;
  expect(whole(nowMs)).toEqual(whole(nowMs));
  const laterMs = nowMs + 40 * msPerDay;
  const { opening, history } = demoEvents(nowMs, laterMs);
  expect(history).toEqual([]);
  const ids = new Set(whole(nowMs).map(({ id }) => id));
  expect(opening.filter(({ id }) => ids.has(id))).toEqual([]);
  expect(opening).toEqual(pullRequestEvents(nowMs, laterMs));
  // A person who comes back after a year need not wait for all of it.
  const muchLater = nowMs + 400 * msPerDay;
  expect(demoEvents(nowMs, muchLater).opening).toEqual(
    pullRequestEvents(muchLater - 84 * msPerDay, muchLater),
  );
});

test("the demo's Learnings hold nothing to redact: their ids are computed beforehand", () => {
  const texts = whole(moments[0] ?? 0)
    .filter(({ type }) => type === "learning.captured")
    .map(({ data }) => z.object({ learning: z.string() }).parse(data).learning);
  expect(texts.length).toBeGreaterThan(20);
  for (const text of texts) expect(redact(text).text).toBe(text);
});
