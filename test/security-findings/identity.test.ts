import { beforeAll, describe, expect, test } from "vitest";
import { useStore } from "../support/engine.ts";
import { finding } from "../support/event-data.ts";
import { github, World } from "../support/world.ts";
import { applyScan, byId, scan, statesById, walk } from "./support.ts";

const store = useStore();
const world = new World(() => store().table);

let count = 0;
/** A separate repository for every test. */
async function freshOrganization(): Promise<string> {
  const name = `identity-${count++}`;
  const organization = await world.organization(name);
  for (const id of ["9001", "9002"]) await world.repository(github(name), id);
  return organization;
}

describe("findings across scans", () => {
  let organization = "";
  const now = () => walk(store().table, [organization]);
  const addScan = (...scanned: Parameters<typeof scan>) =>
    applyScan(store().table, organization, scan(...scanned));
  beforeAll(async () => {
    organization = await freshOrganization();
  });

  test("a finding is shown complete, as its newest scan reports it", async () => {
    await addScan(1, [finding("a")]);
    await addScan(2, [finding("a", { start_line: 20, end_line: 21, severity: "critical" })]);
    expect(await now()).toEqual([
      {
        id: "a",
        organization_id: "identity-0",
        organization_name: "Organization identity-0",
        repository_id: "9001",
        repository_name: "group/repository-9001",
        title: "Finding a",
        description: "What is wrong with a",
        severity: "critical",
        state: "open",
        cwe: "CWE-89",
        file_path: "src/a.ts",
        start_line: 20,
        end_line: 21,
        evidence: ["evidence of a"],
        scan_id: "scan-2",
        commit_sha: "commit-2",
        detected_at: "2026-10-01T01:00:00.000Z",
        updated_at: "2026-10-01T02:00:00.000Z",
        provider: "github",
        repository_short_name: "repository-9001",
      },
    ]);
  });

  test("a finding that the newest scan no longer has is fixed, and keeps the values of its last scan", async () => {
    organization = await freshOrganization();
    await addScan(1, [finding("a"), finding("b")]);
    await addScan(2, [finding("b")]);
    await addScan(3, [finding("b")]);
    const [a, b] = byId(await now());
    expect(a).toMatchObject({ state: "fixed", scan_id: "scan-1", updated_at: "2026-10-01T01:00:00.000Z" });
    expect(b).toMatchObject({ state: "open", scan_id: "scan-3", detected_at: "2026-10-01T01:00:00.000Z" });
  });

  test("a finding that returns is open again and keeps its first detection time", async () => {
    organization = await freshOrganization();
    for (const [hour, ids] of [
      [1, ["a"]],
      [2, []],
      [3, ["a"]],
    ] as const)
      await addScan(
        hour,
        ids.map((id) => finding(id)),
      );
    expect(await now()).toMatchObject([
      { id: "a", state: "open", detected_at: "2026-10-01T01:00:00.000Z", scan_id: "scan-3" },
    ]);
  });

  test("an empty scan fixes everything that was open", async () => {
    organization = await freshOrganization();
    await addScan(1, [finding("a"), finding("b", { state: "dismissed" })]);
    await addScan(2, []);
    expect(statesById(await now())).toEqual({ a: "fixed", b: "dismissed" });
  });

  test("a scan of another repository fixes nothing here", async () => {
    organization = await freshOrganization();
    await addScan(1, [finding("a")]);
    await addScan(2, [finding("a", { title: "Another" })], { repository_id: "9002" });
    const records = await now();
    expect(
      records.map(({ repository_id, title, state }) => [repository_id, title, state]).toSorted(),
    ).toEqual([
      ["9001", "Finding a", "open"],
      ["9002", "Another", "open"],
    ]);
  });
});

describe("dismissed findings", () => {
  const outcome = async (...states: (string | undefined)[]) => {
    const organization = await freshOrganization();
    for (const [hour, state] of states.entries())
      await applyScan(store().table, organization, scan(hour, state ? [finding("a", { state })] : []));
    const [record] = await walk(store().table, [organization]);
    return record?.state;
  };

  test("dismissed findings stay dismissed when scans repeat them", async () => {
    expect(await outcome("dismissed", "open")).toBe("dismissed");
    expect(await outcome("open", "dismissed", "open", "open")).toBe("dismissed");
    expect(await outcome("dismissed", "dismissed", "open")).toBe("dismissed");
  });

  test("dismissed findings stay dismissed when a scan no longer has them, and when they return", async () => {
    expect(await outcome("dismissed", undefined)).toBe("dismissed");
    expect(await outcome("dismissed", "open", undefined)).toBe("dismissed");
    expect(await outcome("dismissed", undefined, "open")).toBe("dismissed");
  });

  test("dismissed findings lose the dismissal once a scan reports them fixed", async () => {
    expect(await outcome("dismissed", "fixed")).toBe("fixed");
    expect(await outcome("dismissed", "fixed", "open")).toBe("open");
    expect(await outcome("dismissed", "fixed", "open", undefined)).toBe("fixed");
    expect(await outcome("fixed", "dismissed", "open")).toBe("dismissed");
  });
});

describe("scans that come late or twice", () => {
  test("an older scan changes nothing newer, and adds findings that only it has as fixed", async () => {
    const organization = await freshOrganization();
    const { table } = store();
    await applyScan(table, organization, scan(5, [finding("a", { title: "Newer" })]));
    await applyScan(table, organization, scan(3, [finding("a", { title: "Older" }), finding("gone")]));
    const [a, gone] = byId(await walk(table, [organization]));
    expect(a).toMatchObject({ title: "Newer", state: "open", scan_id: "scan-5" });
    expect(a?.detected_at).toBe("2026-10-01T03:00:00.000Z");
    expect(gone).toMatchObject({ state: "fixed", scan_id: "scan-3" });
  });

  test("the completion time of scans decides, not the time of their events", async () => {
    const organization = await freshOrganization();
    const { table } = store();
    await applyScan(table, organization, scan(5, [finding("a")]));
    const backfill = { occurred_at: "2026-11-01T00:00:00.000Z" };
    await applyScan(table, organization, scan(3, [finding("b")], backfill));
    expect(statesById(await walk(table, [organization]))).toEqual({ a: "open", b: "fixed" });
  });

  test("of two events of one scan the later event counts", async () => {
    for (const isReversed of [false, true]) {
      const organization = await freshOrganization();
      const corrected = { occurred_at: "2026-10-01T09:00:00.000Z", scan_id: "scan-5" };
      const scans = [
        scan(5, [finding("a"), finding("b")]),
        scan(5, [finding("a", { title: "Better" })], corrected),
      ];
      for (const each of isReversed ? scans.toReversed() : scans)
        await applyScan(store().table, organization, each);
      const [a, b] = byId(await walk(store().table, [organization]));
      expect([a?.title, a?.state, b?.state]).toEqual(["Better", "open", "fixed"]);
    }
  });

  test("the same scan again writes nothing", async () => {
    const organization = await freshOrganization();
    const { table } = store();
    const older = scan(1, [finding("a"), finding("b", { state: "dismissed" })]);
    const newer = scan(2, [finding("a")]);
    for (const each of [older, newer]) await applyScan(table, organization, each);
    const before = await walk(table, [organization]);
    const readOnly = {
      ...table,
      write: () => Promise.reject(new Error("wrote")),
      writeMany: () => Promise.reject(new Error("wrote")),
    };
    for (const each of [older, newer]) await applyScan(readOnly, organization, each);
    expect(await walk(table, [organization])).toEqual(before);
  });

  test("a scan with unchanged findings writes the ledger and no finding", async () => {
    const organization = await freshOrganization();
    const { table } = store();
    const findings = [finding("a"), finding("b", { state: "dismissed" }), finding("c", { state: "fixed" })];
    await applyScan(table, organization, scan(1, [finding("b", { state: "dismissed" }), finding("d")]));
    await applyScan(table, organization, scan(2, findings));
    const noChunks = {
      ...table,
      writeMany: async (writes: readonly object[]) =>
        expect(writes.filter((write) => "put" in write)).toEqual([]),
    };
    await applyScan(noChunks, organization, scan(3, findings));
    const records = await walk(table, [organization]);
    expect(statesById(records)).toEqual({ a: "open", b: "dismissed", c: "fixed", d: "fixed" });
    expect(byId(records).map(({ scan_id }) => scan_id)).toEqual(["scan-3", "scan-3", "scan-3", "scan-1"]);
  });
});
