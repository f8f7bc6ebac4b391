import { describe, expect, test } from "vitest";
import { pages } from "../../dashboard/pages.ts";
import type { FromWorker } from "../../dashboard/protocol.ts";
import { closedSession, nextSession, type PageSession } from "../../dashboard/session.ts";
import { type DashboardView, defaultView, type PageName, pageNames } from "../../dashboard/view.ts";
import { createSession } from "../../dashboard/worker/session.ts";
import type { IssuedKey } from "../../lib/access/key-registry.ts";
import { keyKinds } from "../../lib/contract/access.ts";
import { lastDays } from "../../lib/report/period.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { useApi } from "../support/api.ts";
import { everyKindOfKey, github, World } from "../support/world.ts";

/** Every refused use of a key is an entry of the audit log: the page sends no request that is refused. */
const api = useApi();
const world = new World(() => api.store().table);

/** Opens the page with a key, reads all of it, and searches; the requests that were refused, and what is shown. */
async function open({ text: key }: IssuedKey, view: Partial<DashboardView> = {}) {
  const refused: string[] = [];
  const requests: string[] = [];
  const fetch = async (target: string | URL | Request, init: RequestInit = {}) => {
    const { pathname, search } = new URL(String(target));
    const answer = await api.call(`${pathname}${search}`, {
      key,
      method: init.method ?? "GET",
      ...(typeof init.body === "string" && { body: init.body }),
    });
    requests.push(`${pathname}${search}`);
    if (answer.status >= 400) refused.push(`${answer.status} ${pathname}${search}`);
    return new Response(answer.body.toString(), {
      status: answer.status,
      headers: { "content-type": "application/json" },
    });
  };
  const received: FromWorker[] = [];
  const session = (): PageSession => received.reduce(nextSession, closedSession);
  const shown = { ...defaultView, ...view, period: lastDays(30, systemClock.nowMs()) };
  const options = { baseUrl: "http://service", key, fetch, clock: systemClock };
  const worker = createSession({ ...options, send: (message) => received.push(message) }, shown);
  const isRead = (page: PageName) =>
    session().phase !== "opening" &&
    pages[page].shows.every((name) => !/unread|loading/.test(session().sections[name].state.status));
  // An agentic key is refused at the gate.
  await expect.poll(() => received.length > 0).toBe(true);
  const isOpen = session().phase === "open";
  for (const page of isOpen ? pageNames : []) {
    void worker({ type: "show", view: { ...shown, page } });
    await expect.poll(() => isRead(page)).toBe(true);
  }
  await expect
    .poll(() => Object.values(session().sections).some(({ state }) => state.status === "loading"))
    .toBe(false);
  await worker({ type: "search", query: "retries" });
  const sections = Object.entries(session().sections);
  const named = (status: string) =>
    sections.flatMap(([name, { state }]) => (state.status === status ? [name] : []));
  return { refused, requests, isOpen, failed: named("failed"), leftOut: named("left-out") };
}

const everything = ["teams", "reviews", "before", "mcp", "learnings", "pending", "audit", "seats", "seatUse"];

describe("the dashboard sends no request that is refused", () => {
  test("with a key of any kind", async () => {
    const { keys } = await everyKindOfKey(world, "refusals");
    for (const kind of keyKinds)
      expect({ kind, ...(await open(keys[kind])) }).toMatchObject({
        kind,
        refused: [],
        failed: [],
        isOpen: kind !== "agentic",
      });
  });

  test("with a key of an organization that is not on the Enterprise plan", async () => {
    const organization = await world.organization("refusals-pro", { plan: "pro" });
    await world.member(github("refusals-pro"), "u-admin", { role: "cr_admin" });
    const key = await world.key({ kind: "organization", organization, owner: "u-admin", role: "cr_admin" });
    const { refused, leftOut, failed } = await open(key);
    expect([refused, failed]).toEqual([[], []]);
    expect(leftOut).toEqual(expect.arrayContaining(everything));
  });

  test("with a key of an organization that sends no metrics", async () => {
    const organization = await world.organization("refusals-dark", { metrics: "unavailable" });
    await world.member(github("refusals-dark"), "u-admin", { role: "cr_admin" });
    const key = await world.key({ kind: "organization", organization, owner: "u-admin", role: "cr_admin" });
    const { refused, leftOut, failed } = await open(key);
    expect([refused, failed]).toEqual([[], []]);
    expect(leftOut.toSorted()).toEqual(["before", "mcp", "reviews", "seatUse"]);
  });

  test("in a workspace with such organizations: the others are read, and an unknown one is not asked for", async () => {
    const workspace_id = "refusals-mixed";
    await world.workspace(workspace_id);
    await world.organization("refusals-one", { workspace_id });
    await world.organization("refusals-two", { workspace_id });
    await world.organization("refusals-off", { workspace_id, metrics: "unavailable" });
    await world.organization("refusals-small", { workspace_id, plan: "pro" });
    await world.member(github("refusals-one"), "u-admin", { role: "cr_admin" });
    const token = await world.token(workspace_id);
    const whole = await open(token);
    expect([whole.refused, whole.failed, whole.leftOut]).toEqual([[], [], ["security"]]);
    const reviews = whole.requests.filter((target) => target.startsWith("/v1/metrics/reviews"));
    expect(new Set(reviews.map((target) => /org_id=[^&]*/.exec(target)?.[0]))).toEqual(
      new Set(["org_id=github%3Arefusals-one", "org_id=github%3Arefusals-two"]),
    );
    for (const chosen of ["refusals-off", "refusals-small", "unknown"])
      expect((await open(token, { organizations: [`github:${chosen}`] })).refused).toEqual([]);
  });
});
