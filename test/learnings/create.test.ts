import { v5 } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { identityNamespace } from "../../lib/contract/identity.ts";
import { learningLimits } from "../../lib/contract/limits.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { authorOf } from "../../lib/learnings/create.ts";
import { organizationItem } from "../access/principals.ts";
import { useApi } from "../support/api.ts";
import { learningOf } from "../support/stored.ts";
import { volume } from "../support/volume.ts";
import { World } from "../support/world.ts";
import { checkTable } from "./check-table.ts";
import { type Home, item, newHome, pageOf, resultsOf } from "./fixture.ts";

const api = useApi();
const world = new World(() => api.store().table);
const table = () => api.store().table;

const keyOf = async ({ uuid }: Home) => await world.adminKey(uuid, "ann");
const post = async (home: Home, ...data: unknown[]) =>
  api.call("/v1/learnings", { key: await keyOf(home), body: { data } });
const exported = async (home: Home) =>
  pageOf(await api.call("/v1/learnings", { key: await keyOf(home) })).data;

describe("POST /v1/learnings", () => {
  test("POST answers every item in request order and stores the items", async () => {
    const home = await newHome(world);
    const answer = resultsOf(
      await post(
        home,
        item("  Use the logger.  ", { file: "src/a.ts", source_url: "https://example.com/pr/1" }),
        item("Name booleans well."),
      ),
    );
    const id = (text: string) => v5(JSON.stringify([home.uuid, "repo-1", text]), identityNamespace);
    expect(answer).toEqual({
      status: "success",
      created_count: 2,
      duplicate_count: 0,
      failed_count: 0,
      results: [
        { index: 0, status: "created", id: id("Use the logger.") },
        { index: 1, status: "created", id: id("Name booleans well.") },
      ],
    });
    expect(await exported(home)).toMatchObject([
      {
        id: id("Use the logger."),
        learning: "Use the logger.",
        organization_id: home.name.provider_organization_id,
        organization_name: `Organization ${home.name.provider_organization_id}`,
        repository_id: "repo-1",
        repository_name: "group/repository-repo-1",
        author_id: "ann",
        author_username: "ann",
        file: "src/a.ts",
        source_url: "https://example.com/pr/1",
        usage_count: 0,
        last_used_at: null,
        provider: "github",
        repository_short_name: "repository-repo-1",
      },
      { learning: "Name booleans well.", file: null, source_url: null },
    ]);
    await checkTable(table(), { embedder: localEmbedder });
  });

  test("a bad item fails alone, with its reason and with its id if it has one", async () => {
    const home = await newHome(world);
    await world.repository(home.name, "retired", { active: false });
    const long = "x".repeat(10_001);
    const { status, results, ...counts } = resultsOf(
      await post(
        home,
        item("good"),
        "no object",
        { learning: "no repository" },
        item(long),
        item("   "),
        item("marked", { author: "mallory" }),
        item("named", { file: "" }),
        item("linked", { source_url: "ftp://example.com" }),
        item("nul \u0000"),
        item("elsewhere", { repository_id: "unknown" }),
        item("retired", { repository_id: "retired" }),
        { repository_id: 7, learning: "number" },
        null,
        item("also good"),
      ),
    );
    expect(status).toBe("partial_success");
    expect(counts).toEqual({ created_count: 2, duplicate_count: 0, failed_count: 12 });
    expect(results.map(({ error }) => error?.code)).toEqual([
      undefined,
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "INVALID_ITEM",
      "REPOSITORY_NOT_FOUND",
      "REPOSITORY_NOT_FOUND",
      "INVALID_ITEM",
      "INVALID_ITEM",
      undefined,
    ]);
    expect(results.map(({ index }) => index)).toEqual(results.map((_, index) => index));
    expect(results.map(({ id }) => id !== null)).toEqual([
      true,
      false,
      false,
      false,
      false,
      true,
      true,
      true,
      false,
      true,
      true,
      false,
      false,
      true,
    ]);
    const message = (index: number) => results[index]?.error?.message;
    expect(message(1)).toBe("item: must be a JSON object.");
    expect(message(2)).toBe("repository_id: is required.");
    expect(message(3)).toBe("learning: must have 1 to 10000 characters; redaction marks do not count.");
    expect(message(5)).toMatch(/^author: is unknown\./);
    expect(message(7)).toBe("source_url: must be an http or https URL.");
    await checkTable(table(), { embedder: localEmbedder });
  });

  test("a file or source_url of null means none, as if it were left out", async () => {
    const home = await newHome(world);
    const { results } = resultsOf(await post(home, item("plain", { file: null, source_url: null })));
    expect(results).toMatchObject([{ status: "created" }]);
    expect(await exported(home)).toMatchObject([{ learning: "plain", file: null, source_url: null }]);
    // What the export answers can be sent again without a change.
    expect(resultsOf(await post(home, item("plain"))).results).toMatchObject([{ status: "duplicate" }]);
  });

  test("a batch in which all items fail has status failure, but is still a 200", async () => {
    const home = await newHome(world);
    const answer = resultsOf(await post(home, {}, item("x", { repository_id: "none" })));
    expect(answer).toMatchObject({ status: "failure", created_count: 0, failed_count: 2 });
  });

  let untaught: Home;
  beforeAll(async () => {
    untaught = await newHome(world);
  });

  test.each([
    ["no data", {}],
    ["data that is no array", { data: {} }],
    ["an empty batch", { data: [] }],
    ["101 items", { data: Array.from({ length: 101 }, (_, index) => item(`n${index}`)) }],
    ["an unknown field beside data", { data: [item("x")], dry_run: true }],
  ])("only a bad envelope is a 400: %s", async (_, body) => {
    const answer = await api.call("/v1/learnings", { key: await keyOf(untaught), body });
    expect([answer.status, answer.codes[0]]).toEqual([400, "INVALID_REQUEST"]);
    expect(await exported(untaught)).toEqual([]);
  });

  test("equal items in one batch create one Learning: created, then duplicate", async () => {
    const home = await newHome(world);
    const { results } = resultsOf(
      await post(
        home,
        item("same", { file: "first.ts" }),
        item(" same ", { file: "second.ts" }),
        item("same", { bad: 1 }),
      ),
    );
    const id = results[0]?.id;
    expect(results).toMatchObject([
      { status: "created", id },
      { status: "duplicate", id },
      { status: "failed", id },
    ]);
    expect(await exported(home)).toMatchObject([{ id, file: "first.ts" }]);
  });

  test("the same batch again changes nothing and says duplicate", async () => {
    const home = await newHome(world);
    const batch = [item("one", { file: "a.ts" }), item("two")];
    const first = resultsOf(await post(home, ...batch));
    const before = await exported(home);
    const again = resultsOf(await post(home, item("one", { file: "other.ts" }), item("two")));
    expect(again.results.map(({ status, id }) => [status, id])).toEqual(
      first.results.map(({ id }) => ["duplicate", id]),
    );
    expect(again.results.some((result) => "promoted" in result)).toBe(false);
    expect(await exported(home)).toEqual(before);
  });

  test("the same text in another repository or organization is another Learning", async () => {
    const home = await newHome(world);
    const other = await newHome(world);
    await world.repository(home.name, "repo-2");
    const mine = resultsOf(await post(home, item("shared"), item("shared", { repository_id: "repo-2" })));
    const theirs = resultsOf(await post(other, item("shared")));
    const ids = [...mine.results, ...theirs.results].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(mine.created_count + theirs.created_count).toBe(3);
  });

  test("credentials are redacted before anything is derived, stored or indexed", async () => {
    const home = await newHome(world);
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8".slice(0, 36)}`;
    const other = `ghp_${"Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2".slice(0, 36)}`;
    const withSecret = (secret: string) =>
      item(`Never push ${secret} again.`, {
        file: `config/${secret}.yml`,
        source_url: `https://example.com/?token=${secret}`,
      });
    const { results } = resultsOf(await post(home, withSecret(token), withSecret(other)));
    expect(results.map(({ status }) => status)).toEqual(["created", "duplicate"]);
    const stored = await learningOf(table(), home.uuid, results[0]?.id ?? "");
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(stored?.text).toMatch(/^Never push \[REDACTED:\w+\] again\.$/);
  });

  test("a chain of secrets is cut off, and the answer names the kinds that the stored text names", async () => {
    const home = await newHome(world);
    const chain = ["Kq7-vTz92", "Kq7-vTz93", "Kq7-vTz94", "Kq7-vTz95"].join(" and ");
    const cut = "the password is [REDACTED:password][REDACTED:secret]";
    const created = resultsOf(await post(home, item(`the password is ${chain}`))).results[0];
    expect(created).toMatchObject({ status: "created", redacted: ["password", "secret"] });
    expect((await learningOf(table(), home.uuid, created?.id ?? ""))?.text).toBe(cut);
    const again = resultsOf(await post(home, item(cut))).results[0];
    expect(again).toEqual({ index: 0, status: "duplicate", id: created?.id });
  });

  /** One more than a transaction takes. */
  const longItems = volume(learningLimits.writtenTogetherMax + 1, 100);

  test(`the longest texts fit: ${longItems} items of 10,000 characters outside the basic plane`, async () => {
    const home = await newHome(world);
    const data = Array.from({ length: longItems }, (_, index) => item(`${index} ${"𝒳".repeat(9_900)}`));
    expect(Buffer.byteLength(JSON.stringify({ data }))).toBeLessThan(4 * 1024 * 1024);
    expect(resultsOf(await post(home, ...data))).toMatchObject({
      status: "success",
      created_count: longItems,
    });
  });

  test("author and ownership come from the key, whatever its kind", async () => {
    const home = await newHome(world, { workspace_id: await world.workspace("authors") });
    const user = await world.key({ kind: "user", organization: home.uuid, owner: "bob" });
    const token = await world.token("authors");
    await api.call("/v1/learnings", { key: user.text, body: { data: [item("by bob")] } });
    await api.call("/v1/learnings", {
      key: token.text,
      body: { data: [item("by the admin")], org_id: home.name.provider_organization_id },
    });
    expect(
      (await exported(home)).map(({ learning, author_id, author_username }) => [
        learning,
        author_id,
        author_username,
      ]),
    ).toEqual([
      ["by bob", "bob", "bob"],
      ["by the admin", "u-admin", null],
    ]);
  });

  test("a batch of Learnings is exported in its own order", async () => {
    const home = await newHome(world);
    const data = Array.from({ length: 60 }, (_, index) => item(`number ${index}`));
    await post(home, ...data);
    expect((await exported(home)).map(({ learning }) => learning)).toEqual(
      data.map(({ learning }) => learning),
    );
  });

  test("each transaction of a batch has its audit entry, all with the request's id", async () => {
    const home = await newHome(world);
    const data = Array.from({ length: 40 }, (_, index) => item(`number ${index}`));
    const key = await keyOf(home);
    await api.call("/v1/learnings", { key, body: { data }, rawHeaders: ["x-request-id", "batch-7"] });
    const log = await api.call("/v1/audit-logs?actions=learning.created", { key });
    const entries = (
      log.json as { data: Array<{ request_id: string; metadata: { learning_ids: string[] } }> }
    ).data;
    expect(entries).toHaveLength(3);
    expect(new Set(entries.map(({ request_id }) => request_id))).toEqual(new Set(["batch-7"]));
    expect(new Set(entries.flatMap(({ metadata }) => metadata.learning_ids)).size).toBe(40);
    expect(JSON.stringify(entries)).not.toContain("number 1");
  });

  test("the audit entry of a batch names the items that were refused, with their codes and never their text", async () => {
    const home = await newHome(world);
    const key = await keyOf(home);
    const data = [
      item("kept"),
      { ...item("whispered elsewhere"), repository_id: "nowhere" },
      { ...item("whispered"), author: "me" },
      "whispered alone",
    ];
    const { json } = await api.call("/v1/learnings", { key, body: { data } });
    const { results } = z.object({ results: z.array(z.object({ id: z.string().nullable() })) }).parse(json);
    const log = await api.call("/v1/audit-logs?actions=learning.created", { key });
    expect(log.json).toMatchObject({
      data: [
        {
          resource_id: results[0]?.id,
          metadata: {
            failed: [
              { index: 1, id: results[1]?.id, code: "REPOSITORY_NOT_FOUND" },
              { index: 2, id: results[2]?.id, code: "INVALID_ITEM" },
              { index: 3, id: null, code: "INVALID_ITEM" },
            ],
          },
        },
      ],
    });
    expect(JSON.stringify(log.json)).not.toContain("whispered");
    // A batch in which all fail changes nothing and has no entry.
    await api.call("/v1/learnings", { key, body: { data: data.slice(1) } });
    expect((await api.call("/v1/audit-logs?resource_types=learning", { key })).json).toMatchObject({
      data: [{ resource_id: results[0]?.id }],
    });
  });

  test("an organization gets at most ten batches a minute, and the rest get 429", async () => {
    const home = await newHome(world);
    const key = await keyOf(home);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.call("/v1/learnings", { key, body: { data: [item("once")] } })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    expect(await exported(home)).toHaveLength(1);
  });
});

test.each([
  ["nobody", [organizationItem("one")], null],
  ["somebody in no organization", [], "ann"],
  ["somebody in one of two organizations", [organizationItem("one"), organizationItem("two")], "ann"],
])("a batch written by %s is an internal error, never a guess", (_, organizations, userId) => {
  expect(() => authorOf({ scope: { organizations }, principal: { userId }, readable: "*" })).toThrow(
    TypeError,
  );
});
