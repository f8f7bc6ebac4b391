import { beforeAll, describe, expect, test } from "vitest";
import { everything } from "../events/support.ts";
import { checkPeople } from "../people/checks.ts";
import { useApi } from "../support/api.ts";
import { World } from "../support/world.ts";

import { type Batch, companiesOf, json } from "./companies.ts";

const api = useApi();
const world = new World(() => api.store().table);
const company = companiesOf(api, world);

describe("POST /v1/users/seats", () => {
  let shapes: Awaited<ReturnType<typeof company>>;
  beforeAll(async () => {
    shapes = await company("shapes");
  });

  test("POST /v1/users/seats answers in input order, names who failed and why, and may be repeated", async () => {
    const { post, users, key, uuid } = await company("seats", { members: 4, seats: 2 });
    const body = { action: "assign", user_ids: ["m2", "ghost", "m0", "m2", "m1"] };
    const expected = {
      status: "partial_success",
      succeeded: ["m2", "m0"],
      failed: [
        { user_id: "ghost", id: "ghost", code: "USER_NOT_FOUND", message: expect.any(String) },
        { user_id: "m1", id: "m1", code: "NO_SEATS_AVAILABLE", message: expect.any(String) },
      ],
    };
    expect(await post("/v1/users/seats", body)).toEqual(expected);
    expect(await post("/v1/users/seats", body)).toEqual(expected);
    expect(await users()).toMatchObject({ seats_purchased: 2, seats_assigned: 2 });
    expect(await post("/v1/users/seats", { action: "unassign", user_ids: ["m2", "m1"] })).toMatchObject({
      status: "success",
    });
    expect(await users()).toMatchObject({ seats_assigned: 1 });
    expect(await post("/v1/users/seats", { action: "assign", user_ids: ["ghost"] })).toMatchObject({
      status: "failure",
    });
    const entries = await api.call("/v1/audit-logs?resource_types=seat&order=asc", { key });
    const { data } = json<{ data: Array<{ action: string; metadata: { ids: string[] } }> }>(entries);
    expect(data.map(({ action, metadata }) => [action, metadata])).toEqual([
      [
        "seats.assigned",
        {
          ids: ["m2", "m0"],
          emails: ["m2@example.com", "m0@example.com"],
          people: ["m2", "m0"].map((user_id) => ({ user_id, email: `${user_id}@example.com` })),
          before: { seat_assigned: false },
          after: { seat_assigned: true },
          failed: [
            { id: "ghost", code: "USER_NOT_FOUND" },
            { id: "m1", code: "NO_SEATS_AVAILABLE" },
          ],
        },
      ],
      [
        "seats.unassigned",
        {
          ids: ["m2"],
          emails: ["m2@example.com"],
          failed: [],
          people: [{ user_id: "m2", email: "m2@example.com" }],
          before: { seat_assigned: true },
          after: { seat_assigned: false },
        },
      ],
    ]);
    expect(uuid).toBeTruthy();
  });

  test.each([
    [{ action: "assign", user_ids: [] }, "INVALID_REQUEST", "user_ids: must have 1 to 500 elements."],
    [{ action: "give", user_ids: ["a"] }, "INVALID_REQUEST", "action: must be one of: assign, unassign."],
    [{ action: "assign" }, "INVALID_REQUEST", "user_ids: is required."],
    [
      { action: "assign", emails: ["a@b.c"] },
      "INVALID_REQUEST",
      "emails: is not taken with this kind of key; send user_ids.",
    ],
    [
      { action: "assign", user_ids: ["a"], extra: 1 },
      "INVALID_REQUEST",
      "extra: is unknown. Known names: action, user_ids, emails, dry_run, org_id.",
    ],
    [{ action: "assign", user_ids: [1] }, "INVALID_REQUEST", "user_ids[0]: must be a string."],
    [
      { action: "oops", user_ids: Array(501).fill("a") },
      "BATCH_SIZE_EXCEEDED",
      "user_ids: has 501 elements; at most 500 are taken in one request.",
    ],
  ])("POST /v1/users/seats with %j is refused with the allowed values", async (body, code, message) => {
    const answer = await api.call("/v1/users/seats", { key: shapes.key, body });
    expect([answer.status, answer.codes, answer.message]).toEqual([400, [code], message]);
  });

  test("buying fewer seats takes none away, and nothing is assigned until there is room", async () => {
    const { post, users } = await company("fewer", { members: 4, seats: 3 });
    await post("/v1/users/seats", { action: "assign", user_ids: ["m0", "m1", "m2"] });
    await world.organization("fewer", { seats_purchased: 1 });
    expect(await users()).toMatchObject({ seats_purchased: 1, seats_assigned: 3 });
    expect(await post("/v1/users/seats", { action: "assign", user_ids: ["m3"] })).toMatchObject({
      status: "failure",
    });
    await post("/v1/users/seats", { action: "unassign", user_ids: ["m0", "m1"] });
    expect(await post("/v1/users/seats", { action: "assign", user_ids: ["m3"] })).toMatchObject({
      failed: [{ code: "NO_SEATS_AVAILABLE" }],
    });
    await post("/v1/users/seats", { action: "unassign", user_ids: ["m2"] });
    expect(await post("/v1/users/seats", { action: "assign", user_ids: ["m3"] })).toMatchObject({
      status: "success",
    });
  });
});

test("a seat that an admin frees goes only to people the admin chose", async () => {
  const { id, post, users } = await company("freed", { members: 3, seats: 1 });
  await post("/v1/users/seats", { action: "assign", user_ids: ["m0"] });
  await world.member(id, "hopeful", { seat_assigned: true });
  await post("/v1/users/seats", { action: "unassign", user_ids: ["m0"] });
  expect(await users()).toMatchObject({ seats_assigned: 0 });
  expect(await post("/v1/users/seats", { action: "assign", user_ids: ["m2"] })).toMatchObject({
    status: "success",
  });
});

describe("/v1/users/seats/assignment", () => {
  beforeAll(() => world.instance("seat-mode"));
  const hosted = (name: string, change: object = {}) =>
    company(name, { instance_id: "seat-mode", ...change });

  test("POST /v1/users/seats/assignment sets and returns the mode; both reads show it; later events keep it", async () => {
    const { key, users } = await hosted("modes");
    const target = "/v1/users/seats/assignment";
    expect((await api.call(target, { key })).json).toEqual({ mode: "manual" });
    expect((await api.call(target, { key, body: { mode: "automatic" } })).json).toEqual({
      mode: "automatic",
    });
    expect((await api.call(target, { key })).json).toEqual({ mode: "automatic" });
    expect((await users()).seat_assignment_mode).toBe("automatic");
    await world.organization("modes", { instance_id: "seat-mode", seat_assignment_mode: "manual" });
    expect((await api.call(target, { key })).json).toEqual({ mode: "automatic" });
  });

  test.each([
    [{ subscription_active: false, deployment: "cloud", plan: "pro" }, 402, "NO_ACTIVE_SUBSCRIPTION"],
    [{ deployment: "cloud", plan: "pro" }, 403, "SELF_HOSTED_ONLY"],
    [{ plan: "pro" }, 403, "ENTERPRISE_PLAN_REQUIRED"],
  ])(
    "seat assignment for an organization with %j is %i %s: the checks have this order",
    async (change, status, code) => {
      const { key } = await hosted(`gate-${code}`, change);
      const answer = await api.call("/v1/users/seats/assignment", { key, body: { mode: "manual" } });
      expect([answer.status, answer.codes]).toEqual([status, [code]]);
    },
  );

  test("a seat assignment mode other than the two modes is INVALID_REQUEST", async () => {
    const { key } = await hosted("bad-mode");
    for (const body of [{ mode: "auto" }, {}, { mode: 1 }, { mode: "manual", more: 1 }]) {
      const answer = await api.call("/v1/users/seats/assignment", { key, body });
      expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    }
  });
});

test("500 people at once: four seat calls fill exactly all seats, one role call changes everybody", async () => {
  const { key, users, post, members } = await company("crowd", { members: 500, seats: 100 });
  const parts = [0, 1, 2, 3].map((part) => members.filter((_, index) => index % 4 === part));
  const results = await Promise.all(
    parts.map(async (part) =>
      json<Batch>(await api.call("/v1/users/seats", { key, body: { action: "assign", user_ids: part } })),
    ),
  );
  expect(results.reduce((sum, { succeeded }) => sum + succeeded.length, 0)).toBe(100);
  expect(await users("?limit=1")).toMatchObject({ seats_purchased: 100, seats_assigned: 100 });
  const changed = await post("/v1/users/roles", { role: "cr_admin", user_ids: members });
  expect([changed.status, changed.succeeded.length]).toEqual(["success", 500]);
  expect((await users("?role_filter=admin")).users).toHaveLength(100);
  checkPeople(await everything(api.store().table));
});
