import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { useApi } from "../support/api.ts";
import { unlimitedCalls } from "../support/scan-all.ts";
import { github, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const roleAnswer = z.object({ id: z.string(), name: z.string(), permissions: z.array(z.unknown()) });

let key = "";
beforeAll(async () => {
  const organization = await world.organization("names");
  await world.member(github("names"), "boss", { role: "cr_admin" });
  ({ text: key } = await world.key({ kind: "organization", organization, owner: "boss", role: "cr_admin" }));
});
const unlimited = unlimitedCalls(api);
const call = (target: string, options: object) => unlimited(target, { key, ...options });
const create = (body: object) => call("/v1/roles", { body });

describe("a role's name", () => {
  test.each(["cr_admin", "CR_Member", "cr_billing_admin", "ADMIN", "member", "Billing Admin"])(
    "the name %s belongs to a system role and is taken, in any letter case",
    async (name) => {
      expect((await create({ name })).codes).toEqual(["ROLE_NAME_TAKEN"]);
      const made = roleAnswer.parse((await create({ name: `Not ${name}` })).json);
      const renamed = await call(`/v1/roles/${made.id}`, { method: "PATCH", body: { name } });
      expect(renamed.codes).toEqual(["ROLE_NAME_TAKEN"]);
    },
  );

  test.each([
    ["a line break", "two\nlines"],
    ["a control character", "bell\u0007"],
    ["a zero-width space", "Ad\u200bmin"],
    ["a right-to-left mark", "\u202enimdA"],
    ["a soft hyphen", "Ad\u00admin"],
    ["a line separator", "two\u2028lines"],
    ["a Hangul filler", "\u3164"],
  ])("a role's name with %s is a 400 that names the problem", async (_, name) => {
    const answer = await create({ name });
    expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    expect(answer.message).toBe(
      "name: must not contain control characters or invisible formatting characters.",
    );
  });

  test("a role's name is stored in NFC, and two spellings of one name are the same name", async () => {
    const made = roleAnswer.parse((await create({ name: "Pru\u0308fer" })).json);
    expect(made.name).toBe("Pr\u00fcfer");
    expect((await create({ name: "PR\u00dcFER" })).codes).toEqual(["ROLE_NAME_TAKEN"]);
  });

  test.each([
    ["\u03a3\u0391\u03a3", "\u03c3\u03b1\u03c3"],
    ["stra\u00dfe", "STRASSE"],
    ["Night\u00a0Shift", "night shift"],
    ["Quiet\u2800Shift", "QUIET SHIFT"],
  ])("the role name %s is the same name as %s, when creating and when renaming", async (name, other) => {
    const made = roleAnswer.parse((await create({ name })).json);
    expect((await create({ name: other })).codes).toEqual(["ROLE_NAME_TAKEN"]);
    const third = roleAnswer.parse((await create({ name: `Not ${other}` })).json);
    const rename = (id: string) => call(`/v1/roles/${id}`, { method: "PATCH", body: { name: other } });
    expect((await rename(third.id)).codes).toEqual(["ROLE_NAME_TAKEN"]);
    expect((await rename(made.id)).json).toMatchObject({ id: made.id, name: other });
    await call(`/v1/roles/${made.id}`, { method: "DELETE" });
    expect((await rename(third.id)).json).toMatchObject({ id: third.id, name: other });
  });

  test.each(["\u2800", "\u2800 \u2800", "\u00a0\u2800\u3000"])(
    "a role's name without a visible character (%j) is a 400 that names the problem",
    async (name) => {
      const answer = await create({ name });
      expect([answer.status, answer.message]).toEqual([400, "name: must contain a visible character."]);
    },
  );

  test("a no-break space does not make the name of a system role available", async () => {
    expect((await create({ name: "Billing\u00a0Admin" })).codes).toEqual(["ROLE_NAME_TAKEN"]);
  });
});

describe("a role's permissions", () => {
  const read = { resource_id: "learning", access_type: "read" };
  const write = { resource_id: "learning", access_type: "write" };

  test("a role's permissions count once however often they are sent, in answer and log", async () => {
    const made = roleAnswer.parse(
      (await create({ name: "Repeats", permissions: [write, read, write] })).json,
    );
    expect(made.permissions).toEqual([read, write]);
    const { json } = await call("/v1/audit-logs?actions=role.created&limit=1", {});
    expect(json).toMatchObject({
      data: [{ metadata: { after: { permissions: ["learning:read", "learning:write"] } } }],
    });
  });

  test("a role's permissions are limited to the number that exists", async () => {
    const answer = await create({ name: "Long", permissions: Array(6).fill(read) });
    expect([answer.status, answer.message]).toEqual([
      400,
      "permissions: must have at most 5 elements: more do not exist.",
    ]);
  });
});

describe("the entries of a role", () => {
  const newest = async (action: string) =>
    z
      .object({ data: z.array(z.looseObject({ resource_id: z.string(), metadata: z.looseObject({}) })) })
      .parse((await call(`/v1/audit-logs?actions=${action}&limit=100`, {})).json).data;

  test("the entries of a role have before and after with real types, and the role that lost the default", async () => {
    const first = roleAnswer.parse(
      (await create({ name: "First", description: null, is_default: true, permissions: [] })).json,
    );
    const second = roleAnswer.parse((await create({ name: "Second", permissions: [] })).json);
    const patch = (body: object) => call(`/v1/roles/${second.id}`, { method: "PATCH", body });
    await patch({ is_default: true, description: "Takes over." });
    const permissions = [{ resource_id: "security", access_type: "read" }];
    await patch({ permissions, name: "Second" });
    await call(`/v1/roles/${second.id}`, { method: "DELETE" });
    expect(
      (await newest("role.created")).find(({ resource_id }) => resource_id === first.id)?.metadata,
    ).toEqual({
      name: "First",
      after: { name: "First", description: null, permissions: [], is_default: true },
      lost_default: "cr_member",
    });
    expect(
      (await newest("role.updated"))
        .filter(({ resource_id }) => resource_id === second.id)
        .map(({ metadata }) => metadata),
    ).toEqual([
      { name: "Second", before: { permissions: [] }, after: { permissions: ["security:read"] } },
      {
        name: "Second",
        before: { description: null, is_default: false },
        after: { description: "Takes over.", is_default: true },
        lost_default: first.id,
      },
    ]);
    expect((await newest("role.deleted"))[0]?.metadata).toEqual({
      name: "Second",
      before: {
        name: "Second",
        description: "Takes over.",
        permissions: ["security:read"],
        is_default: true,
      },
    });
  });

  test("the entries of a role are not written if a change changes nothing", async () => {
    const role = roleAnswer.parse((await create({ name: "Same", permissions: [] })).json);
    const answer = await call(`/v1/roles/${role.id}`, {
      method: "PATCH",
      body: { name: "Same", is_default: false, permissions: [] },
    });
    expect(answer.json).toMatchObject({ id: role.id, name: "Same" });
    expect((await newest("role.updated")).filter(({ resource_id }) => resource_id === role.id)).toEqual([]);
  });
});

test("GET /v1/roles/{role_id} accepts both include flags", async () => {
  const short = await call("/v1/roles/cr_member?include_permissions=false&include_user_count=false", {});
  expect(Object.keys(z.looseObject({}).parse(short.json))).toEqual([
    "id",
    "name",
    "description",
    "type",
    "is_default",
  ]);
  const full = await call("/v1/roles/cr_member", {});
  expect(full.json).toMatchObject({ permissions: expect.any(Array), user_count: 0 });
});
