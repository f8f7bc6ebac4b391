import { describe, expect, test } from "vitest";
import { useApi } from "../support/api.ts";
import { github, gitlab, World } from "../support/world.ts";

import { companiesOf, json, type Users } from "./companies.ts";

const api = useApi();
const world = new World(() => api.store().table);
const company = companiesOf(api, world);

describe("GET /v1/users", () => {
  test("GET /v1/users lists active members with seat and role, in pages and with filters", async () => {
    const { id, uuid, users, post, key } = await company("listing", { members: 5 });
    await world.member(id, "left", { active: false });
    await world.member(id, "nameless", { username: null, email: null });
    await post("/v1/users/seats", { action: "assign", user_ids: ["m1", "m3"] });
    const all = await users();
    expect(all).toMatchObject({
      seats_purchased: 100,
      seats_assigned: 2,
      seat_assignment_mode: "manual",
      next_cursor: null,
    });
    expect(all.users.map(({ user_id }) => user_id)).toEqual([
      "boss",
      "m0",
      "m1",
      "m2",
      "m3",
      "m4",
      "nameless",
    ]);
    expect(all.users[2]).toEqual({
      user_id: "m1",
      username: "m1",
      email: "m1@example.com",
      seat_assigned: true,
      role: "cr_member",
      role_name: "Member",
      role_type: "system",
    });
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page: Users = await users(`?limit=2${cursor ? `&cursor=${cursor}` : ""}`);
      seen.push(...page.users.map(({ user_id }) => user_id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual(["boss", "m0", "m1", "m2", "m3", "m4", "nameless"]);
    expect((await users("?seat_filter=assigned")).users.map(({ user_id }) => user_id)).toEqual(["m1", "m3"]);
    expect(
      (await users("?seat_filter=unassigned&role_filter=admin")).users.map(({ user_id }) => user_id),
    ).toEqual(["boss"]);
    expect((await users("?role_filter=member&limit=1")).users).toHaveLength(1);
    expect((await api.call("/v1/users?seat_filter=some", { key })).message).toBe(
      "seat_filter: must be one of: all, assigned, unassigned.",
    );
    expect(uuid).toMatch(/-5[0-9a-f]{3}-/);
  });

  test("a workspace shows each person once, by e-mail, with all their organizations", async () => {
    await world.workspace("people", { seats_purchased: 10 });
    for (const name of ["north", "south"])
      await world.organization(name, {
        workspace_id: "people",
        seat_assignment_mode: name === "north" ? "manual" : "automatic",
      });
    await world.member(github("north"), "n1", {
      email: "Ann@Example.com",
      role: "cr_admin",
      username: "ann",
    });
    await world.member(github("south"), "s1", { email: "ann@example.com", username: null });
    await world.member(github("south"), "s2", { email: null, username: "bot" });
    const { text: key } = await world.token("people");
    const call = async (query: string) => json<Users>(await api.call(`/v1/users${query}`, { key }));
    const seat = await api.call("/v1/users/seats", {
      key,
      body: { action: "assign", emails: ["ANN@example.com", "nobody@example.com"] },
    });
    expect(seat.json).toEqual({
      status: "partial_success",
      succeeded: ["ANN@example.com"],
      failed: [
        {
          email: "nobody@example.com",
          id: "nobody@example.com",
          code: "USER_NOT_FOUND",
          message: expect.any(String),
        },
      ],
    });
    const everybody = await call("");
    expect(everybody).toEqual({
      seats_purchased: 10,
      seats_assigned: 1,
      seat_assignment_mode: null,
      users: [
        {
          email: "ann@example.com",
          username: "ann",
          seat_assigned: true,
          organizations: expect.arrayContaining([
            { provider: "github", org_id: "north", user_id: "n1", role: "cr_admin" },
            { provider: "github", org_id: "south", user_id: "s1", role: "cr_member" },
          ]),
        },
        {
          email: null,
          username: "bot",
          seat_assigned: false,
          organizations: [{ provider: "github", org_id: "south", user_id: "s2", role: "cr_member" }],
        },
      ],
      next_cursor: null,
    });
    expect((await call("?role_filter=admin")).users).toHaveLength(1);
    expect((await call("?limit=1")).next_cursor).toEqual(expect.any(String));
    const south = await call("?org_id=south");
    expect(south.users).toMatchObject([
      { user_id: "s1", seat_assigned: true },
      { user_id: "s2", seat_assigned: false },
    ]);
    expect(south).toMatchObject({
      seats_purchased: 10,
      seats_assigned: 1,
      seat_assignment_mode: "automatic",
    });
  });

  test("a person with several names in a workspace has the newest one, whatever arrives first", async () => {
    await world.workspace("names");
    const organizations = ["names-1", "names-2", "names-3"];
    for (const name of organizations) await world.organization(name, { workspace_id: "names" });
    const save = (name: string, day: number, email: string, username: string | null) =>
      world.member(github(name), email, { email, username }, `2026-01-0${day}T00:00:00.000Z`);
    const orders = [
      [1, 2, 3],
      [2, 3, 1],
      [3, 1, 2],
      [3, 2, 1],
    ];
    // The last event of the person has no name.
    for (const [index, order] of orders.entries())
      for (const place of order)
        await save(
          organizations[place - 1] ?? "",
          place,
          `p${index}@example.com`,
          place === 3 ? null : `day-${place}`,
        );
    await save("names-1", 5, "back@example.com", "newest");
    await save("names-2", 4, "back@example.com", "older");
    const { text: key } = await world.token("names");
    const { users } = await json<Users>(await api.call("/v1/users", { key }));
    expect(users.map(({ email, username }) => [email, username])).toEqual([
      ["back@example.com", "newest"],
      ...orders.map((_, index) => [`p${index}@example.com`, "day-2"]),
    ]);
  });

  test("GET /v1/users needs the Admin role", async () => {
    const { uuid } = await company("not-admin");
    const { text: key } = await world.key({ kind: "user", organization: uuid, owner: "m0" });
    const answer = await api.call("/v1/users", { key });
    expect([answer.status, answer.codes]).toEqual([403, ["NOT_ADMIN"]]);
  });
});

test("a cursor accepts a default value that is sent explicitly", async () => {
  const { users } = await company("defaults", { members: 3 });
  const first = await users("?limit=1");
  expect(
    (await users(`?limit=1&seat_filter=all&role_filter=all&cursor=${first.next_cursor}`)).users,
  ).toHaveLength(1);
});

test("the length of e-mail addresses and ids is limited in bytes, as the table counts them", async () => {
  await world.workspace("bytes");
  await world.organization("bytes-org", { workspace_id: "bytes" });
  const { text: key } = await world.token("bytes");
  const call = (email: string) =>
    api.call("/v1/users/seats", { key, body: { action: "assign", emails: [email] } });
  expect((await call("😀".repeat(254))).message).toBe("emails[0]: must have 1 to 254 bytes.");
  expect((await call("😀".repeat(63))).status).toBe(200);
  expect((await api.call(`/v1/users?org_id=${encodeURIComponent("€".repeat(90))}`, { key })).message).toBe(
    "org_id: must have at most 269 bytes.",
  );
});

describe("POST /v1/users/roles", () => {
  test("POST /v1/users/roles promotes and demotes, protects billing admins, and keeps the last admin", async () => {
    const { id, post, key } = await company("roles", { members: 3 });
    await world.member(id, "payer", { role: "cr_billing_admin" });
    expect(await post("/v1/users/roles", { role: "cr_admin", user_ids: ["m0", "m1"] })).toEqual({
      status: "success",
      succeeded: ["m0", "m1"],
      failed: [],
    });
    const demoted = await post("/v1/users/roles", {
      role: "cr_member",
      user_ids: ["boss", "payer", "m0", "ghost", "m1", "m2"],
    });
    expect(demoted.succeeded).toEqual(["boss", "m0", "m2"]);
    expect(demoted.failed.map(({ user_id, code }) => [user_id, code])).toEqual([
      ["payer", "BILLING_ADMIN_PROTECTED"],
      ["ghost", "USER_NOT_FOUND"],
      ["m1", "LAST_ADMIN"],
    ]);
    const answer = await api.call("/v1/users/roles", { key, body: { role: "cr_owner", user_ids: ["m0"] } });
    expect([answer.status, answer.message]).toEqual([400, "role: must be one of: cr_admin, cr_member."]);
  });

  test("of two last admins who are demoted at the same moment one stays", async () => {
    for (let round = 0; round < 3; round++) {
      const { post } = await company(`duel-${round}`, { members: 1 });
      await post("/v1/users/roles", { role: "cr_admin", user_ids: ["m0"] });
      const [one, two] = await Promise.all([
        post("/v1/users/roles", { role: "cr_member", user_ids: ["boss"] }),
        post("/v1/users/roles", { role: "cr_member", user_ids: ["m0"] }),
      ]);
      expect([...one.failed, ...two.failed].map(({ code }) => code)).toEqual(["LAST_ADMIN"]);
    }
  });

  test("an instance key can change its home, one named organization, or ALL in any letter case", async () => {
    await world.instance("fleet");
    for (const name of ["home", "away", "third"]) {
      await world.organization(name, { instance_id: "fleet" });
      for (const user of ["boss", "ann"])
        await world.member(gitlab("fleet", name), user, { role: user === "boss" ? "cr_admin" : "cr_member" });
    }
    await world.member(gitlab("fleet", "home"), "only-home");
    const home = await world.organization("home", { instance_id: "fleet" });
    const away = await world.organization("away", { instance_id: "fleet" });
    const issue = async (authorized?: string[]) =>
      (
        await world.key({
          kind: "instance",
          instanceId: "fleet",
          home,
          owner: "boss",
          role: "cr_admin",
          authorized,
        })
      ).text;
    const key = await issue();
    const call = async (body: object, text = key) =>
      await api.call("/v1/users/roles", { key: text, body: { role: "cr_admin", ...body } });
    expect((await call({ user_ids: ["ann"] })).json).toMatchObject({ status: "success" });
    expect((await call({ user_ids: ["only-home"], org_id: "away" })).json).toMatchObject({
      failed: [{ code: "USER_NOT_FOUND" }],
    });
    expect((await call({ user_ids: ["ann", "only-home"], org_id: "aLL" })).json).toEqual({
      status: "partial_success",
      succeeded: ["ann"],
      failed: [
        {
          user_id: "only-home",
          id: "only-home",
          code: "USER_NOT_FOUND",
          message: "Failed in 2 of 3 organizations.",
          organizations: expect.arrayContaining(
            ["away", "third"].map((org_id) => ({
              org_id,
              code: "USER_NOT_FOUND",
              message: expect.any(String),
            })),
          ),
        },
      ],
    });
    const narrow = await issue([home, away]);
    expect((await call({ user_ids: ["ann"], org_id: "third" }, narrow)).codes).toEqual([
      "ORGANIZATION_FORBIDDEN",
    ]);
    expect((await call({ user_ids: ["ann"], org_id: "nowhere" }, narrow)).codes).toEqual([
      "ORGANIZATION_NOT_FOUND",
    ]);
    expect((await call({ user_ids: ["ann"], org_id: "ALL" }, narrow)).json).toMatchObject({
      status: "success",
    });
  });

  test("ALL is a 400 for organization, user, workspace and legacy keys", async () => {
    await world.workspace("all");
    const { uuid, key } = await company("all-org", { workspace_id: "all" });
    const { text: user } = await world.key({ kind: "user", organization: uuid, owner: "boss" });
    const { text: legacy } = await world.key({ kind: "legacy", organization: uuid });
    const { text: workspace } = await world.token("all");
    for (const text of [key, user, workspace, legacy]) {
      const answer = await api.call("/v1/users/roles", {
        key: text,
        body: { role: "cr_admin", user_ids: ["m0"], org_id: "All" },
      });
      expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    }
    const without = await api.call("/v1/users/roles", {
      key: legacy,
      body: { role: "cr_admin", user_ids: ["m0"] },
    });
    expect(without.codes).toEqual(["LEGACY_API_KEY"]);
    const tooLarge = await api.call("/v1/users/roles", {
      key: legacy,
      body: { role: "cr_admin", user_ids: ["x".repeat(1024 * 1024)], org_id: "ALL" },
    });
    expect(tooLarge.codes).toEqual(["LEGACY_API_KEY"]);
    const unnamed = await api.call("/v1/users/roles", {
      key: workspace,
      body: { role: "cr_admin", user_ids: ["m0"] },
    });
    expect([unnamed.status, unnamed.codes]).toEqual([400, ["ORG_ID_REQUIRED"]]);
    const unknown = await api.call("/v1/users/roles", {
      key: workspace,
      body: { role: "cr_admin", user_ids: ["m0"], org_id: uuid },
    });
    expect([unknown.status, unknown.codes]).toEqual([404, ["ORGANIZATION_NOT_FOUND"]]);
    expect(unknown.message).toContain("use provider_organization_id");
  });
});

describe("bodies", () => {
  test("bodies of another type, too large or malformed get their own code", async () => {
    const { key } = await company("bodies");
    const send = (body: string, type = "application/json") =>
      api.call("/v1/users/seats", { key, body, method: "POST", rawHeaders: ["Content-Type", type] });
    const good = JSON.stringify({ action: "assign", user_ids: ["m0"] });
    expect((await send(good, "application/json; charset=utf-8")).status).toBe(200);
    expect((await send(good, "text/plain")).codes).toEqual(["UNSUPPORTED_MEDIA_TYPE"]);
    expect((await send(good, "application/jsonp")).codes).toEqual(["UNSUPPORTED_MEDIA_TYPE"]);
    expect((await send(`"${"x".repeat(1024 * 1024)}"`)).codes).toEqual(["PAYLOAD_TOO_LARGE"]);
    for (const broken of [
      "{",
      "nonsense",
      "[]",
      "null",
      '"text"',
      '{"__proto__":{"a":1}}',
      "[".repeat(100_000),
    ]) {
      expect((await send(broken)).codes, broken.slice(0, 20)).toEqual(["INVALID_REQUEST"]);
    }
    const latin1 = Buffer.from('{"action":"assign","user_ids":["J\u00fcrgen"]}', "latin1");
    const notUtf8 = await api.call("/v1/users/seats", { key, body: latin1 });
    expect([notUtf8.status, notUtf8.message]).toEqual([400, "body: is not valid UTF-8."]);
    expect((await api.call("/v1/users/seats", { key, method: "POST" })).message).toBe(
      "body: is required and must be a JSON object.",
    );
  });
});
