import { beforeAll, describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { peopleLimits } from "../../lib/contract/limits.ts";
import { nameDigest } from "../../lib/people/role-names.ts";
import { roleWrites } from "../../lib/people/roles.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { required } from "../../lib/runtime/required.ts";
import { parsePeopleGuard } from "../../lib/store/items/people.ts";
import { useApi } from "../support/api.ts";
import { github, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const missing = "00000000-0000-4000-8000-000000000000";

type Role = { id: string; name: string; is_default: boolean; permissions?: object[]; user_count?: number };
const json = <Shape>(answer: { json: unknown }): Shape => answer.json as Shape;

async function company(name: string) {
  const uuid = await world.organization(name);
  await world.member(github(name), "boss", { role: "cr_admin" });
  const key = await world.adminKey(uuid, "boss");
  const refresh = () =>
    api.store().table.write({ delete: kinds.limit.key({ bucket: "roles-write", owner: uuid }) });
  const create = async (body: object) => {
    await refresh();
    return await api.call("/v1/roles", { key, body });
  };
  const created = async (body: object) => json<Role>(await create(body));
  const change = (id: string, body: object) => api.call(`/v1/roles/${id}`, { method: "PATCH", key, body });
  const remove = (id: string) => api.call(`/v1/roles/${id}`, { method: "DELETE", key });
  const list = async (query = "") =>
    json<{ roles: Role[] }>(await api.call(`/v1/roles${query}`, { key })).roles;
  const get = async (id: string) => json<Role>(await api.call(`/v1/roles/${id}`, { key }));
  /** Assigns a role like the operator's tool. */
  const give = async (role: string, userId: string) => {
    const { table } = api.store();
    const member = await table.get(kinds.member.key({ organization: uuid, userId }));
    await table.transact(roleWrites(uuid, member ? [member] : [], role));
  };
  /** Writes roles directly until the organization has this many: one request per role would take seconds. */
  const fill = async (count: number) => {
    const { table } = api.store();
    const stored = required(await table.get(kinds.people.key({ organization: uuid })), "people guard");
    const guard = parsePeopleGuard(stored);
    const made = Array.from({ length: count - guard.custom }, (_, index) => ({
      id: systemRandom.uuid(),
      name: `role ${index}`,
    }));
    const perRole = Object.fromEntries(made.map(({ id }) => [id, 0]));
    const role_names = Object.fromEntries(made.map(({ id, name }) => [nameDigest(name), id]));
    const put = {
      ...stored,
      custom: count,
      counts: { ...guard.counts, ...perRole },
      roles: { ...guard.roles, ...perRole },
      role_names: { ...guard.role_names, ...role_names },
    };
    const roles = made.map((role) => ({
      put: { ...kinds.role.key({ organization: uuid, roleId: role.id }), ...role, description: null },
    }));
    await table.writeMany([{ put }, ...roles]);
  };
  return { name, uuid, key, create, created, change, remove, list, get, give, refresh, fill };
}
const write = [{ resource_id: "learning", access_type: "write" }];

describe("custom roles", () => {
  test("custom roles are created with given permissions, those of another role, or a member's", async () => {
    const { create, created, list, get } = await company("creating");
    const answer = await create({ name: "  Writers ", description: "They write", permissions: write });
    expect([answer.status, answer.json]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: "Writers",
        description: "They write",
        type: "custom",
        is_default: false,
        permissions: write,
        user_count: 0,
      },
    ]);
    const copy = await created({ name: "Copy", duplicate_from: json<Role>(answer).id });
    expect(copy.permissions).toEqual(write);
    const plain = await created({ name: "Plain" });
    expect(plain.permissions).toHaveLength(4);
    expect((await list()).map(({ id }) => id)).toEqual([
      "cr_admin",
      "cr_member",
      "cr_billing_admin",
      copy.id,
      plain.id,
      json<Role>(answer).id,
    ]);
    expect((await list("?role_type=custom&include_permissions=true&include_user_count=false"))[0]).toEqual({
      id: copy.id,
      name: "Copy",
      description: null,
      type: "custom",
      is_default: false,
      permissions: write,
    });
    expect(await get("cr_admin")).toMatchObject({ type: "system", user_count: 1, is_default: false });
    expect(await get(plain.id.toUpperCase())).toMatchObject({ name: "Plain" });
  });

  let shapes: Awaited<ReturnType<typeof company>>;
  beforeAll(async () => {
    shapes = await company("shapes");
  });

  test.each([
    [{}, "name: is required."],
    [{ name: "" }, "name: must have 1 to 255 characters."],
    [{ name: "x".repeat(256) }, "name: must have 1 to 255 characters."],
    [{ name: "a", description: "x".repeat(1001) }, "description: must have 0 to 1000 characters."],
    [
      { name: "a", permissions: [], duplicate_from: "cr_admin" },
      "duplicate_from: must not be sent together with permissions.",
    ],
    [
      { name: "a", permissions: [{ resource_id: "security", access_type: "write" }] },
      "permissions[0]: is no permission that exists",
    ],
    [
      { name: "a", duplicate_from: "boss" },
      "duplicate_from: must be a role's UUID or one of: cr_admin, cr_member, cr_billing_admin.",
    ],
    [{ name: "a\u0000" }, "name: must not contain NUL"],
  ])("POST /v1/roles with %j is a 400 that names the allowed values", async (body, sentence) => {
    const answer = await shapes.create(body);
    expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    expect(answer.message).toContain(sentence);
  });

  test("custom roles have unique names ignoring case, even if created at once, and are limited to 100", async () => {
    const { create, created, change, refresh, fill, list } = await company("names");
    const { id } = await created({ name: "Night Watch" });
    expect((await create({ name: "night WATCH" })).codes).toEqual(["ROLE_NAME_TAKEN"]);
    expect((await create({ name: "admin" })).codes).toEqual(["ROLE_NAME_TAKEN"]);
    expect((await change(id, { name: "NIGHT watch" })).status).toBe(200);
    const other = await created({ name: "Day Watch" });
    expect((await change(other.id, { name: "night watch" })).codes).toEqual(["ROLE_NAME_TAKEN"]);
    expect((await change(id, { name: "Dawn" })).status).toBe(200);
    expect((await change(other.id, { name: "night watch" })).status).toBe(200);
    await refresh();
    const race = await Promise.all(
      Array.from({ length: 6 }, (_, index) => create({ name: "Same", description: `try ${index}` })),
    );
    expect(race.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
    await fill(peopleLimits.customRolesMax - 1);
    expect((await create({ name: "ROLE 1" })).codes).toEqual(["ROLE_NAME_TAKEN"]);
    expect((await create({ name: "the last one" })).status).toBe(201);
    expect((await create({ name: "one too many" })).codes).toEqual(["ROLE_LIMIT_REACHED"]);
    expect(await list("?role_type=custom")).toHaveLength(100);
  });

  test("a custom role created twice by the same request of a key is one role, until somebody changes it", async () => {
    const { create, created, change, list, refresh } = await company("repeated");
    const body = { name: "Night Watch", description: "at night", is_default: true };
    const first = await created(body);
    const again = await create(body);
    expect([again.status, again.json]).toEqual([201, first]);
    expect(await list("?role_type=custom")).toHaveLength(1);
    expect((await create({ ...body, description: null })).codes).toEqual(["ROLE_NAME_TAKEN"]);
    await created({ name: "Day Watch", is_default: true });
    // The role is no longer the default, so it is not the role that the request describes.
    expect((await create(body)).codes).toEqual(["ROLE_NAME_TAKEN"]);
    expect((await change(first.id, { is_default: true })).status).toBe(200);
    expect((await create(body)).codes).toEqual(["ROLE_NAME_TAKEN"]);
    await refresh();
    const race = await Promise.all(Array.from({ length: 4 }, () => create({ name: "Same" })));
    expect(race.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(race.map(({ json }) => JSON.stringify(json))).size).toBe(1);
  });

  test("at most one custom role is the default, and a new member without a role gets it", async () => {
    const { name, created, change, list, remove, refresh } = await company("default");
    const first = await created({ name: "First", is_default: true });
    const second = await created({ name: "Second", is_default: true });
    const defaults = async () => (await list()).filter(({ is_default }) => is_default).map(({ id }) => id);
    expect(await defaults()).toEqual([second.id]);
    await world.member(github(name), "newcomer", { role: null });
    expect((await list()).find(({ id }) => id === second.id)?.user_count).toBe(1);
    await change(second.id, { is_default: false });
    expect(await defaults()).toEqual(["cr_member"]);
    await refresh();
    await change(first.id, { is_default: true });
    expect((await remove(first.id)).status).toBe(204);
    expect(await defaults()).toEqual(["cr_member"]);
  });

  test("custom roles decide what a user key may do from the next request on", async () => {
    const { name, uuid, created, change, give } = await company("deciding");
    await world.member(github(name), "u1");
    const { text } = await world.key({ kind: "user", organization: uuid, owner: "u1" });
    const may = async () => (await api.call("/v1/organizations", { key: text })).status === 200;
    const role = await created({ name: "Nothing", permissions: [] });
    expect(await may()).toBe(true);
    await give(role.id, "u1");
    expect(await may()).toBe(false);
    await change(role.id, { permissions: [{ resource_id: "organization_management", access_type: "read" }] });
    expect(await may()).toBe(true);
    await change(role.id, { permissions: [{ resource_id: "role_management", access_type: "read" }] });
    expect(await may()).toBe(false);
    expect((await api.call("/v1/roles", { key: text })).status).toBe(200);
  });

  test("custom roles that are in use are not deleted, even if the assignment races the deletion", async () => {
    const { name, created, remove, give, refresh, get } = await company("using");
    for (let round = 0; round < 8; round++) {
      await world.member(github(name), `u${round}`);
      const role = await created({ name: `Role ${round}` });
      await refresh();
      const [removed, given] = await Promise.all([
        remove(role.id),
        give(role.id, `u${round}`).then(
          () => "given",
          () => "refused",
        ),
      ]);
      expect([
        [204, "refused"],
        [409, "given"],
      ]).toContainEqual([removed.status, given]);
      if (given === "given") {
        expect(removed.codes).toEqual(["ROLE_IN_USE"]);
        expect((await get(role.id)).user_count).toBe(1);
      }
    }
  });

  test("system roles and unknown roles cannot be changed or deleted", async () => {
    const { change, remove, key } = await company("system");
    expect((await change("cr_admin", { name: "x" })).codes).toEqual(["SYSTEM_ROLE"]);
    expect((await remove("cr_member")).codes).toEqual(["SYSTEM_ROLE"]);
    expect((await change(missing, { name: "x" })).codes).toEqual(["ROLE_NOT_FOUND"]);
    expect((await remove(missing)).codes).toEqual(["ROLE_NOT_FOUND"]);
    expect((await api.call(`/v1/roles/${missing}`, { key })).codes).toEqual(["ROLE_NOT_FOUND"]);
    expect((await api.call("/v1/roles/boss", { key })).codes).toEqual(["INVALID_REQUEST"]);
    expect((await api.call("/v1/roles/permissions", { key })).json).toEqual({
      resource_ids: ["learning", "organization_management", "role_management", "security"],
      access_types: ["read", "write", "delete"],
    });
  });

  test("custom roles leave an audit entry for every change", async () => {
    const { created, change, remove, key } = await company("audited-roles");
    const { id } = await created({ name: "Seen" });
    await change(id, { description: "now described" });
    await remove(id);
    const answer = await api.call("/v1/audit-logs?resource_types=role&order=asc", { key });
    expect(json<{ data: Array<{ action: string; resource_id: string }> }>(answer).data).toMatchObject([
      { action: "role.created", resource_id: id, metadata: { name: "Seen" } },
      { action: "role.updated", resource_id: id },
      { action: "role.deleted", resource_id: id },
    ]);
  });
});
