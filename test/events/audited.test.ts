import { describe, expect, test } from "vitest";
import * as z from "zod";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import { moveLogs } from "../../lib/organizations/move-log.ts";
import { deleteRole } from "../../lib/people/custom-roles.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { useApi } from "../support/api.ts";
import { organizationOf } from "../support/stored.ts";
import { github, gitlab, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

const entries = z.object({
  data: z.array(
    z.looseObject({
      action: z.string(),
      resource_id: z.string().nullable(),
      actor: z.looseObject({ type: z.string(), name: z.string().nullable() }),
      organization_id: z.string().nullable(),
      metadata: z.looseObject({}),
    }),
  ),
});

async function log(key: string, query: string) {
  return entries.parse((await api.call(`/v1/audit-logs?${query}`, { key })).json).data;
}

async function place(name: string, change: object = {}) {
  const organization = await world.organization(name, { seats_purchased: 1, ...change });
  await world.member(github(name), "boss", { role: "cr_admin" });
  const key = await world.adminKey(organization, "boss");
  return { organization, key };
}

/** The scheduled worker brings logs along after the requests that began before the move have ended. */
const bringLogsAlong = () =>
  moveLogs({
    table: api.store().table,
    clock: { ...systemClock, nowMs: () => systemClock.nowMs() + 180_000 },
    random: systemRandom,
  });

const platform = { type: "system", id: null, name: "platform", key_id: null, key_kind: null };

describe("changes made by events are audited with the actor system", () => {
  test("the log has a member who left, with their role and seat", async () => {
    const { key } = await place("leaving");
    await world.member(github("leaving"), "ann", { role: "cr_admin", seat_assigned: true });
    await world.member(github("leaving"), "ann", { active: false });
    await world.member(github("leaving"), "ann", { active: false });
    expect(await log(key, "actions=member.removed")).toMatchObject([
      {
        actor: platform,
        resource_type: "member",
        resource_id: "ann",
        organization_id: "leaving",
        metadata: {
          before: { active: true, role: "cr_admin", seat_assigned: true },
          after: { active: false, seat_assigned: false },
        },
      },
    ]);
  });

  test("the log has a role from an earlier event, and a role deleted while its member was inactive", async () => {
    const { organization, key } = await place("roles");
    const name = github("roles");
    const context = { ...world.deps, ...operatorOrigin };
    const item = await organizationOf(api.store().table, organization);
    const roleId = await world.role(organization, "Reader", { permissions: [] });
    await world.member(name, "ann", { role: "cr_member" });
    await world.member(name, "bob", { role: roleId });
    await world.member(name, "ann", { username: "Ann" });
    expect(await log(key, "actions=roles.changed")).toEqual([]);
    await world.member(name, "ann", { role: "cr_admin" }, "2020-01-01T00:00:00.000Z");
    await world.member(name, "bob", { active: false });
    await deleteRole(context, item, roleId);
    await world.member(name, "bob", {});
    const changed = (id: string, before: string, after: string) => ({
      actor: platform,
      organization_id: "roles",
      metadata: { ids: [id], role: after, changes: [{ id, before, after }], reason: "member saved" },
    });
    expect(await log(key, "actions=roles.changed&order=asc")).toMatchObject([
      changed("ann", "cr_member", "cr_admin"),
      changed("bob", roleId, "cr_member"),
    ]);
  });

  test("the log has the seat of a reviewed pull request's author, and of a person who waited for a free seat", async () => {
    const { key } = await place("automatic", { seat_assignment_mode: "automatic" });
    const name = github("automatic");
    await world.repository(name, "9001");
    for (const user of ["ann", "bob"]) await world.member(name, user);
    for (const [index, author_id] of ["ann", "bob"].entries())
      await world.pullRequest(name, index, { repository_id: "9001", author_id, reviewed: true });
    expect(await log(key, "actions=seats.assigned")).toMatchObject([
      {
        actor: platform,
        metadata: { ids: ["ann"], reason: "reviewer tagged", after: { seat_assigned: true } },
      },
    ]);
    await world.member(name, "ann", { active: false });
    expect(await log(key, "actions=seats.assigned&limit=1")).toMatchObject([
      {
        actor: platform,
        organization_id: "automatic",
        metadata: { ids: ["bob"], reason: "seats became free" },
      },
    ]);
  });

  test("the log has a seat that a new or returning member gets, not one kept through a change of address", async () => {
    await world.workspace("seated", { seats_purchased: 5 });
    const { key } = await place("seated-org", { workspace_id: "seated" });
    const save = (change: object) =>
      world.member(github("seated-org"), "ann", { email: "ann@x.test", seat_assigned: true, ...change });
    const came = { actor: platform, metadata: { ids: ["ann"], reason: "member saved" } };
    await save({});
    await save({ email: "ann@y.test" });
    expect(await log(key, "actions=seats.assigned")).toMatchObject([came]);
    await save({ active: false });
    await save({});
    expect(await log(key, "actions=seats.assigned")).toMatchObject([came, came]);
    expect(await log(key, "actions=seats.unassigned")).toEqual([]);
  });

  test("the log has seats that an organization's move gave or took, but not seats that people kept", async () => {
    await world.workspace("roomy", { seats_purchased: 9 });
    await world.workspace("narrow", { seats_purchased: 1 });
    const { key } = await place("goer", { workspace_id: "roomy" });
    for (const user of ["ann", "bob"]) await world.member(github("goer"), user, { seat_assigned: true });
    const move = (workspace_id: string) => world.organization("goer", { workspace_id, seats_purchased: 1 });
    const common = { actor: platform, organization_id: "goer" };
    await move("narrow");
    const took = { ...common, metadata: { ids: ["bob"], reason: "organization moved" } };
    expect(await log(key, "actions=seats.unassigned")).toMatchObject([took]);
    expect(await log(key, "actions=seats.assigned")).toHaveLength(2);
    await move("roomy");
    expect(await log(key, "actions=seats.assigned&limit=1")).toMatchObject([took]);
    expect(await log(key, "actions=seats.assigned")).toHaveLength(3);
    await bringLogsAlong();
    expect(await log((await world.token("roomy")).text, "actions=seats.assigned&limit=1")).toMatchObject([
      took,
    ]);
  });

  test("seats filled in a workspace are in the workspace's log and in the logs of the people's organizations", async () => {
    await world.workspace("filling", { seats_purchased: 0 });
    const { key } = await place("filling-org", { workspace_id: "filling" });
    await world.member(github("filling-org"), "ann", { email: "ann@x.test", seat_assigned: true });
    await world.workspace("filling", { seats_purchased: 1 });
    const { text: token } = await world.token("filling");
    const expected = [
      {
        actor: platform,
        organization_id: null,
        metadata: { ids: ["ann@x.test"], organization_ids: ["filling-org"] },
      },
    ];
    expect(await log(token, "actions=seats.assigned")).toMatchObject(expected);
    expect(await log(key, "actions=seats.assigned")).toMatchObject(expected);
  });

  test("the log has changed workspace admins, and nothing if they are the same", async () => {
    const admins = ["ann", "bob"].map((user_id) => ({ user_id, email: null }));
    await world.workspace("ruled", { admins });
    await place("ruled-org", { workspace_id: "ruled" });
    const { text: token } = await world.token("ruled", "ann");
    await world.workspace("ruled", { admins: admins.toReversed() });
    await world.workspace("ruled", { admins: admins.slice(0, 1) });
    expect(await log(token, "actions=workspace.admins_changed")).toMatchObject([
      {
        actor: platform,
        resource_id: "ruled",
        metadata: { before: { admins: ["ann", "bob"] }, after: { admins: ["ann"] } },
      },
    ]);
  });

  test("an organization's move is in the logs of both tenants and in its own log", async () => {
    for (const id of ["from", "to"]) {
      await world.workspace(id);
      await place(`${id}-stays`, { workspace_id: id });
    }
    const { key } = await place("mover", { workspace_id: "from" });
    await world.organization("mover", { workspace_id: "to", seats_purchased: 1 });
    await bringLogsAlong();
    const moved = { before: { workspace_id: "from" }, after: { workspace_id: "to" } };
    for (const text of [key, (await world.token("from")).text, (await world.token("to")).text])
      expect(await log(text, "actions=organization.moved")).toMatchObject([
        { actor: platform, resource_id: "mover", metadata: moved },
      ]);
  });

  test("an organization's deactivation is visible to its tenant, but not to keys without access to it", async () => {
    await world.instance("shrinking");
    const uuids: string[] = [];
    for (const name of ["stays", "goes", "secret"]) {
      uuids.push(await world.organization(name, { instance_id: "shrinking" }));
      await world.member(gitlab("shrinking", name), "boss", { role: "cr_admin" });
    }
    const [home = "", goes = ""] = uuids;
    const request = {
      kind: "instance",
      instanceId: "shrinking",
      home,
      owner: "boss",
      role: "cr_admin",
    } as const;
    const [all, some] = [await world.key(request), await world.key({ ...request, authorized: [home, goes] })];
    for (const name of ["goes", "secret"])
      await world.organization(name, { instance_id: "shrinking", active: false });
    const organizationsShownTo = async (key: string) =>
      (await log(key, "actions=organization.deactivated")).map(({ resource_id }) => resource_id).toSorted();
    expect(await organizationsShownTo(all.text)).toEqual(["goes", "secret"]);
    expect(await organizationsShownTo(some.text)).toEqual(["goes"]);
  });
});
