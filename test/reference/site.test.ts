import { expect, test } from "vitest";
import * as z from "zod";
import { keyKinds } from "../../lib/contract/access.ts";
import { eventTypeNames } from "../../lib/contract/event-names.ts";
import { referencePath } from "../../lib/contract/reference.ts";
import type { Parameter } from "../../lib/reference/document.ts";
import { operationPath } from "../../lib/reference/layout.ts";
import { allFields, schemaFieldsOf, typeName } from "../../lib/reference/schema-view.ts";
import { createSite } from "../../lib/reference/site.ts";
import { tryForm } from "../../lib/reference/try-form.ts";
import { required } from "../../lib/runtime/required.ts";
import { document, endpoints, site, sources } from "./support.ts";

const page = (path: string): string => site.page(path) ?? "";
const anchorsOf = (html: string): Set<string> =>
  new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));

const found = z
  .array(z.strictObject({ to: z.string(), title: z.string(), kind: z.string(), text: z.string() }))
  .parse(JSON.parse(site.search()));

test.each(endpoints.map((endpoint) => [endpoint.operationId, endpoint] as const))(
  "the page of %s shows everything that the document says about it",
  (id, endpoint) => {
    const html = page(operationPath(id));
    const json = Object.entries(endpoint.responses)
      .filter(([status]) => status < "400")
      .flatMap(([, { content }]) => content?.["application/json"]?.schema ?? []);
    const body = endpoint.requestBody?.content["application/json"]?.schema;
    const fields = [...json, ...(body ? [body] : [])].flatMap((schema) => allFields(schemaFieldsOf(schema)));
    for (const name of [...fields, ...endpoint.parameters].map(({ name }) => name))
      expect(html).toContain(`<code class="name">${name}</code>`);
    const codes = Object.values(endpoint.responses).flatMap((response) => response["x-error-codes"] ?? []);
    expect(codes.length).toBeGreaterThan(2);
    for (const code of codes) expect(html).toContain(`<a href="../errors/${code}">${code}</a>`);
    for (const language of ["curl", "TypeScript", "Python"])
      expect(html).toContain(`data-language="${language}"`);
    expect(html).toContain('<h2 id="who">Who may call it</h2>\n<ul>\n<li>Keys: ');
    // No id twice: a link or a label would lead only to the first.
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, each]) => each);
    expect(ids.filter((each, index) => ids.indexOf(each) !== index)).toEqual([]);
  },
);

test("the menu of every page has every operation, and marks the page it is on", () => {
  const inMenu = sources.filter(({ menuTitle }) => menuTitle !== null);
  expect(inMenu.length).toBeGreaterThan(8);
  for (const { path } of [...inMenu, { path: "/docs/errors/INVALID_CURSOR" }]) {
    const html = page(path);
    for (const { summary } of endpoints) expect(html).toContain(summary);
    const [, kind] = /aria-current="(\w+)"/.exec(html) ?? [];
    expect([path, html.match(/aria-current/g)?.length, kind]).toEqual([
      ...[path, 1],
      path.startsWith("/docs/errors/") ? "true" : "page",
    ]);
  }
});

test("search finds every operation, parameter, field, header, error code and event type", () => {
  const titles = new Set(found.map(({ title }) => title));
  for (const { summary, parameters } of endpoints)
    for (const title of [summary, ...parameters.map(({ name }) => name)]) expect(titles).toContain(title);
  const answers = endpoints.flatMap(({ responses }) => Object.entries(responses));
  const headers = answers.flatMap(([status, answer]) =>
    status < "400" ? Object.keys(answer.headers ?? {}) : [],
  );
  expect(headers).toContain("ratelimit-policy");
  for (const name of headers) expect(titles).toContain(name);
  for (const { markdown } of sources) expect(titles).toContain(/^# (.*)$/m.exec(markdown)?.[1]);
  for (const name of eventTypeNames) expect(titles).toContain(name);
  expect(titles).toContain("data[].coderabbit_comments[].accepted");
});

test("every search result leads to an existing place", () => {
  const anchors = new Map<string, Set<string>>();
  for (const { to } of found) {
    const [path = "", anchor] = to.split("#");
    const known = anchors.get(path) ?? anchorsOf(page(path));
    anchors.set(path, known);
    expect(known.size, path).toBeGreaterThan(5);
    if (anchor !== undefined) expect([path, known.has(anchor) ? anchor : known]).toEqual([path, anchor]);
  }
});

test("the first page goes from a key to a call, a response and a loop, and on to the guide", () => {
  const html = page(referencePath);
  const headings = [...html.matchAll(/<h2 id="[^"]+">(.*?)<\/h2>/g)].map(([, heading]) => heading);
  expect(headings).toEqual(["Get a key", "Make a call", "Read all pages", "Go on"]);
  for (const kind of keyKinds) expect(page("/docs/keys")).toContain(`<td>${kind}</td>`);
  // Served one level above the folder that its links are relative to.
  expect(html).toContain('<a href="docs/guide">');
});

test("a link between files leads to its target's page; a link to a file not served becomes plain text", () => {
  const markdown =
    "# G\n\n[a](jobs/j.md#part) [b](../openapi.json) [c](../../README.md#try-it) [`d`](#g) [e](https://e.example)\n";
  const pageOf = (path: string, file: string) => ({ path, file, kind: "K", menuTitle: null, markdown });
  const pages = [pageOf("/docs/guide", "docs/use/guide.md"), pageOf("/docs/jobs/j", "docs/use/jobs/j.md")];
  const html = createSite(document, pages, new Map([["docs/openapi.json", "/openapi.json"]])).page(
    "/docs/guide",
  );
  expect(html).toContain(
    '<p><a href="../docs/jobs/j#part">a</a> <a href="../openapi.json">b</a> c ' +
      '<a href="#g"><code>d</code></a> <a href="https://e.example">e</a></p>',
  );
});

test("a description's links begin at the service's own address, on its page and in search", () => {
  const to = "/docs/operations/listReviewMetrics";
  expect(page(to)).toContain('<a href="../../docs/pagination">pagination and sync</a>');
  expect(found.find((each) => each.to === to)?.text).toContain("what is gone: see pagination and sync.");
});

test("every link of a description leads to a page, and to a part that the page has", () => {
  const links = [...JSON.stringify(document).matchAll(/\]\(docs\/([\w/-]+)(?:#([\w-]+))?\)/g)];
  expect(links.length).toBeGreaterThan(4);
  for (const [link, name, anchor] of links) {
    const html = page(`/docs/${name}`);
    expect([link, html !== ""]).toEqual([link, true]);
    if (anchor !== undefined) expect([link, anchorsOf(html).has(anchor)]).toEqual([link, true]);
  }
});

test("a choice between objects shows every field, as required if all of them have it", () => {
  const fields = schemaFieldsOf({
    items: {
      anyOf: [
        { properties: { a: {}, b: {} }, required: ["a", "b"] },
        { properties: { a: {} }, required: ["a"] },
        { type: "null" },
      ],
    },
  });
  expect(fields.map(({ path, required }) => [path, required])).toEqual([
    ["[].a", true],
    ["[].b", false],
  ]);
});

test.each([
  ["any", {}],
  ["string or null", { type: ["string", "null"] }],
  ["timestamp or null", { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] }],
  ["array of strings", { items: { type: "string" } }],
  ["array of string or null", { items: { type: ["string", "null"] } }],
])("a page shows the type of a field as %s", (words, schema) => {
  expect(typeName(schema)).toBe(words);
});

test("the form offers no empty choice for a required parameter", () => {
  const endpoint = required(endpoints[0], "operation of the document");
  const choicesOf = (isRequired: boolean) => {
    const parameter: Parameter = {
      name: "format",
      in: "query",
      description: "The format.",
      required: isRequired,
      schema: { enum: ["csv", "json"] },
      example: "csv",
    };
    const form = tryForm({ ...endpoint, parameters: [parameter] });
    return [...form.matchAll(/<option value="([^"]*)">/g)].map(([, value]) => value);
  };
  expect([choicesOf(true), choicesOf(false)]).toEqual([
    ["csv", "json"],
    ["", "csv", "json"],
  ]);
});

test("no text of the document becomes markup", () => {
  const [endpoint] = endpoints;
  const hostile = { ...endpoint, summary: "<script>alert(1)</script>", description: "a <img> `<b>`" };
  const changed = JSON.stringify({ ...document, paths: { "/v1/<x>": { get: hostile } } });
  const html =
    createSite(JSON.parse(changed), [], new Map()).page(operationPath(endpoint?.operationId ?? "")) ?? "";
  expect(html).toContain("&lt;script&gt;alert(1)");
  expect(html).not.toMatch(/<script>|<img>|<b>|<x>/);
});
