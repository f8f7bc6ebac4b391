import { createHash } from "node:crypto";
import { v5 } from "uuid";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { identityNamespace } from "../../lib/contract/identity.ts";
import * as kinds from "../../lib/contract/items.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { useApi } from "../support/api.ts";
import { learningOf } from "../support/stored.ts";
import { github, gitlab, World } from "../support/world.ts";
import { checkTable } from "./check-table.ts";
import { type Home, item, newHome, pageOf, recordOf, resultsOf } from "./fixture.ts";

const api = useApi();
const world = new World(() => api.store().table);
const table = () => api.store().table;

async function caller(home: Home) {
  const key = await world.adminKey(home.uuid, "ann");
  return {
    key,
    post: async (...data: unknown[]) => resultsOf(await api.call("/v1/learnings", { key, body: { data } })),
    patch: (id: string, learning: string) =>
      api.call(`/v1/learnings/${id}`, { method: "PATCH", key, body: { learning } }),
    remove: (id: string) => api.call(`/v1/learnings/${id}`, { method: "DELETE", key }),
    exported: async () => pageOf(await api.call("/v1/learnings", { key })).data,
  };
}

const idOf = ({ uuid }: Home, text: string, generation?: number) =>
  v5(JSON.stringify([uuid, "repo-1", text, ...(generation ? [generation] : [])]), identityNamespace);
const missing = "00000000-0000-4000-8000-000000000000";

describe("PATCH /v1/learnings/{learning_id}", () => {
  test("PATCH keeps the id, moves the Learning to the end and returns the whole record", async () => {
    const home = await newHome(world);
    const { post, patch, exported } = await caller(home);
    await post(item("first", { file: "a.ts" }), item("second"));
    const id = idOf(home, "first");
    const answer = await patch(id.toUpperCase(), "  first, but better ");
    expect(answer.status).toBe(200);
    const record = recordOf(answer);
    expect(record).toMatchObject({ id, learning: "first, but better", file: "a.ts", author_id: "ann" });
    expect(record.updated_at > record.created_at).toBe(true);
    const after = await exported();
    expect(after.map(({ learning }) => learning)).toEqual(["second", "first, but better"]);
    expect(after[1]).toEqual(record);
    await checkTable(table(), { embedder: localEmbedder });
  });

  test("the changed Learning owns the new text, and the old text creates another Learning with the next id", async () => {
    const home = await newHome(world);
    const { post, patch, remove } = await caller(home);
    const [first, second, third] = [idOf(home, "A"), idOf(home, "A", 2), idOf(home, "A", 3)];
    await post(item("A"));
    await patch(first, "B");
    expect((await post(item("B"))).results).toMatchObject([{ status: "duplicate", id: first }]);
    expect((await post(item("A"))).results).toMatchObject([{ status: "created", id: second }]);
    await patch(second, "C");
    expect((await post(item("A"))).results).toMatchObject([{ status: "created", id: third }]);
    // The smallest free id: the first id is free once its Learning is deleted.
    await remove(third);
    await remove(first);
    expect((await post(item("A"), item("B"))).results).toMatchObject([
      { status: "created", id: first },
      { status: "created", id: idOf(home, "B") },
    ]);
    await checkTable(table(), { embedder: localEmbedder });
  });

  test("a Learning changed back to its first text is the same Learning", async () => {
    const home = await newHome(world);
    const { post, patch } = await caller(home);
    await post(item("A"));
    await patch(idOf(home, "A"), "B");
    expect(recordOf(await patch(idOf(home, "A"), "A"))).toMatchObject({ id: idOf(home, "A"), learning: "A" });
    expect((await post(item("A"))).results).toMatchObject([{ status: "duplicate", id: idOf(home, "A") }]);
    await checkTable(table(), { embedder: localEmbedder });
  });

  test("a text that another Learning of the repository has is a 409, and nothing changes", async () => {
    const home = await newHome(world);
    await world.repository(home.name, "repo-2");
    const { post, patch, exported } = await caller(home);
    await post(item("A"), item("B"), item("C", { repository_id: "repo-2" }));
    const before = await exported();
    const answer = await patch(idOf(home, "A"), " B ");
    expect([answer.status, answer.codes]).toEqual([409, ["LEARNING_EXISTS"]]);
    expect(await exported()).toEqual(before);
    expect((await patch(idOf(home, "A"), "C")).status).toBe(200);
  });

  test("unknown and foreign ids get the same 404, byte for byte", async () => {
    const home = await newHome(world);
    const other = await newHome(world);
    const { patch } = await caller(home);
    await (await caller(other)).post(item("theirs"));
    const [unknown, foreign] = [await patch(missing, "x"), await patch(idOf(other, "theirs"), "x")];
    expect([unknown.status, unknown.codes]).toEqual([404, ["LEARNING_NOT_FOUND"]]);
    expect(foreign.body).toEqual(unknown.body);
    expect(await learningOf(table(), other.uuid, idOf(other, "theirs"))).toMatchObject({ text: "theirs" });
  });

  test("PATCH redacts the new text, and refuses an invalid text or id", async () => {
    const home = await newHome(world);
    const { post, patch, key } = await caller(home);
    await post(item("A"));
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
    expect(recordOf(await patch(idOf(home, "A"), `use ${secret}`)).learning).toMatch(/^use \[REDACTED:/);
    expect((await patch(idOf(home, "A"), " ")).status).toBe(400);
    expect((await patch("not-a-uuid", "x")).status).toBe(400);
    const further = { learning: "x", author: "y" };
    const answer = await api.call(`/v1/learnings/${idOf(home, "A")}`, {
      method: "PATCH",
      key,
      body: further,
    });
    expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
  });
});

/** As the guide describes it. */
const digestOf = (text: string) =>
  createHash("sha256")
    .update(JSON.stringify([item(text).repository_id, text]))
    .digest("base64url");

test("the audit entry of a change has the changed fields before and after, shortened and without secrets", async () => {
  const home = await newHome(world);
  const { post, key } = await caller(home);
  await post(item("A"));
  const id = idOf(home, "A");
  const patch = (body: object) => api.call(`/v1/learnings/${id}`, { method: "PATCH", key, body });
  const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  const long = "long ".repeat(100).trim();
  await patch({ learning: `Deploy with ${secret}.`, file: "src/a.ts" });
  await patch({ learning: long, file: null });
  await patch({ learning: long, file: null });
  const log = await api.call("/v1/audit-logs?actions=learning.updated&order=asc", { key });
  const { data } = z.object({ data: z.array(z.object({ metadata: z.unknown() })) }).parse(log.json);
  const redacted = expect.stringMatching(/^Deploy with \[REDACTED:[a-z_]+\]\.$/);
  const digest = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/);
  const shortened = { learning: `${long.slice(0, 200)}…`, digest: digestOf(long) };
  expect(data.map(({ metadata }) => metadata)).toEqual([
    {
      before: { learning: "A", digest: digestOf("A"), file: null },
      after: { learning: redacted, digest, file: "src/a.ts" },
    },
    { before: { learning: redacted, digest, file: "src/a.ts" }, after: { ...shortened, file: null } },
  ]);
  expect(JSON.stringify(data)).not.toContain(secret);
});

describe("DELETE /v1/learnings/{learning_id}", () => {
  test("the audit entry of a deletion has the first words, without a secret that is stored", async () => {
    const home = await newHome(world);
    const { post, remove, key } = await caller(home);
    const long = "long ".repeat(100).trim();
    const old = "An earlier release stored this.";
    await post(item(long), item(old));
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    await table().write({
      update: kinds.learning.key({ organization: home.uuid, learningId: idOf(home, old) }),
      change: { set: [["text", `Deploy with ${secret}.`]] },
    });
    for (const text of [long, old]) await remove(idOf(home, text));
    const log = await api.call("/v1/audit-logs?actions=learning.deleted&order=asc", { key });
    expect(log.json).toMatchObject({
      data: [
        { metadata: { before: { learning: `${long.slice(0, 200)}…`, digest: digestOf(long) } } },
        { metadata: { before: { learning: expect.stringMatching(/^Deploy with \[REDACTED:[a-z_]+\]\.$/) } } },
      ],
    });
    expect(JSON.stringify(log.json)).not.toContain(secret);
  });

  test("DELETE removes everything, and returns 204 for repeated and unknown ids", async () => {
    const home = await newHome(world);
    const other = await newHome(world);
    const { post, remove, exported, key } = await caller(home);
    await (await caller(other)).post(item("theirs"));
    await post(item("A"), item("B"));
    for (const id of [idOf(home, "A"), idOf(home, "A").toUpperCase(), missing, idOf(other, "theirs")]) {
      const answer = await remove(id);
      expect([answer.status, answer.body.length]).toEqual([204, 0]);
    }
    expect((await exported()).map(({ learning }) => learning)).toEqual(["B"]);
    expect(await learningOf(table(), other.uuid, idOf(other, "theirs"))).toBeDefined();
    expect((await remove("nonsense")).status).toBe(400);
    const log = await api.call("/v1/audit-logs?actions=learning.deleted", { key });
    expect(log.json).toMatchObject({ data: [{ resource_id: idOf(home, "A"), actor: { id: "ann" } }] });
    expect(z.object({ data: z.array(z.object({ metadata: z.unknown() })) }).parse(log.json).data).toEqual([
      {
        metadata: {
          before: {
            learning: "A",
            digest: digestOf("A"),
            repository_id: item("A").repository_id,
            file: null,
            state: "approved",
          },
        },
      },
    ]);
    await checkTable(table(), { embedder: localEmbedder });
  });

  test("a deleted text is created again with the same id", async () => {
    const home = await newHome(world);
    const { post, patch, remove } = await caller(home);
    await post(item("A"));
    await remove(idOf(home, "A"));
    expect((await post(item("A"))).results).toMatchObject([{ status: "created", id: idOf(home, "A") }]);
    await patch(idOf(home, "A"), "B");
    await post(item("A"));
    await remove(idOf(home, "A", 2));
    expect((await post(item("A"))).results).toMatchObject([{ status: "created", id: idOf(home, "A", 2) }]);
    await checkTable(table(), { embedder: localEmbedder });
  });
});

describe("keys of an instance", () => {
  test("instance keys post to their home, and change and delete Learnings anywhere in their scope", async () => {
    const instance_id = await world.instance("machine");
    const names = ["home", "second", "closed"].map((name) => gitlab(instance_id, name));
    const uuids: string[] = [];
    for (const name of names) {
      uuids.push(await world.organization(name.provider_organization_id, { instance_id }));
      await world.member(name, "ann", { role: "cr_admin" });
      await world.repository(name, "repo-1");
    }
    const [home = "", second = "", closed = ""] = uuids;
    const organizationKeys = await Promise.all(
      uuids.map((organization) =>
        world.key({ kind: "organization", organization, owner: "ann", role: "cr_admin" }),
      ),
    );
    const ids = await Promise.all(
      organizationKeys.map(async ({ text: key }) => {
        const answer = await api.call("/v1/learnings", { key, body: { data: [item("A")] } });
        return resultsOf(answer).results[0]?.id ?? "";
      }),
    );
    const { text: key } = await world.key({
      kind: "instance",
      instanceId: instance_id,
      home,
      authorized: [home, second],
      owner: "ann",
      role: "cr_admin",
    });
    const patch = (id: string) =>
      api.call(`/v1/learnings/${id}`, { method: "PATCH", key, body: { learning: "B" } });
    const answer = await api.call("/v1/learnings", { key, body: { data: [item("A"), item("new")] } });
    expect(resultsOf(answer).results).toMatchObject([
      { status: "duplicate", id: ids[0] },
      { status: "created" },
    ]);
    expect(recordOf(await patch(ids[1] ?? ""))).toMatchObject({ organization_id: "second", learning: "B" });
    expect((await patch(ids[2] ?? "")).status).toBe(404);
    expect((await api.call(`/v1/learnings/${ids[2]}`, { method: "DELETE", key })).status).toBe(204);
    expect(await learningOf(table(), closed, ids[2] ?? "")).toBeDefined();
    expect((await api.call(`/v1/learnings/${ids[1]}`, { method: "DELETE", key })).status).toBe(204);
    expect(await learningOf(table(), second, ids[1] ?? "")).toBeUndefined();
  });

  test.each(["two", "one"])(
    "a change counts in the rate limit of the Learning's organization, of %s in the instance",
    async (count) => {
      const instance_id = await world.instance(`counted-${count}`);
      const name = gitlab(instance_id, `only-home-${count}`);
      const other = gitlab(instance_id, "other");
      const home = await world.organization(name.provider_organization_id, { instance_id });
      if (count === "two") await world.organization(other.provider_organization_id, { instance_id });
      await world.member(name, "ann", { role: "cr_admin" });
      await world.repository(name, "repo-1");
      const request = {
        kind: "instance",
        instanceId: instance_id,
        home,
        owner: "ann",
        role: "cr_admin",
      } as const;
      const { text: key } = await world.key(request);
      const post = () => api.call("/v1/learnings", { key, body: { data: [item("A")] } });
      const id = resultsOf(await post()).results[0]?.id;
      for (let sent = 1; sent < 10; sent++) expect((await post()).status).toBe(200);
      const answer = await api.call(`/v1/learnings/${id}`, { method: "PATCH", key, body: { learning: "B" } });
      expect(answer.status).toBe(429);
    },
  );
});

describe("workspace tokens", () => {
  test("workspace tokens must name one organization on every write", async () => {
    const workspace_id = await world.workspace("writers");
    const home = await newHome(world, { workspace_id });
    const { text: key } = await world.token(workspace_id);
    const org_id = home.name.provider_organization_id;
    const [post, patch, remove] = [
      await api.call("/v1/learnings", { key, body: { data: [item("A")] } }),
      await api.call(`/v1/learnings/${missing}`, { method: "PATCH", key, body: { learning: "A" } }),
      await api.call(`/v1/learnings/${missing}`, { method: "DELETE", key }),
    ];
    for (const answer of [post, patch, remove]) expect(answer.codes).toEqual(["ORG_ID_REQUIRED"]);
    await api.call("/v1/learnings", { key, body: { data: [item("A")], org_id } });
    const id = idOf(home, "A");
    const changed = await api.call(`/v1/learnings/${id}`, {
      method: "PATCH",
      key,
      body: { learning: "B", org_id },
    });
    expect(changed.status).toBe(200);
    const unknown = await api.call(`/v1/learnings/${id}?org_id=none`, { method: "DELETE", key });
    expect(unknown.codes).toEqual(["ORGANIZATION_NOT_FOUND"]);
    expect((await api.call(`/v1/learnings/${id}?org_id=${org_id}`, { method: "DELETE", key })).status).toBe(
      204,
    );
  });
});

test("without learning:write nothing is written", async () => {
  const name = github("readers");
  const organization = await world.organization("readers");
  await world.member(name, "ann", { role: "cr_admin" });
  const { text: key } = await world.key({
    kind: "organization",
    organization,
    owner: "ann",
    role: "cr_billing_admin",
  });
  const answer = await api.call("/v1/learnings", { key, body: { data: [item("A")] } });
  expect([answer.status, answer.codes]).toEqual([403, ["PERMISSION_DENIED"]]);
});
