import { beforeAll, describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { useApi } from "../support/api.ts";
import { github, gitlab, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

type Page<Name extends string, Entry> = Record<Name, Entry[]> & { next_cursor: string | null };
type OrganizationPage = Page<"organizations", { id: string; provider_organization_id: string }>;
type RepositoryPage = Page<"repositories", { provider_repository_id: string }>;
/** The call has checked the body against the operation's schema. */
const body = <Shape>({ json }: { json: unknown }): Shape => json as Shape;

describe("GET /v1/organizations", () => {
  let workspace = "";
  const uuids: string[] = [];
  beforeAll(async () => {
    await world.workspace("list");
    for (const id of ["a", "b", "c", "d", "e"])
      uuids.push(await world.organization(id, { workspace_id: "list" }));
    await world.organization("asleep", { workspace_id: "list", active: false });
    await world.organization("poor", { workspace_id: "list", plan: "free" });
    await world.organization("elsewhere");
    workspace = (await world.token("list")).text;
  });

  test("an organization key sees exactly its own organization", async () => {
    await world.member(github("elsewhere"), "u1");
    const organization = await world.organization("elsewhere");
    const { text } = await world.key({ kind: "user", organization, owner: "u1" });
    const answer = await api.call("/v1/organizations", { key: text });
    expect(answer.json).toEqual({
      organizations: [
        {
          id: organization,
          name: "Organization elsewhere",
          provider: "github",
          provider_organization_id: "elsewhere",
        },
      ],
      next_cursor: null,
    });
  });

  test("a workspace token walks every active organization once, on every plan, with limit 1 and up", async () => {
    for (const limit of [1, 2, 6]) {
      const token = await world.token("list");
      const seen: string[] = [];
      let cursor: string | null = null;
      let pages = 0;
      do {
        const target: string = cursor
          ? `/v1/organizations?cursor=${cursor}`
          : `/v1/organizations?limit=${limit}`;
        const page: OrganizationPage = body(await api.call(target, { key: token.text }));
        seen.push(...page.organizations.map((entry) => entry.provider_organization_id));
        expect(page.organizations.length).toBeLessThanOrEqual(limit);
        cursor = page.next_cursor;
        pages++;
      } while (cursor);
      expect(seen.toSorted()).toEqual(["a", "b", "c", "d", "e", "poor"]);
      expect(pages).toBe(Math.ceil(6 / limit));
      await api
        .store()
        .table.write({ delete: kinds.limit.key({ bucket: "organizations", owner: "w#list" }) });
    }
  });

  test("the cursor keeps the page size: another limit is refused, the same limit is accepted", async () => {
    const first: OrganizationPage = body(await api.call("/v1/organizations?limit=2", { key: workspace }));
    const same = await api.call(`/v1/organizations?limit=2&cursor=${first.next_cursor}`, { key: workspace });
    expect(same.status).toBe(200);
    const other = await api.call(`/v1/organizations?limit=3&cursor=${first.next_cursor}`, { key: workspace });
    expect([other.status, other.codes]).toEqual([400, ["INVALID_CURSOR"]]);
    expect(other.message).toContain("limit of 2");
  });

  test.each(["0", "101", "1e2", "0x10", "+5", "1.5", "010", "-1", "ten", "%20"])(
    "limit=%s is a 400 that names the allowed values",
    async (limit) => {
      const answer = await api.call(`/v1/organizations?limit=${limit}`, { key: workspace });
      expect([answer.status, answer.codes, answer.message]).toEqual([
        400,
        ["INVALID_REQUEST"],
        "limit: must be a whole number from 1 to 100.",
      ]);
    },
  );

  test("an empty or repeated parameter is a 400 that names it", async () => {
    const empty = await api.call("/v1/organizations?limit=", { key: workspace });
    expect(empty.message).toBe("limit: must not be empty.");
    const twice = await api.call("/v1/organizations?limit=1&limit=1", { key: workspace });
    expect(twice.message).toBe("limit: must be given only once.");
  });

  test("org_id is refused for workspace tokens and ignored for all others", async () => {
    const refused = await api.call("/v1/organizations?org_id=a", { key: workspace });
    expect([refused.status, refused.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    const organization = await world.organization("ignoring");
    await world.member(github("ignoring"), "u1", { role: "cr_admin" });
    const text = await world.adminKey(organization, "u1");
    const ignored = await api.call("/v1/organizations?org_id=a", { key: text });
    expect(body<OrganizationPage>(ignored).organizations.map(({ id }) => id)).toEqual([organization]);
  });

  test("a role without organization_management:read is refused from the first request after its change", async () => {
    const organization = await world.organization("roles");
    await world.member(github("roles"), "u1", { role: "cr_billing_admin" });
    const { text } = await world.key({ kind: "user", organization, owner: "u1" });
    expect((await api.call("/v1/organizations", { key: text })).status).toBe(200);
    const { table } = api.store();
    await table.write({
      update: { pk: `MEMBERS#${organization}`, sk: "MEMBER#u1" },
      change: { set: [["role", "gone"]] },
    });
    const answer = await api.call("/v1/organizations", { key: text });
    expect([answer.status, answer.codes]).toEqual([403, ["PERMISSION_DENIED"]]);
  });

  test("an eleventh call within a minute is a 429 with an exact Retry-After; every answer shows the limits", async () => {
    await world.workspace("busy");
    await world.organization("busy-1", { workspace_id: "busy" });
    const { text, key } = await world.token("busy");
    const remaining: Array<string | undefined> = [];
    for (let call = 0; call < 10; call++) {
      const answer = await api.call("/v1/organizations", { key: text });
      expect(answer.status).toBe(200);
      remaining.push(answer.headers["x-ratelimit-remaining"]);
    }
    expect(remaining).toEqual(["9", "8", "7", "6", "5", "4", "3", "2", "1", "0"]);
    // The last use is more than a minute old: an admitted call would update it, a refused call does not count as a use.
    const used = { update: kinds.keyUse.key({ keyId: key.id }), change: { set: [["at_ms", 1] as const] } };
    await api.store().table.write(used);
    const refused = await api.call("/v1/organizations", { key: text });
    expect(await api.store().table.get(kinds.keyUse.key({ keyId: key.id }))).toMatchObject({ at_ms: 1 });
    expect([refused.status, refused.codes]).toEqual([429, ["RATE_LIMIT_EXCEEDED"]]);
    expect(refused.headers).toMatchObject({
      "ratelimit-policy": '"organizations";q=10;w=60',
      "x-ratelimit-limit": "10",
      "x-ratelimit-remaining": "0",
    });
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
    expect(refused.headers.ratelimit).toBe(`"organizations";r=0;t=${refused.headers["retry-after"]}`);
  });
});

test("only an answer that the limiter decided about has headers about the limit: 200 and 429, not 400", async () => {
  const organization = await world.organization("counted");
  await world.member(github("counted"), "u1");
  const { text } = await world.key({ kind: "user", organization, owner: "u1" });
  const limitsIn = async (target: string) => {
    const { status, headers } = await api.call(target, { key: text });
    return [status, headers["ratelimit-policy"], headers.ratelimit?.replace(/t=\d+/, "t=n")];
  };
  const policy = '"organizations";q=10;w=60';
  expect(await limitsIn("/v1/organizations?limit=0")).toEqual([400, undefined, undefined]);
  expect(await limitsIn("/v1/organizations")).toEqual([200, policy, '"organizations";r=9;t=n']);
  for (let call = 0; call < 9; call++) await limitsIn("/v1/organizations");
  expect(await limitsIn("/v1/organizations")).toEqual([429, policy, '"organizations";r=0;t=n']);
});

describe("instance keys", () => {
  const hosted = (id: string) => gitlab("forge", id);
  let homeUuid = "";
  let otherUuid = "";
  beforeAll(async () => {
    await world.instance("forge");
    homeUuid = await world.organization("home", { instance_id: "forge" });
    otherUuid = await world.organization("other", { instance_id: "forge" });
    await world.organization("third", { instance_id: "forge" });
    await world.organization("asleep", { instance_id: "forge", active: false });
    await world.member(hosted("home"), "u1", { role: "cr_admin" });
  });
  const key = (authorized?: string[]) =>
    world.key({
      kind: "instance",
      instanceId: "forge",
      home: homeUuid,
      owner: "u1",
      role: "cr_admin",
      authorized,
    });
  const names = async (text: string, query = "") => {
    const answer = await api.call(`/v1/organizations${query}`, { key: text });
    return answer.status === 200
      ? body<OrganizationPage>(answer)
          .organizations.map((entry) => entry.provider_organization_id)
          .toSorted()
      : [answer.status, answer.codes[0]];
  };

  test("instance keys see every active organization of the instance, or those they are authorized for", async () => {
    expect(await names((await key()).text)).toEqual(["home", "other", "third"]);
    const { text } = await key([homeUuid, otherUuid]);
    expect(await names(text)).toEqual(["home", "other"]);
    expect(await names(text, "?organization_ids=other,asleep,nowhere")).toEqual(["other"]);
    expect(await names(text, "?organization_ids=asleep")).toEqual([404, "ORGANIZATION_NOT_FOUND"]);
    expect(await names(text, "?organization_ids=third,other")).toEqual([403, "ORGANIZATION_FORBIDDEN"]);
  });

  test("organization_ids with any other key is a 400", async () => {
    const text = await world.adminKey(homeUuid, "u1");
    expect(await names(text, "?organization_ids=home")).toEqual([400, "INVALID_REQUEST"]);
  });
});

describe("GET /v1/organizations/{organization_id}/repositories", () => {
  let organization = "";
  let text = "";
  beforeAll(async () => {
    organization = await world.organization("repos");
    await world.member(github("repos"), "u1", { role: "cr_admin" });
    for (let index = 0; index < 12; index++) {
      await world.repository(github("repos"), `r${index}`, {
        active: index % 3 !== 0,
        private: index === 1 ? null : true,
      });
    }
    text = await world.adminKey(organization, "u1");
  });
  const path = (id = organization) => `/v1/organizations/${id}/repositories`;

  test("a walk returns every active repository once, with any page size", async () => {
    for (const limit of [1, 3, 8, 100]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const target: string = `${path()}?${cursor ? `cursor=${cursor}` : `limit=${limit}`}`;
        const page: RepositoryPage = body(await api.call(target, { key: text }));
        seen.push(...page.repositories.map((entry) => entry.provider_repository_id));
        cursor = page.next_cursor;
      } while (cursor);
      expect(seen).toEqual(["r1", "r10", "r11", "r2", "r4", "r5", "r7", "r8"]);
    }
  });

  test("a record has the values that the platform sent", async () => {
    const page = body<RepositoryPage>(await api.call(`${path()}?limit=1`, { key: text }));
    expect(page.repositories[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      provider_repository_id: "r1",
      name: "repository-r1",
      full_name: "group/repository-r1",
      private: null,
      url: "https://git.example.com/group/repository-r1",
    });
  });

  test("the UUID may be in any letter case; a provider id is a 400 with the advice to use `id`", async () => {
    expect((await api.call(path(organization.toUpperCase()), { key: text })).status).toBe(200);
    const wrong = await api.call(path("repos"), { key: text });
    expect([wrong.status, wrong.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    expect(wrong.message).toContain("use `id` from GET /v1/organizations");
  });

  test("organizations that are foreign, inactive or missing get the same 404", async () => {
    const foreign = await world.organization("foreign");
    const asleep = await world.organization("asleep-2", { active: false });
    const missing = "00000000-0000-4000-8000-000000000000";
    const answers = await Promise.all(
      [foreign, asleep, missing].map((id) => api.call(path(id), { key: text })),
    );
    expect(answers.map(({ status, codes }) => [status, codes])).toEqual(
      Array(3).fill([404, ["ORGANIZATION_NOT_FOUND"]]),
    );
    expect(new Set(answers.map((answer) => answer.body.toString())).size).toBe(1);
  });

  test("a cursor of one organization is refused for another", async () => {
    await world.workspace("two");
    const one = await world.organization("one-of-two", { workspace_id: "two" });
    const other = await world.organization("other-of-two", { workspace_id: "two" });
    for (const id of ["x", "y"]) await world.repository(github("one-of-two"), id);
    const token = await world.token("two");
    const page = body<RepositoryPage>(await api.call(`${path(one)}?limit=1`, { key: token.text }));
    const answer = await api.call(`${path(other)}?cursor=${page.next_cursor}`, { key: token.text });
    expect([answer.status, answer.codes]).toEqual([400, ["INVALID_CURSOR"]]);
  });
});
