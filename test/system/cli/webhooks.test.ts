import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { createClient } from "../../../lib/client/client.ts";
import { callJson, callTool, collect } from "../../cli/support.ts";
import { useEnvironmentOf, useService } from "../../support/service.ts";
import { endTool, firstLine, spawnTool } from "../../support/tool.ts";

const service = useService({ demo: true });
useEnvironmentOf(service);

type Request = { readonly headers: Record<string, string>; readonly body: string };

/** A program on this machine; answers each request with what `status` says then. */
async function program(status: () => number = () => 204) {
  const requests: Request[] = [];
  const url = await serve(async (request, response) => {
    requests.push({
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: await text(request),
    });
    response.writeHead(status()).end("heard");
  });
  return { url: `${url}/rings`, requests };
}

/** A server on this machine, for one test. Returns its address. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ringShape = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });
const verified = (secret: string, { headers, body }: Request) =>
  ringShape.parse(new Webhook(secret).verify(body, headers));

describe("review-api webhooks", () => {
  const webhook = z.looseObject({ id: z.string(), secret: z.string() });

  test("creates, lists, shows, changes, tests, rotates and deletes a webhook", async () => {
    let status = 202;
    const { url, requests } = await program(() => status);
    const create = ["webhooks", "create", "--to", url, "--types", "learnings,metrics.reviews"];
    const { id, secret } = webhook.parse(await callJson(...create, "--description", "For the SIEM"));
    const shown = { id, url, types: ["metrics.reviews", "learnings"], active: true };
    expect(await callJson("webhooks", "list")).toEqual({ webhooks: [expect.objectContaining(shown)] });
    expect((await callTool("webhooks", "list")).stdout).toMatch(/^ID +URL +TYPES +ACTIVE/);
    expect(await callJson("webhooks", "show", id)).toMatchObject({ ...shown, description: "For the SIEM" });
    expect((await callTool("webhooks", "show", id)).stdout).toContain("metrics.reviews, learnings");
    expect(await callJson("webhooks", "test", id)).toEqual({
      status: 202,
      ms: expect.any(Number),
      answer: "heard",
    });
    const rotated = await callTool("webhooks", "rotate", id);
    expect(rotated.stdout).toMatch(/^whsec_\S+$/);
    expect(rotated.stderr).toContain(`the secret of the webhook ${id}. It is shown only once.`);
    expect((await callTool("webhooks", "test", id)).stdout).toContain("202");
    const [, second] = requests;
    for (const each of [secret, rotated.stdout])
      expect(verified(each, second ?? expect.fail("There was no second ping."))).toMatchObject({
        type: "ping",
      });
    status = 401;
    expect(await callTool("webhooks", "test", id)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("401"),
      stderr: "The receiver did not take the delivery: it must respond with a status from 200 to 299.",
    });
    const changed = await callJson("webhooks", "update", id, "--types", "audit_logs", "--off");
    expect(changed).toMatchObject({ types: ["audit_logs"], active: false, description: "For the SIEM", url });
    expect((await callTool("webhooks", "list")).stdout).toMatch(
      / DISABLED REASON .*\n.* false +switched_off /,
    );
    expect(await callJson("webhooks", "update", id, "--on")).toMatchObject({ active: true });
    expect((await callTool("webhooks", "delete", id)).stderr).toBe(`The webhook ${id} is deleted.`);
    expect(await callTool("webhooks", "list")).toMatchObject({ code: 0, stdout: "There are no webhooks." });
    expect(await callTool("webhooks", "show", id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("404 WEBHOOK_NOT_FOUND"),
    });
  });

  test("lists what the service sent within a minute, and the webhook of one organization by --org", {
    timeout: 150_000,
  }, async () => {
    const { url, requests } = await program();
    const create = ["webhooks", "create", "--to", url, "--types", "metrics.reviews", "--org", "1001"];
    const { id, secret } = webhook.parse(await callJson(...create));
    expect(await callTool("webhooks", "deliveries", id, "--org", "1001")).toMatchObject({
      code: 0,
      stdout: "Nothing was sent.",
    });
    expect(await callJson("webhooks", "list")).toEqual({ webhooks: [] });
    await vi.waitUntil(() => requests.length > 0, { timeout: 120_000, interval: 100 });
    expect(verified(secret, requests[0] ?? expect.fail())).toMatchObject({
      type: "metrics.reviews",
      data: { organization_id: "1001", resume: { operation: "listReviewMetrics" } },
    });
    await vi.waitFor(
      async () =>
        expect(await callJson("webhooks", "deliveries", id, "--org", "1001")).toEqual({
          deliveries: [
            {
              id: requests[0]?.headers["webhook-id"],
              type: "metrics.reviews",
              state: "delivered",
              attempts: [expect.objectContaining({ status: 204 })],
              request: {
                headers: expect.objectContaining({ "webhook-id": requests[0]?.headers["webhook-id"] }),
                body: requests[0]?.body,
              },
            },
          ],
        }),
      { timeout: 60_000 },
    );
    await callTool("webhooks", "delete", id, "--org", "1001");
  });

  test.each([
    [
      ["create", "--to", "https://hooks.example.com/", "--types", "reviews"],
      "--types takes metrics.review_comments,",
    ],
    [["update", "w1"], "Nothing to change"],
    [["update", "w1", "--on", "--off"], "--on and --off cannot be used together."],
  ])("%j is refused before anything is sent", async (words, message) => {
    vi.stubEnv("REVIEW_API_URL", "http://127.0.0.1:9");
    const { code, stderr } = await callTool("webhooks", ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test("says which rule an address breaks", async () => {
    const words = ["webhooks", "create", "--to", "https://10.0.0.1/", "--types", "learnings"];
    expect(await callTool(...words)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("url: must not lead to an address that is not public."),
    });
  });
});

describe("review-api listen", () => {
  const listen = (...words: readonly string[]) => {
    const tool = spawnTool(["listen", "--every", "5", ...words]);
    onTestFinished(() => endTool(tool));
    return { tool, said: collect(tool) };
  };

  test("rings once for every type, again until the program answers 2xx, then for every change", {
    timeout: 90_000,
  }, async () => {
    let status = 503;
    const { url, requests } = await program(() => status);
    const { tool, said } = listen("--forward", url);
    const secret = await firstLine(tool);
    const types = ["metrics.review_comments", "metrics.reviews", "metrics.mcp", "learnings", "audit_logs"];
    const typesOf = (sent: readonly Request[]) => sent.map((each) => verified(secret, each).type);
    await vi.waitUntil(() => requests.length === 5, { timeout: 30_000 });
    status = 204;
    await vi.waitUntil(() => requests.length >= 10, { timeout: 30_000 });
    expect(typesOf(requests.slice(0, 10))).toEqual([...types, ...types]);
    const ids = requests.map(({ headers }) => headers["webhook-id"]);
    expect(ids.slice(5, 10)).toEqual(ids.slice(0, 5));
    expect(new Set(ids.slice(0, 5)).size).toBe(5);
    expect(verified(secret, requests[3] ?? expect.fail()).data).toEqual({
      resume: { operation: "listLearnings" },
    });
    const client = createClient({ baseUrl: service().url, key: service().keys.workspace ?? "" });
    await client.createLearnings({
      body: {
        org_id: "1001",
        data: [{ repository_id: "9001", learning: "Name the reason in the commit message." }],
      },
    });
    await vi.waitUntil(() => typesOf(requests.slice(10)).includes("learnings"), { timeout: 30_000 });
    expect(new Set(requests.map(({ headers }) => headers["webhook-id"])).size).toBeGreaterThan(5);
    expect(said().stderr).toContain("learnings: 503\n");
    expect(said().stderr).toContain("learnings: 204\n");
  });

  test("takes a secret and one organization", {
    timeout: 60_000,
  }, async () => {
    const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
    const { url, requests } = await program();
    const { tool } = listen("--forward", url, "--types", "learnings", "--org", "1001", "--secret", secret);
    expect(await firstLine(tool)).toBe(secret);
    await vi.waitUntil(() => requests.length > 0, { timeout: 30_000 });
    expect(verified(secret, requests[0] ?? expect.fail())).toEqual({
      type: "learnings",
      data: { organization_id: "1001", resume: { operation: "listLearnings" } },
    });
  });

  test.each([
    [["--forward", "localhost:3001"], "--forward takes an http or https address"],
    [["--forward", "http://localhost:1", "--types", "keys"], "--types takes metrics.review_comments,"],
    [["--forward", "http://localhost:1", "--secret", "secret"], "--secret takes whsec_, then base64."],
    [["--forward", "http://localhost:1", "--since", "monday"], "--since takes a calendar day"],
    [["--forward", "http://localhost:1", "--every", "1"], "--every takes a whole number from 5"],
  ])("%j is refused", async (words, message) => {
    const { code, stderr } = await callTool("listen", ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  const yesterday = () => new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10);

  test.each([
    [[], "yesterday"],
    [["--since", "2026-01-05"], "2026-01-05"],
  ])("with %j first reads from %s on", async (words, since) => {
    const asked: URLSearchParams[] = [];
    const scope = { key: { kind: "workspace" }, scope: { organizations: [] } };
    const api = await serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
      if (pathname !== "/v1/whoami") asked.push(searchParams);
      // A walk that the service refuses ends the tool.
      response.writeHead(pathname === "/v1/whoami" ? 200 : 400, { "content-type": "application/json" });
      response.end(
        JSON.stringify(pathname === "/v1/whoami" ? scope : { error: { code: "INVALID_REQUEST" } }),
      );
    });
    vi.stubEnv("REVIEW_API_URL", api);
    for (const type of ["metrics.reviews", "audit_logs"]) {
      // The day may end during the call.
      const before = yesterday();
      await callTool("listen", "--forward", "http://localhost:1", "--types", type, ...words);
      const [query, ...more] = asked.splice(0);
      const day = query?.get("start_date") ?? query?.get("date_from");
      expect(since === "yesterday" ? [before, yesterday()] : [since]).toContain(day);
      expect(more).toEqual([]);
    }
  });

  test("ends with the service's reason if the key is wrong", async () => {
    const { code, stderr } = await callTool("listen", "--forward", "http://localhost:1", "--key", "fake-key");
    expect([code, stderr]).toEqual([1, expect.stringContaining("401 UNAUTHORIZED")]);
  });
});
