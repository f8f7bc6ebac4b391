import { describe, expect, test } from "vitest";
import { listingOf, listKeys } from "../../lib/access/list-keys.ts";
import {
  checkAllIsAllowed,
  checksOrgId,
  coversSeveral,
  onlyOrganization,
  organizationNamed,
  readsOrgId,
  type Selection,
  selectOrganizations,
} from "../../lib/access/scope.ts";
import { keyKinds } from "../../lib/contract/access.ts";
import * as kinds from "../../lib/contract/items.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { whoami } from "../../lib/contract/operations/keys.ts";
import { changeRoles } from "../../lib/contract/operations/users.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import { TestClock } from "../support/clock.ts";
import { tableWith } from "../support/partial-table.ts";
import { keyItem, organizationItem, principalOf } from "./principals.ts";

const operationWith = (change: Partial<Operation>): Operation => ({ ...whoami, ...change });
const [one, two, three] = ["1", "2", "3"].map((id) => organizationItem(id)) as [
  OrganizationItem,
  OrganizationItem,
  OrganizationItem,
];
const token = principalOf("workspace", { organizations: [one, two] });
const instance = principalOf("instance", { organizations: [one, two], forbiddenOrganizations: [three] });

/** The UUIDs and the selector, or the error. */
function select(
  operation: Operation,
  principal: ReturnType<typeof principalOf>,
  selection: Selection = {},
): unknown {
  try {
    const { organizations, selector } = selectOrganizations(operation, principal, selection);
    return [organizations.map(({ uuid }) => uuid), selector];
  } catch (error) {
    return error;
  }
}

const both = [["uuid-1", "uuid-2"], "all"];
const first = [["uuid-1"], "one:uuid-1"];
const second = [["uuid-2"], "one:uuid-2"];
const notFound = {
  code: "ORGANIZATION_NOT_FOUND",
  message: "No active organization in the key's scope has this org_id. Send its provider_organization_id.",
};

describe("organization, user, legacy and agentic keys", () => {
  test.each(["organization", "user", "legacy", "agentic"] as const)(
    "%s keys act on their own organization, whatever org_id says",
    (kind) => {
      expect(select(operationWith({ organization: "required" }), principalOf(kind), { orgId: "2" })).toEqual(
        first,
      );
    },
  );

  test("organization, user, legacy and agentic keys without an organization cause an internal error", () => {
    expect(select(whoami, principalOf("user", { home: null }))).toEqual(
      new TypeError("This kind of key has no organization of its own."),
    );
  });

  test("organization, user, legacy and agentic keys may not send organization_ids", () => {
    for (const kind of ["organization", "workspace"] as const)
      expect(select(whoami, principalOf(kind), { organizationIds: ["1"] })).toMatchObject({
        code: "INVALID_REQUEST",
        message: "organization_ids: is for instance keys only; leave it out with this key.",
      });
  });
});

describe("workspace tokens", () => {
  test("workspace tokens see the whole workspace where org_id is ignored or omitted", () => {
    expect(select(operationWith({ organization: "ignored" }), token, { orgId: "nobody" })).toEqual(both);
    expect(select(operationWith({ organization: "optional" }), token)).toEqual(both);
    expect(select(operationWith({ organization: "refused" }), token)).toEqual(both);
  });

  test("workspace tokens see the one organization that org_id names", () => {
    for (const organization of ["optional", "required"] as const) {
      expect(select(operationWith({ organization }), token, { orgId: "2" })).toEqual(second);
      expect(select(operationWith({ organization }), token, { orgId: "github:2" })).toEqual(second);
      expect(select(operationWith({ organization }), token, { orgId: "gitlab:2" })).toMatchObject(notFound);
      expect(select(operationWith({ organization }), token, { orgId: "3" })).toMatchObject(notFound);
    }
  });

  test("workspace tokens must name an organization where one is required, and the error says where to put it", () => {
    const required = (place: string) => ({
      code: "ORG_ID_REQUIRED",
      message: `A workspace token must name one organization: put its provider_organization_id as org_id in the ${place}.`,
    });
    expect(select(operationWith({ organization: "required" }), token)).toMatchObject(
      required("query string"),
    );
    expect(select(changeRoles, token)).toMatchObject(required("body"));
  });

  test("workspace tokens must not name an organization where org_id is refused", () => {
    expect(select(operationWith({ organization: "refused" }), token, { orgId: "2" })).toMatchObject({
      code: "INVALID_REQUEST",
      message: "org_id: must not be sent with a workspace token on this operation.",
    });
  });

  test("the path narrows the organizations that workspace tokens see", () => {
    const operation = operationWith({ organization: "refused" });
    expect(select(operation, token, { organizationUuid: "uuid-2" })).toEqual(second);
    expect(select(operation, token, { organizationUuid: "uuid-3" })).toMatchObject({
      code: "ORGANIZATION_NOT_FOUND",
      message: "The key can see no active organization with this id.",
    });
  });
});

describe("an organization's name", () => {
  test("a name that two organizations have must be sent with its provider", () => {
    const twin = organizationItem("2", { uuid: "uuid-twin", provider: "gitlab" });
    expect(() => organizationNamed([one, two, twin], "2")).toThrow(
      expect.objectContaining({
        code: "INVALID_REQUEST",
        message: "org_id: names several organizations; use one of: github:2, gitlab:2.",
      }),
    );
    expect(organizationNamed([one, two, twin], "gitlab:2")).toBe(twin);
  });

  const uuid = "0F8fad5b-d9cb-469f-a165-70867728950e";
  test("an organization's name is distinguished from a UUID by its form alone", () => {
    expect(() => organizationNamed([one], uuid)).toThrow(
      expect.objectContaining({
        code: "ORGANIZATION_NOT_FOUND",
        message:
          "No organization matches org_id. It looks like a service UUID: use provider_organization_id.",
      }),
    );
    const named = organizationItem(uuid);
    expect(organizationNamed([named], uuid)).toBe(named);
  });

  test.each([
    `x${uuid}`,
    `${uuid}x`,
    uuid.replaceAll("-", ""),
    uuid.slice(1),
    uuid.replace("fad", "gad"),
    uuid.replace("-469f", "-469"),
    uuid.slice(0, -1),
    uuid.replace("-469f-", "-"),
  ])("an organization's name that only resembles a UUID is an ordinary name: %s", (name) => {
    expect(() => organizationNamed([one], name)).toThrow(expect.objectContaining(notFound));
  });
});

describe("instance keys", () => {
  const named = operationWith({ instanceScope: "named" });
  const authorized = operationWith({ instanceScope: "authorized" });

  test("instance keys act on their home where an operation requires it, whatever organization they name", () => {
    expect(select(operationWith({ instanceScope: "home" }), instance, { organizationIds: ["2"] })).toEqual(
      first,
    );
  });

  test("instance keys are refused where they act on their home and their list lacks it; the error names it", () => {
    const principal = principalOf("instance", { forbiddenOrganizations: [three, one] });
    for (const operation of [named, operationWith({ instanceScope: "home" })])
      expect(select(operation, principal)).toMatchObject({
        code: "ORGANIZATION_FORBIDDEN",
        message:
          "The key is not authorized for its home organization 1, which this operation acts on. " +
          "Create a key whose authorized organizations contain its home.",
      });
    expect(select(named, { ...principal, home: null })).toEqual(
      new TypeError("This kind of key has no organization of its own."),
    );
  });

  test("instance keys that may name an organization act on it, on all with ALL in any case, or on their home", () => {
    expect(select(named, instance)).toEqual(first);
    for (const orgId of ["ALL", "all", "All"]) expect(select(named, instance, { orgId })).toEqual(both);
    expect(select(named, instance, { orgId: "2" })).toEqual(second);
    expect(select(named, instance, { orgId: "9" })).toMatchObject(notFound);
    const unlimited = { ...instance, forbiddenOrganizations: [] };
    expect(select(named, unlimited, { orgId: "2" })).toEqual(second);
    const narrow = { ...instance, forbiddenOrganizations: [three, organizationItem("4")] };
    expect(select(named, narrow, { orgId: "3" })).toMatchObject({ code: "ORGANIZATION_FORBIDDEN" });
    expect(select(named, instance, { orgId: "3" })).toMatchObject({
      code: "ORGANIZATION_FORBIDDEN",
      message: "org_id: the key is not authorized for 3.",
    });
  });

  test("ALL is reserved for instance keys where they may name organizations; elsewhere it is not special", () => {
    const refusal = {
      code: "INVALID_REQUEST",
      message: "org_id: ALL is for self-hosted instance keys only.",
    };
    for (const kind of ["organization", "workspace", "legacy"] as const)
      expect(select(named, principalOf(kind), { orgId: "aLL" })).toMatchObject(refusal);
    expect(() => checkAllIsAllowed(named, principalOf("legacy"), "ALL")).toThrow(
      expect.objectContaining(refusal),
    );
    expect(() => checkAllIsAllowed(named, principalOf("legacy"), 7)).not.toThrow();
    expect(select(authorized, principalOf("organization"), { orgId: "ALL" })).toEqual(first);
  });

  test("instance keys that cannot name one organization see all authorized ones or those in organization_ids", () => {
    expect(select(authorized, instance, { orgId: "2" })).toEqual(both);
    expect(select(authorized, instance, { organizationIds: ["2", "9"] })).toEqual([["uuid-2"], "some:2,9"]);
    expect(select(authorized, instance, { organizationIds: ["2", "1", "2"] })).toEqual([
      ["uuid-1", "uuid-2"],
      "some:1,2",
    ]);
    expect(select(authorized, instance, { organizationIds: ["9"] })).toMatchObject({
      code: "ORGANIZATION_NOT_FOUND",
      message: "organization_ids: matches no active organization of the instance.",
    });
    expect(select(authorized, instance, { organizationIds: ["1", "3"] })).toMatchObject({
      code: "ORGANIZATION_FORBIDDEN",
      message: "organization_ids: the key is not authorized for 3.",
    });
  });
});

describe("org_id", () => {
  const kindsThat = (decide: typeof readsOrgId, change: Partial<Operation>) =>
    keyKinds.filter((kind) => decide(operationWith(change), kind));

  test("org_id decides for workspace tokens unless ignored, for instance keys if they may name organizations", () => {
    expect(kindsThat(readsOrgId, { organization: "required", instanceScope: "home" })).toEqual(["workspace"]);
    expect(kindsThat(readsOrgId, { organization: "ignored", instanceScope: "home" })).toEqual([]);
    expect(kindsThat(readsOrgId, { organization: "ignored", instanceScope: "named" })).toEqual(["instance"]);
  });

  test("org_id is checked for every key where ALL is accepted, and elsewhere for the keys that read it", () => {
    expect(kindsThat(checksOrgId, { organization: "required", instanceScope: "named" })).toEqual(keyKinds);
    expect(kindsThat(checksOrgId, { organization: "required", instanceScope: "home" })).toEqual([
      "workspace",
    ]);
  });
});

describe("a scope", () => {
  test("a scope covers several organizations if the request selected some or all, not if it selected one", () => {
    const covers = (selector: string) => coversSeveral({ organizations: [one], selector });
    expect(["all", "some:1", "some:one:", "one:uuid-1"].map(covers)).toEqual([true, true, true, false]);
  });

  test("a scope without an organization causes an internal error where an operation acts on exactly one", () => {
    expect(onlyOrganization({ scope: { organizations: [two], selector: "one:uuid-2" } })).toBe(two);
    expect(() => onlyOrganization({ scope: { organizations: [], selector: "all" } })).toThrow(
      new TypeError("The operation selects one organization."),
    );
  });
});

test("a list of keys shows the keys of every organization once, whatever the order of the organizations", async () => {
  const keys = [one, two].map(({ uuid }) => keyItem("user", { id: `k-${uuid}`, organization: uuid }));
  const rows = keys.map(({ id, organization }) =>
    kinds.keyRow.key({ tenant: organizationTenant(organization ?? ""), keyId: id }),
  );
  const table = tableWith({
    queryPage: async ({ pk, after = "" }) => ({
      items: rows.filter((row) => row.pk === pk && row.sk > after),
    }),
    getMany: async (wanted) =>
      wanted.map(({ pk }) => keys.find(({ id }) => kinds.apiKey.key({ keyId: id }).pk === pk)),
  });
  const scope = { organizations: [two, one], selector: "all" };
  const principal = { ...token, tenant: "w#acme" } as const;
  const reader = { table, clock: new TestClock(), principal, scope };
  const first = await listKeys(reader, listingOf(reader), { after: null, limit: 1 });
  const second = await listKeys(reader, listingOf(reader), { after: first.next, limit: 1 });
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
  expect(second.next).toBeNull();
});
