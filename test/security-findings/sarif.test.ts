import { beforeAll, describe, expect, test } from "vitest";
import { findingSeverities } from "../../lib/contract/records-security.ts";
import { sarifLog } from "../../lib/security/sarif.ts";
import { useStore } from "../support/engine.ts";
import { finding } from "../support/event-data.ts";
import { github, World } from "../support/world.ts";
import { sarifProblems } from "./sarif-schema.ts";
import { applyScan, download, scan } from "./support.ts";

const store = useStore();
const world = new World(() => store().table);

let count = 0;
async function freshOrganization(repositories = ["9001"]): Promise<string> {
  const name = `sarif-${count++}`;
  const organization = await world.organization(name);
  for (const id of repositories) await world.repository(github(name), id);
  return organization;
}

async function logOf(organization: string, choice: Parameters<typeof download>[2] = {}) {
  const log = sarifLog(await download(store().table, [organization], choice));
  expect(sarifProblems(JSON.parse(JSON.stringify(log)))).toEqual([]);
  return log;
}

/** The only run, with results by the finding's id. */
async function runOf(organization: string, choice: Parameters<typeof download>[2] = {}) {
  const { runs } = await logOf(organization, choice);
  const [run, another] = runs;
  if (!run || another) throw new Error(`There are ${runs.length} runs.`);
  return { run, results: new Map(run.results.map((result) => [result.properties.id, result])) };
}

describe("SARIF 2.1.0", () => {
  let organization = "";
  beforeAll(async () => {
    organization = await freshOrganization();
    await applyScan(store().table, organization, scan(1, [finding("kept"), finding("gone")]));
    const findings = [
      finding("kept"),
      finding("new", { cwe: "CWE-79", severity: "low" }),
      finding("worse", { cwe: "CWE-79", severity: "critical", state: "dismissed" }),
      finding("unknown", { cwe: "CWE-4711", severity: "medium" }),
      finding("none", { cwe: null, title: "Really?", description: "" }),
      finding("path", { file_path: "./a b/ü#?%:\\c.ts" }),
    ];
    await applyScan(store().table, organization, scan(2, findings));
  });

  test("a SARIF result has everything that code scanning needs of a finding", async () => {
    const { results } = await runOf(organization);
    expect(results.get("kept")).toEqual({
      ruleId: "CWE-89/high",
      ruleIndex: 2,
      level: "error",
      message: { text: "Finding kept.\n\nWhat is wrong with kept" },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "src/kept.ts", uriBaseId: "%SRCROOT%" },
            region: { startLine: 10, endLine: 12 },
          },
        },
      ],
      partialFingerprints: { primaryLocationLineHash: expect.stringMatching(/^[0-9a-f]{16}:1$/) },
      suppressions: [],
      baselineState: "unchanged",
      properties: {
        id: "kept",
        severity: "high",
        "security-severity": "8.0",
        state: "open",
        evidence: ["evidence of kept"],
        scan_id: "scan-2",
        commit_sha: "commit-2",
        detected_at: "2026-10-01T01:00:00.000Z",
        updated_at: "2026-10-01T02:00:00.000Z",
      },
    });
    expect(results.get("none")?.message).toEqual({ text: "Really?" });
  });

  test("a SARIF run names the repository, the commit and a stable category", async () => {
    const { run } = await runOf(organization);
    expect(run).toMatchObject({
      tool: { driver: { name: "AI security scan" } },
      automationDetails: { id: expect.stringMatching(/^ai-security-scan\/sarif-\d+\/9001\/$/) },
      versionControlProvenance: [
        {
          repositoryUri: "https://git.example.com/group/repository-9001",
          revisionId: "commit-2",
          mappedTo: { uriBaseId: "%SRCROOT%" },
        },
      ],
      properties: { repository_id: "9001", repository_name: "group/repository-9001", scan_id: "scan-2" },
    });
  });

  test("SARIF has one rule per weakness and severity, with help, so that no finding gets another's severity", async () => {
    const { run, results } = await runOf(organization);
    const { rules } = run.tool.driver;
    expect(rules.map(({ id }) => id)).toEqual([
      "CWE-79/critical",
      "CWE-79/low",
      "CWE-89/high",
      "CWE-4711/medium",
      "security-finding/high",
    ]);
    expect(rules[0]).toMatchObject({
      name: "Cross-site scripting",
      shortDescription: { text: "Cross-site scripting (CWE-79)" },
      fullDescription: { text: expect.stringMatching(/\.$/) },
      help: {
        text: expect.stringContaining("What to do: "),
        markdown: expect.stringContaining("**What to do:** "),
      },
      helpUri: "https://cwe.mitre.org/data/definitions/79.html",
      defaultConfiguration: { level: "error" },
      properties: { "security-severity": "9.5", tags: ["security", "external/cwe/cwe-079"] },
    });
    expect(rules[3]).toMatchObject({
      shortDescription: { text: "Weakness CWE-4711 (CWE-4711)" },
      properties: { "security-severity": "5.5", tags: ["security", "external/cwe/cwe-4711"] },
    });
    expect(rules[4]).toMatchObject({ properties: { tags: ["security"] } });
    expect(rules[4]).not.toHaveProperty("helpUri");
    for (const { ruleId, ruleIndex, properties } of results.values()) {
      expect(rules[ruleIndex]?.id).toBe(ruleId);
      expect(rules[ruleIndex]?.properties["security-severity"]).toBe(properties["security-severity"]);
    }
  });

  test("scores are in the bands of code scanning, and levels are SARIF's", async () => {
    const bands = { critical: [9, 10.1], high: [7, 9], medium: [4, 7], low: [0.1, 4] } as const;
    const levels = { critical: "error", high: "error", medium: "warning", low: "note" };
    const { results } = await runOf(organization);
    const met = new Set<string>();
    for (const { level, properties } of results.values()) {
      const [from, below] = bands[properties.severity];
      expect(Number(properties["security-severity"])).toBeGreaterThanOrEqual(from);
      expect(Number(properties["security-severity"])).toBeLessThan(below);
      expect(level).toBe(levels[properties.severity]);
      met.add(properties.severity);
    }
    expect([...met].sort()).toEqual([...findingSeverities].sort());
  });

  test("dismissed findings are suppressed, and every result says whether it is", async () => {
    const { results } = await runOf(organization);
    expect(results.get("worse")?.suppressions).toEqual([
      { kind: "external", status: "accepted", justification: "The finding was dismissed." },
    ]);
    for (const [id, { suppressions }] of results) expect(suppressions).toHaveLength(id === "worse" ? 1 : 0);
  });

  test("fixed findings are absent from the newest scan, the others new or unchanged", async () => {
    const { results } = await runOf(organization);
    expect(Object.fromEntries([...results].map(([id, { baselineState }]) => [id, baselineState]))).toEqual({
      gone: "absent",
      kept: "unchanged",
      new: "new",
      worse: "new",
      unknown: "new",
      none: "new",
      path: "new",
    });
  });

  test("paths are relative to the root, and are valid URIs whatever characters they have", async () => {
    const { results } = await runOf(organization);
    expect(results.get("path")?.locations[0]?.physicalLocation.artifactLocation.uri).toBe(
      "a%20b/%C3%BC%23%3F%25%3A/c.ts",
    );
  });

  test.each([
    ["/src/a.ts", "src/a.ts"],
    ["//host/a.ts", "host/a.ts"],
    ["././a.ts", "a.ts"],
    [".github/a.yml", ".github/a.yml"],
    ["http://evil.test/a.ts", "http%3A/evil.test/a.ts"],
    ["src/./lib/../a.ts", "src/a.ts"],
    ["../../etc/passwd", "etc/passwd"],
    ["src\\windows\\a.ts", "src/windows/a.ts"],
    ["..\\..\\a.ts", "a.ts"],
    ["src/a..ts", "src/a..ts"],
    ["..", "unknown"],
  ])("the path %s becomes %s", async (file_path, uri) => {
    const organization = await freshOrganization();
    await applyScan(store().table, organization, scan(1, [finding("a", { file_path })]));
    const { results } = await runOf(organization);
    expect(results.get("a")?.locations[0]?.physicalLocation.artifactLocation.uri).toBe(uri);
  });

  test("a finding keeps fingerprint and rule when scans move, reword or dismiss it; others have their own", async () => {
    const organization = await freshOrganization();
    const identities = async () => {
      const { results } = await runOf(organization);
      const identity = (id: string) => [results.get(id)?.ruleId, results.get(id)?.partialFingerprints];
      return [identity("a"), identity("b")];
    };
    await applyScan(
      store().table,
      organization,
      scan(1, [finding("a"), finding("b", { file_path: "src/a.ts" })]),
    );
    const first = await identities();
    const moved = { start_line: 90, end_line: 95, title: "Reworded", state: "dismissed" };
    await applyScan(
      store().table,
      organization,
      scan(2, [finding("a", moved), finding("b", { file_path: "src/a.ts" })]),
    );
    expect(await identities()).toEqual(first);
    expect(first[0]).not.toEqual(first[1]);
  });

  test("there is a run for every scanned repository, even without findings to show", async () => {
    const organization = await freshOrganization(["1", "2", "3"]);
    await applyScan(store().table, organization, scan(1, [finding("a")], { repository_id: "1" }));
    await applyScan(store().table, organization, scan(1, [], { repository_id: "2" }));
    const { runs } = await logOf(organization);
    expect(
      runs
        .map((run) => [run.properties.repository_id, run.results.length])
        .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
    ).toEqual([
      ["1", 1],
      ["2", 0],
    ]);
    const { run } = await runOf(organization, { repositoryId: "1" });
    expect(run.properties.repository_id).toBe("1");
    expect((await logOf(organization, { repositoryId: "3" })).runs).toEqual([]);
  });

  test("the schema rejects a document that is not SARIF", () => {
    expect(sarifProblems({ version: "2.1.0", runs: [{}] })).not.toEqual([]);
    const badPath = { physicalLocation: { artifactLocation: { uri: "a b" } } };
    const results = [{ message: { text: "x" }, locations: [badPath] }];
    expect(sarifProblems({ version: "2.1.0", runs: [{ tool: { driver: { name: "x" } }, results }] })).toEqual(
      [expect.stringContaining("uri-reference")],
    );
  });
});
