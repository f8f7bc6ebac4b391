import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readDocument } from "../../cli/document-file.ts";
import { errorCodes, itemErrorCodes } from "../../lib/contract/errors.ts";
import { operations } from "../../lib/contract/operations.ts";
import {
  llmsPath,
  referenceBundle,
  referenceFiles,
  referencePages,
  referenceRoutes,
  searchPath,
} from "../../lib/contract/reference.ts";
import { serveReference } from "../../lib/http/reference.ts";
import { createRouter } from "../../lib/local/routes.ts";
import { markdownPath } from "../../lib/reference/layout.ts";
import { gatewayEvent } from "../support/gateway-event.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const route = createRouter(referenceRoutes);
let root = "";
let serve: ReturnType<typeof serveReference>;
beforeAll(async () => {
  vi.stubEnv("LOG_LEVEL", "silent");
  root = await mkdtemp(join(tmpdir(), "review-api-"));
  for (const path of referenceBundle) await cp(join(project, path), join(root, path), { recursive: true });
  serve = serveReference(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function ask(path: string, ...further: string[]) {
  const match = route("GET", path);
  const event = gatewayEvent({
    target: path,
    rawHeaders: ["accept-encoding", "gzip", ...further],
    ...match,
  });
  const { statusCode, headers = {}, body, isBase64Encoded } = await serve(event);
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  const text = (headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
  return { statusCode, headers, text, routed: match.operation !== undefined };
}

const errorPages = Object.keys({ ...errorCodes, ...itemErrorCodes }).map((code) => `/docs/errors/${code}`);

const operationPages = operations.map(({ id }) => `/docs/operations/${id}`);
const pages = [...Object.keys(referencePages), ...errorPages, ...operationPages];
const textPages = pages.map(markdownPath);
const served = [...Object.keys(referenceFiles), searchPath, llmsPath, ...pages, ...textPages];

test.each(served)("%s has a route, and the function's bundle contains everything it needs", async (path) => {
  const { statusCode, headers, text, routed } = await ask(path);
  expect([routed, statusCode]).toEqual([true, 200]);
  expect(headers).toMatchObject({ "cache-control": "no-store", "x-request-id": expect.any(String) });
  expect(text.length).toBeGreaterThan(100);
});

test.each(pages)("%s links to its Markdown form, whose links lead to pages that are served", async (path) => {
  const { text: html } = await ask(path);
  const [, alternate = ""] = /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(html) ?? [];
  const place = new URL(alternate, `https://service${path}`).pathname;
  expect(place).toBe(markdownPath(path));
  const { text, headers } = await ask(place);
  expect([headers["content-type"], text.slice(0, 2)]).toEqual(["text/markdown; charset=utf-8", "# "]);
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
    ([, target = ""]) => new URL(target, `https://service${place}`).pathname,
  );
  expect(targets.filter((target) => !served.includes(target))).toEqual([]);
});

test("/llms.txt lists the Markdown form of every page in the menu and of every operation", async () => {
  const { text, headers } = await ask(llmsPath);
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  const linked = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => `/${target}`);
  const expected = [...Object.keys(referencePages), ...operationPages].map(markdownPath);
  expect(linked.toSorted()).toEqual([...expected, "/openapi.json"].toSorted());
});

/** Written by hand: responses, logs and callers' own pages link to these addresses, wherever their files are. */
const lasting = {
  "/docs": "First steps",
  "/docs/guide": "Guide",
  "/docs/keys": "Keys and scopes",
  "/docs/pagination": "Pagination and sync",
  "/docs/webhooks": "Webhooks",
  "/docs/limits": "Errors and limits",
  "/docs/learnings": "Learnings",
  "/docs/people": "Seats, teams and roles",
  "/docs/audit-log": "Audit log",
  "/docs/dashboard": "Dashboard",
  "/docs/tool": "The tool and the client",
  "/docs/local": "The local service",
  "/docs/words": "Words",
  "/docs/mcp": "Assistants (MCP)",
  "/docs/errors": "Error codes",
  "/docs/errors/INVALID_CURSOR": "INVALID_CURSOR",
  "/docs/events": "Platform events",
  "/docs/schema": "Schema of the datasets",
  "/docs/jobs/warehouse": "Nightly warehouse load",
  "/docs/jobs/weekly-report": "Weekly report",
  "/docs/jobs/people": "People come and go",
  "/docs/jobs/idle-seats": "Idle seats",
  "/docs/jobs/siem": "Audit logs into a SIEM",
  "/docs/jobs/code-scanning": "Security findings in code scanning",
  "/docs/jobs/agents-md": "Learnings for coding agents",
};

test.each(Object.entries(lasting))("the page %s keeps its address", async (path, title) => {
  const { statusCode, text } = await ask(path);
  expect([statusCode, /<h1[^>]*>(?:<[^>]+>)*([^<]+)/.exec(text)?.[1]]).toEqual([200, title]);
});

test("the files of the reference keep their addresses", () => {
  const schemas = ["workspace", "instance", "organization", "repository", "member"].map(
    (each) => `${each}.saved`,
  );
  const further = ["pull_request.finalized", "learning.captured", "learning.used", "security_scan.completed"];
  expect(Object.keys(referenceFiles)).toEqual(
    expect.arrayContaining([
      ...["/openapi.json", "/docs/reference.js", "/docs/reference.css"],
      ...[...schemas, ...further].map((name) => `/docs/events/${name}.json`),
    ]),
  );
});

test("/openapi.json answers the document with the recorded examples", async () => {
  const served = JSON.parse((await ask("/openapi.json")).text);
  expect(served).toEqual(await readDocument());
  expect(served.paths["/v1/whoami"].get.responses["200"].content["application/json"]).toHaveProperty(
    "examples",
  );
});

test.each([
  "/docs/errors/..%2f..%2fpackage.json",
  "/docs/errors/toString",
  "/docs/errors/NO_SUCH_CODE",
  "/docs/constructor",
  "/docs/operations/constructor",
  "/docs/operations/noSuchOperation",
])("%s is a 404: a path reaches neither files nor members of objects", async (path) => {
  const { statusCode, text } = await ask(path);
  expect([statusCode, JSON.parse(text)]).toMatchObject([404, { error: { code: "NOT_FOUND" } }]);
});

test("an answer to an allowed origin names the origin in Vary, beside the coding", async () => {
  const origin = "https://portal.example.com";
  expect((await ask("/docs")).headers).toMatchObject({ vary: "accept-encoding" });
  vi.stubEnv("CORS_ORIGINS", origin);
  expect((await ask("/docs", "origin", origin)).headers).toMatchObject({
    "access-control-allow-origin": origin,
    vary: "origin, accept-encoding",
  });
  vi.stubEnv("CORS_ORIGINS", undefined);
});

test.each(pages)("%s loads and links only what is served", async (path) => {
  const { text } = await ask(path);
  const targets = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target = ""]) => target);
  expect(targets.length).toBeGreaterThan(3);
  for (const target of targets.filter((each) => !each.startsWith("data:") && !each.startsWith("https:"))) {
    const { pathname, hash } = new URL(target, `http://service${path}`);
    expect(served).toContain(pathname);
    if (hash !== "") expect((await ask(pathname)).text, target).toContain(` id="${hash.slice(1)}"`);
  }
});

test("the root redirects to the reference, also below a stage", async () => {
  const { statusCode, headers, routed } = await ask("/");
  expect([routed, statusCode, headers.location]).toEqual([true, 302, "/docs"]);
});

test("a missing page names its address and where to find help", async () => {
  const { headers, text } = await ask("/docs/nothing");
  expect(JSON.parse(text).error.message).toBe(
    "There is nothing at /docs/nothing. The reference of the API is at /docs.",
  );
  expect(headers.link).toBe('</docs/errors/NOT_FOUND>; rel="help"; type="text/html"');
});
