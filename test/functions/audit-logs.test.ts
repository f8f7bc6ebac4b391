import { beforeAll, describe, expect, test } from "vitest";
import { auditWrites } from "../../lib/audit/entry.ts";
import { msPerDay } from "../../lib/contract/days.ts";
import * as kinds from "../../lib/contract/items.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { useApi } from "../support/api.ts";
import { TestClock } from "../support/clock.ts";
import { World } from "../support/world.ts";

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
        actor: { type: "user", id: `u-${daysAgo}`, name, keyId: null, keyKind: null },
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

  test("CSV flattens the actor, defuses formulas and has the cursor in a header", async () => {
    const answer = await api.call("/v1/audit-logs?format=csv&limit=1&search=hopper", { key });
    const [header, row] = answer.body.toString().split("\r\n");
    expect(header).toBe(
      "id,action,resource_type,resource_id,summary,actor_type,actor_id,actor_name,actor_key_id,actor_key_kind,organization_id,metadata,ip_address,request_id,created_at,gateway_request_id,provider",
    );
    expect(row).toContain(
      ',member,u1,5 days ago,user,u-5,Grace =Hopper,,,,"{""daysAgo"":5}",203.0.113.7,request-1,',
    );
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
      ...["kleaked2345672345", "MIA@acme.example", "captain", "last_admin", "resource-77", "u-robot"],
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
