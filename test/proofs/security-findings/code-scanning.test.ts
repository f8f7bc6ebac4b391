import { describe, expect, test } from "vitest";
import { organizationUuid } from "../../../lib/contract/identity.ts";
import { requestLimits, securityLimits } from "../../../lib/contract/limits.ts";
import type { FindingRecord } from "../../../lib/contract/records-security.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import type { RepositoryFindings } from "../../../lib/security/read-findings.ts";
import { sarifLog } from "../../../lib/security/sarif.ts";
import { checkUploadable } from "../../../lib/security/uploadable.ts";
import { sarifProblems } from "../../security-findings/sarif-schema.ts";
import { applyScan, download, scan } from "../../security-findings/support.ts";
import { useApi } from "../../support/api.ts";
import { finding } from "../../support/event-data.ts";
import { github, gitlab, World } from "../../support/world.ts";

/** GitHub's published limits of an upload: docs.github.com, "SARIF results exceed one or more limits". */
const published = {
  gzipBytes: 10_000_000,
  runsPerFile: 20,
  resultsPerRun: 25_000,
  rulesPerRun: 25_000,
  tagsPerRule: 20,
  locationsPerResult: 1_000,
};

const api = useApi();
const world = new World(() => api.store().table);

async function harvestOf(name: string, change: object = {}): Promise<RepositoryFindings> {
  const organization = await world.organization(name);
  await world.repository(github(name), "9001", change);
  await applyScan(api.store().table, organization, scan(1, [finding("a")]));
  const [harvest] = await download(api.store().table, [organization]);
  if (!harvest) throw new Error("There is no harvest.");
  return harvest;
}

type Log = ReturnType<typeof sarifLog>;

function expectUploadable({ runs }: Log): void {
  expect(runs.length).toBeLessThanOrEqual(published.runsPerFile);
  expect(new Set(runs.map(({ automationDetails }) => automationDetails.id)).size).toBe(runs.length);
  for (const { results, tool } of runs) {
    expect(results.length).toBeLessThanOrEqual(published.resultsPerRun);
    expect(tool.driver.rules.length).toBeLessThanOrEqual(published.rulesPerRun);
    for (const { properties } of tool.driver.rules)
      expect(properties.tags.length).toBeLessThanOrEqual(published.tagsPerRule);
    for (const { locations } of results.slice(0, 100))
      expect(locations.length).toBeLessThanOrEqual(published.locationsPerResult);
  }
}

describe("an upload to code scanning", () => {
  test("an upload of a full download of one repository stays within GitHub's limits", async () => {
    const harvest = await harvestOf("large");
    const [record] = harvest.records;
    if (!record) throw new Error("There is no record.");
    const records = Array.from(
      { length: securityLimits.downloadFindingsMax },
      (_, index): FindingRecord => ({
        ...record,
        id: `f${index}`,
        cwe: index % 2 ? `CWE-${index % 900}` : null,
      }),
    );
    const log = sarifLog([{ ...harvest, records }]);
    expectUploadable(log);
    expect(log.runs.map(({ results }) => results.length)).toEqual([25_000, 25_000]);
    expect(log.runs.map(({ automationDetails }) => automationDetails.id)).toEqual([
      "ai-security-scan/large/9001/",
      "ai-security-scan/large/9001/2/",
    ]);
    const ids = log.runs.flatMap(({ results }) => results.map(({ properties }) => properties.id));
    expect(new Set(ids).size).toBe(records.length);
    for (const { results, tool } of log.runs)
      for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
  });

  test("an upload is refused only if its gzip size exceeds GitHub's limit", async () => {
    expect(securityLimits.sarifGzipBytesMax).toBe(published.gzipBytes);
    const file = (bytes: Uint8Array) => checkUploadable({ runs: [] }, bytes);
    // Bytes that gzip shrinks to almost nothing; then bytes that gzip cannot shrink, at the limit and one over it.
    await file(Buffer.alloc(requestLimits.responseBytesMax, "a"));
    await file(systemRandom.bytes(published.gzipBytes));
    const refused = file(systemRandom.bytes(published.gzipBytes + 1));
    await expect(refused).rejects.toMatchObject({ code: "RESPONSE_TOO_LARGE" });
  });

  test("every run has its own category, even if two organizations use the same repository id", async () => {
    await world.instance("twins");
    const organizations = await Promise.all(
      ["one", "two"].map(async (name) => {
        const uuid = await world.organization(name, { instance_id: "twins" });
        await world.repository(gitlab("twins", name), "9001");
        await applyScan(api.store().table, uuid, scan(1, [finding("a")]));
        return uuid;
      }),
    );
    const log = sarifLog(await download(api.store().table, organizations, { repositoryId: "9001" }));
    expectUploadable(log);
    expect(log.runs).toHaveLength(2);
  });

  test("messages are shown as written: braces are no placeholders and brackets no links", async () => {
    const organization = await world.organization("escapes");
    await world.repository(github("escapes"), "9001");
    const title = "Use of {0} in [this](1) and C:\\temp\\[x]";
    await applyScan(api.store().table, organization, scan(1, [finding("a", { title, description: "" })]));
    const log = sarifLog(await download(api.store().table, [organization]));
    expect(sarifProblems(JSON.parse(JSON.stringify(log)))).toEqual([]);
    expect(log.runs[0]?.results[0]?.message.text).toBe(
      "Use of {{0}} in \\[this\\](1) and C:\\temp\\\\\\[x\\].",
    );
  });

  test("an upload contains no credentials of the repository's address", async () => {
    const { runs } = sarifLog([
      await harvestOf("secret", {
        url: "https://bot:hunter2@git.example.com/group/app?private_token=hunter2#hunter2",
      }),
    ]);
    expect(runs[0]?.versionControlProvenance[0]?.repositoryUri).toBe("https://git.example.com/group/app");
    expect(JSON.stringify(runs)).not.toContain("hunter2");
  });
});

describe("GET /v1/security/scans/code", () => {
  test("GET /v1/security/scans/code shows findings only while their repository is active, in every format", async () => {
    const organization = await world.organization("inactive");
    await world.member(github("inactive"), "boss", { role: "cr_admin" });
    for (const repository_id of ["kept", "gone"]) {
      await world.repository(github("inactive"), repository_id);
      await applyScan(
        api.store().table,
        organization,
        scan(1, [finding(`in-${repository_id}`)], { repository_id }),
      );
    }
    const key = await world.adminKey(organization, "boss");
    const shown = async (query: string) => {
      const { body } = await api.call(`/v1/security/scans/code?${query}`, { key });
      return ["in-kept", "in-gone"].filter((id) => body.toString().includes(id));
    };
    const queries = [
      "format=json",
      "format=json&limit=1",
      "format=csv",
      "format=sarif",
      "format=sarif&repo_id=gone",
    ];
    expect(await Promise.all(queries.map(shown))).toEqual([
      ["in-kept", "in-gone"],
      [expect.any(String)],
      ["in-kept", "in-gone"],
      ["in-kept", "in-gone"],
      ["in-gone"],
    ]);
    await world.repository(github("inactive"), "gone", { active: false });
    expect(await Promise.all(queries.map(shown))).toEqual([
      ["in-kept"],
      ["in-kept"],
      ["in-kept"],
      ["in-kept"],
      [],
    ]);
    const page = await api.call("/v1/security/scans/code?limit=1", { key });
    expect(page.json).toMatchObject({ next_cursor: null });
    await world.repository(github("inactive"), "gone");
    expect(await shown("format=csv")).toEqual(["in-kept", "in-gone"]);
  });

  test("SARIF of a repo_id in more organizations than code scanning allows runs is a 413 with that reason", async () => {
    await world.instance("crowd");
    const names = Array.from({ length: published.runsPerFile + 1 }, (_, index) => `crowd-${index}`);
    for (const name of names) {
      const uuid = await world.organization(name, { instance_id: "crowd" });
      await world.repository(gitlab("crowd", name), "9001");
      await applyScan(api.store().table, uuid, scan(1, [finding("a")]));
    }
    await world.member(gitlab("crowd", "crowd-0"), "boss", { role: "cr_admin" });
    const { text: key } = await world.key({
      kind: "instance",
      instanceId: "crowd",
      home: organizationUuid(gitlab("crowd", "crowd-0")),
      owner: "boss",
      role: "cr_admin",
    });
    const read = (query: string) => api.call(`/v1/security/scans/code?format=sarif${query}`, { key });
    const refused = await read("&repo_id=9001");
    expect([refused.status, refused.codes]).toEqual([413, ["RESPONSE_TOO_LARGE"]]);
    expect(refused.message).toBe(
      "repo_id: the file would have 21 runs, and code scanning takes at most 20. Name some of the organizations that have this repository in organization_ids.",
    );
    const some = await read("&repo_id=9001&organization_ids=crowd-0,crowd-1");
    expect(JSON.parse(some.body.toString())).toMatchObject({ runs: [{}, {}] });
    const all = await read("");
    expect(JSON.parse(all.body.toString())).toMatchObject({ runs: names.map(() => ({})) });
  });

  test.each(["csv", "sarif"])("a download as %s has a file name, JSON has none", async (format) => {
    const organization = await world.organization(`named-${format}`);
    await world.member(github(`named-${format}`), "boss", { role: "cr_admin" });
    const key = await world.adminKey(organization, "boss");
    const { headers } = await api.call(`/v1/security/scans/code?format=${format}`, { key });
    expect(headers["content-disposition"]).toBe(`attachment; filename="security-findings.${format}"`);
    expect((await api.call("/v1/security/scans/code", { key })).headers).not.toHaveProperty(
      "content-disposition",
    );
  });
});
