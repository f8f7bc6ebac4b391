import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { IssuedKey } from "../../lib/access/key-registry.ts";
import { peopleLimits } from "../../lib/contract/limits.ts";
import { parseSeatHolderId, seatHolderId } from "../../lib/contract/seat-holder.ts";
import { everything } from "../events/support.ts";
import { checkPeople } from "../people/checks.ts";
import { useApi } from "../support/api.ts";
import { github, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

const usersPage = z.object({
  seats_assigned: z.number(),
  users: z.array(z.looseObject({ email: z.string().nullable(), seat_assigned: z.boolean() })),
});
const entriesPage = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      action: z.string(),
      organization_id: z.string().nullable(),
      metadata: z.looseObject({}),
    }),
  ),
});

/** One workspace with three organizations: one active on the right plan, one on another plan, one deactivated. */
async function workspaceOf(name: string) {
  await world.workspace(name, { seats_purchased: 10 });
  const place = (part: string) => github(`${name}-${part}`);
  const save = (part: string, change: object = {}) =>
    world.organization(`${name}-${part}`, { workspace_id: name, ...change });
  const good = await save("good");
  await save("poor", { plan: "pro" });
  await save("gone");
  await world.member(place("good"), "boss", { role: "cr_admin", email: "boss@x.test" });
  await world.member(place("good"), "ann", { email: "ann@x.test" });
  await world.member(place("poor"), "poor", { email: "poor@x.test", seat_assigned: true });
  await world.member(place("poor"), "ann2", { email: "ann@x.test" });
  await world.member(place("gone"), "gone", { email: "gone@x.test", seat_assigned: true });
  await world.member(place("gone"), "nameless", { email: null, seat_assigned: true });
  await save("gone", { active: false });
  const { text: token } = await world.token(name);
  const key = await world.adminKey(good, "boss");
  const seats = async (body: object) => (await api.call("/v1/users/seats", { key: token, body })).json;
  const list = async (query = "") =>
    usersPage.parse((await api.call(`/v1/users${query}`, { key: token })).json);
  return { token, key, seats, list, good };
}

describe("seats of people outside the scope", () => {
  test("every holder of a seat is listed, even outside the scope, so that the list matches seats_assigned", async () => {
    const { list } = await workspaceOf("adds-up");
    const { users, seats_assigned } = await list();
    expect(seats_assigned).toBe(3);
    const holders = users.filter(({ seat_assigned }) => seat_assigned);
    expect(holders).toEqual([
      { email: "gone@x.test", username: "gone", seat_assigned: true, organizations: [] },
      { email: "poor@x.test", username: "poor", seat_assigned: true, organizations: [] },
      {
        email: null,
        username: "nameless",
        seat_assigned: true,
        organizations: [],
        seat_holder_id: "github:adds-up-gone:nameless",
      },
    ]);
    expect((await list("?seat_filter=assigned")).users).toEqual(holders);
    expect((await list("?seat_filter=unassigned")).users.map(({ email }) => email)).toEqual([
      "ann@x.test",
      "boss@x.test",
    ]);
    expect((await list("?role_filter=member")).users.map(({ email }) => email)).toEqual(["ann@x.test"]);
  });

  test("an address in two letter cases is one person in answer and audit log, as first spelled", async () => {
    const { list, seats, token } = await workspaceOf("two-cases");
    const emails = ["Ann@x.test", "nobody@x.test", "ANN@X.TEST", "Nobody@x.test", "Ann@x.test"];
    const answer = await seats({ action: "assign", emails });
    expect(answer).toMatchObject({ status: "partial_success", succeeded: ["Ann@x.test"] });
    expect(z.looseObject({ failed: z.unknown() }).parse(answer).failed).toEqual([
      expect.objectContaining({ id: "nobody@x.test", code: "USER_NOT_FOUND" }),
    ]);
    expect(await list()).toMatchObject({ seats_assigned: 4 });
    const { data } = entriesPage.parse(
      (await api.call("/v1/audit-logs?actions=seats.assigned", { key: token })).json,
    );
    expect(data).toMatchObject([{ metadata: { ids: ["Ann@x.test"] } }]);
    checkPeople(await everything(api.store().table));
  });

  test("a holder of a seat outside the scope can be unassigned, and not assigned again", async () => {
    const { list, seats } = await workspaceOf("gives-back");
    const emails = ["poor@x.test", "gone@x.test"];
    expect(await seats({ action: "unassign", emails })).toMatchObject({ status: "success" });
    expect(await list()).toMatchObject({ seats_assigned: 1 });
    expect(await seats({ action: "assign", emails: [...emails, "ann@x.test"] })).toEqual({
      status: "partial_success",
      succeeded: ["ann@x.test"],
      failed: emails.map((email) => ({
        email,
        id: email,
        code: "USER_NOT_FOUND",
        message: "There is no such active member.",
      })),
    });
    checkPeople(await everything(api.store().table));
  });
});

describe("a holder of a seat without an e-mail address", () => {
  test("a seat holder without an e-mail address can only be unassigned, by the seat_holder_id of the list", async () => {
    const { list, seats, token } = await workspaceOf("no-mail");
    const holder = z
      .object({ seat_holder_id: z.string() })
      .parse((await list()).users.find(({ email }) => email === null)).seat_holder_id;
    const user_ids = [holder, "github:no-mail-gone:nobody"];
    const dry = await seats({ action: "unassign", user_ids, dry_run: true });
    expect(await list()).toMatchObject({ seats_assigned: 3 });
    const answer = {
      status: "partial_success",
      succeeded: [holder],
      failed: [
        {
          user_id: user_ids[1],
          id: user_ids[1],
          code: "USER_NOT_FOUND",
          message: "There is no such active member.",
        },
      ],
    };
    expect(await seats({ action: "unassign", user_ids })).toEqual(answer);
    expect(dry).toEqual({ ...answer, dry_run: true, unchanged: [], seats_left: expect.any(Number) });
    const after = await list();
    expect([after.seats_assigned, after.users.filter(({ email }) => email === null)]).toEqual([2, []]);
    const { data } = entriesPage.parse(
      (await api.call("/v1/audit-logs?actions=seats.unassigned", { key: token })).json,
    );
    expect(data).toMatchObject([
      {
        summary: "Seats unassigned: nameless",
        organization_id: null,
        metadata: {
          ids: [holder],
          people: [{ user_id: "nameless", email: null }],
          organization_ids: ["no-mail-gone"],
        },
      },
    ]);
    checkPeople(await everything(api.store().table));
  });

  test("a seat holder whose ids are as long as ids can be is unassigned by the seat_holder_id of the list", async () => {
    const { list, seats, token, key } = await workspaceOf("long-ids");
    // A colon has three bytes in a seat_holder_id.
    const organization = `long-ids-${":".repeat(247)}`;
    const user = "é".repeat(128);
    await world.organization(organization, { workspace_id: "long-ids" });
    await world.member(github(organization), user, { email: null, seat_assigned: true });
    const holder = (await list()).users.find(({ username }) => username === user);
    const id = z.object({ seat_holder_id: z.string() }).parse(holder).seat_holder_id;
    expect(await seats({ action: "unassign", user_ids: [id] })).toMatchObject({
      succeeded: [id],
      failed: [],
    });
    expect((await list("?seat_filter=assigned")).users).not.toContainEqual(holder);
    const refusal = async (by: string, user_ids: string[]) =>
      (await api.call("/v1/users/seats", { key: by, body: { action: "unassign", user_ids } })).message;
    expect(await refusal(token, [`github:${"x".repeat(257)}:1`])).toContain("must be the seat_holder_id");
    // Each person has one spelling: an audit entry holds what the caller sent.
    expect(await refusal(token, ["github:a%b:1"])).toContain("must be the seat_holder_id");
    expect(await refusal(token, [`github:1:${"x".repeat(257)}`])).toContain("must be the seat_holder_id");
    expect(await refusal(key, ["1", `${user}x`])).toBe("user_ids[1]: must have at most 256 bytes.");
  });

  test("one seat holder among 500 of the longest ids is unassigned, and the entry names all that failed", async () => {
    const { list, seats, token } = await workspaceOf("many-long");
    const holder = (await list()).users.find(({ email }) => email === null);
    const id = z.object({ seat_holder_id: z.string() }).parse(holder).seat_holder_id;
    const unknown = Array.from({ length: 499 }, (_, index) =>
      seatHolderId({
        provider: "azure_devops",
        organizationId: ":".repeat(256),
        userId: `${index}${"é".repeat(126)}`,
      }),
    );
    const answer = await seats({ action: "unassign", user_ids: [...unknown, id] });
    expect(answer).toMatchObject({ status: "partial_success", succeeded: [id] });
    const { data } = entriesPage.parse(
      (await api.call("/v1/audit-logs?actions=seats.unassigned", { key: token })).json,
    );
    const { failed } = z
      .object({ failed: z.array(z.object({ id: z.string(), code: z.string() })) })
      .parse(data[0]?.metadata);
    expect(failed).toHaveLength(499);
    expect(failed[0]).toEqual({
      id: expect.stringMatching(/^azure_devops:%3A.*….*é$/),
      code: "USER_NOT_FOUND",
    });
  });

  let token: IssuedKey;
  beforeAll(async () => {
    await world.workspace("no-mail-400");
    await world.organization("no-mail-400-org", { workspace_id: "no-mail-400" });
    token = await world.token("no-mail-400");
  });

  test.each([
    [
      { action: "assign", user_ids: ["github:1:2"] },
      "user_ids: is not taken with this kind of key; send emails.",
    ],
    [
      { action: "unassign", user_ids: ["github:1:2"], emails: ["a@x.test"] },
      "user_ids: is not taken with this kind of key; send emails.",
    ],
    [
      { action: "unassign", user_ids: ["42"] },
      "user_ids: with this kind of key each must be the seat_holder_id of a person, as GET /v1/users shows it.",
    ],
    [{ action: "unassign" }, "emails: is required."],
  ])(
    "POST /v1/users/seats of a workspace token with %j is a 400 that says what to send",
    async (body, message) => {
      const { text: key } = token;
      const answer = await api.call("/v1/users/seats", { key, body });
      expect([answer.status, answer.message]).toEqual([400, message]);
    },
  );

  test("the id of a seat holder without an e-mail address decodes to the original ids, of any characters", () => {
    const holder = { provider: "bitbucket", organizationId: "a:b%3A%25", userId: "557058:{x}%" } as const;
    expect(parseSeatHolderId(seatHolderId(holder))).toEqual(holder);
  });
});

describe("the audit entry of a workspace token's seat change", () => {
  test("a workspace token's seat change is one entry of the workspace, shown by every organization it names", async () => {
    const { token, key, seats } = await workspaceOf("recorded");
    await seats({ action: "assign", emails: ["ann@x.test", "nobody@x.test"] });
    const read = async (by: string, query = "") =>
      entriesPage.parse((await api.call(`/v1/audit-logs?resource_types=seat${query}`, { key: by })).json)
        .data;
    const byTenant = await read(token);
    expect(byTenant).toMatchObject([
      {
        action: "seats.assigned",
        organization_id: null,
        actor: { key_kind: "workspace" },
        metadata: {
          ids: ["ann@x.test"],
          organization_ids: expect.arrayContaining(["recorded-good", "recorded-poor"]),
          failed: [{ id: "nobody@x.test", code: "USER_NOT_FOUND" }],
        },
      },
    ]);
    // She has an id in each of two organizations; the log of one of them gives the id that she has there.
    expect(byTenant[0]?.metadata.people).toEqual([{ user_id: null, email: "ann@x.test" }]);
    const people = [{ user_id: "ann", email: "ann@x.test" }];
    const own = byTenant.map((entry) => ({ ...entry, metadata: { ...entry.metadata, failed: [], people } }));
    expect(await read(key)).toEqual(own);
    expect(await read(token, "&org_id=recorded-good")).toEqual(own);
    expect(byTenant[0]).not.toHaveProperty("organizations");
  });

  test("the entry of a workspace token's seat change shows an organization only its people, also failed ones", async () => {
    const name = "apart";
    await world.workspace(name, { seats_purchased: 2 });
    const keys: string[] = [];
    for (const [part, users] of [["one", ["ann", "late"]] as const, ["two", ["bob"]] as const]) {
      const organization = await world.organization(`${name}-${part}`, { workspace_id: name });
      for (const user of users)
        await world.member(github(`${name}-${part}`), user, {
          role: "cr_admin",
          email: `${user}@apart.test`,
        });
      const owner = users[0];
      keys.push(await world.adminKey(organization, owner));
    }
    const { text: token } = await world.token(name);
    const emails = ["ann", "bob", "late"].map((user) => `${user}@apart.test`);
    await api.call("/v1/users/seats", { key: token, body: { action: "assign", emails } });
    const entriesOf = async (key: string) => {
      const log = await api.call("/v1/audit-logs?actions=seats.assigned", { key });
      return entriesPage.parse(log.json).data.map(({ summary, metadata }) => ({ summary, ...metadata }));
    };
    const late = { id: "late@apart.test", code: "NO_SEATS_AVAILABLE" };
    expect(await entriesOf(token)).toMatchObject([{ ids: emails.slice(0, 2), failed: [late] }]);
    expect(await entriesOf(keys[0] ?? "")).toMatchObject([
      {
        summary: "Seats assigned: ann@apart.test",
        ids: ["ann@apart.test"],
        failed: [late],
        organization_ids: ["apart-one"],
      },
    ]);
    const other = JSON.stringify(await entriesOf(keys[1] ?? ""));
    expect(other).toContain("bob@apart.test");
    expect(other).not.toMatch(/ann@|late@|apart-one/);
  });
});

test("a later part of a batch without visible changes still audits its failures, for seats and for roles", async () => {
  const uuid = await world.organization("parts", { seats_purchased: 500 });
  const crowd = Array.from({ length: peopleLimits.changedTogetherMax }, (_, index) => `m${index}`);
  await world.crowd(github("parts"), crowd);
  // The seat and role from the platform become decisions: that takes space in a transaction and changes nothing.
  await world.member(github("parts"), "late", { role: "cr_admin", seat_assigned: true });
  const text = await world.adminKey(uuid, "late");
  const user_ids = [...crowd, "late", "nobody"];
  const entriesOf = async (action: string) => {
    const log = await api.call(`/v1/audit-logs?actions=${action}`, { key: text });
    const { data } = entriesPage.parse(log.json);
    // Only entries of the batches; entries about values from the platform have a reason.
    return data
      .map(({ metadata }) => metadata)
      .filter((metadata) => !("reason" in Object(metadata)))
      .toReversed();
  };
  await api.call("/v1/users/seats", { key: text, body: { action: "assign", user_ids } });
  await api.call("/v1/users/roles", { key: text, body: { role: "cr_admin", user_ids } });
  for (const action of ["seats.assigned", "roles.changed"])
    expect(await entriesOf(action)).toMatchObject([
      { ids: crowd, failed: [] },
      { ids: [], failed: [{ id: "nobody", code: "USER_NOT_FOUND" }] },
    ]);
  // Nothing changes any more: a batch that only has failures gets no entry.
  await api.call("/v1/users/seats", { key: text, body: { action: "assign", user_ids } });
  expect(await entriesOf("seats.assigned")).toHaveLength(2);
});

describe("dry_run", () => {
  let key = "";
  beforeAll(async () => {
    const uuid = await world.organization("dry", { seats_purchased: 2 });
    await world.member(github("dry"), "boss", { role: "cr_admin" });
    for (const user of ["a", "b", "c"]) await world.member(github("dry"), user);
    ({ text: key } = await world.key({
      kind: "organization",
      organization: uuid,
      owner: "boss",
      role: "cr_admin",
    }));
  });
  const state = async () =>
    (await everything(api.store().table)).filter(({ pk }) => !/^(LIMIT#|USED#|REFUSED#)/.test(pk));

  test.each([
    ["/v1/users/seats", { action: "assign", user_ids: ["a", "b", "c", "ghost"] }, []],
    ["/v1/users/roles", { role: "cr_member", user_ids: ["boss", "a", "ghost"] }, ["a"]],
    ["/v1/users/roles", { role: "cr_admin", user_ids: ["a", "ghost"] }, []],
  ])(
    "dry_run of %s %j returns the answer of the real call, and changes and audits nothing",
    async (target, body, had) => {
      const before = await state();
      const dry = await api.call(target, { key, body: { ...body, dry_run: true } });
      expect(await state()).toEqual(before);
      const real = await api.call(target, { key, body: { ...body, dry_run: false } });
      const told = z.looseObject({ unchanged: z.array(z.string()), seats_left: z.int().optional() });
      const { unchanged, seats_left, ...same } = told.parse(dry.json);
      expect(same).toEqual({ ...z.looseObject({}).parse(real.json), dry_run: true });
      expect(real.json).not.toHaveProperty("dry_run");
      expect([unchanged, seats_left]).toEqual([had, target.endsWith("seats") ? 0 : undefined]);
      // Afterwards all who succeeded have it.
      const again = told.parse((await api.call(target, { key, body: { ...body, dry_run: true } })).json);
      expect([again.unchanged, again.seats_left]).toEqual([again.succeeded, seats_left]);
      expect(Number(real.headers["x-ratelimit-remaining"])).toBe(
        Number(dry.headers["x-ratelimit-remaining"]) - 1,
      );
    },
  );

  test("dry_run over several transactions shows the result of all of them", async () => {
    const uuid = await world.organization("dry-crowd", { seats_purchased: 150 });
    await world.member(github("dry-crowd"), "boss", { role: "cr_admin" });
    const ids = Array.from({ length: 2 * peopleLimits.changedTogetherMax }, (_, index) => `m${index}`);
    await world.crowd(github("dry-crowd"), ids);
    const text = await world.adminKey(uuid, "boss");
    const body = { action: "assign", user_ids: ids };
    const dry = await api.call("/v1/users/seats", { key: text, body: { ...body, dry_run: true } });
    const real = await api.call("/v1/users/seats", { key: text, body });
    expect(dry.json).toEqual({
      ...z.looseObject({}).parse(real.json),
      dry_run: true,
      unchanged: [],
      seats_left: 0,
    });
    const { data } = entriesPage.parse(
      (await api.call("/v1/audit-logs?resource_types=seat", { key: text })).json,
    );
    const failed = data.flatMap(({ metadata }) =>
      z.array(z.object({ id: z.string() })).parse(metadata.failed),
    );
    expect(failed.map(({ id }) => id).toSorted()).toEqual(ids.slice(150).toSorted());
  });

  test("dry_run shows a workspace token the result for e-mail addresses", async () => {
    const { seats } = await workspaceOf("dry-mail");
    const before = await state();
    for (const action of ["assign", "unassign"]) {
      const body = { action, emails: ["ann@x.test", "poor@x.test", "nobody@x.test"] };
      const dry = await seats({ ...body, dry_run: true });
      if (action === "assign") expect(await state()).toEqual(before);
      const more = { dry_run: true, unchanged: expect.any(Array), seats_left: expect.any(Number) };
      expect(dry).toEqual({ ...z.looseObject({}).parse(await seats(body)), ...more });
    }
  });

  test("dry_run must be true or false", async () => {
    const answer = await api.call("/v1/users/seats", {
      key,
      body: { action: "assign", user_ids: ["a"], dry_run: "yes" },
    });
    expect([answer.status, answer.message]).toEqual([400, "dry_run: must be true or false."]);
  });
});
