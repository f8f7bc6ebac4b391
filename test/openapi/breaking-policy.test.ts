import { describe, expect, test } from "vitest";
import { type BreakingChange, breakingChanges } from "../../lib/openapi/changes.ts";
import { along, changed, type Edit, type Path, released, remove, set, users } from "./planted.ts";

const learningsQuery: Path = ["paths", "/v1/learnings", "get", "parameters"];

describe("a planted policy that refuses what it accepted before is found", () => {
  test.each<[string, Path, Edit, BreakingChange]>([
    [
      "the key in another header",
      ["components", "securitySchemes", "key"],
      set("name", "authorization"),
      { subject: "key", what: "its name changed" },
    ],
    [
      "a second secret beside the key",
      ["security", 0],
      set("signature", []),
      { subject: "security", what: "a way to authenticate is gone" },
    ],
    [
      "an operation that requires another key than the rest",
      users,
      set("security", [{ signature: [] }]),
      { subject: "listUsers", what: "a way to authenticate is gone" },
    ],
    [
      "a permission that is needed",
      ["paths", "/v1/learnings", "get", "x-needs"],
      set("organization", ["learning:read"]),
      { subject: "listLearnings", what: "keys of kind organization need learning:read now" },
    ],
    [
      "a permission that only admins have",
      ["paths", "/v1/roles", "get", "x-needs"],
      set("user", ["admin"]),
      { subject: "listRoles", what: "keys of kind user need admin now" },
    ],
    [
      "a state of the organization that is needed",
      [...users, "x-needs"],
      set("user", ["self_hosted", "admin"]),
      { subject: "listUsers", what: "keys of kind user need self_hosted now" },
    ],
    [
      "a plan that is needed",
      ["paths", "/v1/security/scans/code", "get"],
      set("x-plan", "enterprise"),
      { subject: "listSecurityFindings", what: "it needs the plan enterprise now" },
    ],
    [
      "an organization that workspace tokens must name",
      users,
      set("x-org-id", "required"),
      { subject: "listUsers", what: "org_id of workspace tokens was optional and is required now" },
    ],
    [
      "a parameter that only one kind of key may send",
      [...users, "parameters", "seat_filter"],
      set("x-key-kinds", ["user"]),
      { subject: "listUsers", what: "seat_filter: keys of other kinds are refused now" },
    ],
    [
      "fewer requests in a window",
      [...users, "x-rate-limit"],
      set("requests", 59),
      { subject: "listUsers", what: "its limit is 59 in 60 s now" },
    ],
    [
      "a longer window for as many requests",
      [...users, "x-rate-limit"],
      set("seconds", 61),
      { subject: "listUsers", what: "its limit is 60 in 61 s now" },
    ],
    [
      "a window that is shared with other operations",
      [...users, "x-rate-limit"],
      set("bucket", "roles"),
      { subject: "listUsers", what: "it counts in the bucket roles now" },
    ],
    [
      "a window that is shared with other keys",
      ["paths", "/v1/whoami", "get", "x-rate-limit"],
      set("owner", "organization"),
      { subject: "whoami", what: "it counts for the organization now" },
    ],
  ])("a planted policy that refuses what it accepted before is found: %s", (_, path, change, expected) => {
    expect(breakingChanges(released, changed(path, change))).toContainEqual(expected);
  });
});

describe("a policy that accepts more breaks no caller", () => {
  test.each<[string, Path, Edit]>([
    ["other words about the key", ["components", "securitySchemes", "key"], set("description", "A key.")],
    ["a second way to authenticate", [], along("security", { signature: [] })],
    ["a permission instead of the Admin role", [...users, "x-needs"], set("user", ["role_management:read"])],
    ["nothing needed any more", [...users, "x-needs"], set("user", [])],
    ["every plan", users, set("x-plan", "any")],
    ["an organization that may be left out", ["paths", "/v1/roles", "get"], set("x-org-id", "optional")],
    ["a parameter for every kind of key", [...learningsQuery, "repository_name"], remove("x-key-kinds")],
    ["more requests in a window", [...users, "x-rate-limit"], set("requests", 61)],
    [
      "as many requests in longer windows, which allow for bursts",
      users,
      (place) => {
        Object.assign(Object(place["x-rate-limit"]), { requests: 120, seconds: 120 });
      },
    ],
    ["a window for every key", ["paths", "/v1/users/seats", "post", "x-rate-limit"], set("owner", "key")],
  ])("a policy that accepts more breaks no caller: %s", (_, path, change) => {
    expect(breakingChanges(released, changed(path, change))).toEqual([]);
  });
});

test("a limit that an earlier document does not mention is no breaking change", () => {
  expect(breakingChanges(changed(users, remove("x-rate-limit")), released)).toEqual([]);
});

test("an operation that was public and now requires a key breaks callers", () => {
  const open = changed(users, set("security", []));
  expect(breakingChanges(open, released)).toEqual([{ subject: "listUsers", what: "a key is needed now" }]);
  expect(breakingChanges(released, open)).toEqual([]);
});
