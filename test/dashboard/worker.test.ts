import { describe, expect, test } from "vitest";
import { pages } from "../../dashboard/pages.ts";
import type { FromWorker, KeyIdentity, WaitingNotice } from "../../dashboard/protocol.ts";
import { closedSession, nextSession } from "../../dashboard/session.ts";
import { defaultView, type PageName, pageNames } from "../../dashboard/view.ts";
import { rateLimitedFetch } from "../../dashboard/worker/pace.ts";
import { narrowingOf } from "../../dashboard/worker/read.ts";
import { refusalOf } from "../../dashboard/worker/refusal.ts";
import { createSession } from "../../dashboard/worker/session.ts";
import { keyKinds, systemRoles } from "../../lib/contract/access.ts";
import { leftOutSentence } from "../../lib/report/left-out.ts";
import { TestClock } from "../support/clock.ts";

const url = "http://service";

describe("the pace", () => {
  const limited = (policy: string, remaining = "1") => ({
    "ratelimit-policy": `"metrics";${policy}`,
    ratelimit: `"metrics";r=${remaining};t=40`,
  });

  /** Sends this many at once and returns when each arrived at the service. */
  async function arrivals(count: number, headers: Record<string, string> = {}, paths = ["reviews", "mcp"]) {
    const clock = new TestClock();
    const startMs = clock.nowMs();
    const arrived: number[] = [];
    const waits: WaitingNotice[] = [];
    const fetch = rateLimitedFetch(
      async () => {
        // Slow on the way, and slow to answer.
        clock.advance(300);
        arrived.push(clock.nowMs() - startMs);
        clock.advance(200);
        return new Response("{}", { headers });
      },
      clock,
      (_, waiting) => waiting && waits.push(waiting),
    );
    const send = (index: number) => fetch(`${url}/live/v1/metrics/${paths[index % paths.length]}?limit=1`);
    await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
    return { arrived, waits };
  }

  const mostIn = (windowMs: number, arrived: readonly number[]) =>
    Math.max(...arrived.map((from) => arrived.filter((at) => at >= from && at < from + windowMs).length));

  test("the pace is never more than half of the limit in any window, over all operations of a bucket", async () => {
    const { arrived, waits } = await arrivals(100);
    expect(mostIn(60_000, arrived)).toBe(30);
    expect(waits[0]).toMatchObject({ reason: "half" });
    // And not slower than necessary: 100 requests need three pauses.
    expect(arrived.at(-1)).toBeLessThan(4 * 61_000);
  });

  test("the pace follows the service's own headers if they differ", async () => {
    const { arrived } = await arrivals(12, limited("q=8;w=10"));
    expect(mostIn(10_000, arrived)).toBe(4);
  });

  test("the pace waits if others have used up the window, instead of being refused", async () => {
    const { arrived, waits } = await arrivals(2, limited("q=60;w=60", "0"));
    expect((arrived[1] ?? 0) - (arrived[0] ?? 0)).toBeGreaterThanOrEqual(40_000);
    expect(waits[0]).toEqual({ reason: "asked", seconds: 40 });
  });

  test("the pace of one bucket does not hold up another", async () => {
    const clock = new TestClock();
    const fetch = rateLimitedFetch(
      async () => new Response("{}"),
      clock,
      () => undefined,
    );
    const startMs = clock.nowMs();
    for (let index = 0; index < 30; index++) await fetch(`${url}/v1/metrics/mcp`);
    for (let index = 0; index < 30; index++) await fetch(`${url}/v1/audit-logs`);
    expect(clock.nowMs()).toBe(startMs);
  });
});

const organization: KeyIdentity["scope"]["organizations"][number] = {
  id: "u",
  name: "acme",
  provider: "github",
  provider_organization_id: "1",
  plan: "enterprise",
  metrics: "ready",
};
const identity = (kind: KeyIdentity["key"]["kind"], more: Partial<KeyIdentity> = {}): KeyIdentity => ({
  key: { id: "k", kind, name: null, expires_at: null, value_until: null, only: null, made_by: null },
  scope: { tenant: "organization", tenant_id: "1", home: null, organizations: [organization] },
  user_id: null,
  role: "cr_admin",
  permissions: [...systemRoles.cr_admin.permissions],
  ...more,
});

describe("data that the page does not request", () => {
  test("a narrow key reads what its list allows; the rest is left out without a sentence of its own", () => {
    const key = { ...identity("organization").key, only: ["metrics:read", "people:write"] };
    const narrow = identity("organization", { key });
    for (const name of ["listReviewMetrics", "listMcpMetrics", "listUsers"] as const)
      expect(refusalOf(narrow, name)).toBeNull();
    for (const name of ["listLearnings", "listTeams", "listAuditLogs", "listWebhooks"] as const)
      expect(refusalOf(narrow, name)).toBe("");
  });

  test("the page does not request what the contract refuses to the kind of key, the role or the permissions", () => {
    expect(refusalOf(identity("organization"), "listSecurityFindings")).toBeNull();
    expect(refusalOf(identity("workspace"), "listSecurityFindings")).toMatch(
      /^Keys of kind workspace cannot/,
    );
    expect(refusalOf(identity("user", { permissions: [] }), "listSecurityFindings")).toContain(
      "security:read",
    );
    expect(refusalOf(identity("user", { role: "cr_member" }), "listUsers")).toContain("Admin role");
    expect(refusalOf(identity("user", { permissions: [] }), "listLearnings")).toContain("learning:read");
    expect(refusalOf(identity("organization", { permissions: [] }), "listLearnings")).toBeNull();
  });

  test("pending Learnings need an admin, and legacy keys never see them", () => {
    const pending = (who: KeyIdentity) => refusalOf(who, "listLearnings", "state=pending");
    expect(pending(identity("organization"))).toBeNull();
    // Both sentences name the same need.
    expect(pending(identity("user", { role: "cr_member" }))).toBe(
      "It needs a key with the Admin role (cr_admin).",
    );
    expect(pending(identity("legacy", { role: null }))).toBe(
      "Keys of kind legacy cannot read it. Keys of kind organization, user, workspace, instance can, with the Admin role (cr_admin).",
    );
  });

  test("an organization that the figures leave out is named, with the reason", () => {
    const named = (name: string, more: Partial<typeof organization>) => ({ ...organization, name, ...more });
    expect(leftOutSentence([organization])).toBeNull();
    expect(
      leftOutSentence([
        organization,
        named("small", { plan: "pro" }),
        named("dark", { metrics: "unavailable" }),
        named("new", { metrics: "preparing" }),
      ]),
    ).toBe(
      "Not in these figures: small (on the plan pro; figures need enterprise), dark (it sends no metrics), " +
        "new (its metrics are being prepared).",
    );
  });

  test("with an agentic key the page requests only whoami", () => {
    for (const name of ["listReviewMetrics", "listMcpMetrics", "listLearnings", "listUsers"] as const)
      expect(refusalOf(identity("agentic"), name)).toMatch(/^Keys of kind agentic/);
    for (const kind of keyKinds) expect(refusalOf(identity(kind), "whoami")).toBeNull();
  });
});

test("the API narrows a scope where it can; elsewhere the page reads all of it", () => {
  const one = ["github:1"];
  const organizations = ["1", "2"].map((id) => ({ ...organization, provider_organization_id: id }));
  const scope = { tenant: "instance", tenant_id: "i", home: null, organizations } as const;
  const all = { filter: {}, organizations: [organization], isWhole: true };
  expect(narrowingOf(identity("workspace"), one)).toEqual({
    filter: { org_id: "github:1" },
    organizations: [organization],
    isWhole: false,
  });
  expect(narrowingOf(identity("workspace"), ["github:1", "gitlab:2"])).toEqual(all);
  expect(
    narrowingOf(identity("instance", { scope: { ...scope, organizations: [...organizations] } }), [
      "github:1",
      "github:2",
      "github:3",
    ]),
  ).toEqual({
    filter: { organization_ids: "1,2" },
    organizations,
    isWhole: false,
  });
  expect(
    narrowingOf(
      identity("instance"),
      Array.from({ length: 11 }, (_, id) => `github:${id}`),
    ).isWhole,
  ).toBe(true);
  expect(narrowingOf(identity("organization"), one)).toEqual(all);
});

describe("a search of Learnings", () => {
  const period = { start_date: "2026-03-01", end_date: "2026-03-02" };
  const noView = { ...defaultView, period };

  /** A session whose service answers every search with the query that it got. */
  async function searching(who: KeyIdentity, answer: (body: unknown) => Response) {
    const received: FromWorker[] = [];
    const sent: unknown[] = [];
    const fetch = async (target: string | URL | Request, init?: RequestInit) => {
      if (String(target).includes("/v1/whoami")) return Response.json(who);
      if (!String(target).endsWith("/v1/learnings/search"))
        return Response.json({ error: { code: "NOT_FOUND", message: "No." } }, { status: 404 });
      sent.push(JSON.parse(String(init?.body)));
      return answer(sent.at(-1));
    };
    const send = (message: FromWorker) => received.push(message);
    const worker = createSession({ baseUrl: url, key: "k", fetch, clock: new TestClock(), send }, noView);
    await expect.poll(() => received.some(({ type }) => type === "identity")).toBe(true);
    return { worker, sent, search: () => received.reduce(nextSession, closedSession).search };
  }

  test("a search shows what was found, in the chosen organization and repository", async () => {
    const found = [{ learning: { id: "1" }, score: 0.5, matched: "text" }];
    const { worker, sent, search } = await searching(identity("workspace"), () =>
      Response.json({ data: found }),
    );
    await worker({ type: "search", query: "retry" });
    expect(search()).toEqual({ status: "found", results: found });
    void worker({ type: "show", view: { ...noView, repositories: ["github:1/9"] } });
    await worker({ type: "search", query: "retry again" });
    expect(sent).toEqual([
      { query: "retry" },
      { query: "retry again", org_id: "github:1", repository_id: "9" },
    ]);
  });

  test("a refused search shows the service's sentence; a key that may not search sends no request", async () => {
    const errors = [{ code: "INVALID_REQUEST", message: "The search would cover 21 organizations." }];
    const wide = await searching(identity("instance"), () => Response.json({ errors }, { status: 400 }));
    await wide.worker({ type: "search", query: "retry" });
    expect(wide.search()).toEqual({ status: "failed", sentence: errors[0]?.message });
    const legacy = await searching(identity("legacy"), () => Response.json({ data: [] }));
    await legacy.worker({ type: "search", query: "retry" });
    expect(legacy.search()).toMatchObject({ status: "failed" });
    expect(legacy.sent).toEqual([]);
  });
});

test("after a 401 during the session nothing more is sent to the page, and the page closes the session", async () => {
  const received: FromWorker[] = [];
  const fetch = async (target: string | URL | Request) =>
    String(target).includes("/v1/whoami")
      ? Response.json(identity("organization"))
      : Response.json({ error: { code: "UNAUTHORIZED", message: "No." } }, { status: 401 });
  const period = { start_date: "2026-03-01", end_date: "2026-03-02" };
  createSession(
    { baseUrl: url, key: "k", fetch, clock: new TestClock(), send: (message) => received.push(message) },
    { ...defaultView, period },
  );
  await expect.poll(() => received.at(-1)?.type).toBe("refused");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(received.filter(({ type }) => type === "refused")).toHaveLength(1);
  expect(received.at(-1)?.type).toBe("refused");
  const session = received.reduce(nextSession, closedSession);
  expect([session.phase, session.identity]).toEqual(["closed", null]);
  expect(session.notice).toContain("refuses this key");
});

test("a refresh without an answer keeps the session and its figures, and says so until one works", async () => {
  const received: FromWorker[] = [];
  let isDown = false;
  const fetch = async (target: string | URL | Request) => {
    if (isDown) return Response.json({ error: { code: "GONE", message: "Not now." } }, { status: 410 });
    return String(target).includes("/v1/whoami")
      ? Response.json(identity("legacy"))
      : Response.json({ error: { code: "NOT_FOUND", message: "No." } }, { status: 404 });
  };
  const period = { start_date: "2026-03-01", end_date: "2026-03-02" };
  const view = { ...defaultView, period };
  const worker = createSession(
    { baseUrl: url, key: "k", fetch, clock: new TestClock(), send: (message) => received.push(message) },
    view,
  );
  await expect.poll(() => received.at(-1)?.type).toBe("section");
  const before = received.reduce(nextSession, closedSession);
  isDown = true;
  void worker({ type: "reload", view });
  await expect.poll(() => received.at(-1)?.type).toBe("not-refreshed");
  const kept = received.reduce(nextSession, closedSession);
  const notice = "These figures were not refreshed: Not now.";
  expect(kept).toEqual({ ...before, notice, announcement: notice });
  isDown = false;
  void worker({ type: "reload", view });
  await expect.poll(() => received.reduce(nextSession, closedSession).notice).toBeNull();
});

describe("pages", () => {
  const period = { start_date: "2026-03-01", end_date: "2026-03-02" };

  /** The paths that a session asks for, page after page. */
  async function asked(who: KeyIdentity, names: readonly PageName[]) {
    const paths: string[] = [];
    const received: FromWorker[] = [];
    const fetch = async (target: string | URL | Request) => {
      const { pathname } = new URL(String(target));
      paths.push(pathname.replace("/v1/", ""));
      if (pathname === "/v1/whoami") return Response.json(who);
      const empty = { data: [], teams: [], users: [], keys: [], next_cursor: null };
      return Response.json({ ...empty, seats_purchased: 0, seats_assigned: 0 });
    };
    const send = (message: FromWorker) => received.push(message);
    const view = { ...defaultView, period };
    const worker = createSession({ baseUrl: url, key: "k", fetch, clock: new TestClock(), send }, view);
    const session = () => received.reduce(nextSession, closedSession);
    const ofPage: string[][] = [];
    for (const page of names) {
      void worker({ type: "show", view: { ...view, page } });
      await expect.poll(() => session().phase !== "closed" || session().notice !== null).toBe(true);
      await expect
        .poll(() =>
          pages[page].shows.some((name) => /unread|loading/.test(session().sections[name].state.status)),
        )
        .toBe(session().phase === "closed");
      await expect
        .poll(() => Object.values(session().sections).some(({ state }) => state.status === "loading"))
        .toBe(false);
      ofPage.push([...new Set(paths.splice(0))].toSorted());
    }
    return { ofPage, received, session: session() };
  }

  const reviews = ["metrics/review-comments", "metrics/reviews"];

  test("nothing is read before its page is opened, and nothing twice", async () => {
    const { ofPage } = await asked(identity("organization"), [...pageNames, "overview"]);
    expect(ofPage).toEqual([
      [...reviews, "teams", "whoami"],
      [],
      ["learnings", "metrics/mcp"],
      ["audit-logs", "keys", "security/scans/code", "users", "webhooks"],
      [],
    ]);
  });

  test("the first figures come before anything of the period before is asked for", async () => {
    const days: string[] = [];
    const received: FromWorker[] = [];
    const fetch = async (target: string | URL | Request) => {
      const { pathname, searchParams } = new URL(String(target));
      if (pathname === "/v1/whoami") return Response.json(identity("organization"));
      if (pathname === "/v1/teams") return Response.json({ teams: [], next_cursor: null });
      days.push(searchParams.get("end_date") ?? "");
      return Response.json({ data: [], next_cursor: null });
    };
    const asksAtFigures: number[] = [];
    const send = (message: FromWorker) => {
      received.push(message);
      if (message.type === "section" && message.name === "reviews" && message.state.status === "ready")
        asksAtFigures.push(days.filter((day) => day < period.start_date).length);
    };
    createSession(
      { baseUrl: url, key: "k", fetch, clock: new TestClock(), send },
      { ...defaultView, period },
    );
    await expect.poll(() => asksAtFigures.length).toBeGreaterThan(1);
    expect([asksAtFigures[0], asksAtFigures.at(-1)]).toEqual([0, 2]);
  });

  test("the period before is ready last: when the page is no longer busy, every figure is final", async () => {
    const { received } = await asked(identity("organization"), ["overview"]);
    const ready = received.flatMap((message) =>
      message.type === "section" && message.state.status === "ready" ? [message.name] : [],
    );
    expect([ready.slice(0, -1).includes("before"), ready.at(-1)]).toEqual([false, "before"]);
  });

  test("what the key may not read is known on every page, and not asked for", async () => {
    const { ofPage, session } = await asked(identity("legacy", { role: null }), ["overview"]);
    expect(ofPage).toEqual([[...reviews, "whoami"]]);
    const leftOut = Object.entries(session.sections).flatMap(([name, { state }]) =>
      state.status === "left-out" ? [name] : [],
    );
    expect(leftOut.toSorted()).toEqual(
      ["audit", "keys", "pending", "seatUse", "seats", "security", "teams", "webhooks"].toSorted(),
    );
  });

  test("an agentic key is refused at the gate with a sentence, after whoami alone", async () => {
    const { ofPage, session } = await asked(identity("agentic"), ["overview"]);
    expect([ofPage, session.phase]).toEqual([[["whoami"]], "closed"]);
    expect(session.notice).toMatch(/^This is an agentic key/);
  });
});
