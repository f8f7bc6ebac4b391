import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import * as kinds from "../../lib/contract/items.ts";
import { type FindingRecord, findingRecord } from "../../lib/contract/records-security.ts";
import { sarifProblems } from "../security-findings/sarif-schema.ts";
import { applyScan, scan } from "../security-findings/support.ts";
import { type Answer, useApi } from "../support/api.ts";
import { finding } from "../support/event-data.ts";
import { github, gitlab, World } from "../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const path = "/v1/security/scans/code";

const pageSchema = z.object({ data: z.array(findingRecord), next_cursor: z.string().nullable() });
const page = (answer: Answer) => pageSchema.parse(answer.json);
const idsOf = (records: readonly FindingRecord[]) => records.map(({ id }) => id).toSorted();

async function organizationWithKey(name: string, change: Record<string, unknown> = {}) {
  const organization = await world.organization(name, change);
  await world.member(github(name), "u-admin", { role: "cr_admin" });
  for (const id of ["1", "2"]) await world.repository(github(name), id);
  const text = await world.adminKey(organization);
  const get = (query = "") => api.call(`${path}${query}`, { key: text });
  const addScan = (...scanned: Parameters<typeof scan>) =>
    applyScan(api.store().table, organization, scan(...scanned));
  /** The tests soon exceed sixty calls a minute. */
  const rest = () =>
    api.store().table.write({ delete: kinds.limit.key({ bucket: "security", owner: organization }) });
  return { organization, get, addScan, rest };
}

describe("GET /v1/security/scans/code", () => {
  let one: Awaited<ReturnType<typeof organizationWithKey>>;
  beforeAll(async () => {
    one = await organizationWithKey("findings");
    await one.addScan(1, [finding("fixed-1"), finding("open-1")], { repository_id: "1" });
    await one.addScan(
      2,
      [
        finding("open-1"),
        finding("open-2", { severity: "critical" }),
        finding("open-3", { severity: "low" }),
        finding("dismissed-1", { state: "dismissed" }),
      ],
      { repository_id: "1" },
    );
    await one.addScan(1, [finding("open-4", { severity: "medium" })], { repository_id: "2" });
  });

  test("GET /v1/security/scans/code lists open findings by default, and others by their state", async () => {
    await one.rest();
    expect(idsOf(page(await one.get()).data)).toEqual(["open-1", "open-2", "open-3", "open-4"]);
    expect(idsOf(page(await one.get("?state=open")).data)).toEqual(["open-1", "open-2", "open-3", "open-4"]);
    expect(idsOf(page(await one.get("?state=fixed")).data)).toEqual(["fixed-1"]);
    expect(idsOf(page(await one.get("?state=dismissed")).data)).toEqual(["dismissed-1"]);
    expect(page(await one.get("?state=all")).data).toHaveLength(6);
  });

  test("findings are filtered by repository and by severities, and by both together", async () => {
    expect(idsOf(page(await one.get("?repo_id=2")).data)).toEqual(["open-4"]);
    expect(idsOf(page(await one.get("?severity=critical,%20low,low")).data)).toEqual(["open-2", "open-3"]);
    expect(idsOf(page(await one.get("?repo_id=1&severity=high&state=all")).data)).toEqual([
      "dismissed-1",
      "fixed-1",
      "open-1",
    ]);
    expect(page(await one.get("?repo_id=2&severity=critical"))).toEqual({ data: [], next_cursor: null });
  });

  test("pages of any size return every finding once, in one order, and end with null", async () => {
    const whole = page(await one.get("?state=all&limit=1000")).data;
    for (const limit of [1, 2, 3, 6]) {
      await one.rest();
      const walked: FindingRecord[] = [];
      const cursors: string[] = [];
      let cursor: string | null = null;
      do {
        const next: string = cursor === null ? "" : `&cursor=${cursor}`;
        const answer = page(await one.get(`?state=all&limit=${limit}${next}`));
        expect(answer.data.length).toBeLessThanOrEqual(limit);
        walked.push(...answer.data);
        cursor = answer.next_cursor;
        if (cursor !== null) cursors.push(cursor);
      } while (cursor);
      expect(walked).toEqual(whole);
      expect(cursors).toHaveLength(Math.ceil(6 / limit) - 1);
      expect(new Set(cursors).size).toBe(cursors.length);
    }
  });

  test("a cursor works with another page size and with severities in another order", async () => {
    await one.rest();
    const first = page(await one.get("?severity=high,low&limit=1"));
    const rest = await one.get(`?severity=low,high&limit=5&cursor=${first.next_cursor}`);
    expect(idsOf([...first.data, ...page(rest).data])).toEqual(["open-1", "open-3"]);
  });

  test("a cursor is refused with other filters, and if it is damaged", async () => {
    const { next_cursor } = page(await one.get("?limit=1"));
    for (const query of ["state=all", "severity=high", "repo_id=1"]) {
      const answer = await one.get(`?${query}&cursor=${next_cursor}`);
      expect([query, answer.status, answer.codes]).toEqual([query, 400, ["INVALID_CURSOR"]]);
    }
    expect((await one.get(`?state=open&cursor=${next_cursor}`)).status).toBe(200);
    expect((await one.get("?cursor=nonsense")).codes).toEqual(["INVALID_CURSOR"]);
  });

  test("cursors are at most 1 KiB with the longest ids", async () => {
    const longest = await organizationWithKey("longest");
    const id = `${"仓".repeat(85)}x`;
    await world.repository(github("longest"), id);
    await longest.addScan(1, [finding(`a${id.slice(1)}`), finding(`b${id.slice(1)}`)], { repository_id: id });
    const first = page(await longest.get("?limit=1"));
    expect(first.next_cursor?.length).toBeLessThan(1024);
    const second = page(await longest.get(`?limit=1&cursor=${first.next_cursor}`));
    expect(second.next_cursor).toBeNull();
    expect(second.data[0]?.id).not.toBe(first.data[0]?.id);
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=1001", "limit"],
    ["limit=1e2", "limit"],
    ["state=closed", "state"],
    ["severity=urgent", "severity"],
    ["severity=high,", "severity"],
    [`severity=${Array(11).fill("high").join(",")}`, "severity"],
    ["severity=high&severity=low", "severity"],
    ["repo_id=", "repo_id"],
    ["format=xml", "format"],
    ["format=ndjson", "format"],
    ["format=csv&limit=10", "limit"],
    ["format=sarif&limit=10", "limit"],
    ["format=csv&cursor=abc", "cursor"],
    ["format=sarif&cursor=abc", "cursor"],
    ["organization_ids=1", "organization_ids"],
  ])("GET /v1/security/scans/code?%s is a 400 that names the field", async (query, field) => {
    const answer = await one.get(`?${query}`);
    expect([answer.status, answer.codes]).toEqual([400, ["INVALID_REQUEST"]]);
    expect(answer.message).toMatch(new RegExp(`^${field}: `));
  });

  test("org_id is accepted and ignored", async () => {
    await one.rest();
    expect(idsOf(page(await one.get("?org_id=whatever")).data)).toHaveLength(4);
  });

  test("a foreign repository and a missing one get the same answer", async () => {
    const other = await organizationWithKey("findings-other");
    await world.repository(github("findings-other"), "theirs");
    await other.addScan(1, [finding("theirs")], { repository_id: "theirs" });
    for (const format of ["json", "csv", "sarif"]) {
      const foreign = await one.get(`?format=${format}&repo_id=theirs`);
      const missing = await one.get(`?format=${format}&repo_id=missing`);
      expect(foreign.body.toString()).toBe(missing.body.toString());
      expect(foreign.status).toBe(200);
      expect(foreign.body.toString()).not.toContain("theirs");
    }
    expect((await one.get("?state=all&format=csv")).body.toString()).not.toContain("theirs");
  });
});

describe("the right to read findings", () => {
  test("findings can be read on every plan, with the permission", async () => {
    for (const plan of ["free", "pro", "enterprise"]) {
      const poor = await organizationWithKey(`plan-${plan}`, { plan });
      await poor.addScan(1, [finding("a")], { repository_id: "1" });
      expect(page(await poor.get()).data).toHaveLength(1);
    }
  });

  test("a member without security:read cannot read findings", async () => {
    const organization = await world.organization("members");
    for (const role of ["cr_member", "cr_billing_admin"]) {
      await world.member(github("members"), role, { role });
      const { text } = await world.key({ kind: "user", organization, owner: role });
      const answer = await api.call(path, { key: text });
      expect([answer.status, answer.codes]).toEqual([403, ["PERMISSION_DENIED"]]);
      expect(answer.message).toContain("security:read");
    }
    await world.member(github("members"), "boss", { role: "cr_admin" });
    const { text } = await world.key({ kind: "user", organization, owner: "boss" });
    expect((await api.call(path, { key: text })).status).toBe(200);
  });

  test("an instance key reads its organizations, or those that it names", async () => {
    await world.instance("forge");
    const names = ["home", "second", "third", "fourth"].map((id) => gitlab("forge", id));
    const uuids: string[] = [];
    for (const name of names) {
      const organization = await world.organization(name.provider_organization_id, { instance_id: "forge" });
      uuids.push(organization);
      await world.member(name, "u-admin", { role: "cr_admin" });
      await world.repository(name, "1");
      const id = name.provider_organization_id;
      await applyScan(api.store().table, organization, scan(1, [finding(id)], { repository_id: "1" }));
    }
    const [home = "", second = "", third = ""] = uuids;
    const { text } = await world.key({
      kind: "instance",
      instanceId: "forge",
      home,
      authorized: [home, second, third],
      owner: "u-admin",
      role: "cr_admin",
    });
    const get = (query = "") => api.call(`${path}${query}`, { key: text });
    expect(idsOf(page(await get()).data)).toEqual(["home", "second", "third"]);
    expect(idsOf(page(await get("?organization_ids=second,nobody")).data)).toEqual(["second"]);
    expect((await get("?organization_ids=fourth")).codes).toEqual(["ORGANIZATION_FORBIDDEN"]);
    expect((await get("?organization_ids=nobody")).codes).toEqual(["ORGANIZATION_NOT_FOUND"]);
    // Repository ids are unique only within an organization.
    const both = await get("?repo_id=1&format=sarif");
    expect(JSON.parse(both.body.toString()).runs).toHaveLength(3);
    const walked: FindingRecord[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const next: string = cursor && `&cursor=${cursor}`;
      const { data, next_cursor } = page(await get(`?limit=1${next}`));
      walked.push(...data);
      cursor = next_cursor;
    }
    expect(idsOf(walked)).toEqual(["home", "second", "third"]);
  });
});

describe("downloads", () => {
  let one: Awaited<ReturnType<typeof organizationWithKey>>;
  beforeAll(async () => {
    one = await organizationWithKey("downloads");
    const findings = [
      finding("=1+1", { title: '-quote " and, comma', description: "two\r\nlines", evidence: ["@x", "y"] }),
      finding("plain", { cwe: null, evidence: [] }),
    ];
    await one.addScan(1, findings, { repository_id: "1" });
    await one.addScan(1, [finding("second")], { repository_id: "2" });
  });

  test("CSV has the record's fields in order, and no cell that a spreadsheet would execute", async () => {
    const answer = await one.get("?format=csv&repo_id=1");
    expect(answer.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(answer.headers).not.toHaveProperty("x-next-cursor");
    const [header = "", ...rows] = answer.body.toString().split(/\r\n(?=(?:'|plain|$))/);
    expect(header).toBe(
      "id,organization_id,organization_name,repository_id,repository_name,title,description,severity,state,cwe," +
        "file_path,start_line,end_line,evidence,scan_id,commit_sha,detected_at,updated_at,provider,repository_short_name",
    );
    const names = "downloads,Organization downloads,1,group/repository-1";
    const seen = "scan-1,commit-1,2026-10-01T01:00:00.000Z,2026-10-01T01:00:00.000Z,github,repository-1";
    expect(rows.toSorted()).toEqual([
      "",
      `'=1+1,${names},"'-quote "" and, comma","two\r\nlines",high,open,CWE-89,src/=1+1.ts,10,12,"[""@x"",""y""]",${seen}`,
      `plain,${names},Finding plain,What is wrong with plain,high,open,,src/plain.ts,10,12,[],${seen}`,
    ]);
  });

  test("SARIF is valid, with a run for the requested repository, or one for each", async () => {
    const answer = await one.get("?format=sarif&repo_id=1");
    expect(answer.headers["content-type"]).toBe("application/sarif+json");
    const log = JSON.parse(answer.body.toString());
    expect(sarifProblems(log)).toEqual([]);
    expect(log.runs).toHaveLength(1);
    const both = JSON.parse((await one.get("?format=sarif")).body.toString());
    expect(sarifProblems(both)).toEqual([]);
    expect(both.runs).toHaveLength(2);
  });

  test("downloads and pages contain the same findings, compressed or not", async () => {
    const json = page(await one.get()).data.map(({ id }) => id);
    const sarif = JSON.parse(
      (
        await api.call(`${path}?format=sarif`, {
          key: (await keyOf(one.organization)).text,
          rawHeaders: ["accept-encoding", "gzip"],
        })
      ).body.toString(),
    );
    const results: { properties: { id: string } }[] = sarif.runs.flatMap(
      ({ results }: { results: unknown[] }) => results,
    );
    expect(results.map(({ properties }) => properties.id)).toEqual(json);
  });
});

const keyOf = (organization: string) =>
  world.key({ kind: "organization", organization, owner: "u-admin", role: "cr_admin" });
