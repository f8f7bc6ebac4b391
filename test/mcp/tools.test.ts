import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { type KeyKind, keyKinds, permissions } from "../../lib/contract/access.ts";
import { mcpLimits } from "../../lib/contract/mcp.ts";
import { onlyValues } from "../../lib/contract/only.ts";
import { operationOf, operations } from "../../lib/contract/operations.ts";
import { tools as words } from "../../lib/contract/tools.ts";
import { type Caller, listingFor, mayCall } from "../../lib/mcp/access.ts";
import { operationTools } from "../../lib/mcp/tools.generated.ts";
import { allTools } from "../../lib/mcp/tools.ts";
import { jsonSchema } from "../../lib/openapi/properties.ts";

const dialect = "https://json-schema.org/draft/2020-12/schema";

const admin = (kind: KeyKind, only: string[] | null = null): Caller => ({
  key: { kind, only },
  role: "cr_admin",
  permissions: [...permissions],
});
const listFor = (caller: Caller) =>
  allTools.filter((tool) => mayCall(tool, caller)).map((tool) => listingFor(tool, caller));

describe("the list of tools", () => {
  test.each(keyKinds)("the list for an admin's key of kind %s is small enough for a model", (kind) => {
    const listed = listFor(admin(kind));
    expect(listed.length).toBeLessThanOrEqual(mcpLimits.toolsMax);
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(mcpLimits.listBytesMax);
  });

  test("names are unique and every tool has a title, words for a model and schemas that are valid", () => {
    const names = allTools.map(({ listing }) => listing.name);
    expect(new Set(names).size).toBe(names.length);
    const ajv = new Ajv2020({
      strict: false,
      formats: { date: true, uuid: true, uri: true, email: true, "date-time": true },
    });
    for (const { listing } of allTools) {
      expect(listing.title, listing.name).not.toBe("");
      expect(listing.description?.length, listing.name).toBeGreaterThan(40);
      expect(ajv.validateSchema({ ...listing.inputSchema, $schema: dialect }), listing.name).toBe(true);
      expect(listing.outputSchema, listing.name).toBeUndefined();
    }
  });

  test("a tool is read-only exactly if its operation changes nothing; one that writes says what it changes", () => {
    for (const { operation, listing } of operationTools) {
      const { method, ...entry } = operationOf(operation);
      const changes = method !== "GET" && !("readOnly" in entry && entry.readOnly);
      expect([operation, listing.annotations?.readOnlyHint ?? false]).toEqual([operation, !changes]);
      if (changes) expect(listing.description).toMatch(/^CHANGES DATA: /);
      if (method === "DELETE") expect(listing.annotations?.destructiveHint).toBe(true);
    }
  });

  test("no tool returns a secret, and operations on keys and webhooks are not tools", () => {
    const secret = /"(?:key|token|secret|signing_secret|password)":\{"type":"string"/;
    for (const { answer } of operations.filter(({ id }) => id in words))
      expect(JSON.stringify("schema" in answer ? jsonSchema(answer.schema, "output") : {})).not.toMatch(
        secret,
      );
    const paths = operations.filter(({ id }) => id in words).map(({ path }) => path);
    expect(paths.filter((path) => /\/keys|\/webhooks/.test(path))).toEqual([]);
  });

  test("a kind of key sees only arguments that it can use", () => {
    const argumentsOf = (kind: KeyKind) =>
      Object.keys(
        listFor(admin(kind)).find(({ name }) => name === "list_learnings")?.inputSchema.properties ?? {},
      );
    expect(argumentsOf("organization")).not.toContain("org_id");
    expect(argumentsOf("organization")).not.toContain("organization_ids");
    expect(argumentsOf("workspace")).toContain("org_id");
    expect(argumentsOf("instance")).toContain("organization_ids");
    expect(argumentsOf("user")).toContain("repository_name");
  });
});

test("a workspace's key is told where it must name an organization; other kinds are not asked", () => {
  const requiredOf = (kind: KeyKind) =>
    listFor(admin(kind)).find(({ name }) => name === "list_roles")?.inputSchema.required;
  expect(requiredOf("workspace")).toEqual(["org_id"]);
  expect(requiredOf("organization")).toBeUndefined();
});

describe("who sees which tool", () => {
  const member = (granted: readonly string[]): Caller => ({
    key: { kind: "user", only: null },
    role: "custom",
    permissions: [...granted],
  });
  const names = (caller: Caller) => listFor(caller).map(({ name }) => name);

  test("idle seats are for keys that may read people, metrics and the audit log", () => {
    const reads = ["people:read", "metrics:read", "audit_logs:read"];
    expect(names(admin("organization", reads))).toContain("find_idle_seats");
    for (const missing of reads)
      expect(
        names(
          admin(
            "organization",
            reads.filter((each) => each !== missing),
          ),
        ),
      ).not.toContain("find_idle_seats");
  });

  test("no description speaks of paths, statuses or places of HTTP", () => {
    for (const { listing } of allTools)
      expect(JSON.stringify(listing)).not.toMatch(/\/v1\/|in the body|query string|: 4\d\d/);
  });

  test("a role without a permission does not see the tools that need it", () => {
    expect(names(member([]))).not.toContain("list_learnings");
    expect(names(member(["learning:read"]))).toContain("list_learnings");
    expect(names(member(["learning:read"]))).not.toContain("create_learnings");
    expect(names(member(["learning:write"]))).toContain("create_learnings");
    expect(names(member(permissions))).not.toContain("list_users");
  });

  test("a narrow key sees only the tools of its areas; with reads alone no tool changes anything", () => {
    const reads = onlyValues.filter((value) => value.endsWith(":read"));
    const listed = listFor(admin("organization", reads));
    expect(listed.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
    const all = listFor(admin("organization"));
    const readOnly = all.filter(({ annotations }) => annotations?.readOnlyHint);
    expect(listed.map(({ name }) => name)).toEqual(readOnly.map(({ name }) => name));
    expect(names(admin("organization", ["learnings:read"])).toSorted()).toEqual(
      ["get_learning", "list_learnings", "search_learnings", "whoami"].toSorted(),
    );
    expect(names(admin("workspace", ["metrics:read"])).toSorted()).toEqual([
      ...["find_pull_requests", "list_mcp_metrics", "list_review_comment_metrics", "list_review_metrics"],
      ...["review_report", "whoami"],
    ]);
  });
});
