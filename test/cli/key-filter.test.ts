import { expect, test } from "vitest";
import { CommandInput } from "../../cli/command.ts";
import { type KeyRow, keyFilter } from "../../cli/show-keys.ts";

const nowMs = Date.parse("2026-11-16T00:00:00.000Z");
const key = (id: string, fields: Partial<KeyRow>): KeyRow => ({
  id,
  kind: "organization",
  name: null,
  bound_to: "1",
  owner: null,
  role: null,
  state: "active",
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: null,
  last_used_at: null,
  rotated_at: null,
  old_until: null,
  old_last_used_at: null,
  refused_because: null,
  only: null,
  made_by: null,
  ...fields,
});
const keys = [
  key("never used", {}),
  key("new", { created_at: "2026-11-01T00:00:00.000Z" }),
  key("used", { last_used_at: "2026-11-10T00:00:00.000Z", expires_at: "2026-12-31T00:00:00.000Z" }),
  key("ends soon", { last_used_at: "2026-11-15T00:00:00.000Z", expires_at: "2026-12-01T00:00:00.000Z" }),
  key("owner left", { refused_because: "owner_left", expires_at: "2026-11-17T00:00:00.000Z" }),
  key("revoked", { state: "revoked", expires_at: "2026-11-17T00:00:00.000Z" }),
];
const shown = (options: Readonly<Record<string, string | true>>) =>
  keys.filter(keyFilter(new CommandInput(undefined, options), nowMs)).map(({ id }) => id);

test.each([
  [{}, keys.map(({ id }) => id)],
  [{ active: true }, ["never used", "new", "used", "ends soon"]],
  [{ "expiring-in": "30" }, ["ends soon"]],
  [{ "expiring-in": "45" }, ["used", "ends soon"]],
  [{ "unused-for": "90" }, ["never used"]],
  [{ "unused-for": "90", "expiring-in": "30" }, []],
] as const)("keys list %j shows the keys that an administrator looks for", (options, ids) => {
  expect(shown(options)).toEqual(ids);
});

test("a number of days that is no number is refused", () => {
  expect(() => shown({ "unused-for": "soon" })).toThrow("--unused-for takes a whole number");
});
