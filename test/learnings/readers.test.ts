import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../lib/contract/operations.ts";
import { useApi } from "../support/api.ts";
import { learningOf, organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";
import { type Home, item, newHome, pageOf, resultsOf, verbsOf } from "./fixture.ts";

const api = useApi();
const world = new World(() => api.store().table);
const table = () => api.store().table;

type Fixture = { home: Home; user: string; admin: string; organizationKey: string };

/** bob can read only repo-1; repo-2 exists and has Learnings of ann. */
async function twoRepositories(): Promise<Fixture> {
  const home = await newHome(world);
  await world.repository(home.name, "repo-2", { full_name: "group/second" });
  await world.member(home.name, "bob", { readable_repository_ids: ["repo-1"] });
  const [user, admin, key] = await Promise.all([
    world.key({ kind: "user", organization: home.uuid, owner: "bob" }),
    world.key({ kind: "user", organization: home.uuid, owner: "ann" }),
    world.key({ kind: "organization", organization: home.uuid, owner: "bob", role: "cr_member" }),
  ]);
  return { home, user: user.text, admin: admin.text, organizationKey: key.text };
}

const inSecond = (text: string, more: object = {}) => item(text, { repository_id: "repo-2", ...more });

async function teach({ uuid }: Home, ...data: unknown[]): Promise<string[]> {
  const author = { organization: await organizationOf(table(), uuid), authorId: "ann" };
  const { results } = await verbsOf(table()).post(author, ...data);
  return results.flatMap(({ id }) => id ?? []);
}

const textsOf = (answer: { json: unknown }) => pageOf(answer).data.map(({ learning }) => learning);

test("every Learnings operation covers only what the member behind a user key can read", () => {
  const learnings = operations.filter(({ path }) => path.startsWith("/v1/learnings"));
  expect(learnings.length).toBeGreaterThan(3);
  for (const operation of learnings) expect(operation, operation.id).toHaveProperty("readableOnly", true);
});

describe("a list", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await twoRepositories();
    await teach(fixture.home, item("mine"), inSecond("theirs"), item("mine too"));
  });
  const list = (key: string, query = "") => api.call(`/v1/learnings${query}`, { key });

  test.each([
    ["", ["mine", "mine too"]],
    ["?repository_ids=repo-1,repo-2", ["mine", "mine too"]],
    ["?repository_ids=repo-2", []],
    ["?search=theirs", []],
    ["?repository_name=group/repository-repo-1", ["mine", "mine too"]],
  ])("GET /v1/learnings%s with a user key has only what its member can read", async (query, expected) => {
    expect(textsOf(await list(fixture.user, query))).toEqual(expected);
  });

  test("a list for a member who can read everything, and for an organization key, has all Learnings", async () => {
    expect(textsOf(await list(fixture.admin))).toHaveLength(3);
    expect(textsOf(await list(fixture.organizationKey))).toHaveLength(3);
  });

  test("a list in CSV and NDJSON has the same restriction", async () => {
    for (const format of ["csv", "ndjson"]) {
      expect((await list(fixture.user, `?format=${format}`)).body.toString()).not.toContain("theirs");
    }
  });

  test("a list of an unreadable repository gets the same answer as an unknown one", async () => {
    const [unreadable, unknown] = await Promise.all(
      ["group/second", "group/nothing"].map((name) => list(fixture.user, `?repository_name=${name}`)),
    );
    expect(unreadable?.status).toBe(403);
    expect(unreadable?.codes).toEqual(["PERMISSION_DENIED"]);
    expect(unreadable?.json).toEqual(unknown?.json);
  });

  test("a list for a member without known readable repositories is empty", async () => {
    const { home } = fixture;
    await world.member(home.name, "eve", { readable_repository_ids: [] });
    const { text } = await world.key({ kind: "user", organization: home.uuid, owner: "eve" });
    expect(textsOf(await list(text))).toEqual([]);
  });
});

describe("a cursor", () => {
  const page = (key: string, cursor?: string | null) =>
    api.call(`/v1/learnings?limit=1${cursor ? `&cursor=${cursor}` : ""}`, { key });

  test("a cursor stays valid while the member can read the same repositories, sent in any order", async () => {
    const { home, user } = await twoRepositories();
    await teach(home, item("one"), inSecond("two"), item("three"));
    await world.member(home.name, "bob", { readable_repository_ids: ["repo-1", "repo-9"] });
    const first = pageOf(await page(user));
    await world.member(home.name, "bob", { readable_repository_ids: ["repo-9", "repo-1"] });
    expect(textsOf(await page(user, first.next_cursor))).toEqual(["three"]);
  });

  test.each([
    ["another repository", ["repo-1", "repo-2"]],
    ["one less", []],
    ["every repository", "*"],
  ])("a cursor is refused with the reason once the member can read %s", async (_, readable) => {
    const { home, user } = await twoRepositories();
    await teach(home, item("one"), inSecond("two"), item("three"));
    const first = pageOf(await page(user));
    await world.member(home.name, "bob", { readable_repository_ids: readable });
    const refused = await page(user, first.next_cursor);
    expect(refused.codes).toEqual(["INVALID_CURSOR"]);
    expect(refused.message).toBe(
      "cursor: was made for other repositories: those that the key's member can read have changed. Start again without a cursor.",
    );
  });

  test("a resume cursor has the same restriction", async () => {
    const { home, user } = await twoRepositories();
    await teach(home, item("one"));
    const resume = (await api.call("/v1/learnings", { key: user })).headers["x-resume-cursor"];
    await world.member(home.name, "bob", { readable_repository_ids: "*" });
    expect((await page(user, resume)).codes).toEqual(["INVALID_CURSOR"]);
  });

  test("a cursor of a member with a list is refused for an organization key, and the other way round", async () => {
    const { home, user, organizationKey } = await twoRepositories();
    await teach(home, item("one"), item("two"));
    const [bound, free] = [pageOf(await page(user)), pageOf(await page(organizationKey))];
    expect((await page(organizationKey, bound.next_cursor)).codes).toEqual(["INVALID_CURSOR"]);
    expect((await page(user, free.next_cursor)).codes).toEqual(["INVALID_CURSOR"]);
  });
});

describe("POST", () => {
  test("a POST into an unreadable repository fails as for an unknown one and stores nothing", async () => {
    const { home, user } = await twoRepositories();
    const answer = await api.call("/v1/learnings", {
      key: user,
      body: { data: [item("here"), inSecond("there"), item("nowhere", { repository_id: "repo-3" })] },
    });
    const { status, results } = resultsOf(answer);
    expect(status).toBe("partial_success");
    const [here, there, nowhere] = results;
    expect(here?.status).toBe("created");
    expect(there?.error).toEqual({ code: "REPOSITORY_NOT_FOUND", message: expect.any(String) });
    expect(there?.error).toEqual(nowhere?.error);
    expect(await learningOf(table(), home.uuid, there?.id ?? "")).toBeUndefined();
  });

  test("a POST does not reveal whether an unreadable repository has the text already", async () => {
    const { home, user } = await twoRepositories();
    const [id = ""] = await teach(home, inSecond("before"));
    const organization = await organizationOf(table(), home.uuid);
    await verbsOf(table()).patch(organization, id, "guessed");
    const idOfGuess = async (...data: unknown[]) =>
      resultsOf(await api.call("/v1/learnings", { key: user, body: { data } })).results.map(
        (each) => each.id,
      );
    // The Learning that has the text has another id: the answer must show neither.
    const [plain, invalid] = await idOfGuess(inSecond("guessed"), inSecond("guessed", { author: "x" }));
    expect(plain).not.toBe(id);
    expect(invalid).toBe(plain);
  });
});

describe("a Learning of an unreadable repository", () => {
  test("a Learning of an unreadable repository cannot be changed, and looks unknown", async () => {
    const { home, user } = await twoRepositories();
    const [id = ""] = await teach(home, inSecond("theirs"));
    const change = (learningId: string) =>
      api.call(`/v1/learnings/${learningId}`, { method: "PATCH", key: user, body: { learning: "mine now" } });
    const [unreadable, unknown] = [await change(id), await change("00000000-0000-4000-8000-000000000000")];
    expect(unreadable.status).toBe(404);
    expect(unreadable.body).toEqual(unknown.body);
    expect((await learningOf(table(), home.uuid, id))?.text).toBe("theirs");
  });

  test("a Learning of an unreadable repository and its vector are not deleted, though the answer is 204", async () => {
    const { home, user, admin } = await twoRepositories();
    const [id = ""] = await teach(home, inSecond("theirs"));
    const remove = (key: string) => api.call(`/v1/learnings/${id}`, { method: "DELETE", key });
    const vector = () => table().get({ pk: `VECTOR#${home.uuid}`, sk: id });
    const before = await vector();
    expect((await remove(user)).status).toBe(204);
    expect((await learningOf(table(), home.uuid, id))?.text).toBe("theirs");
    expect(before).toBeDefined();
    expect(await vector()).toEqual(before);
    expect((await remove(admin)).status).toBe(204);
    expect(await learningOf(table(), home.uuid, id)).toBeUndefined();
  });
});

test("a list of repositories that fills several items is read completely", async () => {
  const { home, user } = await twoRepositories();
  const many = Array.from({ length: 20_000 }, (_, index) => `repository-${index}-${"x".repeat(20)}`);
  await world.member(home.name, "bob", { readable_repository_ids: [...many, "repo-2"] });
  await teach(home, item("mine no more"), inSecond("mine now"));
  expect(textsOf(await api.call("/v1/learnings", { key: user }))).toEqual(["mine now"]);
});

test("Learnings of an inactive repository can be read by name, changed and deleted, but not added to", async () => {
  const { home, user } = await twoRepositories();
  const [id = ""] = await teach(home, item("kept"));
  await world.repository(home.name, "repo-1", { active: false });
  const named = await api.call("/v1/learnings?repository_name=group/repository-repo-1", { key: user });
  expect(textsOf(named)).toEqual(["kept"]);
  const target = `/v1/learnings/${id}`;
  const changed = await api.call(target, { method: "PATCH", key: user, body: { learning: "changed" } });
  expect(changed.status).toBe(200);
  const added = await api.call("/v1/learnings", { key: user, body: { data: [item("new")] } });
  expect(resultsOf(added).results[0]?.error?.code).toBe("REPOSITORY_NOT_FOUND");
  expect((await api.call(target, { method: "DELETE", key: user })).status).toBe(204);
});
