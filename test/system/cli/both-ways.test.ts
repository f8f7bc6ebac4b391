import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { dataDirectory, readOwner, writeOwner } from "../../../lib/local/data-directory.ts";
import { systemClock, toTimestamp } from "../../../lib/runtime/clock.ts";
import { required } from "../../../lib/runtime/required.ts";
import { callJson, callTool, event, ndjson, soloOrganization } from "../../cli/support.ts";
import { captured } from "../../support/event-data.ts";
import { useFaultyEngine } from "../../support/faulty-engine.ts";
import { useService } from "../../support/service.ts";
import { github } from "../../support/world.ts";

const service = useService({ demo: true });
let engineUrl = "";
const engine = useFaultyEngine(() => engineUrl);
const keyRows = z.object({
  keys: z.array(z.looseObject({ id: z.string(), kind: z.string(), state: z.string() })),
});
const issued = z.object({ id: z.string(), key: z.string() });

/** Every command is written once: what holds over HTTP holds for the operator. */
const everyWay = ["over HTTP", "as the operator"] as const;
type Way = (typeof everyWay)[number];
const wordsOf = (way: Way) =>
  way === "over HTTP" ? withKey(service().keys.workspace ?? "") : ["--data", service().folder];
const withKey = (key: string) => ["--url", service().url, "--key", key];
const json = (way: Way, ...words: readonly string[]) => callJson(...words, ...wordsOf(way));
const tool = (way: Way, ...words: readonly string[]) => callTool(...words, ...wordsOf(way));

const now = () => toTimestamp(systemClock.nowMs());

const newKey = async (...words: readonly string[]) =>
  issued.parse(await json("as the operator", "keys", "create", "--org", "1001", ...words));
const organizationKey = () => newKey("--kind", "organization", "--owner", "501", "--role", "cr_admin");

const auditLog = z.object({ data: z.array(z.looseObject({})) });
const lastEntry = async (action: string) => {
  const answer = await fetch(`${service().url}/v1/audit-logs?actions=${action}&limit=1`, {
    headers: { "x-service-api-key": service().keys.workspace ?? "" },
  });
  return auditLog.parse(await answer.json()).data[0];
};

describe.each(everyWay)("keys, %s", (way) => {
  const listed = async (...words: readonly string[]) =>
    keyRows.parse(await json(way, "keys", "list", ...words)).keys;
  const stateOf = async (wanted: string) => (await listed()).find(({ id }) => id === wanted)?.state;

  test("a key is rotated and revoked under one id, and the list shows it", async () => {
    const { id, key } = await organizationKey();
    // Over HTTP a key rotates only itself.
    const itself = way === "over HTTP" ? withKey(key) : wordsOf(way);
    const next = await callTool("keys", "rotate", id, "--grace-seconds", "600", ...itself);
    expect([next.code, next.stderr]).toEqual([
      0,
      expect.stringMatching(`This organization key has the id ${id}.* Its old value works until `),
    ]);
    const values = [key, next.stdout];
    const me = z.object({ key: z.object({ id: z.string() }) });
    for (const value of values) expect(me.parse(await callJson("whoami", ...withKey(value))).key.id).toBe(id);
    expect(await stateOf(id)).toBe("active");
    expect(await json(way, "keys", "revoke", id)).toMatchObject({ id, revoked: true });
    expect(await stateOf(id)).toBe("revoked");
    for (const value of values) expect((await callTool("whoami", ...withKey(value))).code).toBe(1);
    const { stdout } = await tool(way, "keys", "list", "--format", "csv");
    expect(values.filter((value) => stdout.includes(value))).toEqual([]);
  });

  test("an unknown key is neither rotated nor revoked", async () => {
    for (const words of [["revoke"], ["rotate", "--grace-seconds", "0"]])
      expect(await tool(way, "keys", ...words, "k404")).toMatchObject({ code: 1, stdout: "" });
  });

  test("an organization that does not exist is one sentence and exit code 1", async () => {
    const { code, stdout, stderr } = await tool(way, "keys", "list", "--org", "9999");
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(/o(?:rganization|rg_id)/)]);
  });
});

test("both ways list the same columns, and of one organization the same keys", async () => {
  await newKey("--kind", "user", "--owner", "502", "--name", "laptop", "--expires-in-days", "90");
  const shown = await Promise.all(
    everyWay.map(async (way) => (await tool(way, "keys", "list", "--org", "1001", "--format", "csv")).stdout),
  );
  expect(shown[0]).toMatch(/^id,kind,name,bound_to,owner,role,state,created_at,expires_at,last_used_at,/);
  // The use of the key that lists is recorded meanwhile; this key is none of the organization.
  expect(shown[1]).toBe(shown[0]);
});

test("the operator also sees the workspace or the instance of a key, beside its organizations", async () => {
  const words = ["--instance", "north", "--home", "7001", "--orgs", "7001,7002", "--owner", "701"];
  await json("as the operator", "keys", "create", "--kind", "instance", ...words);
  const { keys } = keyRows.parse(await json("as the operator", "keys", "list"));
  expect(keys.map(({ kind, bound_to }) => `${kind} ${bound_to}`)).toEqual(
    expect.arrayContaining(["workspace acme", "organization 1001", "instance north: 7001, 7002"]),
  );
});

test("the operator gives a grace of more than a day; a key gives neither this nor another key's new value", async () => {
  const twoDays = ["--grace-seconds", "172800"];
  const mine = await newKey("--kind", "user", "--owner", "502");
  const refused = await callTool("keys", "rotate", mine.id, ...twoDays, ...withKey(mine.key));
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("--grace-seconds takes a whole number from 0 to 86400"),
  ]);
  const others = await tool("over HTTP", "keys", "rotate", mine.id, "--grace-seconds", "0");
  expect([others.code, others.stderr]).toEqual([1, expect.stringContaining("KEY_NOT_FOUND")]);
  await json("as the operator", "keys", "rotate", mine.id, ...twoDays);
  const { keys } = keyRows.parse(await json("as the operator", "keys", "list"));
  const { created_at, old_until } = z
    .object({ created_at: z.string(), old_until: z.string() })
    .parse(keys.find(({ id }) => id === mine.id));
  expect(Date.parse(old_until) - Date.parse(created_at)).toBeGreaterThanOrEqual(172_800_000);
});

test("an operator's rotation whose outcome is unknown says how to find it out, and what to do then", async () => {
  const { id, key } = await newKey("--kind", "user", "--owner", "502");
  const directory = dataDirectory(service().folder);
  const owner = required(await readOwner(directory), "running service");
  engineUrl = required(owner.endpoint, "engine");
  await writeOwner(directory, { ...owner, endpoint: engine.endpoint() });
  onTestFinished(() => writeOwner(directory, owner));
  let isLost = false;
  engine.inject(({ operation, body }) => {
    isLost ||= operation === "TransactWriteItems" && body.includes("rotated_at");
    return isLost ? "lost_after" : undefined;
  });
  const startedAt = now();
  const words = ["keys", "rotate", id, "--grace-seconds", "600"];
  const { code, stdout, stderr } = await tool("as the operator", ...words);
  expect([code, stdout]).toEqual([1, ""]);
  const [, bound = "", again = ""] =
    /rotated_at:\n.* keys list --data \S+\nIf it is (\S+) or later, .*\nnpx --no-install review-api (.*)$/.exec(
      stderr,
    ) ?? [];
  expect(bound >= startedAt).toBe(true);
  expect(again).toMatch(`${words.join(" ")} --lost --data `);
  await writeOwner(directory, owner);
  const { keys } = keyRows.parse(await json("as the operator", "keys", "list"));
  const rotated = z.object({ rotated_at: z.string() }).parse(keys.find((each) => each.id === id));
  expect(rotated.rotated_at >= bound).toBe(true);
  expect(await callTool(...again.split(" "))).toMatchObject({ code: 0 });
  // The customer's value keeps its grace.
  expect((await callTool("whoami", ...withKey(key))).code).toBe(0);
});

test("the operator ends a key with all that it made, and the audit log names the operator and every id", async () => {
  const { id, key } = await organizationKey();
  const made = issued.parse(await callJson("keys", "create", "--name", "vendor", ...withKey(key)));
  expect(await json("as the operator", "keys", "revoke", id)).toEqual({
    id,
    revoked: true,
    revoked_key_ids: [id, made.id],
  });
  expect(await lastEntry("key.revoked")).toMatchObject({
    actor: { type: "system", name: "operator" },
    metadata: { revoked_key_ids: [id, made.id] },
  });
});

const learningRows = z.object({ learnings: z.array(z.looseObject({ id: z.string() })) });

describe("learnings", () => {
  beforeAll(async () => {
    const file = join(service().home, "captured.ndjson");
    const texts = ["Mind the step.", "Mind the gap.", "Mind the rail."];
    const events = texts.map((text, index) =>
      event(
        500 + index,
        "learning.captured",
        captured(github("1002"), text, { repository_id: "9101", author_id: "505" }),
        now(),
      ),
    );
    await writeFile(file, ndjson(events));
    await json("as the operator", "events", "send", file);
  });

  test("both ways list the same pending Learnings, of one organization and of all", async () => {
    for (const words of [[], ["--org", "1002"]])
      for (const format of ["json", "table"]) {
        const [overHttp, asOperator] = await Promise.all(
          everyWay.map((way) => tool(way, "learnings", "pending", "--format", format, ...words)),
        );
        expect(overHttp).toMatchObject({ code: 0, stdout: expect.stringContaining("Mind the gap.") });
        expect(asOperator).toEqual(overHttp);
      }
  });

  describe.each(everyWay)("%s", (way) => {
    const pending = async () => learningRows.parse(await json(way, "learnings", "pending")).learnings;

    test("a pending Learning is decided once: an approved one is shared, a disapproved one never", async () => {
      const [first, second, ...rest] = await pending();
      if (!first || !second) throw new Error("Too few Learnings wait.");
      expect(await json(way, "learnings", "approve", first.id.toUpperCase())).toEqual({
        id: first.id,
        decision: "approved",
      });
      const said = await tool(way, "learnings", "disapprove", second.id);
      expect([said.code, said.stdout, said.stderr]).toEqual([
        ...[0, ""],
        `Learning ${second.id} is disapproved. Reviews and exports do not contain it.`,
      ]);
      expect((await pending()).map(({ id }) => id)).toEqual(rest.map(({ id }) => id));
      for (const { id } of [first, second])
        expect(await tool(way, "learnings", "approve", id)).toEqual({
          code: 1,
          stdout: "",
          stderr: `There is no pending Learning ${id}.`,
        });
      const exported = learningRows.parse({
        learnings: z.object({ data: z.array(z.unknown()) }).parse(await shared()).data,
      }).learnings;
      const ids = exported.map(({ id }) => id);
      expect([ids.includes(first.id), ids.includes(second.id)]).toEqual([true, false]);
      const actor = way === "over HTTP" ? { type: "key" } : { type: "system", name: "operator" };
      expect(await lastEntry("learning.disapproved")).toMatchObject({ actor });
    });

    test("a search finds the nearest, of one repository, file or organization", async () => {
      const words = ["learnings", "search", "charge a card again after a timeout", "--results", "2"];
      const found = async (...more: readonly string[]) =>
        learningRows.parse(await json(way, ...words, ...more)).learnings;
      const [best] = await found("--org", "1001", "--repository", "9002", "--min-score", "5");
      const csv = await tool(way, ...words, "--org", "1001", "--format", "csv");
      expect(csv.stdout).toMatch(/^score,id,repository,file,learning\r\n/);
      expect(best).toMatchObject({ learning: expect.stringMatching(/card|idempotency/) });
      expect((await tool(way, ...words, "--org", "1001", "--repository", "nowhere")).stdout).toBe(
        "No Learning was found.",
      );
      expect(await found("--org", "1001", "--file", "src/pay.ts")).toHaveLength(2);
      const long = await tool(way, "learnings", "search", "x".repeat(20_001), "--org", "1001");
      expect([long.code, long.stderr]).toEqual([
        1,
        expect.stringContaining("query: must have 1 to 20000 characters"),
      ]);
    });
  });

  test("both ways find the same; only a user key names a repository by its full name", async () => {
    const words = ["learnings", "search", "charge a card again after a timeout", "--org", "1001"];
    const [overHttp, asOperator] = await Promise.all(everyWay.map((way) => json(way, ...words)));
    expect(asOperator).toEqual(overHttp);
    expect((await tool("as the operator", ...words.slice(0, 3))).code).toBe(0);
    const named = [...words, "--repository-name", "acme-web/checkout"];
    expect(await tool("over HTTP", ...named)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("KEY_TYPE_FORBIDDEN"),
    });
    expect(await tool("as the operator", ...named)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--repository-name works only over HTTP, with a key."),
    });
  });

  const shared = async () =>
    (
      await fetch(`${service().url}/v1/learnings?org_id=1002`, {
        headers: { "x-service-api-key": service().keys.workspace ?? "" },
      })
    ).json();
});

describe("seats idle", () => {
  /** An organization with an admin, and with somebody who holds a seat since February and does nothing. */
  const office = (id: string, change: object = {}) => {
    const organization = { ...soloOrganization(id, `office ${id}`), ...enterprise, ...change };
    const member = (number: number, role: string, seat_assigned: boolean) =>
      event(Number(id) * 10 + number, "member.saved", {
        ...github(id),
        user_id: `${id}-${number}`,
        username: `user${number}`,
        email: null,
        role,
        seat_assigned,
        readable_repository_ids: "*",
        active: true,
      });
    return [
      event(Number(id) * 10, "organization.saved", organization),
      ...[member(1, "cr_admin", false), member(2, "cr_member", true)],
    ];
  };
  const enterprise = { plan: "enterprise", metrics: "ready" };
  const idleSeats = z.object({ seats_held: z.int(), not_judged: z.int(), idle: z.array(z.looseObject({})) });
  const officeOf = (way: Way) => (way === "over HTTP" ? "6001" : "6002");

  beforeAll(async () => {
    const file = join(service().home, "offices.ndjson");
    const silent = { metrics: "unavailable" };
    await writeFile(file, ndjson([...office("6001"), ...office("6002"), ...office("6003", silent)]));
    await json("as the operator", "events", "send", file);
  });

  const wordsFor = async (way: Way, id = officeOf(way)) => {
    if (way === "as the operator") return ["--data", service().folder, "--org", id];
    const create = ["keys", "create", "--kind", "organization", "--role", "cr_admin"];
    const { key } = issued.parse(await json("as the operator", ...create, "--org", id, "--owner", `${id}-1`));
    return ["--url", service().url, "--key", key];
  };

  test.each(everyWay)("%s, an idle seat is found, taken away once, and then it is not idle", async (way) => {
    const id = officeOf(way);
    const words = ["seats", "idle", "--days", "60", ...(await wordsFor(way))];
    const row = {
      organizations: `office ${id}`,
      user_ids: `${id}-2`,
      username: "user2",
      email: null,
      seat_since: "2026-02-01T00:00:00.000Z",
      last_reviewed_at: null,
    };
    const counts = { seats_held: 1, not_judged: 0, not_judged_holders: [], too_new: 0 };
    const found = { days: 60, since: expect.any(String), ...counts, idle: [row] };
    expect(await callJson(...words)).toEqual({ ...found, dry_run: true });
    const said = await callTool(...words);
    expect(said.stderr).toMatch(/1 of 1 assigned seat idle for 60 days\.\nNothing was changed; --unassign/);
    expect(await callJson(...words, "--unassign")).toEqual({ ...found, dry_run: false, failed: [] });
    expect(await callJson(...words)).toMatchObject({ seats_held: 0, idle: [] });
  });

  test.each(everyWay)("%s, nobody is idle whose organization sends no metrics", async (way) => {
    const words = ["seats", "idle", "--days", "60", ...(await wordsFor(way, "6003"))];
    expect(await callJson(...words)).toMatchObject({ seats_held: 1, not_judged: 1, idle: [] });
  });

  test("one organization without metrics leaves the rest of its workspace to be judged, in both ways", async () => {
    const file = join(service().home, "silent.ndjson");
    const mobile = { ...soloOrganization("1002", "acme-mobile"), ...enterprise, workspace_id: "acme" };
    const saved = event(990, "organization.saved", { ...mobile, metrics: "unavailable" }, now());
    await writeFile(file, ndjson([saved]));
    await json("as the operator", "events", "send", file);
    const [overHttp, asOperator] = await Promise.all(
      everyWay.map(async (way) => {
        const words = ["seats", "idle", "--days", "3", ...(way === "over HTTP" ? [] : ["--org", "1001"])];
        return idleSeats.parse(await json(way, ...words));
      }),
    );
    const petra = expect.objectContaining({ organizations: "acme-web", email: "petra@acme.example" });
    for (const found of [overHttp, asOperator]) {
      expect(found?.idle).toContainEqual(petra);
      expect(found?.idle.every(({ organizations }) => !String(organizations).includes("mobile"))).toBe(true);
      expect(found?.not_judged).toBeGreaterThan(0);
    }
    const report = await tool("over HTTP", "report", "--days", "300", "--by", "organization");
    expect(report).toMatchObject({ code: 0, stdout: expect.stringContaining("acme-web") });
    expect(report.stdout).toContain("acme-mobile (it sends no metrics)");
  });
});
