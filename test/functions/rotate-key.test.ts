import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { useApi } from "../support/api.ts";
import { everyKindOfKey, gitlab, keysOf, World } from "../support/world.ts";

import { idOf, issued, keyCallsOf, keyPage, type Setup } from "./key-calls.ts";

const api = useApi();
const world = new World(() => api.store().table);
const { call, rotate, end, works, idsSeenBy } = keyCallsOf(api);

describe("POST /v1/keys/{key_id}/rotate", () => {
  let setup: Setup;
  beforeAll(async () => {
    setup = await everyKindOfKey(world, "rotating");
  });
  const fresh = (kind: "organization" | "user" | "agentic", owner = "u-member") =>
    kind === "organization"
      ? world.key({
          kind,
          organization: setup.organization,
          owner,
          role: "cr_member",
          name: "fresh",
          expiresInDays: 9,
        })
      : world.key({ kind, organization: setup.organization, owner, name: "fresh", expiresInDays: 9 });

  test("POST /v1/keys/{key_id}/rotate needs no body: every field has a default", async () => {
    const old = await fresh("user");
    const answer = await call(`/v1/keys/${old.key.id}/rotate`, { key: old.text, method: "POST" });
    expect(answer.status).toBe(201);
    expect(await works(issued.parse(answer.json).key)).toBe(true);
    expect(await works(old.text)).toBe(true);
  });

  test("a key replaces itself: same name, rights and expiry, another value, and the old key has its grace", async () => {
    const old = await fresh("user");
    const answer = await rotate(old.key.id, old.text);
    const successor = issued.parse(answer.json);
    expect([answer.status, successor]).toMatchObject([
      201,
      { kind: "user", name: "fresh", owner: "u-member", organizations: ["rotating-org"], state: "active" },
    ]);
    expect(successor.expires_at).toBe(new Date(old.key.expires_at_ms ?? 0).toISOString());
    expect(successor.key).not.toBe(old.text);
    expect([await works(old.text), await works(successor.key)]).toEqual([true, true]);
    expect((await rotate(old.key.id, old.text)).codes).toEqual(["KEY_ROTATED"]);
  });

  test("a key recognises its own id even if the path has it percent-encoded", async () => {
    const { keys } = await keysOf(world, "encoded", "organization");
    const { id } = keys.organization.key;
    const encoded = [...id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    const rotated = await rotate(encoded, keys.organization.text);
    expect(rotated.status).toBe(201);
    const successor = issued.parse(rotated.json);
    const own = [...successor.id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    expect((await end(own, successor.key)).status).toBe(204);
  });

  test("with a grace of 0 the old key ends at once; without a grace in the request it ends after an hour", async () => {
    const old = await fresh("organization");
    await rotate(old.key.id, setup.keys.organization.text, { grace_seconds: 0 });
    expect(await works(old.text)).toBe(false);
    const other = await fresh("organization");
    await rotate(other.key.id, other.text);
    const { keys } = keyPage.parse((await call("/v1/keys", { key: setup.keys.organization.text })).json);
    const { expires_at } = z
      .object({ expires_at: z.string() })
      .parse(keys.find(({ id }) => id === other.key.id));
    const leftMs = Date.parse(expires_at) - Date.now();
    expect(leftMs).toBeGreaterThan(3_500_000);
    expect(leftMs).toBeLessThanOrEqual(3_600_000);
  });

  test.each([-1, 86_401, 1.5, "60", null])("a grace of %j is a 400", async (grace_seconds) => {
    const answer = await rotate(idOf(setup, "user"), setup.keys.user.text, { grace_seconds });
    expect([answer.status, answer.message]).toEqual([
      400,
      "grace_seconds: must be a whole number from 0 to 86400.",
    ]);
  });

  test("a workspace token and an instance key can replace themselves", async () => {
    const other = await everyKindOfKey(world, "themselves");
    for (const kind of ["workspace", "instance"] as const) {
      const answer = await rotate(idOf(other, kind), other.keys[kind].text, { grace_seconds: 0 });
      const successor = issued.parse(answer.json);
      expect([answer.status, successor.kind, successor.organizations]).toEqual([201, kind, null]);
      expect([await works(other.keys[kind].text), await works(successor.key)]).toEqual([false, true]);
    }
  });

  test("an admin can rotate the organization keys of the scope, and no other keys", async () => {
    const [organization, user, agentic] = [
      await fresh("organization"),
      await fresh("user"),
      await fresh("agentic"),
    ];
    const callers = [setup.keys.organization, setup.keys.workspace];
    for (const { text } of callers) {
      for (const { key } of [user, agentic, setup.keys.legacy, setup.keys.instance])
        expect((await rotate(key.id, text)).codes).toEqual(["KEY_NOT_FOUND"]);
    }
    expect((await rotate(idOf(setup, "workspace"), setup.keys.organization.text)).codes).toEqual([
      "KEY_NOT_FOUND",
    ]);
    expect((await rotate(organization.key.id, setup.keys.workspace.text)).status).toBe(201);
    expect((await rotate(organization.key.id, setup.keys.instance.text)).codes).toEqual(["KEY_NOT_FOUND"]);
  });

  test("a key without the Admin role can rotate only itself", async () => {
    const mine = await fresh("user");
    const answer = await rotate(idOf(setup, "organization"), mine.text);
    expect([answer.status, answer.codes]).toEqual([403, ["NOT_ADMIN"]]);
    expect((await rotate(mine.key.id, mine.text)).status).toBe(201);
  });

  test("a workspace token rotates the tokens of its own owner, and can only delete those of other admins", async () => {
    await world.workspace("admins", {
      admins: ["ann", "bob"].map((user_id) => ({ user_id, email: null })),
    });
    await world.organization("admins-org", { workspace_id: "admins" });
    const [ann, annToo, bob] = [
      await world.token("admins", "ann"),
      await world.token("admins", "ann"),
      await world.token("admins", "bob"),
    ];
    expect((await rotate(bob.key.id, ann.text)).codes).toEqual(["KEY_NOT_FOUND"]);
    expect((await rotate(annToo.key.id, ann.text)).status).toBe(201);
    expect((await end(bob.key.id, ann.text)).status).toBe(204);
    expect(await works(bob.text)).toBe(false);
  });

  test("instance keys can rotate keys whose organizations are a subset of theirs", async () => {
    await world.instance("fleet");
    const uuids: string[] = [];
    for (const name of ["f1", "f2", "f3"]) {
      uuids.push(await world.organization(name, { instance_id: "fleet" }));
      await world.member(gitlab("fleet", name), "boss", { role: "cr_admin" });
    }
    const [home = "", second = "", third = ""] = uuids;
    const make = (authorized?: string[]) =>
      world.key({ kind: "instance", instanceId: "fleet", home, owner: "boss", role: "cr_admin", authorized });
    const [all, wide, narrow, beside] = [
      await make(),
      await make([home, second]),
      await make([home]),
      await make([home, third]),
    ];
    const seen = (key: { text: string }) => idsSeenBy(key.text);
    expect(await seen(all)).toEqual([all, wide, narrow, beside].map(({ key }) => key.id).toSorted());
    expect(await seen(wide)).toEqual([wide, narrow].map(({ key }) => key.id).toSorted());
    expect((await rotate(all.key.id, wide.text)).codes).toEqual(["KEY_NOT_FOUND"]);
    expect((await rotate(beside.key.id, wide.text)).codes).toEqual(["KEY_NOT_FOUND"]);
    expect((await end(beside.key.id, wide.text)).codes).toEqual(["KEY_NOT_FOUND"]);
    const rotated = await rotate(narrow.key.id, wide.text);
    expect(rotated.json).toMatchObject({ organizations: ["f1"], role: "cr_admin" });
    const ofHome = await world.adminKey(home, "boss");
    expect((await rotate(all.key.id, ofHome)).codes).toEqual(["KEY_NOT_FOUND"]);
    expect(await idsSeenBy(ofHome)).toHaveLength(1);
  });

  test("of two rotations at the same moment one gets a successor", async () => {
    const old = await fresh("organization");
    const answers = await Promise.all(
      [1, 2].map(() =>
        api.call(`/v1/keys/${old.key.id}/rotate`, { key: setup.keys.organization.text, body: {} }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  test("an invalid id is a 400, and an id of another tenant gets the same 404 as an unknown id", async () => {
    const other = await everyKindOfKey(world, "elsewhere");
    const key = setup.keys.organization.text;
    expect((await rotate("not-an-id", key)).codes).toEqual(["INVALID_REQUEST"]);
    const [foreign, unknown] = [
      await rotate(idOf(other, "organization"), key),
      await rotate("kaaaaaaaaaaaaaaaa", key),
    ];
    expect(foreign.body.toString()).toBe(unknown.body.toString());
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
  });
});
