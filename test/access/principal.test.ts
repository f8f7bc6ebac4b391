import { describe, expect, test } from "vitest";
import { describePrincipal } from "../../lib/access/describe.ts";
import { actorOf, roleOf, workspaceAdmin } from "../../lib/access/principal.ts";
import { canUse, keyKinds, type Permission, permissions, systemRoles } from "../../lib/contract/access.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { operations } from "../../lib/contract/operations.ts";
import { type PeopleGuard, permissionBit } from "../../lib/store/items/people.ts";
import { keyItem, organizationItem, principalOf } from "./principals.ts";

const people = (roles: Record<string, number>): PeopleGuard => ({
  pk: "",
  sk: "",
  seats_free: 0,
  seats_short: 0,
  counts: {},
  role_names: {},
  keys_given: {},
  default_role: null,
  custom: 0,
  roles,
});

describe("a role", () => {
  test("a role of the system has the permissions of its definition, and only cr_admin is an admin", () => {
    for (const [id, { permissions: allowed }] of Object.entries(systemRoles))
      expect(roleOf(id, undefined)).toEqual({
        id,
        isAdmin: id === "cr_admin",
        permissions: new Set(allowed),
      });
    expect(workspaceAdmin).toEqual({ id: "cr_admin", isAdmin: true, permissions: new Set(permissions) });
  });

  test("a role of the organization has the permissions of its bits, and is never an admin", () => {
    for (const permission of permissions)
      expect(roleOf("r1", people({ r1: permissionBit(permission) }))).toEqual({
        id: "r1",
        isAdmin: false,
        permissions: new Set([permission]),
      });
    const all = permissions.reduce((bits, permission) => bits | permissionBit(permission), 0);
    expect(roleOf("r1", people({ r1: all }))).toMatchObject({
      isAdmin: false,
      permissions: new Set(permissions),
    });
  });

  test("a role that is deleted, or has the name of an Object.prototype member, has no permission", () => {
    const nothing = { isAdmin: false, permissions: new Set() };
    expect(roleOf("r1", undefined)).toMatchObject(nothing);
    expect(roleOf("r1", people({ r2: 1 }))).toMatchObject(nothing);
    expect(roleOf("constructor", people({}))).toMatchObject(nothing);
  });
});

describe("the audit log names", () => {
  test("the audit log names a user key's member, by id, name and e-mail address", () => {
    expect(actorOf(principalOf("user"))).toEqual({
      type: "user",
      id: "501",
      name: "ann",
      email: "ann@example.com",
      keyId: "k1",
      keyKind: "user",
    });
  });

  test("the audit log names an organization key by its own name, with the e-mail address of its owner", () => {
    expect(actorOf(principalOf("organization"))).toEqual({
      type: "key",
      id: "501",
      name: "nightly",
      email: "ann@example.com",
      keyId: "k1",
      keyKind: "organization",
    });
  });
});

test.each(keyKinds)("a %s key can use exactly the permissions of the operations that accept it", (kind) => {
  const isNeeded = (permission: Permission) =>
    operations.some(
      ({ keys, needs, ...operation }: Operation) =>
        keys[kind] === "accepted" &&
        [needs, ...Object.values(operation.needsOfKind ?? {})].some((needed) => needed === permission),
    );
  for (const permission of permissions)
    expect([permission, canUse(kind, permission)]).toEqual([permission, isNeeded(permission)]);
});

describe("whoami describes a key", () => {
  const organization = {
    id: "uuid-1",
    name: "Organization 1",
    provider: "github",
    provider_organization_id: "1",
    plan: "enterprise",
    metrics: "ready",
  };

  test("whoami describes a key with its organization, member, role and permissions", () => {
    expect(describePrincipal(principalOf("user"))).toEqual({
      key: {
        id: "k1",
        kind: "user",
        name: "nightly",
        expires_at: null,
        value_until: null,
        only: null,
        made_by: null,
      },
      scope: { tenant: "organization", tenant_id: "1", home: null, organizations: [organization] },
      user_id: "501",
      role: "cr_admin",
      permissions: [...permissions],
    });
  });

  test("whoami describes a key with its workspace or instance, and when it expires", () => {
    const token = keyItem("workspace", { workspace_id: "acme", expires_at_ms: 0 });
    expect(describePrincipal(principalOf("workspace", { key: token }))).toMatchObject({
      key: { expires_at: "1970-01-01T00:00:00.000Z" },
      scope: { tenant: "workspace", tenant_id: "acme", organizations: [{ id: "uuid-1" }, { id: "uuid-2" }] },
    });
    const key = keyItem("instance", { instance_id: "forge" });
    expect(describePrincipal(principalOf("instance", { key })).scope).toMatchObject({
      tenant: "instance",
      tenant_id: "forge",
      home: { id: "uuid-1" },
    });
  });

  test("whoami describes a key with those permissions of its role that its kind can use", () => {
    expect(describePrincipal(principalOf("workspace")).permissions).toEqual(
      permissions.filter((permission) => permission !== "security:read"),
    );
  });

  test("whoami shows a key without a role without permissions, and a key without a home without organization", () => {
    const described = describePrincipal(
      principalOf("legacy", { role: null, home: null, organizations: [organizationItem("1")] }),
    );
    expect(described).toMatchObject({ role: null, permissions: [], scope: { tenant_id: "" } });
  });
});
