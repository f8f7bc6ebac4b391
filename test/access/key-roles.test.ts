import { describe, expect, test } from "vitest";
import { createKey, type KeyRequest } from "../../lib/access/create-key.ts";
import { listKeysOfOrganization } from "../../lib/access/key-registry.ts";
import { revokeKey } from "../../lib/access/revoke-key.ts";
import { rotateKey } from "../../lib/access/rotate-key.ts";
import { operator, operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { deleteRole } from "../../lib/people/custom-roles.ts";
import { overtakenBy } from "../support/overtaken.ts";
import { organizationOf } from "../support/stored.ts";
import { github } from "../support/world.ts";
import { refusal, useKeyRegistry } from "./key-registry-fixture.ts";

const { store, world } = useKeyRegistry();

describe("a change during the creation of a key", () => {
  const overtaken = (other: () => Promise<unknown>) => overtakenBy(store().table, other);

  async function office(name: string) {
    const uuid = await world.organization(name);
    await world.member(github(name), "u1");
    const organization = await organizationOf(store().table, uuid);
    const context = { ...world.deps, ...operatorOrigin };
    const makeRole = (role: string) => world.role(uuid, role, { permissions: [] });
    const role = await makeRole("Auditor");
    const request: KeyRequest = {
      kind: "organization",
      organization: uuid,
      owner: "u1",
      role,
      actor: operator,
    };
    const keysOf = async () => await listKeysOfOrganization({ table: store().table }, uuid);
    return { uuid, context, organization, role, makeRole, request, keysOf };
  }

  test("no key is created if its owner leaves meanwhile", async () => {
    const { request, keysOf } = await office("leaves");
    const table = overtaken(() => world.member(github("leaves"), "u1", { active: false }));
    await expect(createKey({ ...world.deps, table }, request)).rejects.toThrow(
      refusal("User u1 is not an active member of the organization."),
    );
    expect(await keysOf()).toEqual([]);
  });

  test("no key is created if its role is deleted meanwhile", async () => {
    const { context, organization, role, request, keysOf } = await office("deleted");
    const table = overtaken(() => deleteRole(context, organization, role));
    await expect(createKey({ ...world.deps, table }, request)).rejects.toThrow(
      refusal(`The organization has no role ${role}.`),
    );
    expect(await keysOf()).toEqual([]);
  });

  test("the guard counts the keys that hold a role", async () => {
    const { uuid, role, request } = await office("counted");
    await createKey(world.deps, request);
    const { key } = await createKey(world.deps, request);
    // A rotation makes no key.
    await rotateKey(world.deps, { id: key.id, graceSeconds: 0, actor: operator });
    const given = async () => (await store().table.get(kinds.people.key({ organization: uuid })))?.keys_given;
    expect(await given()).toEqual({ [role]: 2 });
    const table = overtaken(() => createKey(world.deps, request));
    await createKey({ ...world.deps, table }, request);
    expect(await given()).toEqual({ [role]: 4 });
  });

  test("a role is deleted after its last key ends, and the count of another role stays", async () => {
    const { uuid, context, organization, role, makeRole, request } = await office("ended");
    const { key } = await createKey(world.deps, request);
    const other = await makeRole("Other");
    await createKey(world.deps, { ...request, role: other });
    await expect(deleteRole(context, organization, role)).rejects.toMatchObject({ code: "ROLE_IN_USE" });
    await revokeKey(world.deps, key.id, operator);
    await deleteRole(context, organization, role);
    expect((await store().table.get(kinds.people.key({ organization: uuid })))?.keys_given).toEqual({
      [other]: 1,
    });
  });

  test.each([false, true])(
    "a key that gets the role during its deletion keeps it (another had it: %s)",
    async (hadIt) => {
      const { context, organization, role, request } = await office(`given-${hadIt}`);
      if (hadIt) await revokeKey(world.deps, (await createKey(world.deps, request)).key.id, operator);
      const table = overtaken(() => createKey(world.deps, request));
      await expect(deleteRole({ ...context, table }, organization, role)).rejects.toMatchObject({
        code: "ROLE_IN_USE",
      });
    },
  );
});
