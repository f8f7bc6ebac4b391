import { beforeAll, describe, expect, test } from "vitest";
import { cursorLimits, pageLimits, teamLimits } from "../../lib/contract/limits.ts";
import { teamSaved } from "../../lib/events/schemas.ts";
import { useApi } from "../support/api.ts";
import { github, gitlab, type OrganizationId, World } from "../support/world.ts";
import { companiesOf, json } from "./companies.ts";

const api = useApi();
const world = new World(() => api.store().table);
const company = companiesOf(api, world);

type Teams = { teams: Array<Record<string, unknown>>; next_cursor: string | null };

const team = (id: OrganizationId, team_id: string, change: object = {}, occurredAt?: string) =>
  world.sendEvent(
    "team.saved",
    { ...id, team_id, name: `Team ${team_id}`, user_ids: ["m0", "m1"], active: true, ...change },
    occurredAt,
  );
const teamsOf = async (key: string, query = "") => json<Teams>(await api.call(`/v1/teams${query}`, { key }));

/** All pages; each but the last has a cursor. */
async function walk(key: string, query: string): Promise<{ ids: unknown[]; pages: number }> {
  const ids: unknown[] = [];
  let cursor = "";
  for (let pages = 1; ; pages++) {
    const page = await teamsOf(key, `${query}${cursor}`);
    ids.push(...page.teams.map(({ team_id }) => team_id));
    if (page.next_cursor === null) return { ids, pages };
    expect(page.next_cursor.length).toBeLessThanOrEqual(cursorLimits.charactersMax);
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

describe("GET /v1/teams", () => {
  test("the list has the active teams of the organization, with their members, each once", async () => {
    const { id, key } = await company("teams-one");
    await team(id, "b", { user_ids: ["m1", "m0", "m1", "unknown"] });
    await team(id, "a", { name: "First" });
    await team(id, "gone", { active: false });
    const place = { provider: "github", organization_id: "teams-one" };
    expect(await teamsOf(key)).toEqual({
      teams: [
        { ...place, team_id: "a", name: "First", user_ids: ["m0", "m1"] },
        { ...place, team_id: "b", name: "Team b", user_ids: ["m0", "m1", "unknown"] },
      ],
      next_cursor: null,
    });
  });

  test("the newest event of a team wins, in whatever order the events arrive", async () => {
    const { id, key } = await company("teams-order");
    await team(id, "a", { name: "Newest" }, "2026-03-03T00:00:00Z");
    await team(id, "a", { name: "Older", active: false }, "2026-03-02T00:00:00Z");
    expect((await teamsOf(key)).teams).toMatchObject([{ name: "Newest" }]);
    await team(id, "a", { active: false }, "2026-03-04T00:00:00Z");
    await team(id, "a", { name: "Late" }, "2026-03-03T12:00:00Z");
    expect((await teamsOf(key)).teams).toEqual([]);
  });

  test("a walk has every team once, whatever its id, and inactive teams do not shorten a page", async () => {
    const { id, key } = await company("teams-walk");
    const ids = ["#", "%", "a#b", "a%23", "team/1", "x".repeat(256), "\u0001".repeat(256), "#".repeat(256)];
    for (const each of ids) await team(id, each);
    for (const each of ["0", "b", "y"]) await team(id, each, { active: false });
    for (const limit of [1, 2]) {
      const { ids: walked, pages } = await walk(key, `?limit=${limit}`);
      expect(walked.toSorted()).toEqual(ids.toSorted());
      expect(pages).toBe(Math.ceil(ids.length / limit));
    }
    expect((await teamsOf(key)).teams).toHaveLength(ids.length);
  });

  test("a page has 20 teams unless asked for another number", async () => {
    const { id, key } = await company("teams-many");
    for (let number = 0; number <= pageLimits.teams.default; number++) await team(id, `t${number}`);
    const page = await teamsOf(key);
    expect([page.teams.length, page.next_cursor]).toEqual([20, expect.any(String)]);
    expect((await api.call("/v1/teams?limit=101", { key })).codes).toEqual(["INVALID_REQUEST"]);
  });

  test("a page over 16 MiB is a 413 that says to reduce limit", async () => {
    const { id, key } = await company("teams-large");
    const user_ids = Array.from({ length: 1_300 }, (_, number) => String(number).padStart(256, "0"));
    for (let number = 0; number < 50; number++) await team(id, `t${number}`, { user_ids });
    const answer = await api.call("/v1/teams?limit=100", { key });
    expect([answer.status, answer.message]).toEqual([413, expect.stringContaining("Reduce limit.")]);
    expect((await teamsOf(key, "?limit=10")).teams).toHaveLength(10);
  });
});

describe("several organizations", () => {
  let token = "";
  beforeAll(async () => {
    await world.workspace("teamwork");
    for (let number = 0; number < 25; number++) {
      await world.organization(`tw-${number}`, { workspace_id: "teamwork" });
      if (number % 6 === 0)
        for (const each of ["a", "b"]) await team(github(`tw-${number}`), `${number}${each}`);
    }
    await world.organization("tw-poor", { workspace_id: "teamwork", plan: "pro" });
    await team(github("tw-poor"), "poor");
    token = (await world.token("teamwork")).text;
  });
  const expected = [0, 6, 12, 18, 24].flatMap((number) => [`${number}a`, `${number}b`]).toSorted();

  test("a workspace token walks the teams of all its organizations on the plan, or of one", async () => {
    for (const limit of [1, 3, 100])
      expect((await walk(token, `?limit=${limit}`)).ids.toSorted()).toEqual(expected);
    expect((await walk(token, "?org_id=tw-6")).ids).toEqual(["6a", "6b"]);
  });

  test("an instance key reads the teams of organization_ids", async () => {
    await world.instance("hosted-teams");
    for (const name of ["ht-1", "ht-2"]) {
      const id = gitlab("hosted-teams", name);
      await world.organization(name, id);
      await world.member(id, "ann", { role: "cr_admin" });
      await team(id, name);
    }
    const home = await world.organization("ht-1", gitlab("hosted-teams", "ht-1"));
    const { text } = await world.key({
      kind: "instance",
      instanceId: "hosted-teams",
      home,
      owner: "ann",
      role: "cr_member",
    });
    expect((await walk(text, "?limit=1")).ids.toSorted()).toEqual(["ht-1", "ht-2"]);
    expect((await walk(text, "?organization_ids=ht-2")).ids).toEqual(["ht-2"]);
  });
});

describe("team.saved", () => {
  const data = { ...github("1"), team_id: "a", name: "A", user_ids: ["m0"], active: true };

  test("an event with too many members, or too many bytes of them, is refused with the limit", () => {
    const { usersMax } = teamLimits;
    const ids = (count: number, length: number) =>
      Array.from({ length: count }, (_, number) => String(number).padStart(length, "0"));
    expect(teamSaved.safeParse({ ...data, user_ids: ids(usersMax, 40) }).success).toBe(true);
    for (const user_ids of [ids(usersMax + 1, 4), ids(usersMax, 256)])
      expect(teamSaved.safeParse({ ...data, user_ids }).error?.issues[0]?.path).toEqual(["user_ids"]);
  });
});
