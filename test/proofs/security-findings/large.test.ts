import { beforeAll, describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { requestLimits, securityLimits } from "../../../lib/contract/limits.ts";
import { required } from "../../../lib/runtime/required.ts";
import { placeOf } from "../../../lib/security/finding.ts";
import { ledgerItemOf, parseLedger } from "../../../lib/security/ledger.ts";
import { StoreMeter } from "../../../lib/store/meter.ts";
import { applyScan, scan } from "../../security-findings/support.ts";
import { createDelivery } from "../../security-findings/support-events.ts";
import { useApi } from "../../support/api.ts";
import { type FindingData, finding } from "../../support/event-data.ts";
import { isLong, volume } from "../../support/volume.ts";
import { github, World } from "../../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const path = "/v1/security/scans/code";

async function organizationWithKey(name: string) {
  const organization = await world.organization(name);
  await world.member(github(name), "u-admin", { role: "cr_admin" });
  await world.repository(github(name), "9001");
  const text = await world.adminKey(organization);
  const get = (query: string) =>
    api.call(`${path}?${query}`, { key: text, rawHeaders: ["accept-encoding", "gzip"] });
  return { organization, get };
}

const count = volume(6_001, securityLimits.downloadFindingsMax + 1);

describe(`a scan of ${count} findings`, () => {
  const all = Array.from({ length: count }, (_, index) => finding(`finding-${index}`));
  let one: Awaited<ReturnType<typeof organizationWithKey>>;
  /** Delivers as the platform does and returns the cost in store calls and units. */
  async function costOf(hour: number, findings: readonly FindingData[]) {
    const meter = new StoreMeter();
    const delivery = createDelivery(api.store().table.metered(meter));
    expect(await delivery.deliverScan(scan(hour, findings), github("fifty"))).toEqual([]);
    expect(delivery.letters).toEqual([]);
    return { calls: meter.calls.length, reads: meter.readUnits, writes: meter.writeUnits };
  }

  beforeAll(async () => {
    one = await organizationWithKey("fifty");
  });

  test("a large scan is applied with a few calls, and costs a fraction of a unit per finding", async () => {
    const cost = await costOf(1, all);
    expect(cost.calls).toBeLessThan(15);
    expect(cost.writes).toBeLessThan(count / 10);
  });

  /** Makes the ledger count one finding more than a download holds. Returns a function that undoes this. */
  async function countOneTooMany(): Promise<() => Promise<unknown>> {
    const { table } = api.store();
    const stored = required(
      await table.get(kinds.scans.key({ organization: one.organization, digest: placeOf("9001") })),
      "ledger",
    );
    const ledger = parseLedger(stored, one.organization);
    const missing = securityLimits.downloadFindingsMax + 1 - count;
    const chunks = ledger.chunks.map((chunk, index) => ({
      ...chunk,
      counts: chunk.counts.map((each) => (index === 0 && each > 0 ? each + missing : each)),
    }));
    await table.write({ put: ledgerItemOf({ ...ledger, chunks }) });
    return () => table.write({ put: stored });
  }

  test("a download with one finding too many is a 413 with what to do; inactive repositories do not count", async () => {
    const takeBack = await countOneTooMany();
    for (const format of ["csv", "sarif"]) {
      const answer = await one.get(`format=${format}`);
      expect([answer.status, answer.codes]).toEqual([413, ["RESPONSE_TOO_LARGE"]]);
      expect(answer.message).toBe(
        "50001 findings match, and a download holds at most 50000. " +
          "Narrow with repo_id, state or severity, or read JSON pages with a smaller limit.",
      );
    }
    await world.repository(github("fifty"), "9001", { active: false });
    const withoutInactive = await one.get("format=csv");
    expect([withoutInactive.status, withoutInactive.body.toString().split("\r\n")]).toEqual([
      200,
      [expect.stringContaining("id,"), ""],
    ]);
    await world.repository(github("fifty"), "9001");
    await takeBack();
  });

  test("a repeated large scan costs almost no writes, and one finding less costs one chunk", async () => {
    const again = await costOf(2, all);
    expect(again.writes).toBeLessThan(20);
    const oneLess = await costOf(3, all.slice(1));
    expect(oneLess.writes).toBeLessThan(150);
    expect(oneLess.calls).toBeLessThan(15);
  });

  test("the largest allowed download is complete as CSV", async () => {
    const answer = await one.get("format=csv");
    expect(answer.status).toBe(200);
    const ids = answer.body
      .toString()
      .split("\r\n")
      .slice(1, -1)
      .map((row) => row.slice(0, row.indexOf(",")));
    expect(new Set(ids)).toEqual(new Set(all.slice(1).map(({ id }) => id)));
  });

  if (isLong)
    test("a large scan as SARIF exceeds 16 MiB: 413 with what to do", async () => {
      const answer = await one.get("format=sarif");
      expect([answer.status, answer.codes]).toEqual([413, ["RESPONSE_TOO_LARGE"]]);
      expect(answer.message).toBe(
        "The response would exceed 16 MiB. Narrow with repo_id, state or severity, or read JSON pages with a smaller limit.",
      );
    });

  test("a large scan is read page by page at the cost of the page", async () => {
    const answer = await one.get("limit=1000&state=fixed");
    expect(answer.json).toMatchObject({ data: [{ id: "finding-0", state: "fixed" }], next_cursor: null });
    expect((await one.get("limit=1000")).status).toBe(200);
  });
});

describe("16 MiB", () => {
  const heavyCount = 160;
  const evidenceOf = (characters: number) => Array.from({ length: 10 }, () => "x".repeat(characters));
  const evidence = evidenceOf(10_000);
  /** Findings whose descriptions have this many more characters, one byte each in every format. */
  const heavier = (characters: number) =>
    Array.from({ length: heavyCount }, (_, index) => {
      const share = Math.floor(characters / heavyCount) + (index < characters % heavyCount ? 1 : 0);
      return finding(`finding-${100 + index}`, { evidence, description: "x".repeat(1 + share) });
    });
  /** The same findings with minimal evidence, and the number of bytes that this saves. */
  const light = heavier(0).map((each) => ({ ...each, evidence: evidenceOf(1) }));
  const leftOut = heavyCount * 10 * (10_000 - 1);

  test.each(["csv", "sarif", "json"])(
    "%s of exactly 16 MiB is sent, one byte more is a 413",
    async (format) => {
      const { organization, get } = await organizationWithKey(`full-${format}`);
      const answerOf = async (hour: number, findings: readonly FindingData[]) => {
        // The same scan is sent again, so that nothing else in the answer changes.
        const again = { scan_id: "scan", occurred_at: `2026-10-0${hour}T00:00:00.000Z` };
        await applyScan(api.store().table, organization, scan(1, findings, again));
        return await get(format === "json" ? "limit=1000" : `format=${format}`);
      };
      const room = requestLimits.responseBytesMax - leftOut - (await answerOf(1, light)).body.length;
      expect(room).toBeGreaterThan(0);
      const full = await answerOf(2, heavier(room));
      expect([full.status, full.body.length]).toEqual([200, requestLimits.responseBytesMax]);
      const over = await answerOf(3, heavier(room + 1));
      expect([over.status, over.codes]).toEqual([413, ["RESPONSE_TOO_LARGE"]]);
      expect(over.message).toContain("Narrow with repo_id, state or severity");
    },
    60_000,
  );

  test("an answer far over 16 MiB is refused without being rendered", async () => {
    const { organization, get } = await organizationWithKey("far-over");
    const findings = Array.from({ length: 250 }, (_, index) => finding(`finding-${index}`, { evidence }));
    await applyScan(api.store().table, organization, scan(1, findings));
    for (const query of ["format=csv", "format=sarif", "limit=1000"])
      expect((await get(query)).codes).toEqual(["RESPONSE_TOO_LARGE"]);
    expect((await get("limit=100")).status).toBe(200);
  });
});
