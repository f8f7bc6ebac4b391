import { expect, test } from "vitest";
import { auditWrites, operatorOrigin } from "../../lib/audit/entry.ts";
import { auditColumns, auditFilter, toAuditRecord } from "../../lib/audit/export.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { parseAudit } from "../../lib/store/items/audit.ts";
import { TestClock } from "../support/clock.ts";

const stored = {
  pk: "AUDIT#w#acme#2026-11",
  sk: "2026-11-15T00:00:00.000Z#e1",
  id: "00000000-0000-4000-8000-000000000001",
  action: "role.created",
  resource_type: "role",
  resource_id: null,
  summary: "",
  actor: { type: "system", id: null, name: null, key_id: null, key_kind: null },
  organization_id: null,
  organization: null,
  provider: null,
  ip_address: null,
  request_id: null,
  created_at: "2026-11-15T00:00:00.000Z",
  gateway_request_id: null,
  ttl: 1,
};
const exported = (metadata: object) =>
  JSON.stringify(toAuditRecord(parseAudit({ ...stored, metadata: { ...metadata } })));

test("an entry is exported in the same bytes, whatever order the table returns its names in", () => {
  const failed = { id: "u1", code: "ROLE_IN_USE" };
  const one = exported({ role: "r1", ids: ["u2", "u1"], failed: [failed], after: null });
  expect(one).toBe(
    exported({ after: null, failed: [{ code: failed.code, id: failed.id }], ids: ["u2", "u1"], role: "r1" }),
  );
  // An entry of the last release has no e-mail address.
  expect(one).toContain('"name":null,"email":null,"key_id"');
  expect(one).toContain('"ids":["u2","u1"],"role":"r1"');
});

test("the fields of an entry come in the order of the columns of the CSV", () => {
  const others = (names: readonly string[]) => names.filter((name) => !name.startsWith("actor"));
  expect(others(Object.keys(JSON.parse(exported({}))))).toEqual(others(auditColumns.map(({ name }) => name)));
});

test("an organization that left shows what it did here only to those who ask for the whole workspace", () => {
  const entry = parseAudit({ ...stored, metadata: {}, organization: "left", log_of: "left" });
  const isShown = (selector: "all" | "some:one", inTenant: readonly string[]) =>
    auditFilter({}, { selector, organizations: [], inTenant: new Set(inTenant) })(entry);
  expect([isShown("all", []), isShown("all", ["left"]), isShown("some:one", [])]).toEqual([
    true,
    false,
    false,
  ]);
});

test("an entry says by which way the change came, if not by the API itself", () => {
  const deps = { clock: new TestClock(), random: systemRandom, retentionDays: 1 };
  const event = {
    ...operatorOrigin,
    action: "role.created",
    resourceType: "role",
    resourceId: null,
  } as const;
  const metadataOf = (via: "mcp" | null) =>
    auditWrites(deps, {
      ...event,
      via,
      summary: "",
      tenant: workspaceTenant("acme"),
      organization: null,
      metadata: { name: "One" },
    }).map(({ put }) => put.metadata);
  expect([metadataOf("mcp"), metadataOf(null)]).toEqual([[{ name: "One", via: "mcp" }], [{ name: "One" }]]);
});
