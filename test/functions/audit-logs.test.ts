import { beforeAll, describe, expect, test } from "vitest";
import { auditWrites } from "../../lib/audit/entry.ts";
import { msPerDay } from "../../lib/contract/days.ts";
import * as kinds from "../../lib/contract/items.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { useApi } from "../support/api.ts";
import { TestClock } from "../support/clock.ts";
import { github, gitlab, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

type Page = { data: Array<{ id: string; summary: string; created_at: string }>; next_cursor: string | null };

describe("GET /v1/audit-logs", () => {
  const nowMs = Date.now();
  let key = "";
  let one = "";
  let two = "";
  /** Audit entries by their age in days; the summary of each names its age. */
  const daysWritten = [300, 200, 199, 100, 65, 64, 31, 30, 10, 3, 2, 1];
  const write = async (daysAgo: number, uuid: string | null, name = "Ada Lovelace") => {
    const clock = new TestClock(new Date(nowMs - daysAgo * msPerDay).toISOString());
    const writes = auditWrites(
      { clock, random: systemRandom, retentionDays: 400 },
      {
        action: daysAgo % 2 ? "roles.changed" : "seats.assigned",
        resourceType: "member",
        resourceId: "u1",
        summary: `${daysAgo} days ago`,
        actor: {
          type: "user",
          id: `u-${daysAgo}`,
          name,
          email: `u-${daysAgo}@example.com`,
          keyId: null,
          keyKind: null,
        },
        tenant: "w#audit",
        organization: uuid
          ? { uuid, provider: "github", provider_organization_id: uuid === one ? "one" : "two" }
          : null,
        metadata: { daysAgo },
        ipAddress: "203.0.113.7",
        requestId: "request-1",
      },
    );
    await api.store().table.transact(writes);
  };
  beforeAll(async () => {
    await world.workspace("audit");
    one = await world.organization("one", { workspace_id: "audit" });
    two = await world.organization("two", { workspace_id: "audit" });
    key = (await world.token("audit")).text;
    for (const [index, daysAgo] of daysWritten.entries()) await write(daysAgo, index % 2 ? two : one);
    await write(5, null, "Grace =Hopper");
  });
  const walk = async (query: string) => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const target: string = `/v1/audit-logs?resource_types=member&${query}${cursor ? `&cursor=${cursor}` : ""}`;
      const answer = await api.call(target, { key });
      expect(answer.message).toBe("");
      const page = answer.json as Page;
      seen.push(...page.data.map(({ summary }) => summary.replace(" days ago", "")));
      cursor = page.next_cursor;
    } while (cursor);
    await api.store().table.write({ delete: kinds.limit.key({ bucket: "audit-logs", owner: "w#audit" }) });
    return seen.map(Number);
  };
  const newestFirst = [1, 2, 3, 5, 10, 30, 31, 64, 65, 100, 199, 200, 300];

  test.each([1, 2, 5, 100])(
    "a walk over a year of audit entries with pages of %i returns each entry once, in either order",
    async (limit) => {
      expect(await walk(`limit=${limit}`)).toEqual(newestFirst);
      expect(await walk(`limit=${limit}&order=asc`)).toEqual(newestFirst.toReversed());
    },
  );

  test("org_id narrows to one organization, without entries of the whole workspace", async () => {
    expect(await walk("org_id=one")).toEqual(
      newestFirst.filter((day) => daysWritten.includes(day) && daysWritten.indexOf(day) % 2 === 0),
    );
    expect(await walk("org_id=two&order=asc&limit=1")).toEqual([1, 3, 30, 64, 100, 200].toReversed());
  });

  test("audit entries are filtered by action, actor and the actor's name", async () => {
    expect(await walk("actions=seats.assigned")).toEqual([2, 10, 30, 64, 100, 200, 300]);
    expect(await walk("actions=seats.assigned,roles.changed&user_ids=u-2,u-3")).toEqual([2, 3]);
    expect(await walk("search=hopper")).toEqual([5]);
    expect(await walk("search=nobody")).toEqual([]);
  });

  test("audit entries are filtered by days or date-times, with Z or an offset, both ends included", async () => {
    const at = (days: number) => new Date(nowMs - days * msPerDay).toISOString();
    expect(await walk(`date_from=${at(10)}&date_to=${at(2)}`)).toEqual([2, 3, 5, 10]);
    const inOffset = (days: number, sign: "+" | "-") => {
      const shiftMs = (sign === "+" ? 1 : -1) * 5.5 * 3_600_000;
      const local = new Date(nowMs - days * msPerDay + shiftMs).toISOString();
      return encodeURIComponent(local.replace("Z", `${sign}05:30`));
    };
    for (const sign of ["+", "-"] as const)
      expect(await walk(`date_from=${inOffset(10, sign)}&date_to=${inOffset(2, sign)}`)).toEqual([
        2, 3, 5, 10,
      ]);
    expect(await walk(`date_from=${at(100).slice(0, 10)}&date_to=${at(100).slice(0, 10)}`)).toEqual([100]);
    expect(await walk("date_from=0001-01-01&date_to=9999-12-31")).toEqual(newestFirst);
  });

  test.each([
    ["date_from=2026-02-30", "date_from: must be a calendar day"],
    ["date_from=yesterday", "date_from: must be a calendar day"],
    ["date_from=yesterday&date_to=2026-01-31", "date_from: must be a calendar day"],
    ["date_to=2026-01-01T25:00:00Z", "date_to: must be a calendar day"],
    ["date_from=2026-02-01&date_to=2026-01-31", "date_to: must not be before date_from."],
    ["order=down", "order: must be one of: desc, asc."],
    ["limit=101", "limit: must be a whole number from 1 to 100."],
    [`actions=${Array(51).fill("a").join(",")}`, "actions: must have at most 50 values."],
    ["search=%20", "search: must have 1 to 200 characters."],
    ["actions=role.updated,role.renamed", "actions: must be comma-separated values of: key.created,"],
    ["resource_types=key", "resource_types: must be comma-separated values of: api_key, workspace_token,"],
    ["actions=a,,b", "actions: must be comma-separated values; no value may be empty."],
  ])("GET /v1/audit-logs?%s is a 400 that names the allowed values", async (query, sentence) => {
    const answer = await api.call(`/v1/audit-logs?${query}`, { key });
    expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    expect(answer.message).toContain(sentence);
    // The order of two instants is judged only if both are valid.
    expect(answer.message.includes("must not be before")).toBe(sentence.includes("must not be before"));
  });

  test("a finished ascending walk is resumed later with x-resume-cursor and reads only newer entries", async () => {
    const last = await api.call("/v1/audit-logs?order=asc&resource_types=member", { key });
    expect((last.json as Page).next_cursor).toBeNull();
    const resume = last.headers["x-resume-cursor"];
    await write(0, one);
    const later = await api.call(`/v1/audit-logs?order=asc&resource_types=member&cursor=${resume}`, { key });
    expect((later.json as Page).data.map(({ summary }) => summary)).toEqual(["0 days ago"]);
    expect((await api.call("/v1/audit-logs", { key })).headers).not.toHaveProperty("x-resume-cursor");
  });

  test("JSON has the fields in the order of the CSV columns", async () => {
    const header = (await api.call("/v1/audit-logs?format=csv&limit=1", { key })).body
      .toString()
      .split("\r\n")[0];
    const columns = header?.split(",").map((name) => (name.startsWith("actor_") ? "actor" : name));
    const { data } = (await api.call("/v1/audit-logs?limit=1", { key })).json as Page;
    expect(data.map((entry) => Object.keys(entry))).toEqual([[...new Set(columns)]]);
  });

  test("CSV flattens the actor, defuses formulas and has the cursor in a header", async () => {
    const answer = await api.call("/v1/audit-logs?format=csv&limit=1&search=hopper", { key });
    const [header, row] = answer.body.toString().split("\r\n");
    expect(header).toBe(
      "id,action,resource_type,resource_id,summary,actor_type,actor_id,actor_name,actor_key_id,actor_key_kind,organization_id,metadata,ip_address,request_id,created_at,gateway_request_id,provider,actor_email",
    );
    expect(row).toContain(
      ',member,u1,5 days ago,user,u-5,Grace =Hopper,,,,"{""daysAgo"":5}",203.0.113.7,request-1,',
    );
    expect(row?.endsWith(",u-5@example.com")).toBe(true);
    const page = await api.call("/v1/audit-logs?format=ndjson&limit=1&resource_types=member", { key });
    expect(page.headers["x-next-cursor"]).toEqual(expect.any(String));
    expect(JSON.parse(page.body.toString()).summary).toBe("0 days ago");
  });
});

describe("search of the audit log", () => {
  test("search finds an entry by every text that it shows, each word in any text and in any case", async () => {
    await world.workspace("audit-search");
    const uuid = await world.organization("acme-search", { workspace_id: "audit-search" });
    const key = (await world.token("audit-search")).text;
    await api.store().table.transact(
      auditWrites(
        { clock: new TestClock(new Date().toISOString()), random: systemRandom, retentionDays: 400 },
        {
          action: "roles.changed",
          resourceType: "member",
          resourceId: "resource-77",
          summary: "1 member got a role",
          actor: {
            type: "key",
            id: "u-Robot",
            name: "Deploy Straße",
            email: "Owner@acme.example",
            keyId: "kleaked2345672345",
            keyKind: "organization",
          },
          tenant: "w#audit-search",
          organization: { uuid, provider: "github", provider_organization_id: "acme-search" },
          metadata: {
            role: "Release Captain",
            failed: [{ id: "mia@acme.example", code: "LAST_ADMIN" }],
            count: 4711,
          },
          ipAddress: "198.51.100.99",
          requestId: "req-777",
        },
      ),
    );
    const find = async (search: string) => {
      const answer = await api.call(`/v1/audit-logs?search=${encodeURIComponent(search)}`, { key });
      return { search, found: (answer.json as Page).data.map(({ summary }) => summary) };
    };
    for (const search of [
      ...[
        "kleaked2345672345",
        "owner@acme.example",
        "MIA@acme.example",
        "captain",
        "last_admin",
        "resource-77",
        "u-robot",
      ],
      ...[
        "198.51.100.99",
        "req-777",
        "strasse",
        "acme-search",
        "roles.changed deploy",
        "Captain  mia@ REQ-777",
      ],
    ])
      expect(await find(search)).toEqual({ search, found: ["1 member got a role"] });
    // A word is within one text. Numbers and names of fields are no text, and the service's own ids are not shown.
    for (const search of ["captainmia", "captain nobody", "4711", "failed", uuid])
      expect(await find(search)).toEqual({ search, found: [] });
  });
});

describe("the people of an audit entry", () => {
  const entries = async (key: string, query = "") => {
    const answer = await api.call(`/v1/audit-logs?order=asc${query}`, { key });
    return (answer.json as { data: Array<{ summary: string; metadata: object; actor: object }> }).data;
  };
  const place = github("audit-people");
  let uuid = "";
  beforeAll(async () => {
    await world.workspace("audit-people", { admins: [{ user_id: "chief", email: "chief@audit.test" }] });
    uuid = await world.organization("audit-people", { workspace_id: "audit-people" });
    await world.member(place, "boss", { role: "cr_admin", email: "boss@audit.test" });
    await world.member(place, "8010", { username: "nils", email: null });
    await world.member(place, "8011", { username: null, email: null });
    await world.member(place, "8012", { username: "lena", email: "lena@audit.test" });
  });

  test("search finds what a member changed by the e-mail address, with every kind of key", async () => {
    await world.instance("audit-people");
    const home = await world.organization("audit-home", { instance_id: "audit-people" });
    await world.member(gitlab("audit-people", "audit-home"), "boss", {
      role: "cr_admin",
      email: "host@audit.test",
    });
    const admin = { owner: "boss", role: "cr_admin" } as const;
    const keys = [
      ["boss@audit.test", await world.key({ kind: "organization", organization: uuid, ...admin })],
      ["boss@audit.test", await world.key({ kind: "user", organization: uuid, owner: "boss" })],
      ["host@audit.test", await world.key({ kind: "instance", instanceId: "audit-people", home, ...admin })],
      ["chief@audit.test", await world.token("audit-people", "chief")],
    ] as const;
    for (const [email, { text, key }] of keys) {
      const org_id = key.kind === "workspace" ? "audit-people" : undefined;
      const name = `Made by a key of kind ${key.kind}`;
      expect((await api.call("/v1/roles", { key: text, body: { name, org_id } })).status).toBe(201);
      const found = await entries(text, `&actions=role.created&search=${email} ${key.id}`);
      expect(found).toMatchObject([{ actor: { id: key.owner, email, key_id: key.id, key_kind: key.kind } }]);
    }
  });

  test("a refused key has the same actor, also if it is refused before its owner is read", async () => {
    const key = await world.key({
      kind: "organization",
      organization: uuid,
      owner: "boss",
      role: "cr_admin",
    });
    const admin = await world.adminKey(uuid, "boss");
    await world.revoke(key);
    expect((await api.call("/v1/roles", { key: key.text })).status).toBe(401);
    const [entry] = await entries(admin, `&actions=key.refused&search=${key.key.id}`);
    expect(entry?.actor).toMatchObject({ id: "boss", email: "boss@audit.test" });
  });

  test("summaries name them by e-mail address, else by login, else by id; people gives ids and addresses", async () => {
    const key = await world.adminKey(uuid, "boss");
    const user_ids = ["8010", "8011", "8012"];
    await api.call("/v1/users/roles", { key, body: { role: "cr_admin", user_ids } });
    await api.call("/v1/users/seats", { key, body: { action: "assign", user_ids } });
    const people = [
      { user_id: "8010", email: null },
      { user_id: "8011", email: null },
      { user_id: "8012", email: "lena@audit.test" },
    ];
    expect(await entries(key, "&actions=roles.changed,seats.assigned&search=lena@audit.test")).toMatchObject([
      { summary: "Role cr_admin given to nils, 8011, lena@audit.test", metadata: { people } },
      { summary: "Seats assigned: nils, 8011, lena@audit.test", metadata: { people } },
    ]);
  });

  test("events and a change of admins name them the same way", async () => {
    const key = await world.adminKey(uuid, "boss");
    await world.member(place, "9001", { username: "otto", email: null, seat_assigned: true });
    await world.member(place, "9001", { username: "otto", email: null, active: false });
    const removed = await entries(key, "&actions=seats.assigned,member.removed&search=otto");
    const people = [{ user_id: "9001", email: null }];
    expect(removed).toMatchObject([
      { summary: "Seats assigned automatically: otto", metadata: { people } },
      { summary: "member removed: otto", metadata: { people } },
    ]);
    const { text } = await world.token("audit-people", "chief");
    const admins = [
      { user_id: "chief", email: "chief@audit.test" },
      { user_id: "vice", email: "vice@audit.test" },
    ];
    await world.workspace("audit-people", { admins });
    expect(await entries(text, "&actions=workspace.admins_changed")).toMatchObject([
      { summary: "workspace admins changed: vice@audit.test added", metadata: { people: [admins[1]] } },
    ]);
  });

  test("a large batch gives the first 20", async () => {
    const key = await world.adminKey(uuid, "boss");
    const crowd = Array.from({ length: 30 }, (_, index) => `crowd-${index}`);
    await world.crowd(place, crowd);
    await api.call("/v1/users/roles", { key, body: { role: "cr_admin", user_ids: crowd } });
    const [entry] = await entries(key, "&actions=roles.changed&search=crowd-29");
    expect(Object(entry?.metadata).people).toEqual(
      crowd.slice(0, 20).map((id) => ({ user_id: id, email: `${id}@example.com` })),
    );
  });
});
