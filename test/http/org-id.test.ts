import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "../support/api.ts";
import { github, gitlab, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const keys: Record<string, string> = {};

beforeAll(async () => {
  const organization = await world.organization("own");
  await world.member(github("own"), "u1", { role: "cr_admin" });
  const asAdmin = { organization, owner: "u1", role: "cr_admin" } as const;
  keys.organization = (await world.key({ kind: "organization", ...asAdmin })).text;
  keys.user = (await world.key({ kind: "user", organization, owner: "u1" })).text;
  await world.instance("self");
  const home = await world.organization("home", { ...gitlab("self", "home") });
  await world.member(gitlab("self", "home"), "u1", { role: "cr_admin" });
  keys.instance = (
    await world.key({ kind: "instance", instanceId: "self", home, owner: "u1", role: "cr_admin" })
  ).text;
  await world.workspace("both");
  for (const id of ["w1", "w2"]) await world.organization(id, { workspace_id: "both" });
  keys.workspace = (await world.token("both")).text;
});

const tooLong = "x".repeat(300);

describe.each(["organization", "user", "instance"])("a key of kind %s", (kind) => {
  test(`a key of kind ${kind} ignores org_id in the query, whatever its value`, async () => {
    const answer = await api.call(`/v1/roles?org_id=${tooLong}`, { key: keys[kind] ?? "" });
    expect([answer.status, answer.message]).toEqual([200, ""]);
  });

  test.each([[tooLong], [17], [null], [["w1"]], [{ id: "w1" }]])(
    `a key of kind ${kind} ignores org_id in the body, whatever its value: %j`,
    async (value) => {
      const body = { action: "assign", user_ids: ["nobody"], org_id: value };
      const answer = await api.call("/v1/users/seats", { key: keys[kind] ?? "", body });
      expect([answer.status, answer.message]).toEqual([200, ""]);
    },
  );

  test(`a key of kind ${kind} rejects an empty org_id, or one sent twice, like any parameter`, async () => {
    for (const query of ["org_id=", "org_id=w1&org_id=w1"]) {
      const answer = await api.call(`/v1/roles?${query}`, { key: keys[kind] ?? "" });
      expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    }
    const body = { action: "assign", user_ids: ["nobody"], org_id: "" };
    const answer = await api.call("/v1/users/seats", { key: keys[kind] ?? "", body });
    expect([answer.status, answer.message]).toEqual([400, "org_id: must not be empty."]);
  });
});

describe("a workspace token", () => {
  const create = (inQuery: string, inBody: string) =>
    api.call(`/v1/roles?org_id=${inQuery}`, {
      key: keys.workspace ?? "",
      body: { name: `role ${inQuery} ${inBody}`, org_id: inBody },
    });

  test("a workspace token may send the same org_id in query and body", async () => {
    expect((await create("w1", "w1")).status).toBe(201);
  });

  test("a workspace token gets an error if org_id in query and body contradict each other", async () => {
    const answer = await create("w1", "w2");
    expect([answer.status, answer.codes, answer.message]).toEqual([
      400,
      ["INVALID_REQUEST"],
      "org_id: the query and the body name different organizations. Send it in the body only.",
    ]);
  });

  test("a workspace token names one of two organizations with the same id, however long the id is", async () => {
    const id = "é".repeat(128);
    for (const provider of ["github", "azure_devops"])
      await world.organization(id, { provider, workspace_id: "both", name: `of ${provider}` });
    const roles = (name: string) =>
      api.call(`/v1/roles?org_id=${encodeURIComponent(name)}`, { key: keys.workspace ?? "" });
    expect((await roles(id)).message).toContain(`azure_devops:${id}`);
    expect((await roles(`azure_devops:${id}`)).status).toBe(200);
    expect((await roles(`azure_devops:${id}x`)).message).toBe("org_id: must have at most 269 bytes.");
  });

  test("the org_id of a workspace token is validated", async () => {
    const answer = await api.call(`/v1/roles?org_id=${tooLong}`, { key: keys.workspace ?? "" });
    expect([answer.status, answer.message]).toEqual([400, "org_id: must have at most 269 bytes."]);
  });
});

test("POST /v1/users/roles validates the org_id of every kind of key", async () => {
  for (const kind of ["organization", "user", "instance"]) {
    const body = { role: "cr_member", user_ids: ["nobody"], org_id: tooLong };
    const answer = await api.call("/v1/users/roles", { key: keys[kind] ?? "", body });
    expect([kind, answer.status, answer.message]).toEqual([
      kind,
      400,
      "org_id: must have at most 269 bytes.",
    ]);
  }
});
