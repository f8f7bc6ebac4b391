import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createClient, ReviewApiError } from "../../lib/client/client.ts";
import { listening } from "../support/listening.ts";

afterEach(() => {
  vi.useRealTimers();
});

type Sent = { url: string; method: string | undefined; headers: Headers; body: string | undefined };

/** A service that answers from a list and records the requests. */
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

/** A service that answers the first page and never the second: the second request can only be aborted. */
function stuckService() {
  let givenUp = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (!String(input).includes("cursor="))
      return Response.json({ data: [], next_cursor: "c1" }, { headers: { "x-next-cursor": "c1" } });
    return await new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => {
        givenUp++;
        reject(init.signal?.reason);
      });
    });
  };
  const client = createClient({ baseUrl: "https://api.example.com", key: "fake-key", fetch });
  return { client, givenUp: () => givenUp };
}

const json =
  (body: object, init: ResponseInit = {}) =>
  () =>
    Response.json(body, init);
const page = (ids: string[], next_cursor: string | null, headers = {}) =>
  json({ data: ids.map((id) => ({ id })), next_cursor }, { headers });

describe("the client", () => {
  test("the client fills paths, queries and bodies, and sends the key in its header", async () => {
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

  test("the client requests the next page as soon as the headers name it, and at most one page ahead", async () => {
    const named = (ids: string[], next: string) => page(ids, next, { "x-next-cursor": next });
    const answers = [named(["a"], "c1"), named(["b"], "c2"), named(["c"], "c3"), page(["d"], null)];
    const { client, sent } = service(answers);
    const walk = client.pages("listAuditLogs");
    expect((await walk.next()).value?.body.data).toEqual([{ id: "a" }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent.map(({ url }) => new URL(url).searchParams.get("cursor"))).toEqual([null, "c1"]);
    expect((await walk.next()).value?.body.data).toEqual([{ id: "b" }]);
    expect(sent.at(-1)?.url).toContain("cursor=c2");
    await walk.return(undefined);
    expect(sent).toHaveLength(3);
  });

  test("a page that a retry returned decides where the walk goes on, not the headers of the first try", async () => {
    const records = ["1", "2", "3", "4", "5"];
    let first = true;
    const asked: Array<string | null> = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      const cursor = new URL(String(input)).searchParams.get("cursor");
      asked.push(cursor);
      const size = first ? 4 : 2;
      const begin = Number(cursor ?? 0);
      const end = Math.min(begin + size, records.length);
      const next = end < records.length ? String(end) : null;
      const answer = page(records.slice(begin, end), next, next ? { "x-next-cursor": next } : {})();
      if (!first) return answer;
      first = false;
      const broken = new ReadableStream({ pull: (stream) => stream.error(new TypeError("terminated")) });
      return new Response(broken, { headers: answer.headers });
    };
    const client = createClient({ baseUrl: "https://api.example.com", key: "fake-key", fetch });
    const seen: string[] = [];
    for await (const { body } of client.pages("listAuditLogs")) seen.push(...body.data.map(({ id }) => id));
    expect(seen).toEqual(records);
    expect(asked).toEqual([null, "4", null, "2", "4"]);
  });

  test("the client aborts the page ahead when the walk stops, and reports its failure only in its turn", async () => {
    const { client, givenUp } = stuckService();
    for await (const _ of client.pages("listAuditLogs")) break;
    expect(givenUp()).toBe(1);

    const refused = service([
      page(["a"], "c1", { "x-next-cursor": "c1" }),
      json({ error: { code: "INVALID_CURSOR", message: "Begin again." } }, { status: 400 }),
    ]);
    const walk = refused.client.pages("listAuditLogs");
    expect((await walk.next()).value?.body.data).toEqual([{ id: "a" }]);
    await expect(walk.next()).rejects.toMatchObject({ code: "INVALID_CURSOR" });
  });

  test("the client walks every page, also short and empty ones, and returns the resume cursor at the end", async () => {
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

  test("the client repeats what takes an idempotency key with the same one, also after a lost answer", async () => {
    vi.useFakeTimers();
    const made = json({ id: "w1", secret: "whsec_x" }, { status: 201 });
    const { client, sent } = service([
      () => new Response("", { status: 503, headers: { "retry-after": "1" } }),
      () => Promise.reject(new TypeError("fetch failed")),
      made,
      made,
      made,
      made,
    ]);
    const keyOf = ({ body }: Sent) => String(JSON.parse(body ?? "{}").idempotency_key);
    const create = client.createWebhook({ body: { url: "https://a.example", types: ["learnings"] } });
    await vi.runAllTimersAsync();
    expect((await create).body.id).toBe("w1");
    const [first = ""] = sent.map(keyOf);
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(sent.map(keyOf)).toEqual([first, first, first]);
    const path = { webhook_id: "w1" };
    await client.rotateWebhook({ path });
    await client.rotateWebhook({ path, body: { org_id: "1001", idempotency_key: undefined } });
    expect(new Set(sent.map(keyOf)).size).toBe(3);
    const own = "0d5e1c52-0000-4000-8000-00000000abcd";
    await client.rotateWebhook({ path, body: { idempotency_key: own } });
    expect(sent.slice(4).map(({ body }) => JSON.parse(body ?? ""))).toEqual([
      { org_id: "1001", idempotency_key: expect.any(String) },
      { idempotency_key: own },
    ]);
  });

  test("the client waits as long as Retry-After says on 429 and 503, then continues", async () => {
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
  });

  test("the client retries a read when the connection breaks, and no write without an idempotency key", async () => {
    const broken = () => Promise.reject(new TypeError("fetch failed"));
    const read = service([broken, json({ organizations: [], next_cursor: null })]);
    expect((await read.client.listOrganizations({})).status).toBe(200);
    const write = service([broken]);
    await expect(write.client.assignSeats({ body: { action: "assign" } })).rejects.toBeInstanceOf(TypeError);
    expect(write.sent).toHaveLength(1);
  });

  test("the client returns both error shapes, and any other error body, as one class", async () => {
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
    const foreign = () => new Response("<html>", { status: 500 });
    const { client } = service([one, several, foreign]);
    const fail = () => client.listUsers({}).catch((error: unknown) => error);
    expect(await fail()).toMatchObject({ status: 403, code: "NOT_ADMIN", message: "No.", requestId: "r1" });
    expect(await fail()).toMatchObject({ code: "A", problems: [{ code: "A" }, { code: "B" }] });
    const last = await fail();
    expect(last).toBeInstanceOf(ReviewApiError);
    expect(last).toMatchObject({ status: 500, code: "UNKNOWN", problems: [] });
  });

  test.each([
    ["the gateway's own", () => Response.json({ message: "Forbidden" }, { status: 403 })],
    ["JSON that is no object", () => Response.json("Forbidden", { status: 403 })],
    ["JSON that is nothing", () => Response.json(null, { status: 403 })],
  ])("an error of another shape has an empty list of problems: %s", async (_, answer) => {
    const { client } = service([answer]);
    await expect(client.listUsers({})).rejects.toMatchObject({
      status: 403,
      code: "UNKNOWN",
      message: "The service responded with 403.",
      problems: [],
    });
  });

  test.each([{}, { "retry-after": "soon" }])(
    "the client waits a second if the answer does not say how long: %j",
    async (headers) => {
      vi.useFakeTimers();
      const { client, sent } = service([
        () => new Response("", { status: 503, headers }),
        json({ organizations: [], next_cursor: null }),
      ]);
      const call = client.listOrganizations();
      await vi.advanceTimersByTimeAsync(999);
      expect(sent).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      expect((await call).status).toBe(200);
    },
  );

  test("the client ends a walk when it is aborted, even while the next page is being fetched", async () => {
    const controller = new AbortController();
    const { client, givenUp } = stuckService();
    const walk = client.pages("listAuditLogs", {}, { signal: controller.signal });
    expect((await walk.next()).value?.body.data).toEqual([]);
    const next = walk.next();
    controller.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
    expect(givenUp()).toBe(1);
  });

  test("the client stops waiting when it is aborted", async () => {
    const { client } = service([
      json({ error: { code: "X", message: "x" } }, { status: 429, headers: { "retry-after": "60" } }),
    ]);
    const controller = new AbortController();
    const call = client.listOrganizations({}, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(call).rejects.toThrow("enough");
  });

  test.each<[string, Record<string, string>, () => string]>([
    [
      "by the clock of the answer",
      { date: "Sun, 14 Jun 2026 10:00:00 GMT" },
      () => "Sun, 14 Jun 2026 10:01:00 GMT",
    ],
    ["by the own clock where the answer has none", {}, () => new Date(Date.now() + 60_000).toUTCString()],
  ])("the client waits until the date in Retry-After, %s", async (_, date, after) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const headers = { ...date, "retry-after": after() };
    const { client, sent } = service([
      () => new Response("", { status: 503, headers }),
      json({ organizations: [], next_cursor: null }),
    ]);
    const call = client.listOrganizations();
    // The client's own clock continues to run while a busy machine gets here.
    await vi.advanceTimersByTimeAsync(30_000);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(31_000);
    expect((await call).status).toBe(200);
  });

  test("the client leaves a wait that is too long to the caller, and reports how long it is", async () => {
    const { client, sent } = service([
      json(
        { error: { code: "RATE_LIMIT_EXCEEDED", message: "Wait." } },
        { status: 429, headers: { "retry-after": "121" } },
      ),
    ]);
    await expect(client.listOrganizations()).rejects.toMatchObject({ retryAfterSeconds: 121 });
    expect(sent).toHaveLength(1);
  });

  test("the client starts at a stored cursor and continues from there", async () => {
    const { client, sent } = service([page(["d"], null, { "x-resume-cursor": "even later" })]);
    const walk = client.pages("listLearnings", { query: { cursor: "later", limit: 10 } });
    expect((await walk.next()).value).toMatchObject({ resumeCursor: "even later", status: 200 });
    expect((await walk.next()).done).toBe(true);
    expect(sent[0]?.url).toBe("https://api.example.com/v1/learnings?cursor=later&limit=10");
  });

  test("the client returns other formats unchanged, and reports them if JSON was expected", async () => {
    const csv = () => new Response("id\r\n1\r\n", { headers: { "content-type": "text/csv; charset=utf-8" } });
    const { client } = service([csv, csv]);
    const response = await client.raw("listLearnings", { query: { format: "csv" } });
    expect(await response.text()).toBe("id\r\n1\r\n");
    await expect(client.listLearnings({ query: { format: "csv" } })).rejects.toThrow(/raw\(\)/);
  });

  test("the client reports an answer that is not JSON, even without a content type", async () => {
    const { client } = service([() => new Response(Buffer.from("<html>"))]);
    await expect(client.listLearnings()).rejects.toThrow(
      new Error("The service responded with something else; raw() is for what is not JSON."),
    );
  });

  test("the client sends a list as a repeated parameter, and omits undefined values", async () => {
    const { client, sent } = service([page([], null)]);
    await client.listLearnings({ query: { file: ["a.ts", "b c.ts"], search: undefined } });
    expect(sent[0]?.url).toBe("https://api.example.com/v1/learnings?file=a.ts&file=b+c.ts");
  });

  test.each([{}, { role_id: "" }])(
    "the client sends nothing if a path parameter is missing: %j",
    async (path) => {
      const { client, sent } = service([]);
      // A caller without types may do this.
      const call = client.getRole({ path } as Parameters<typeof client.getRole>[0]);
      await expect(call).rejects.toThrow("The path needs role_id.");
      expect(sent).toEqual([]);
    },
  );

  test.each([".", ".."])("the client sends nothing to another operation's address: %s", async (role_id) => {
    const { client, sent } = service([]);
    await expect(client.deleteRole({ path: { role_id } })).rejects.toThrow(
      `The path cannot have the role_id ${role_id}.`,
    );
    expect(sent).toEqual([]);
  });

  test.each(["k3y-\nbreak", "k3y-\r\nbreak", "k3y-ü", "k3y-€", "k3y-\0"])(
    "the client sends no key that a header cannot carry, and does not repeat it in the error: %j",
    async (key) => {
      const fetch = vi.fn<typeof globalThis.fetch>();
      const error = await createClient({ baseUrl: "https://api.example.com", key, fetch })
        .whoami()
        .catch(String);
      expect(error).toContain("The key has a line break or another character that no key has.");
      expect(error).not.toContain("k3y-");
      expect(fetch).not.toHaveBeenCalled();
    },
  );

  test("the client takes a key with a line break at its end, as files have it", async () => {
    const { url, close } = await listening((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    await createClient({ baseUrl: url, key: "fake-key\n" }).whoami().finally(close);
  });

  test("the client does not repeat a password of the address in an error", async () => {
    const baseUrl = "https://ada:lovelace@api.example.com";
    const error = await createClient({ baseUrl, key: "fake-key" }).whoami().catch(String);
    expect(error).toContain("baseUrl must not have a user name or a password.");
    expect(error).not.toContain("lovelace");
  });

  test.each([502, 504])(
    "the client retries a read that a proxy answers with %i, and no write",
    async (status) => {
      vi.useFakeTimers();
      const refused = () => new Response("<h1>Bad gateway</h1>", { status });
      const read = service([refused, refused, json({ organizations: [], next_cursor: null })]);
      const call = read.client.listOrganizations({});
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await call).status).toBe(200);
      const write = service([refused]);
      await expect(write.client.assignSeats({ body: { action: "assign" } })).rejects.toMatchObject({
        status,
      });
      expect(write.sent).toHaveLength(1);
    },
  );

  test("an empty answer in the middle of a walk is read again, and never ends the walk", async () => {
    vi.useFakeTimers();
    const empty = () => new Response("", { headers: { "content-type": "application/json" } });
    const once = service([page(["a"], "c1"), empty, page(["b"], null)]);
    const walked = Array.fromAsync(once.client.pages("listAuditLogs"), ({ body }) => body.data);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await walked).toEqual([[{ id: "a" }], [{ id: "b" }]]);
    const always = service([page(["a"], "c1"), empty, empty, empty, empty, empty]);
    const broken = Array.fromAsync(always.client.pages("listAuditLogs")).catch(String);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await broken).toBe("TypeError: The service responded with 200 and no body.");
  });

  test.each([{}, { data: [] }, { next_cursor: 1 }])(
    "an answer that is no page is an error, not the end of the walk: %j",
    async (body) => {
      const { client } = service([json(body)]);
      await expect(Array.fromAsync(client.pages("listAuditLogs"))).rejects.toThrow(
        "The response is no page of the API: it has no next_cursor.",
      );
    },
  );

  test("the client accepts an empty answer", async () => {
    const { client } = service([() => new Response(null, { status: 204 })]);
    expect(await client.deleteRole({ path: { role_id: "r" } })).toMatchObject({
      status: 204,
      body: undefined,
    });
  });
});

/** A server that breaks off after the first half of its first answers, or never ends them. */
async function halfServer(halves: number, ending: "broken" | "open") {
  const body = JSON.stringify({ organizations: [], next_cursor: null });
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    if (asked > halves) {
      response.end(body);
      return;
    }
    response.write(body.slice(0, 10), () => ending === "broken" && response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, key: "fake-key", attemptsMax: 3 });
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { client, asked: () => asked, close };
}

test("the client follows no redirect: the key reaches only the address that the caller chose", async () => {
  const keys: unknown[] = [];
  const other = await listening((request, response) => {
    keys.push(request.headers["x-service-api-key"]);
    response.setHeader("content-type", "application/json").end('{"data":[],"next_cursor":null}');
  });
  const chosen = await listening((request, response) =>
    response.writeHead(307, { location: `${other.url}${request.url}` }).end(),
  );
  const client = createClient({ baseUrl: chosen.url, key: "fake-key", attemptsMax: 1 });
  await expect(client.whoami()).rejects.toThrow();
  await expect(client.raw("listLearnings")).rejects.toThrow();
  await expect(client.assignSeats({ body: { action: "assign" } })).rejects.toThrow();
  await expect(client.pages("listAuditLogs").next()).rejects.toThrow();
  expect(keys).toEqual([]);
  other.close();
  chosen.close();
});

describe("a connection that breaks in the middle of a body", () => {
  test("a connection that breaks in the middle of a body is opened again for a read, and never for a write", async () => {
    const { client, asked, close } = await halfServer(2, "broken");
    await expect(client.assignSeats({ body: { action: "assign" } })).rejects.toBeInstanceOf(TypeError);
    expect(asked()).toBe(1);
    expect((await client.listOrganizations()).body).toEqual({ organizations: [], next_cursor: null });
    expect(asked()).toBe(3);
    close();
  });

  test("a connection that always breaks inside a body is an error after the allowed number of attempts", async () => {
    const { client, asked, close } = await halfServer(9, "broken");
    await expect(client.listOrganizations()).rejects.toBeInstanceOf(TypeError);
    expect(asked()).toBe(3);
    close();
  });

  test("a body that does not end is abandoned when the caller aborts, and not requested again", async () => {
    const { client, asked, close } = await halfServer(1, "open");
    const controller = new AbortController();
    const abandoned = expect(client.listOrganizations({}, { signal: controller.signal })).rejects.toThrow(
      "enough",
    );
    await expect.poll(asked).toBe(1);
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await abandoned;
    expect(asked()).toBe(1);
    close();
  });
});
