import { expect, test } from "vitest";
import { ReviewApiError } from "../../lib/client/error.ts";
import { listingFor } from "../../lib/mcp/access.ts";
import { Api } from "../../lib/mcp/api.ts";
import { readResource } from "../../lib/mcp/resources.ts";
import { errorResult } from "../../lib/mcp/result.ts";
import { admin, apiUrl } from "./serve.ts";

test("a resource that is listed is the service's own page, and no other address is read", async () => {
  const asked: string[] = [];
  const signal = new AbortController().signal;
  const fetch = async (input: string | URL | Request) => {
    asked.push(String(input));
    return new Response("# Guide", { status: asked.length > 1 ? 503 : 200 });
  };
  const api = new Api({ baseUrl: apiUrl, key: "", requestId: "r1", fetch, signal, wrapUpSignal: signal });
  const uri = "review-api://docs/guide.md";
  expect(await readResource(uri, api)).toEqual({
    contents: [{ uri, mimeType: "text/markdown", text: "# Guide" }],
  });
  for (const other of ["review-api://v1/keys", "https://elsewhere.test/docs/guide.md"])
    await expect(readResource(other, api)).rejects.toThrow(`Resource not found: ${other}`);
  expect(asked).toEqual([`${apiUrl}/docs/guide.md`]);
  await expect(readResource(uri, api)).rejects.toThrow("/docs/guide.md cannot be read right now.");
});

test("an answer that is no error of the API still has a code and a sentence", async () => {
  const error = await ReviewApiError.from(new Response("<html>", { status: 502 }));
  expect(errorResult(error, "r1").content).toEqual([
    { type: "text", text: "UNKNOWN: The service responded with 502." },
  ]);
});

test("a tool is listed with the arguments that every kind of key can use, and those of the caller's kind", () => {
  const listing = { name: "one", title: "One", inputSchema: { type: "object" as const, properties: {} } };
  const properties = { all: {}, workspace: {} };
  const tool = {
    listing: { ...listing, inputSchema: { ...listing.inputSchema, properties } },
    kindsOfArgument: { workspace: ["workspace" as const] },
  };
  const argumentsFor = (kind: "workspace" | "organization") =>
    Object.keys(listingFor(tool, { ...admin(kind), permissions: [] }).inputSchema.properties);
  expect([argumentsFor("workspace"), argumentsFor("organization")]).toEqual([["all", "workspace"], ["all"]]);
});
