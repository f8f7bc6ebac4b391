import { beforeAll, describe, expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { resumeMoves } from "../../lib/organizations/move.ts";
import { seatReviewedAuthors } from "../../lib/people/automatic-seats.ts";
import { changeRoles } from "../../lib/people/change-roles.ts";
import { deleteRole } from "../../lib/people/custom-roles.ts";
import { movePeople } from "../../lib/people/move-people.ts";
import { saveTeam } from "../../lib/people/save-team.ts";
import { required } from "../../lib/runtime/required.ts";
import { parseMember } from "../../lib/store/items/people.ts";
import type { Table } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { overtakenBy, putOf } from "../support/overtaken.ts";
import { scanAll } from "../support/scan-all.ts";
import { organizationOf } from "../support/stored.ts";
import { github, World } from "../support/world.ts";
import { checkPeople } from "./checks.ts";

const store = useStore();
const world = new World(() => store().table);
beforeAll(() => world.workspace("acme"));

const context = (table: Table = store().table) => ({ ...world.deps, ...operatorOrigin, table });
const give = async (uuid: string, role: string, userIds: readonly string[], table?: Table) =>
  await changeRoles(context(table), await organizationOf(store().table, uuid), { role, userIds });
const memberOf = async (organization: string, userId: string) =>
  parseMember(required(await store().table.get(kinds.member.key({ organization, userId })), userId));
const check = async () => checkPeople(await scanAll(store().table));

let count = 0;
async function company(change: Record<string, unknown> = {}) {
  const name = `company-${count++}`;
  const uuid = await world.organization(name, change);
  return { name, id: github(name), uuid };
}
type Company = Awaited<ReturnType<typeof company>>;

describe("a role given to members", () => {
  test("a member whose role two callers change at once counts in one role only", async () => {
    const { id, uuid } = await company();
    await world.member(id, "ann");
    const role = await world.role(uuid, "reviewer");
    const other = () => give(uuid, role, ["ann"]);
    await give(uuid, "cr_admin", ["ann"], overtakenBy(store().table, other));
    expect(await memberOf(uuid, "ann")).toMatchObject({ role: "cr_admin" });
    await check();
  });

  test("a member who leaves while they get a role gets none", async () => {
    const { id, uuid } = await company();
    await world.member(id, "ann");
    const leave = () => world.member(id, "ann", { active: false });
    const { failed } = await give(uuid, "cr_admin", ["ann"], overtakenBy(store().table, leave));
    expect(failed).toMatchObject([{ id: "ann", code: "USER_NOT_FOUND" }]);
    expect(await memberOf(uuid, "ann")).toMatchObject({ role: "cr_member" });
    await check();
  });

  test("of two admins who lose the role at once, one stays an admin", async () => {
    const { id, uuid } = await company();
    for (const user of ["ann", "bob"]) await world.member(id, user, { role: "cr_admin" });
    const other = () => give(uuid, "cr_member", ["bob"]);
    const { failed } = await give(uuid, "cr_member", ["ann"], overtakenBy(store().table, other));
    expect(failed).toMatchObject([{ id: "ann", code: "LAST_ADMIN" }]);
    await check();
  });

  test("a role that is deleted while a member gets it is refused as unknown", async () => {
    const { id, uuid } = await company();
    await world.member(id, "ann");
    const role = await world.role(uuid, "deleted");
    const remove = async () => deleteRole(context(), await organizationOf(store().table, uuid), role);
    await expect(give(uuid, role, ["ann"], overtakenBy(store().table, remove))).rejects.toMatchObject({
      code: "ROLE_NOT_FOUND",
    });
    await check();
  });
});

describe("a member of an organization whose move to a workspace was interrupted", () => {
  const annOf = (uuid: string) => kinds.member.key({ organization: uuid, userId: "ann" });

  async function moving(): Promise<Company> {
    const settings = { seat_assignment_mode: "automatic" };
    const all = await company(settings);
    await world.member(all.id, "ann");
    const interrupted = overtakenBy(
      store().table,
      () => Promise.reject(new Error("interrupted")),
      putOf(annOf(all.uuid)),
    );
    await new World(() => interrupted).organization(all.name, { ...settings, workspace_id: "acme" });
    return all;
  }

  const ways: ReadonlyArray<readonly [string, (given: Company, table: Table) => Promise<unknown>]> = [
    ["saved", ({ id }, table) => new World(() => table).member(id, "ann", { username: "anna" })],
    ["seated", ({ uuid }, table) => seatReviewedAuthors({ ...world.deps, table }, uuid, ["ann"])],
    [
      "moved",
      async ({ uuid }, table) =>
        movePeople(
          { ...world.deps, table },
          await organizationOf(store().table, uuid),
          organizationTenant(uuid),
        ),
    ],
  ];

  test.each(ways)("a member being %s while they get a role keeps the role", async (_, act) => {
    const given = await moving();
    const { uuid } = given;
    await act(
      given,
      overtakenBy(store().table, () => give(uuid, "cr_admin", ["ann"]), putOf(annOf(uuid))),
    );
    await resumeMoves(world.deps);
    expect(await memberOf(uuid, "ann")).toMatchObject({ role: "cr_admin", role_decided: true });
    await check();
  });

  test.each(ways)("a member being %s while the organization moves back stays in its pool", async (_, act) => {
    const given = await moving();
    const { name, uuid } = given;
    const back = () => world.organization(name, { seat_assignment_mode: "automatic" });
    await act(given, overtakenBy(store().table, back, putOf(annOf(uuid))));
    expect(await memberOf(uuid, "ann")).toMatchObject({ pool: organizationTenant(uuid) });
    await check();
  });
});

test("a member saved while a review of their pull request is recorded gets the seat", async () => {
  const { id, uuid } = await company({ seat_assignment_mode: "automatic" });
  const review = () => seatReviewedAuthors(world.deps, uuid, ["ann"]);
  const table = overtakenBy(store().table, review);
  await new World(() => table).member(id, "ann");
  expect(await memberOf(uuid, "ann")).toMatchObject({ seat_earned: true });
  await check();
});

test("an old state of a team that a newer one overtakes changes nothing", async () => {
  const { uuid } = await company();
  const save = (day: number, table: Table = store().table) =>
    saveTeam(
      { ...world.deps, table },
      uuid,
      { team_id: "t1", name: `Day ${day}`, user_ids: [], active: true },
      `2026-10-0${day}T00:00:00.000Z#event`,
    );
  await save(
    1,
    overtakenBy(store().table, () => save(2), "write"),
  );
  expect(await store().table.get(kinds.team.key({ organization: uuid, teamId: "t1" }))).toMatchObject({
    name: "Day 2",
  });
});
