import { describe, expectTypeOf, test } from "vitest";
import type { Operation } from "../../lib/contract/operation.ts";
import type { listAuditLogs } from "../../lib/contract/operations/audit-logs.ts";
import type { deleteKey } from "../../lib/contract/operations/keys.ts";
import type { mcpMetrics, reviewCommentMetrics } from "../../lib/contract/operations/metrics.ts";
import type { listOrganizations } from "../../lib/contract/operations/organizations.ts";
import type { changeRoles } from "../../lib/contract/operations/users.ts";
import { getSeatAssignment } from "../../lib/contract/operations/users.ts";
import type { McpRecord, ReviewRecord } from "../../lib/contract/records-metrics.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import type { csvResult, listResult } from "../../lib/http/list.ts";
import type { BytesResult, Exact, ResultOf } from "../../lib/http/operation-result.ts";
import type { FieldsOf, JsonText } from "../../lib/runtime/json-text.ts";

/** True if a handler of the operation may return the result. */
type Returns<Op extends Operation, Result> = Result extends ResultOf<Op> & Exact<Op, Result> ? true : false;
type Mode<Answer> = Returns<typeof getSeatAssignment, { json: Answer }>;
type Organizations<Record> = Returns<
  typeof listOrganizations,
  { json: { organizations: Record[]; next_cursor: string | null } }
>;
type Organization = { id: string; name: string; provider: "github"; provider_organization_id: string };
type Page<Record, Removed = never> = ReturnType<typeof listResult<unknown, Record, Removed>>;

describe("the compiler", () => {
  test("the compiler accepts an answer that its schema takes", () => {
    expectTypeOf<Mode<{ mode: "manual" }>>().toEqualTypeOf<true>();
    expectTypeOf<Organizations<Organization>>().toEqualTypeOf<true>();
    expectTypeOf<Returns<typeof deleteKey, { empty: true }>>().toEqualTypeOf<true>();
    expectTypeOf<Returns<typeof mcpMetrics, Page<McpRecord>>>().toEqualTypeOf<true>();
    expectTypeOf<Returns<typeof mcpMetrics, ReturnType<typeof csvResult>>>().toEqualTypeOf<true>();
  });

  test("the compiler refuses an answer with a missing, misspelt or mistyped field", () => {
    expectTypeOf<Mode<object>>().toEqualTypeOf<false>();
    expectTypeOf<Mode<{ mod: "manual" }>>().toEqualTypeOf<false>();
    expectTypeOf<Mode<{ mode: "manul" }>>().toEqualTypeOf<false>();
    expectTypeOf<Mode<{ mode: "manual" | undefined }>>().toEqualTypeOf<false>();
    expectTypeOf<Organizations<Omit<Organization, "name">>>().toEqualTypeOf<false>();
    expectTypeOf<Organizations<Omit<Organization, "name"> & { name: null }>>().toEqualTypeOf<false>();
  });

  test("the compiler refuses an answer with a field that the schema does not have, and names the field", () => {
    expectTypeOf<Mode<{ mode: "manual"; since: string }>>().toEqualTypeOf<false>();
    expectTypeOf<Organizations<Organization & { plan: string }>>().toEqualTypeOf<false>();
    expectTypeOf<
      Exact<typeof listOrganizations, { json: { organizations: Array<{ id: string; plan: string }> } }>
    >().toEqualTypeOf<{ readonly "not in the answer's schema": "answer.organizations[].plan" }>();
    type Answer = { status: "success"; succeeded: string[]; failed: []; dry_rn: true };
    expectTypeOf<Returns<typeof changeRoles, { json: Answer }>>().toEqualTypeOf<false>();
    // @ts-expect-error The schema has no `since`.
    createHandler(getSeatAssignment, async () => ({ json: { mode: "manual", since: "2026-01-01" } }));
  });

  test("the compiler refuses a body where there is none, and none where there is one", () => {
    expectTypeOf<Returns<typeof deleteKey, { json: object }>>().toEqualTypeOf<false>();
    expectTypeOf<Returns<typeof getSeatAssignment, { empty: true }>>().toEqualTypeOf<false>();
  });

  test("the compiler refuses a list of other records, and bytes whose content it does not know", () => {
    expectTypeOf<Returns<typeof reviewCommentMetrics, Page<McpRecord>>>().toEqualTypeOf<false>();
    expectTypeOf<Returns<typeof listAuditLogs, Page<never, object>>>().toEqualTypeOf<false>();
    expectTypeOf<Returns<typeof mcpMetrics, BytesResult<unknown>>>().toEqualTypeOf<false>();
    expectTypeOf<Returns<typeof mcpMetrics, Omit<BytesResult<never>, symbol>>>().toEqualTypeOf<false>();
  });

  test("the compiler refuses a record written by hand with a missing, misspelt or mistyped field", () => {
    type Fields = FieldsOf<Pick<ReviewRecord, "pr_url" | "author_id">>;
    type Takes<Given> = Given extends Fields ? true : false;
    expectTypeOf<Takes<{ pr_url: JsonText<string>; author_id: JsonText<null> }>>().toEqualTypeOf<true>();
    expectTypeOf<Takes<{ pr_url: JsonText<string> }>>().toEqualTypeOf<false>();
    expectTypeOf<Takes<{ pr_url: JsonText<string>; author: JsonText<null> }>>().toEqualTypeOf<false>();
    expectTypeOf<Takes<{ pr_url: JsonText<string>; author_id: JsonText<number> }>>().toEqualTypeOf<false>();
    expectTypeOf<Takes<{ pr_url: JsonText<unknown>; author_id: JsonText<null> }>>().toEqualTypeOf<false>();
    expectTypeOf<Takes<{ pr_url: string; author_id: JsonText<null> }>>().toEqualTypeOf<false>();
  });
});
