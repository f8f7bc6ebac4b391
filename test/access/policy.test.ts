import { describe, expect, test } from "vitest";
import { checkKeyKind, checkOwnerAndOnly, checkPermission, narrowToPlan } from "../../lib/access/policy.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { everyKey, noLegacyKey } from "../../lib/contract/operation.ts";
import { whoami } from "../../lib/contract/operations/keys.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import { keyItem, organizationItem, principalOf } from "./principals.ts";

/** An operation without requirements, plus the requirements of the test. */
const operationWith = (change: Partial<Operation>): Operation => ({ ...whoami, keys: everyKey, ...change });
const scopeOf = (...organizations: OrganizationItem[]) => ({ organizations, selector: "all" });
/** The error that the check threw, or its result; "passed" if it returned nothing. */
const faultOf = (check: () => unknown) => {
  try {
    return check() ?? "passed";
  } catch (error) {
    return error;
  }
};

describe("the kind of key", () => {
  const check = (operation: Operation, kind: Parameters<typeof principalOf>[0], ...parameters: string[]) =>
    faultOf(() => checkKeyKind(operation, principalOf(kind), parameters));

  test("a legacy key gets the advice to replace it, and with which kinds, where legacy keys no longer work", () => {
    expect(check(operationWith({ keys: noLegacyKey }), "legacy")).toMatchObject({
      code: "LEGACY_API_KEY",
      message:
        "Legacy API keys are no longer accepted here; the operation takes keys of kind organization, user, workspace, instance. Create a new key and send that one instead.",
    });
    expect(check(operationWith({}), "legacy")).toBe("passed");
  });

  test("a forbidden kind is named in the error", () => {
    expect(check(operationWith({}), "agentic")).toMatchObject({
      code: "KEY_TYPE_FORBIDDEN",
      message:
        "Keys of kind agentic cannot be used on this operation; it takes keys of kind organization, user, workspace, instance, legacy.",
    });
    expect(check(operationWith({}), "organization")).toBe("passed");
  });

  test("a parameter for some kinds is refused for the other kinds if it is sent", () => {
    const operation = operationWith({ keysOfParameter: { repository_name: ["user", "agentic"] } });
    expect(check(operation, "organization", "limit", "repository_name")).toMatchObject({
      code: "KEY_TYPE_FORBIDDEN",
      message:
        "repository_name: keys of kind organization cannot use it; it needs one of kind user or agentic.",
    });
    expect(check(operation, "organization", "limit")).toBe("passed");
    expect(check(operation, "user", "repository_name")).toBe("passed");
  });

  test("a token whose owner is no longer an admin is refused, before its only is checked", () => {
    const fallen = principalOf("workspace", { ownerStillAdmin: false });
    expect(faultOf(() => checkOwnerAndOnly(operationWith({}), fallen))).toMatchObject({
      code: "WORKSPACE_ADMIN_REQUIRED",
      message:
        "The owner of this token is no longer an admin of the workspace. Let a current admin create a new one.",
    });
    const narrow = principalOf("workspace", {
      ...fallen,
      key: keyItem("workspace", { only: ["audit_logs:read"] }),
    });
    const operation = operationWith({ only: "keys:write" });
    expect(faultOf(() => checkOwnerAndOnly(operation, narrow))).toMatchObject({
      code: "WORKSPACE_ADMIN_REQUIRED",
    });
    expect(faultOf(() => checkOwnerAndOnly(operation, { ...narrow, ownerStillAdmin: true }))).toMatchObject({
      code: "KEY_LIMITED",
    });
  });
});

describe("the plan", () => {
  const good = organizationItem("1");
  const [free, cloud, lapsed] = [
    organizationItem("2", { plan: "free" }),
    organizationItem("3", { deployment: "cloud" }),
    organizationItem("4", { subscription_active: false }),
  ];
  const check = (change: Partial<Operation>, ...organizations: OrganizationItem[]) =>
    faultOf(() => narrowToPlan(operationWith(change), scopeOf(...organizations), "workspace"));
  const narrowed = (change: Partial<Operation>, ...organizations: OrganizationItem[]) =>
    narrowToPlan(operationWith(change), scopeOf(...organizations), "workspace").organizations.map(
      ({ uuid }) => uuid,
    );

  test("the plan does not change the scope where any plan is allowed", () => {
    expect(narrowed({ plan: "any" }, free, cloud)).toEqual(["uuid-2", "uuid-3"]);
  });

  test("an operation's plan removes organizations on other plans, or only requires one on an allowed plan", () => {
    expect(narrowed({ plan: "enterprise" }, free, good)).toEqual(["uuid-1"]);
    expect(narrowed({ plan: "enterprise_somewhere" }, free, good)).toEqual(["uuid-2", "uuid-1"]);
    for (const plan of ["enterprise", "enterprise_somewhere"] as const)
      expect(check({ plan }, free)).toMatchObject({
        code: "ENTERPRISE_PLAN_REQUIRED",
        message: "This operation needs the Enterprise plan.",
      });
  });

  test("the plan is checked after subscription and deployment, where those are checked", () => {
    const gates = ["subscription", "self_hosted"] as const;
    expect(check({ plan: "enterprise", gates }, good)).toMatchObject({ organizations: [good] });
    expect(
      check({ plan: "enterprise", gates }, { ...lapsed, deployment: "cloud", plan: "free" }),
    ).toMatchObject({
      code: "NO_ACTIVE_SUBSCRIPTION",
      message: "The organization has no active subscription.",
    });
    expect(check({ plan: "enterprise", gates }, { ...cloud, plan: "free" })).toMatchObject({
      code: "SELF_HOSTED_ONLY",
      message: "This operation is only for fully self-hosted organizations.",
    });
    expect(check({ plan: "enterprise", gates: [] }, lapsed, cloud)).toMatchObject({
      organizations: [lapsed, cloud],
    });
    expect(check({ plan: "enterprise", gates }, good, lapsed)).toMatchObject({
      code: "NO_ACTIVE_SUBSCRIPTION",
    });
  });

  test("the plan allows an empty scope only to a walk over several organizations that continues", () => {
    const verdict = (selector: string, options?: Parameters<typeof narrowToPlan>[3]) =>
      faultOf(() =>
        narrowToPlan(
          operationWith({ plan: "enterprise" }),
          { organizations: [free], selector },
          "workspace",
          options,
        ),
      );
    expect(verdict("all", { mayBeEmpty: true })).toMatchObject({ organizations: [] });
    for (const refused of [verdict("one:uuid-2", { mayBeEmpty: true }), verdict("all")])
      expect(refused).toMatchObject({ code: "ENTERPRISE_PLAN_REQUIRED" });
  });

  test("the plan is checked first, then the state of the metrics of the remaining organizations", () => {
    const gates = ["metrics"] as const;
    const plan = "enterprise";
    const away = organizationItem("5", { metrics: "unavailable" });
    const soon = organizationItem("6", { metrics: "preparing" });
    const moving = organizationItem("7", { leaving: "w#acme" });
    expect(check({ plan, gates }, soon, away)).toMatchObject({
      code: "METRICS_UNAVAILABLE",
      message:
        "Organization 5 does not send its metrics to this service. " +
        "To leave it out, read the other organizations one at a time with org_id.",
    });
    expect(check({ plan, gates }, away)).toMatchObject({
      message: "Organization 5 does not send its metrics to this service.",
    });
    expect(
      faultOf(() => narrowToPlan(operationWith({ plan, gates }), scopeOf(good, away), "instance")),
    ).toMatchObject({ message: expect.stringContaining("name the other organizations in organization_ids") });
    for (const [organization, id] of [
      [soon, "6"],
      [moving, "7"],
    ] as const)
      expect(check({ plan, gates }, good, organization)).toMatchObject({
        code: "METRICS_PREPARING",
        message:
          `The metrics of organization ${id} are being prepared. Retry the same request later. ` +
          "To leave it out, read the other organizations one at a time with org_id.",
        retryAfterSeconds: 60,
      });
    expect(check({ plan, gates }, good, { ...away, plan: "pro" })).toMatchObject({ organizations: [good] });
    expect(check({ plan }, away)).toMatchObject({ organizations: [away] });
  });
});

describe("permission", () => {
  const roleWith = (...allowed: Array<"learning:read" | "learning:write" | "security:read">) => ({
    id: "custom",
    isAdmin: false,
    permissions: new Set(allowed),
  });
  const check = (change: Partial<Operation>, role: ReturnType<typeof principalOf>["role"]) =>
    faultOf(() => checkPermission(operationWith(change), principalOf("user", { role }), []));

  test("an operation for admins requires the Admin role, whatever permissions another role has", () => {
    const notAdmin = {
      code: "NOT_ADMIN",
      message: "This operation needs a key with the Admin role (cr_admin).",
    };
    expect(check({ needs: "admin" }, roleWith("learning:read", "learning:write"))).toMatchObject(notAdmin);
    expect(check({ needs: "admin" }, null)).toMatchObject(notAdmin);
    expect(check({ needs: "admin" }, principalOf("user").role)).toBe("passed");
  });

  test("an operation requires the permission that it names; an operation without one allows everybody", () => {
    const denied = {
      code: "PERMISSION_DENIED",
      message: "This operation needs a role with the permission learning:write.",
    };
    expect(check({ needs: "learning:write" }, roleWith("learning:read"))).toMatchObject(denied);
    expect(check({ needs: "learning:write" }, null)).toMatchObject(denied);
    expect(check({ needs: "learning:write" }, roleWith("learning:write"))).toBe("passed");
    expect(check({ needs: null }, null)).toBe("passed");
  });

  test("the permission of a parameter value is required in addition, and only for that value", () => {
    const operation = operationWith({ needs: null, needsOfParameter: { "state=pending": "admin" } });
    const member = principalOf("organization", { role: roleWith("learning:read") });
    const verdict = (...sent: string[]) => faultOf(() => checkPermission(operation, member, sent));
    expect(verdict("state", "state=pending")).toMatchObject({ code: "NOT_ADMIN" });
    expect(verdict("state", "state=approved")).toBe("passed");
  });

  test("an operation that the old value of a rotated key must not call refuses it, after the role", () => {
    const value = { state: "old", hash: "hash", untilMs: 1 } as const;
    const verdict = (change: Partial<Operation>) =>
      faultOf(() => checkPermission(operationWith(change), principalOf("user", { role: null, value }), []));
    expect(verdict({ needs: null, oldValue: "refused" })).toMatchObject({ code: "KEY_ROTATED" });
    expect(verdict({ needs: "admin", oldValue: "refused" })).toMatchObject({ code: "NOT_ADMIN" });
    expect(verdict({ needs: null })).toBe("passed");
    expect(check({ needs: null, oldValue: "refused" }, null)).toBe("passed");
  });

  test("the permission of a single kind of key is required in addition", () => {
    const needsOfKind = { user: "learning:read" } as const;
    expect(check({ needs: "learning:write", needsOfKind }, roleWith("learning:write"))).toMatchObject({
      code: "PERMISSION_DENIED",
    });
    expect(check({ needs: null, needsOfKind }, roleWith("learning:read"))).toBe("passed");
    const other = principalOf("organization", { role: null });
    expect(faultOf(() => checkPermission(operationWith({ needs: null, needsOfKind }), other, []))).toBe(
      "passed",
    );
  });
});
