import { expect, test } from "vitest";
import { auditColumns, toAuditRecord } from "../../lib/audit/export.ts";
import { parseAudit } from "../../lib/store/items/audit.ts";

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
