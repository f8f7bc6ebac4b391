import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type * as z from "zod";
import { indexLimits, learningLimits } from "../../lib/contract/limits.ts";
import { searchLearnings } from "../../lib/contract/operations/learnings-search.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { NoAnswer } from "../../lib/runtime/aws-error.ts";
import { everything } from "../events/support.ts";
import { useApi } from "../support/api.ts";
import { emptyWindows } from "../support/scan-all.ts";
import { organizationOf } from "../support/stored.ts";
import { gitlab, World } from "../support/world.ts";
import { type Home, item, newHome, verbsOf } from "./fixture.ts";

const api = useApi();
const world = new World(() => api.store().table);
const table = () => api.store().table;

type Found = z.output<(typeof searchLearnings)["answer"]["schema"]>["data"];
const search = (key: string, body: object, query = "") =>
  api.call(`/v1/learnings/search${query}`, { key, body });
const foundBy = async (key: string, body: object): Promise<Found> => {
  const answer = await search(key, body);
  expect([answer.status, answer.message]).toEqual([200, ""]);
  return searchLearnings.answer.schema.parse(answer.json).data;
};
const textsOf = (found: Found) => found.map(({ learning }) => learning.learning);

async function teach({ uuid }: Pick<Home, "uuid">, ...data: unknown[]): Promise<string[]> {
  const author = { organization: await organizationOf(table(), uuid), authorId: "ann" };
  const { results } = await verbsOf(table()).post(author, ...data);
  return results.flatMap(({ id }) => id ?? []);
}
const keyOf = async ({ uuid }: Pick<Home, "uuid">) => await world.adminKey(uuid, "ann");
const inSecond = (text: string, more: object = {}) => item(text, { repository_id: "repo-2", ...more });
const retry = "Retry payments with an idempotency key";
const colours = "Colours come from the design tokens";

afterEach(() => vi.restoreAllMocks());

describe("a search", () => {
  let home: Home;
  let key = "";
  beforeAll(async () => {
    home = await newHome(world);
    await world.repository(home.name, "repo-2", { full_name: "group/second" });
    await teach(
      home,
      item(retry, { file: "src/pay.ts" }),
      item(colours),
      inSecond("Retry payments in the second repository"),
    );
    await teach(await newHome(world), item("Retry payments of another organization"));
    key = await keyOf(home);
  });

  test("a search answers whole records of the organization, best first, with scores", async () => {
    const [best, next, last, another] = await foundBy(key, { query: "may we retry a payment with its key?" });
    expect(best?.learning).toMatchObject({
      learning: retry,
      organization_id: home.name.provider_organization_id,
      repository_id: "repo-1",
      repository_name: "group/repository-repo-1",
      author_id: "ann",
      file: "src/pay.ts",
      usage_count: 0,
      provider: "github",
    });
    expect(best?.matched).toBe("text");
    expect(best?.score).toBeGreaterThan(next?.score ?? 1);
    expect(next?.score).toBeGreaterThan(last?.score ?? 1);
    expect([last?.learning.learning, another]).toEqual([colours, undefined]);
  });

  test("a search of a repository has only its Learnings, and none of an unknown one", async () => {
    expect(textsOf(await foundBy(key, { query: "retry", repository_id: "repo-2" }))).toEqual([
      "Retry payments in the second repository",
    ]);
    expect(await foundBy(key, { query: "retry", repository_id: "nothing" })).toEqual([]);
  });

  test("a search has at most limit results, and none below min_score", async () => {
    expect(await foundBy(key, { query: "retry payments", limit: 1 })).toHaveLength(1);
    expect(await foundBy(key, { query: "qwfp zxcv", min_score: 0.4 })).toEqual([]);
  });

  test("the file of a search decides between Learnings that fit equally well", async () => {
    const here = await newHome(world);
    await teach(
      here,
      item("Close what you open", { file: "src/store/table.ts" }),
      item("Close what you open first", { file: "docs/pictures.md" }),
    );
    const mine = await keyOf(here);
    const first = async (file: string) =>
      (await foundBy(mine, { query: "Close what you open", file })).at(0)?.learning.file;
    expect(await first("docs/pictures.md")).toBe("docs/pictures.md");
    expect(await first("src/store/table.ts")).toBe("src/store/table.ts");
  });

  test("a search finds a long Learning by its end, once, and says that a piece matched", async () => {
    const here = await newHome(world);
    const tail = "Colours of buttons come from the design tokens.";
    await teach(here, item(`${"banana ".repeat(1_150)}${tail}`), item("Pin the base image by digest"));
    const found = await foundBy(await keyOf(here), { query: "which colours do buttons have in the design" });
    expect(found.map(({ matched }) => matched)).toEqual(["piece", "text"]);
  });

  test("a search never answers pending or deleted Learnings", async () => {
    const here = await newHome(world, {}, { approval_delay_days: 3 });
    await world.learning(here.name, "Retry what waits", { repository_id: "repo-1", author_id: "ann" });
    const [gone = ""] = await teach(here, item("Retry what is deleted"), item("Retry what stays"));
    const mine = await keyOf(here);
    await api.call(`/v1/learnings/${gone}`, { method: "DELETE", key: mine });
    expect(textsOf(await foundBy(mine, { query: "retry" }))).toEqual(["Retry what stays"]);
  });

  test.each([
    [{}, "query: "],
    [{ query: "   " }, "query: must have 1 to 20000 characters"],
    [{ query: "x".repeat(20_001) }, "query: must have 1 to 20000 characters"],
    [{ query: "x", limit: 51 }, "limit: must be a whole number from 1 to 50"],
    [{ query: "x", limit: "5" }, "limit: must be a whole number from 1 to 50"],
    [{ query: "x", min_score: 1.5 }, "min_score: must be a number from 0 to 1"],
    [{ query: "x", organization_ids: "a,b" }, "organization_ids: must be an array of ids"],
    [{ query: "x", organization_ids: ["a"] }, "organization_ids: is for instance keys only"],
    [{ query: "x", surprise: 1 }, "surprise: is unknown"],
  ])("the search %j is refused with a reason", async (body, reason) => {
    const answer = await search(key, body);
    expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    expect(answer.message.startsWith(reason), answer.message).toBe(true);
  });
});

describe("what a member can read", () => {
  let home: Home;
  let user = "";
  beforeAll(async () => {
    home = await newHome(world);
    await world.repository(home.name, "repo-2", { full_name: "group/second" });
    await world.member(home.name, "bob", { readable_repository_ids: ["repo-1"] });
    user = (await world.key({ kind: "user", organization: home.uuid, owner: "bob" })).text;
    // Unreadable ones are nearer: filtered after the search, they would take every place.
    const near = Array.from({ length: 120 }, (_, place) => inSecond(`Retry payments, rule ${place}`));
    await teach(home, item("Log with the structured logger"));
    for (let start = 0; start < near.length; start += 40) await teach(home, ...near.slice(start, start + 40));
  });

  test("a member finds readable Learnings, however many unreadable ones fit better", async () => {
    const found = await foundBy(user, { query: "retry payments", limit: 1 });
    expect(textsOf(found)).toEqual(["Log with the structured logger"]);
  });

  test("a member finds nothing in an unreadable repository, as in an unknown one", async () => {
    for (const repository_id of ["repo-2", "nothing"])
      expect(await foundBy(user, { query: "retry", repository_id })).toEqual([]);
    const [unreadable, unknown] = await Promise.all(
      ["group/second", "group/nothing"].map((repository_name) =>
        search(user, { query: "retry", repository_name }),
      ),
    );
    expect([unreadable?.status, unreadable?.codes]).toEqual([403, ["PERMISSION_DENIED"]]);
    expect(unreadable?.json).toEqual(unknown?.json);
  });

  test("a member names a repository in any letter case; other keys may not name one", async () => {
    const named = { query: "logger", repository_name: "GROUP/repository-repo-1" };
    expect(textsOf(await foundBy(user, named))).toEqual(["Log with the structured logger"]);
    const other = await search(await keyOf(home), named);
    expect([other.status, other.codes]).toEqual([403, ["KEY_TYPE_FORBIDDEN"]]);
    const both = await search(user, { ...named, repository_id: "repo-1" });
    expect([both.status, both.message]).toEqual([
      400,
      "repository_name: must not be sent with repository_id.",
    ]);
  });

  test("a member who can read more than 60 repositories is told to name one", async () => {
    const many = Array.from({ length: 61 }, (_, place) => `repo-${place}`);
    await world.member(home.name, "eve", { readable_repository_ids: many });
    const { text } = await world.key({ kind: "user", organization: home.uuid, owner: "eve" });
    const refused = await search(text, { query: "logger" });
    expect([refused.status, refused.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    expect(refused.message).toContain("Name one repository with repository_id or repository_name.");
    expect(await foundBy(text, { query: "logger", repository_id: "repo-1", limit: 1 })).toHaveLength(1);
  });
});

describe("several organizations", () => {
  let instance = "";
  let workspace = "";
  beforeAll(async () => {
    await world.instance("searched");
    await world.workspace("searching");
    for (const place of [1, 2]) {
      const name = gitlab("searched", `self-${place}`);
      const uuid = await world.organization(`self-${place}`, name);
      await world.member(name, "ann", { role: "cr_admin" });
      await world.repository(name, "repo-1");
      await teach({ uuid }, item(`Retry payments of self-${place}`));
      if (place === 1)
        instance = (
          await world.key({
            kind: "instance",
            instanceId: "searched",
            home: uuid,
            owner: "ann",
            role: "cr_member",
          })
        ).text;
      const member = await newHome(world, { workspace_id: "searching" });
      await teach(member, item(`Retry payments of ${member.name.provider_organization_id}`));
    }
    workspace = (await world.token("searching")).text;
  });

  test("an instance key searches its organizations, or those that organization_ids names", async () => {
    const query = "retry payments";
    expect(textsOf(await foundBy(instance, { query })).toSorted()).toEqual([
      "Retry payments of self-1",
      "Retry payments of self-2",
    ]);
    expect(textsOf(await foundBy(instance, { query, organization_ids: ["self-2", "nobody"] }))).toEqual([
      "Retry payments of self-2",
    ]);
    expect((await search(instance, { query, organization_ids: ["nobody"] })).codes).toEqual([
      "ORGANIZATION_NOT_FOUND",
    ]);
  });

  test("a workspace token searches all organizations, or the one that org_id in the body names", async () => {
    const all = await foundBy(workspace, { query: "retry payments" });
    expect(all).toHaveLength(2);
    const org_id = all[1]?.learning.organization_id;
    const [one, another] = await foundBy(workspace, { query: "retry payments", org_id });
    expect([one?.learning.organization_id, another]).toEqual([org_id, undefined]);
    const misplaced = await search(workspace, { query: "retry payments" }, `?org_id=${org_id}`);
    expect([misplaced.status, misplaced.message]).toEqual([
      400,
      "org_id: is read from the body on this operation. Send it there.",
    ]);
  });

  test("a search over more than 20 organizations is refused and says how to narrow it", async () => {
    await world.workspace("wide");
    for (let place = 0; place < 21; place++) await world.organization(`w-${place}`, { workspace_id: "wide" });
    const { text } = await world.token("wide");
    const refused = await search(text, { query: "retry" });
    expect([refused.status, refused.message]).toEqual([
      400,
      "The search would cover 21 organizations; at most 20 are searched at once. Name one organization with org_id.",
    ]);
    expect(await foundBy(text, { query: "retry", org_id: "w-20" })).toEqual([]);
  });
});

describe("cost and outages", () => {
  const letters = "retry the payment ".repeat(1_200).slice(0, indexLimits.queryCharactersMax);

  test("the longest query takes at most 12 embeddings, and 20 organizations at most 60 searches", async () => {
    const here = await newHome(world);
    await teach(here, item(retry));
    const embed = vi.spyOn(localEmbedder, "embed");
    const { queryCharactersMax, embeddedBytesMax } = indexLimits;
    const file = "é".repeat(learningLimits.fileCharactersMax);
    await foundBy(await keyOf(here), { query: "💳".repeat(queryCharactersMax), file });
    expect(embed).toHaveBeenCalledTimes(12);
    // Bedrock's embedder refuses longer texts.
    for (const [text] of embed.mock.calls)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(embeddedBytesMax);
    embed.mockClear();
    await world.workspace("twenty");
    for (let place = 0; place < 20; place++)
      await world.organization(`t-${place}`, { workspace_id: "twenty" });
    const { text } = await world.token("twenty");
    await foundBy(text, { query: letters });
    expect(embed).toHaveBeenCalledTimes(3);
    const refused = await search(text, { query: "é".repeat(indexLimits.queryCharactersMax) });
    expect([refused.status, refused.message]).toEqual([
      400,
      expect.stringMatching(/^query: has 6 pieces .* Name one organization with org_id\. Or send a shorter/),
    ]);
  });

  test("a search that the limiter refuses embeds nothing", async () => {
    const here = await newHome(world);
    const key = await keyOf(here);
    const embed = vi.spyOn(localEmbedder, "embed");
    for (let sent = 0; sent < 60; sent++) await search(key, { query: "retry" });
    embed.mockClear();
    expect((await search(key, { query: "retry" })).status).toBe(429);
    expect(embed).not.toHaveBeenCalled();
    await emptyWindows(table());
  });

  test("an outage of the model is a 503 that says to repeat the search", async () => {
    const here = await newHome(world);
    await teach(here, item(retry));
    const key = await keyOf(here);
    vi.spyOn(localEmbedder, "embed").mockRejectedValue(new NoAnswer("planted"));
    const answer = await search(key, { query: "retry" });
    expect([answer.status, answer.codes, answer.headers["retry-after"]]).toEqual([
      503,
      ["SERVICE_UNAVAILABLE"],
      "1",
    ]);
  });

  test("a search changes nothing: no audit entry, and its query is neither stored nor logged", async () => {
    const here = await newHome(world);
    await teach(here, item(retry));
    const key = await keyOf(here);
    const written: string[] = [];
    vi.stubEnv("LOG_LEVEL", "debug");
    for (const method of ["log", "info", "warn", "error", "debug"] as const)
      vi.spyOn(console, method).mockImplementation((...words) => void written.push(words.join(" ")));
    vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
    await foundBy(key, { query: "unheard-of retries", file: "unheard-of.ts" });
    await search(key, { query: "unheard-of retries", limit: 99 });
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    expect(written.join("\n")).toContain('"vector_searches":1');
    expect(written.join("\n")).not.toContain("unheard-of");
    const stored = JSON.stringify(await everything(table()));
    expect(stored).not.toContain("unheard-of");
    const { json } = await api.call("/v1/audit-logs", { key });
    expect(JSON.stringify(json)).not.toMatch(/search/);
  });
});
