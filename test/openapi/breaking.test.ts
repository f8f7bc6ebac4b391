import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openApi } from "../../lib/generate/interface.ts";
import { type BreakingChange, breakingChanges } from "../../lib/openapi/changes.ts";
import { asNode } from "../../lib/openapi/schema-changes.ts";
import { along, changed, type Edit, type Path, released, remove, set, users, without } from "./planted.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const changeLog = read("CHANGELOG.md");

/** The part of the change log that no version number covers yet. */
const unreleased = /^## Unreleased\n(.*?)(?=^## )/ms.exec(changeLog)?.[1] ?? "";

/** A change is named if one line is marked as breaking and contains the operation's id or the schema's name. */
const isNamed = (log: string, { subject }: BreakingChange): boolean =>
  log.split(/^- /m).some((entry) => entry.includes("**breaking**") && entry.includes(`\`${subject}\``));

test("no change breaks callers of the released interface, unless the change log says so", () => {
  const unnamed = breakingChanges(released, asNode(JSON.parse(JSON.stringify(openApi())))).filter(
    (change) => !isNamed(unreleased, change),
  );
  expect(unnamed).toEqual([]);
});

test("the released document has the newest version of the change log", () => {
  expect(asNode(released.info).version).toBe(/^## (\d+\.\d+\.\d+)/m.exec(changeLog)?.[1]);
});

test("a breaking change counts as named only by its own entry, and only if the entry is marked as breaking", () => {
  const change = { subject: "listUsers", what: "the operation is gone" };
  expect(isNamed("- **breaking** `listUsers`: gone; use the members list.\n", change)).toBe(true);
  expect(isNamed("- `listUsers`: gone.\n- **breaking** `listRoles`: gone.\n", change)).toBe(false);
  expect(isNamed("- **breaking** `listUsersOfAll`: gone.\n", change)).toBe(false);
});

const json: Path = ["content", "application/json", "schema"];
const learningsBody: Path = ["paths", "/v1/learnings", "post", "requestBody", ...json];
const roleSchema: Path = ["paths", "/v1/roles/{role_id}", "get", "responses", "200", ...json];

const auditLogs: Path = ["paths", "/v1/audit-logs", "get", "responses", "200", ...json];
const auditEntry: Path = [...auditLogs, "properties", "data", "items"];

describe("a planted change that breaks callers is found", () => {
  test.each<[string, Path, Edit, BreakingChange]>([
    [
      "an operation that is gone",
      ["paths", "/v1/users"],
      remove("get"),
      { subject: "listUsers", what: "the operation is gone" },
    ],
    [
      "an operation with another name in the client",
      users,
      set("operationId", "listPeople"),
      { subject: "listUsers", what: "it is called listPeople now" },
    ],
    [
      "a kind of key that is refused",
      ["paths", "/v1/metrics/mcp", "get"],
      without("x-key-kinds", "legacy"),
      { subject: "listMcpMetrics", what: "keys of kind legacy are refused now" },
    ],
    [
      "a new parameter that is required",
      users,
      along("parameters", { name: "team", in: "query", required: true, schema: { type: "string" } }),
      { subject: "listUsers", what: "the new parameter team is required" },
    ],
    [
      "a parameter that became required",
      [...users, "parameters", "limit"],
      set("required", true),
      { subject: "listUsers", what: "the parameter limit is required now" },
    ],
    [
      "a parameter that is gone",
      [...users, "parameters", "seat_filter"],
      set("name", "seats"),
      { subject: "listUsers", what: "the parameter seat_filter is gone" },
    ],
    [
      "a value that a parameter no longer takes",
      [...users, "parameters", "seat_filter", "schema"],
      without("enum", "unassigned"),
      { subject: "listUsers", what: 'seat_filter: the value "unassigned"' },
    ],
    [
      "a page that became smaller",
      [...users, "parameters", "limit", "schema"],
      set("maximum", 50),
      { subject: "listUsers", what: "limit: a narrower maximum" },
    ],
    [
      "a field of the body that became required",
      [...learningsBody, "properties", "data", "items"],
      along("required", "file"),
      { subject: "createLearnings", what: "body: data[].file: is required now" },
    ],
    [
      "a field of the body that is gone",
      [...learningsBody, "properties", "data", "items", "properties"],
      remove("source_url"),
      { subject: "createLearnings", what: "body: data[].source_url: is gone" },
    ],
    [
      "a smaller batch",
      [...learningsBody, "properties", "data"],
      set("maxItems", 50),
      { subject: "createLearnings", what: "body: data: a narrower maxItems" },
    ],
    [
      "a field that is no longer answered",
      [...roleSchema, "properties"],
      remove("is_default"),
      { subject: "getRole", what: "200: is_default: is gone" },
    ],
    [
      "a field that may be missing",
      roleSchema,
      without("required", "name"),
      { subject: "getRole", what: "200: name: may be missing now" },
    ],
    [
      "a field that may be null",
      [...roleSchema, "properties", "name"],
      set("type", ["string", "null"]),
      { subject: "getRole", what: "200: name: its alternatives changed" },
    ],
    [
      "a field of another type",
      [...roleSchema, "properties", "is_default"],
      set("type", "string"),
      { subject: "getRole", what: "200: is_default: its type changed" },
    ],
    [
      "a new value in an answer",
      [...roleSchema, "properties", "type"],
      along("enum", "inherited"),
      { subject: "getRole", what: '200: type: the value "inherited"' },
    ],
    [
      "an error code that is gone",
      [...users, "responses", "403"],
      without("x-error-codes", "NOT_ADMIN"),
      { subject: "listUsers", what: "403: NOT_ADMIN is gone" },
    ],
    [
      "a status that is gone",
      [...users, "responses"],
      remove("410"),
      { subject: "listUsers", what: "it no longer answers 410" },
    ],
    [
      "a success of another status",
      ["paths", "/v1/roles", "post", "responses"],
      (place) => {
        place["200"] = place["201"];
        delete place["201"];
      },
      { subject: "createRole", what: "it no longer answers 201" },
    ],
    [
      "a format that is gone",
      ["paths", "/v1/learnings", "get", "responses", "200", "content"],
      remove("text/csv"),
      { subject: "listLearnings", what: "200: text/csv is gone" },
    ],
    [
      "a header that is gone",
      ["paths", "/v1/learnings", "get", "responses", "200", "headers"],
      remove("x-resume-cursor"),
      { subject: "listLearnings", what: "200: the header x-resume-cursor is gone" },
    ],
    [
      "the other error shape",
      [...users, "responses", "401", ...json],
      set("$ref", "#/components/schemas/Errors"),
      { subject: "listUsers", what: "401: its error shape changed" },
    ],
    [
      "a shared schema that is gone",
      ["components", "schemas"],
      remove("Errors"),
      { subject: "Errors", what: "is gone" },
    ],
    [
      "a body where there was none",
      users,
      set("requestBody", { required: true, content: {} }),
      { subject: "listUsers", what: "a body is required now" },
    ],
    [
      "a body of another type",
      ["paths", "/v1/learnings", "post", "requestBody", "content"],
      (place) => {
        place["text/csv"] = place["application/json"];
        delete place["application/json"];
      },
      { subject: "createLearnings", what: "bodies of type application/json are refused now" },
    ],
    [
      "an error without a message",
      ["components", "schemas", "Error", "properties", "error"],
      without("required", "message"),
      { subject: "Error", what: "error.message: may be missing now" },
    ],
    [
      "another default of a parameter",
      ["paths", "/v1/audit-logs", "get", "parameters", "order", "schema"],
      set("default", "asc"),
      { subject: "listAuditLogs", what: "order: its default changed" },
    ],
    [
      "a default where there was none",
      [...users, "parameters", "limit", "schema"],
      set("default", 10),
      { subject: "listUsers", what: "limit: its default changed" },
    ],
    [
      "a header of another type",
      ["components", "headers", "retry-after", "schema"],
      set("type", "string"),
      { subject: "retry-after", what: "the whole: its type changed" },
    ],
    [
      "a header that refers to another header",
      [...users, "responses", "200", "headers", "x-ratelimit-reset"],
      set("$ref", "#/components/headers/x-request-id"),
      { subject: "listUsers", what: "200: the header x-ratelimit-reset changed" },
    ],
    [
      "an answer's map that is gone",
      [...auditEntry, "properties", "metadata"],
      set("additionalProperties", false),
      { subject: "listAuditLogs", what: "200: data[].metadata: has no other names any more" },
    ],
    [
      "a field that has lost its type",
      [...roleSchema, "properties", "name"],
      remove("type"),
      { subject: "getRole", what: "200: name: its type changed" },
    ],
    [
      "an answer without any schema",
      ["paths", "/v1/roles/{role_id}", "get", "responses", "200", "content", "application/json"],
      remove("schema"),
      { subject: "getRole", what: "200: the whole: its type changed" },
    ],
    [
      "a list that has lost the type of its elements",
      [...auditLogs, "properties", "data"],
      remove("items"),
      { subject: "listAuditLogs", what: "200: data[]: its type changed" },
    ],
  ])("a planted change that breaks callers is found: %s", (_, path, change, expected) => {
    expect(breakingChanges(released, changed(path, change))).toContainEqual(expected);
  });
});

test("a header that one operation describes itself is compared there", () => {
  const header = (type: string) =>
    changed([...users, "responses", "200", "headers"], set("x-total", { schema: { type } }));
  expect(breakingChanges(header("integer"), header("integer"))).toEqual([]);
  expect(breakingChanges(header("integer"), header("string"))).toEqual([
    { subject: "listUsers", what: "200: the header x-total changed" },
  ]);
});

describe("a change that breaks no caller is not reported", () => {
  test.each<[string, Path, Edit]>([
    ["nothing", [], () => {}],
    ["a new operation", ["paths"], set("/v1/teams", { get: { operationId: "listTeams", responses: {} } })],
    [
      "a new optional parameter",
      users,
      along("parameters", { name: "team", in: "query", required: false, schema: { type: "string" } }),
    ],
    ["a larger page", [...users, "parameters", "limit", "schema"], set("maximum", 500)],
    [
      "one more value that a parameter takes",
      [...users, "parameters", "seat_filter", "schema"],
      along("enum", "new"),
    ],
    ["a new field of an answer", [...roleSchema, "properties"], set("color", { type: "string" })],
    ["a value that is no longer answered", [...roleSchema, "properties", "type"], without("enum", "custom")],
    ["a field that is never null now", [...roleSchema, "properties", "description"], set("type", "string")],
    ["other words", users, set("description", "Everybody.")],
    ["a parameter of any type", [...users, "parameters", "limit", "schema"], remove("type")],
  ])("a change that breaks no caller is not reported: %s", (_, path, change) => {
    expect(breakingChanges(released, changed(path, change))).toEqual([]);
  });
});
