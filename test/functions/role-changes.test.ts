import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import { organizationUuid } from "../../lib/contract/identity.ts";
import * as kinds from "../../lib/contract/items.ts";
import { peopleLimits } from "../../lib/contract/limits.ts";
import { instanceTenant } from "../../lib/contract/tenants.ts";
import { changeRoles } from "../../lib/people/change-roles.ts";
import { changeRolesEverywhere } from "../../lib/people/change-roles-everywhere.ts";
import { required } from "../../lib/runtime/required.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { everything } from "../events/support.ts";
import { useApi } from "../support/api.ts";
import { organizationOf } from "../support/stored.ts";
import { github, gitlab, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

const unknownRole = "00000000-0000-4000-8000-000000000000";

/** Reads the instance's log directly: the API leaves out organizations on another plan. */
async function roleEntries(instance: string) {
  const log = `AUDIT#${instanceTenant(instance)}#`;
  const entries = (await everything(api.store().table)).filter(
    ({ pk, action }) => pk.startsWith(log) && action === "roles.changed",
  );
  return entries.toSorted((one, other) =>
    String(one.organization_id) < String(other.organization_id) ? -1 : 1,
  );
}

describe("POST /v1/users/roles with ALL", () => {
  let key: string;
  beforeAll(async () => {
    await world.instance("fleet");
    const home = await world.organization("home", { instance_id: "fleet" });
    await world.organization("poor", { instance_id: "fleet", plan: "pro" });
    for (const name of ["home", "poor"])
      for (const user of ["boss", "second"])
        await world.member(gitlab("fleet", name), user, { role: "cr_admin" });
    await world.member(gitlab("fleet", "home"), "only-home", { role: "cr_admin" });
    ({ text: key } = await world.key({
      kind: "instance",
      instanceId: "fleet",
      home,
      owner: "boss",
      role: "cr_admin",
    }));
  });
  const change = (body: object) => api.call("/v1/users/roles", { key, body: { role: "cr_member", ...body } });

  test("a membership in an organization on another plan fails and is named, never omitted silently", async () => {
    const body = { user_ids: ["second", "only-home"], org_id: "ALL" };
    const dry = await change({ ...body, dry_run: true });
    expect(await roleEntries("fleet")).toEqual([]);
    const answer = await change(body);
    // A dry run gives the same answer; it changes nothing and writes no audit entry.
    expect(dry.json).toEqual({ ...z.looseObject({}).parse(answer.json), dry_run: true, unchanged: [] });
    expect(answer.json).toMatchObject({
      status: "failure",
      succeeded: [],
      failed: [
        {
          user_id: "second",
          code: "ENTERPRISE_PLAN_REQUIRED",
          organizations: [{ org_id: "poor", code: "ENTERPRISE_PLAN_REQUIRED" }],
        },
        { user_id: "only-home", organizations: [{ org_id: "poor", code: "USER_NOT_FOUND" }] },
      ],
    });
    // An organization in which nothing changed has no entry.
    expect(await roleEntries("fleet")).toMatchObject([
      { organization_id: "home", metadata: { ids: ["second", "only-home"], failed: [] } },
    ]);
    // The repeated call changes nothing and writes no audit entry.
    await change({ user_ids: ["second", "only-home"], org_id: "ALL" });
    expect(await roleEntries("fleet")).toHaveLength(1);
  });

  /** Organizations of an instance, each with ann and other admins. */
  async function fleetOf(instance: string, admins: Readonly<Record<string, readonly string[]>>) {
    await world.instance(instance);
    const found = [];
    for (const [name, users] of Object.entries(admins)) {
      const uuid = await world.organization(name, { instance_id: instance });
      for (const user of ["ann", ...users])
        await world.member(gitlab(instance, name), user, { role: "cr_admin" });
      found.push(await organizationOf(world.deps.table, uuid));
    }
    return found;
  }
  const context = () => ({ ...world.deps, ...operatorOrigin });
  const demoteAnn = { role: "cr_member", userIds: ["ann"] };

  test("with ALL, each organization that changed has its own entry, also if the call is cut off", async () => {
    const organizations = await fleetOf("cut", { b: ["boss"], c: [], d: ["boss"], e: ["boss"] });
    const { table } = world.deps;
    let transactions = 0;
    const going: Table = {
      ...table,
      transact: (...given) =>
        ++transactions > 2 ? Promise.reject(new StoreUnavailable("away", true)) : table.transact(...given),
    };
    await expect(
      changeRolesEverywhere({ ...context(), table: going }, organizations, demoteAnn),
    ).rejects.toThrow(StoreUnavailable);
    const changed = await Promise.all(
      organizations.map(async ({ uuid, provider_organization_id: name }) =>
        (await table.get(kinds.member.key({ organization: uuid, userId: "ann" })))?.role === "cr_member"
          ? [name]
          : [],
      ),
    );
    expect(changed.flat()).toHaveLength(2);
    expect((await roleEntries("cut")).map(({ organization_id }) => organization_id)).toEqual(changed.flat());
    const { failed } = await changeRolesEverywhere(context(), organizations, demoteAnn);
    expect(failed).toMatchObject([{ id: "ann", organizations: [{ org_id: "c", code: "LAST_ADMIN" }] }]);
    expect((await roleEntries("cut")).map(({ organization_id }) => organization_id)).toEqual(["b", "d", "e"]);
  });

  test("with ALL, an organization that another call changes meanwhile keeps its last admin", async () => {
    const organizations = await fleetOf("raced", { b: ["boss"], c: ["boss"] });
    const c = required(organizations[1], "organization c");
    const { table } = world.deps;
    let isOvertaken = false;
    const overtaken: Table = {
      ...table,
      transact: async (writes, ...rest) => {
        if (
          !isOvertaken &&
          writes.some(
            (write) =>
              "update" in write &&
              write.update.pk === kinds.member.key({ organization: c.uuid, userId: "" }).pk,
          )
        ) {
          isOvertaken = true;
          await changeRoles(context(), c, { role: "cr_member", userIds: ["boss"] });
        }
        await table.transact(writes, ...rest);
      },
    };
    const { failed } = await changeRolesEverywhere(
      { ...context(), table: overtaken },
      organizations,
      demoteAnn,
    );
    expect(failed).toMatchObject([{ id: "ann", organizations: [{ org_id: "c", code: "LAST_ADMIN" }] }]);
    expect(await table.get(kinds.member.key({ organization: c.uuid, userId: "ann" }))).toMatchObject({
      role: "cr_admin",
    });
  });

  test("with ALL, each organization is read once", async () => {
    const many = Array.from({ length: peopleLimits.organizationsAtOnce + 2 }, (_, index) => [
      `o${index}`,
      ["boss"],
    ]);
    const organizations = await fleetOf("often", Object.fromEntries(many));
    const { table } = world.deps;
    let reads = 0;
    const counted: Table = {
      ...table,
      getMany: (...given) => {
        reads++;
        return table.getMany(...given);
      },
    };
    await changeRolesEverywhere({ ...context(), table: counted }, organizations, demoteAnn);
    expect(reads).toBe(organizations.length);
  });

  test("possible changes elsewhere are made, and the organization on another plan keeps its roles", async () => {
    await change({ user_ids: ["second"], org_id: "ALL" });
    const { json } = await api.call("/v1/users?role_filter=member", { key });
    expect(json).toMatchObject({
      users: expect.arrayContaining([expect.objectContaining({ user_id: "second" })]),
    });
    const poor = await world.deps.table.get({
      pk: `MEMBERS#${await world.organization("poor", { instance_id: "fleet", plan: "pro" })}`,
      sk: "MEMBER#second",
    });
    expect(poor).toMatchObject({ role: "cr_admin" });
  });

  test("an instance key's org_id in the query is 400 unless the body repeats it; nothing changes at home", async () => {
    const body = { role: "cr_admin", user_ids: ["plain"] };
    await world.member(gitlab("fleet", "home"), "plain");
    for (const target of ["poor", "ALL", "home"]) {
      const answer = await api.call(`/v1/users/roles?org_id=${target}`, { key, body });
      expect([answer.status, answer.message]).toEqual([
        400,
        "org_id: is read from the body on this operation. Send it there.",
      ]);
    }
    const plain = kinds.member.key({
      organization: organizationUuid(gitlab("fleet", "home")),
      userId: "plain",
    });
    expect(await api.store().table.get(plain)).toMatchObject({ role: "cr_member" });
    const both = await api.call("/v1/users/roles?org_id=home", {
      key,
      body: { ...body, org_id: "home", dry_run: true },
    });
    expect(both.status).toBe(200);
  });

  test("with ALL, a member who has the role already keeps it when a later event says otherwise", async () => {
    for (const name of ["decided", "decided-too"]) await world.organization(name, { instance_id: "fleet" });
    const organizations = ["decided", "decided-too"].map((name) => gitlab("fleet", name));
    for (const organization of organizations) {
      await world.member(organization, "boss", { role: "cr_admin" });
      await world.member(organization, "ann", { role: "cr_member" });
    }
    const answer = await change({ user_ids: ["ann"], org_id: "ALL" });
    expect(answer.status).toBe(200);
    for (const { provider_organization_id: name } of organizations) {
      const uuid = organizationUuid(gitlab("fleet", name));
      expect(
        await api.store().table.get(kinds.member.key({ organization: uuid, userId: "ann" })),
      ).toMatchObject({
        role: "cr_member",
        role_decided: true,
      });
    }
  });

  test("one organization on another plan, named by its id, is still 403", async () => {
    const answer = await change({ user_ids: ["second"], org_id: "poor" });
    expect([answer.status, answer.codes]).toEqual([403, ["ENTERPRISE_PLAN_REQUIRED"]]);
  });
});

test("the entry of a change has the role before, failed ids, and the people, also by e-mail address", async () => {
  const uuid = await world.organization("recorded");
  const place = github("recorded");
  await world.member(place, "boss", { role: "cr_admin" });
  await world.member(place, "ann", { email: "Ann@x.test" });
  await world.member(place, "bob", { role: "cr_admin" });
  const text = await world.adminKey(uuid, "boss");
  const call = (body: object) => api.call("/v1/users/roles", { key: text, body });
  await call({ role: "cr_admin", user_ids: ["ann", "bob", "ghost"] });
  await call({ role: "cr_admin", user_ids: ["ann"] });
  await call({ role: "cr_admin", user_ids: ["ghost"] });
  await api.call("/v1/users/seats", { key: text, body: { action: "assign", user_ids: ["ann", "ghost"] } });
  // The calls name user ids, and whoever looks for the person knows the e-mail address.
  const { json } = await api.call("/v1/audit-logs?search=ann@x.test&order=asc", { key: text });
  expect(json).toMatchObject({
    data: [
      {
        metadata: {
          role: "cr_admin",
          ids: ["ann"],
          changes: [{ id: "ann", email: "Ann@x.test", before: "cr_member", after: "cr_admin" }],
          failed: [{ id: "ghost", code: "USER_NOT_FOUND" }],
        },
      },
      { action: "seats.assigned", metadata: { ids: ["ann"], emails: ["Ann@x.test"] } },
    ],
  });
});

describe("POST /v1/roles/{role_id}/users", () => {
  let key = "";
  let role = "";
  const withId = z.object({ id: z.string() });
  beforeAll(async () => {
    const organization = await world.organization("gives");
    const place = github("gives");
    for (const [user, its] of Object.entries({
      boss: "cr_admin",
      ann: "cr_member",
      payer: "cr_billing_admin",
    }))
      await world.member(place, user, { role: its });
    ({ text: key } = await world.key({
      kind: "organization",
      organization,
      owner: "boss",
      role: "cr_admin",
    }));
    role = withId.parse((await api.call("/v1/roles", { key, body: { name: "Reviewer" } })).json).id;
  });
  const give = (user_ids: readonly string[], more: object = {}, to = role) =>
    api.call(`/v1/roles/${to}/users`, { key, body: { user_ids, ...more } });

  test("POST /v1/roles/{role_id}/users has the guards of POST /v1/users/roles; dry_run predicts the result", async () => {
    const expected = {
      status: "partial_success",
      succeeded: ["ann"],
      failed: [
        { user_id: "boss", code: "LAST_ADMIN" },
        { user_id: "payer", code: "BILLING_ADMIN_PROTECTED" },
        { user_id: "ghost", code: "USER_NOT_FOUND" },
      ],
    };
    const ids = ["boss", "ann", "payer", "ghost", "ann"];
    expect((await give(ids, { dry_run: true })).json).toMatchObject({ ...expected, dry_run: true });
    const { json: before } = await api.call(`/v1/roles/${role}`, { key });
    expect(before).toMatchObject({ user_count: 0 });
    expect((await give(ids)).json).toMatchObject(expected);
    const { json: after } = await api.call(`/v1/roles/${role}`, { key });
    expect(after).toMatchObject({ user_count: 1 });
  });

  test("a system role is 409, an unknown one 404, too many users 400", async () => {
    expect((await give(["ann"], {}, "cr_admin")).codes).toEqual(["SYSTEM_ROLE"]);
    expect((await give(["ann"], {}, unknownRole)).codes).toEqual(["ROLE_NOT_FOUND"]);
    expect((await give(Array(501).fill("ann"))).codes).toEqual(["BATCH_SIZE_EXCEEDED"]);
    expect((await give([])).message).toBe("user_ids: must have 1 to 500 elements.");
  });

  test("POST /v1/roles/{role_id}/users shares the rate limit of POST /v1/users/roles", async () => {
    const left = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
      Number(headers["x-ratelimit-remaining"]);
    const first = await api.call("/v1/users/roles", {
      key,
      body: { role: "cr_member", user_ids: ["ghost"] },
    });
    expect(left(await give(["ghost"]))).toBe(left(first) - 1);
  });

  test("instance keys act on their home and ignore org_id, including ALL", async () => {
    await world.instance("giving");
    const home = await world.organization("giving-home", { instance_id: "giving" });
    await world.organization("giving-away", { instance_id: "giving" });
    for (const name of ["giving-home", "giving-away"]) {
      await world.member(gitlab("giving", name), "boss", { role: "cr_admin" });
      await world.member(gitlab("giving", name), "ann");
    }
    const { text } = await world.key({
      kind: "instance",
      instanceId: "giving",
      home,
      owner: "boss",
      role: "cr_admin",
    });
    const made = withId.parse((await api.call("/v1/roles", { key: text, body: { name: "Here" } })).json);
    for (const org_id of ["ALL", "giving-away"]) {
      const answer = await api.call(`/v1/roles/${made.id}/users`, {
        key: text,
        body: { user_ids: ["ann"], org_id },
      });
      expect(answer.json).toMatchObject({ status: "success", succeeded: ["ann"] });
    }
    expect((await api.call(`/v1/roles/${made.id}`, { key: text })).json).toMatchObject({ user_count: 1 });
  });
});
