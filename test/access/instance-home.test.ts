import { beforeAll, describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { type OperationId, operations } from "../../lib/contract/operations.ts";
import { useApi } from "../support/api.ts";
import { gitlab, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

describe("an instance key whose authorized organizations lack its home", () => {
  let home = "";
  let away = "";
  let key = "";
  beforeAll(async () => {
    await world.instance("fleet");
    home = await world.organization("home", { instance_id: "fleet" });
    away = await world.organization("away", { instance_id: "fleet" });
    for (const name of ["home", "away"])
      await world.member(gitlab("fleet", name), "boss", { role: "cr_admin" });
    const issued = await world.key({ ...request(), authorized: [home, away] });
    // Only an edited item has this form.
    await world.deps.table.write({
      update: kinds.keyList.key({ keyId: issued.key.id }),
      change: { set: [["authorized", [away]]] },
    });
    key = issued.text;
  });
  const request = () =>
    ({ kind: "instance", instanceId: "fleet", home, owner: "boss", role: "cr_admin" }) as const;

  test("an instance key whose authorized organizations lack its home is not created", async () => {
    await expect(world.key({ ...request(), authorized: [away] })).rejects.toThrow(
      "The authorized organizations of an instance key must contain its home organization home.",
    );
  });

  test("whoami names the home of every instance key, whether or not the key is authorized for it", async () => {
    const { text } = await world.key(request());
    for (const each of [key, text]) {
      const answer = await api.call("/v1/whoami", { key: each });
      expect(answer.json).toMatchObject({ scope: { home: { provider_organization_id: "home" } } });
    }
  });

  const nobody = "00000000-0000-4000-8000-000000000000";
  const bodies: Partial<Record<OperationId, object>> = {
    assignSeats: { action: "assign", user_ids: ["boss"] },
    setSeatAssignment: { mode: "manual" },
    changeRoles: { role: "cr_admin", user_ids: ["boss"] },
    createRole: { name: "New" },
    updateRole: { name: "New" },
    giveRole: { user_ids: ["boss"] },
    createLearnings: { data: [{ repository_id: "1", learning: "Be kind." }] },
  };
  const atHome = operations.filter(
    ({ instanceScope, keys }) => instanceScope !== "authorized" && keys.instance === "accepted",
  );
  test.each(atHome)(
    "an instance key not authorized for its home cannot act on it: $id is 403 ORGANIZATION_FORBIDDEN",
    async ({ id, method, path }) => {
      const body = bodies[id];
      const target = path.replace(/\{\w+\}/g, nobody);
      const answer = await api.call(target, { method, key, ...(body && { body }) });
      expect([answer.status, answer.codes]).toEqual([403, ["ORGANIZATION_FORBIDDEN"]]);
      expect(answer.message).toContain("home");
    },
  );

  test("an instance key not authorized for its home still acts on the organizations it is authorized for", async () => {
    const listed = await api.call("/v1/organizations", { key });
    expect(listed.json).toMatchObject({ organizations: [{ provider_organization_id: "away" }] });
    const named = await api.call("/v1/users/roles", {
      key,
      body: { role: "cr_admin", user_ids: ["boss"], org_id: "away" },
    });
    expect(named.json).toMatchObject({ status: "success" });
    const everywhere = await api.call("/v1/users/roles", {
      key,
      body: { role: "cr_admin", user_ids: ["boss"], org_id: "ALL" },
    });
    expect(everywhere.json).toMatchObject({ status: "success" });
  });
});
