import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request as sendRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { builtClientFolder } from "../../cli/built-client.ts";
import { get, type RunningDev, useDev } from "../cli/support.ts";
import { hasBrowser, useBrowser, type Visit } from "./browser.ts";

const dev = useDev();
const visit = useBrowser(() => dev.folder());
let service: RunningDev;
beforeAll(async () => {
  service = await dev.start("--data", await dev.folder());
});
afterAll(() => service?.stop());

/** A browser on a machine that is busy with other tests takes its time. */
const patience = { timeout: 60_000 };

async function open(url: string): Promise<Visit> {
  const visited = await visit();
  await visited.page.goto(url);
  await visited.page.waitForSelector("#reference[aria-busy=false] .opblock", patience);
  return visited;
}

async function authorize({ page }: Visit, key: string): Promise<void> {
  await page.click(".auth-wrapper .authorize");
  await page.fill(".auth-container input[type=text]", key);
  await page.click(".auth-container .modal-btn[type=submit]");
  await page.click(".auth-container .btn-done");
}

/** Fills the parameters in, sends the request and answers the status and the body that the page shows. */
async function callOperation(
  { page }: Visit,
  operation: string,
  parameters: Readonly<Record<string, string>> = {},
) {
  const block = page.locator(`[id$="-${operation}"]`);
  if ((await block.locator(".execute").count()) === 0)
    await block.locator(".opblock-summary-control").click();
  for (const [name, value] of Object.entries(parameters))
    await block.locator(`tr[data-param-name="${name}"] input`).fill(value);
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().includes("/v1/"), patience),
    block.locator(".execute").click(patience),
  ]);
  const live = block.locator(".live-responses-table tbody");
  // The page still shows the answer before this one for a moment.
  await live.locator(".response-col_status", { hasText: String(answer.status()) }).waitFor(patience);
  const body = await live.locator(".highlight-code").first().textContent(patience);
  return { status: answer.status(), body, url: answer.url() };
}

describe.skipIf(!hasBrowser)("the reference page in a browser", () => {
  test("shows every operation, and a key that is typed in calls them", async () => {
    const visited = await open(`${service.url}/docs`);
    const blocks = await visited.page.locator(".opblock").count();
    expect(blocks).toBe(await operationsOf(service.url));

    const refused = await callOperation(visited, "whoami");
    expect([refused.status, refused.body]).toEqual([401, expect.stringContaining("UNAUTHORIZED")]);

    await authorize(visited, service.keys.workspace ?? "");
    const known = await callOperation(visited, "whoami");
    expect([known.status, known.body]).toEqual([200, expect.stringContaining('"kind": "workspace"')]);

    // As it is filled in: a reader who changes nothing sees something.
    const reviews = await callOperation(visited, "listReviewMetrics", { limit: "2" });
    expect([reviews.status, reviews.body]).toEqual([200, expect.stringContaining('"pr_url"')]);

    const filled = (name: string) =>
      visited.page.locator(`[id$="-listReviewMetrics"] tr[data-param-name="${name}"] input`).inputValue();
    expect([await filled("cursor"), await filled("repository_ids")]).toEqual(["", ""]);

    // The one refused call above is told by the browser; the page itself breaks nothing and asks nobody else.
    expect(visited.faults).toEqual([expect.stringContaining("status of 401")]);
    expect([...visited.origins]).toEqual([service.url]);
  });

  test("works below the stage of a deployed API, and calls it there", async () => {
    const stage = await startStage("/live", service.url);
    try {
      const visited = await open(`${stage.url}/live/docs`);
      await authorize(visited, service.keys.organization ?? "");
      const { status, url } = await callOperation(visited, "whoami");
      expect([status, url]).toEqual([200, `${stage.url}/live/v1/whoami`]);
      expect(visited.faults).toEqual([]);
    } finally {
      await stage.close();
    }
  });

  test("the client that is built for other packages runs in a browser", async () => {
    const stage = await startStage("/live", service.url);
    try {
      const { page, faults } = await visit();
      await page.goto(`${stage.url}/live/docs/errors/INVALID_CURSOR`);
      // As text: what runs there must reach the browser as it is written.
      const told = walkOutcome.parse(
        await page.evaluate(`(async () => {
          const { createClient, ReviewApiError } = await import("${stage.url}/live/client/client.js");
          const options = { baseUrl: "${stage.url}/live", key: "${service.keys.workspace}" };
          const names = [];
          for await (const { body } of createClient(options).pages("listOrganizations", { query: { limit: 1 } }))
            names.push(...body.organizations.map(({ name }) => name));
          const refusal = await createClient({ ...options, key: "none" }).whoami().catch((error) => error);
          return { names, refused: refusal instanceof ReviewApiError };
        })()`),
      );
      expect(told.names.length).toBeGreaterThan(1);
      expect(told.refused).toBe(true);
      expect(faults).toEqual([expect.stringContaining("status of 401")]);
    } finally {
      await stage.close();
    }
  });

  test("a page of an error code is one for people", async () => {
    const { page, faults } = await visit();
    await page.goto(`${service.url}/docs/errors/INVALID_CURSOR`);
    expect(await page.title()).toBe("INVALID_CURSOR");
    expect(await page.locator("li").count()).toBeGreaterThan(2);
    await page.click("text=All operations");
    await page.waitForSelector(".opblock", patience);
    expect(faults).toEqual([]);
  });
});

describe("what the reference is made of", () => {
  test.each([
    ["/openapi.json", "application/json", '"openapi": "3.1'],
    ["/docs", "text/html; charset=utf-8", "<!doctype html>"],
    ["/docs/swagger-ui.js", "text/javascript; charset=utf-8", "SwaggerUIBundle"],
    ["/docs/errors/LEGACY_API_KEY", "text/html; charset=utf-8", "<h1>LEGACY_API_KEY</h1>"],
  ])("%s needs no key and lets nothing foreign in", async (path, type, content) => {
    const answer = await fetch(`${service.url}${path}`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type]);
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await answer.text()).toContain(content);
  });

  test.each(["/docs/", "/docs/index.html", "/docs/errors/NO_SUCH_CODE", "/docs/..%2fopenapi.json"])(
    "%s is nothing",
    async (path) => {
      expect((await fetch(`${service.url}${path}`)).status).toBe(404);
    },
  );

  test("the page a deprecated key is pointed to exists", async () => {
    const answer = await get(service.url, "/v1/whoami", service.keys.legacy);
    const target = /^<([^>]*)>/.exec(answer.headers.get("link") ?? "")?.[1];
    expect((await fetch(`${service.url}${target}`)).status).toBe(200);
  });

  test("other methods than GET are refused with what is allowed", async () => {
    const answer = await fetch(`${service.url}/docs`, { method: "POST" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  });
});

const walkOutcome = z.object({ names: z.array(z.string()), refused: z.boolean() });

async function operationsOf(url: string): Promise<number> {
  const { paths }: { paths: Record<string, object> } = await (await fetch(`${url}/openapi.json`)).json();
  return Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
}

/** API Gateway's own address has the stage's name before every path, which functions do not see. Beside it, the client. */
async function startStage(prefix: string, target: string) {
  const server = createServer((incoming, response) => {
    if (!incoming.url?.startsWith(`${prefix}/`)) {
      response.writeHead(403).end();
      return;
    }
    const [, module] = /\/client\/([a-z.]+\.js)$/.exec(incoming.url) ?? [];
    if (module) {
      const file = new URL(`../../${builtClientFolder}/${module}`, import.meta.url);
      response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(file));
      return;
    }
    const options = { method: incoming.method, headers: incoming.headers };
    const onward = sendRequest(`${target}${incoming.url.slice(prefix.length)}`, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
