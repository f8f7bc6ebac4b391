import { describe, expect, test, vi } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { ReviewApiError } from "../../lib/client/error.ts";

type Sent = { url: string; method: string | undefined; headers: Headers; body: string | undefined };

/** A service that answers from a list, and remembers what it was sent. */
function service(answers: ReadonlyArray<() => Response | Promise<Response>>) {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push({
      url: String(input),
      method: init?.method,
      headers: new Headers(init?.headers),
      body: init?.body === undefined ? undefined : String(init.body),
    });
    const answer = answers[sent.length - 1];
    if (!answer) throw new Error("The test has no further answer.");
    return await answer();
  };
  const client = createClient({ baseUrl: "https://api.example.com/", key: "fake-key", fetch });
  return { client, sent };
}
const json =
  (body: object, init: ResponseInit = {}) =>
  () =>
    Response.json(body, init);
const page = (ids: string[], next_cursor: string | null, headers = {}) =>
  json({ data: ids.map((id) => ({ id })), next_cursor }, { headers });

describe("the client", () => {
  test("fills paths, queries and bodies, and sends the key in its header", async () => {
    const { client, sent } = service([
      json({ repositories: [], next_cursor: null }),
      json({ status: "success", succeeded: ["a"], failed: [] }),
    ]);
    await client.listRepositories({ path: { organization_id: "x/y" }, query: { limit: 5 } });
    await client.assignSeats({ body: { action: "assign", user_ids: ["a"] } });
    expect(sent[0]).toMatchObject({
      url: "https://api.example.com/v1/organizations/x%2Fy/repositories?limit=5",
      method: "GET",
    });
    expect(sent[0]?.headers.get("x-service-api-key")).toBe("fake-key");
    expect(sent[1]).toMatchObject({ method: "POST", body: '{"action":"assign","user_ids":["a"]}' });
  });

  test("walks every page, short and empty ones too, and gives the resume cursor at the end", async () => {
    const { client, sent } = service([
      page(["a", "b"], "c1"),
      page([], "c2"),
      page(["c"], null, { "x-resume-cursor": "later" }),
    ]);
    const seen: string[] = [];
    let resume: string | null = null;
    for await (const { body, resumeCursor } of client.pages("listAuditLogs", { query: { order: "asc" } })) {
      seen.push(...body.data.map(({ id }) => id));
      resume = resumeCursor;
    }
    expect([seen, resume]).toEqual([["a", "b", "c"], "later"]);
    expect(sent.map(({ url }) => new URL(url).searchParams.get("cursor"))).toEqual([null, "c1", "c2"]);
    expect(sent.every(({ url }) => new URL(url).searchParams.get("order") === "asc")).toBe(true);
  });

  test("waits as long as Retry-After says on 429 and 503, then goes on", async () => {
    vi.useFakeTimers();
    const refused = (status: number, seconds: string) =>
      json(
        { error: { code: "RATE_LIMIT_EXCEEDED", message: "Wait." } },
        { status, headers: { "retry-after": seconds } },
      );
    const { client, sent } = service([
      refused(429, "7"),
      refused(503, "2"),
      json({ organizations: [], next_cursor: null }),
    ]);
    const call = client.listOrganizations({});
    await vi.advanceTimersByTimeAsync(6_999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await call).body).toEqual({ organizations: [], next_cursor: null });
    vi.useRealTimers();
  });

  test("sends a read again when the connection broke, a write never by itself", async () => {
    const broken = () => Promise.reject(new TypeError("fetch failed"));
    const read = service([broken, json({ organizations: [], next_cursor: null })]);
    expect((await read.client.listOrganizations({})).status).toBe(200);
    const write = service([broken]);
    await expect(write.client.assignSeats({ body: { action: "assign" } })).rejects.toBeInstanceOf(TypeError);
    expect(write.sent).toHaveLength(1);
  });

  test("gives both error shapes, and what is no shape at all, as one class", async () => {
    const one = json(
      { error: { code: "NOT_ADMIN", message: "No." } },
      { status: 403, headers: { "x-request-id": "r1" } },
    );
    const several = json(
      {
        errors: [
          { code: "A", message: "a" },
          { code: "B", message: "b" },
        ],
      },
      { status: 400 },
    );
    const foreign = () => new Response("<html>", { status: 502 });
    const { client } = service([one, several, foreign]);
    const fail = () => client.listUsers({}).catch((error: unknown) => error);
    expect(await fail()).toMatchObject({ status: 403, code: "NOT_ADMIN", message: "No.", requestId: "r1" });
    expect(await fail()).toMatchObject({ code: "A", problems: [{ code: "A" }, { code: "B" }] });
    const last = await fail();
    expect(last).toBeInstanceOf(ReviewApiError);
    expect(last).toMatchObject({ status: 502, code: "UNKNOWN", problems: [] });
  });

  test("stops waiting when it is aborted", async () => {
    const { client } = service([
      json({ error: { code: "X", message: "x" } }, { status: 429, headers: { "retry-after": "60" } }),
    ]);
    const controller = new AbortController();
    const call = client.listOrganizations({}, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(call).rejects.toThrow("enough");
  });

  test("takes an empty answer", async () => {
    const { client } = service([() => new Response(null, { status: 204 })]);
    expect(await client.deleteRole({ path: { role_id: "r" } })).toMatchObject({
      status: 204,
      body: undefined,
    });
  });
});
