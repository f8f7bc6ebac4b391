import { describe, expect, test } from "vitest";
import { operator } from "../../lib/audit/entry.ts";
import { type AuditPosition, type AuditQuery, readAuditLog } from "../../lib/audit/list.ts";
import { recordRefusal } from "../../lib/audit/refused-keys.ts";
import * as kinds from "../../lib/contract/items.ts";
import { auditLimits } from "../../lib/contract/limits.ts";
import { toTimestamp } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import type { Item, Range, Table } from "../../lib/store/table.ts";
import { keyItem } from "../access/principals.ts";
import { TestClock } from "../support/clock.ts";
import { openStore, useStore } from "../support/engine.ts";

const store = useStore();
const clock = new TestClock();
const now = clock.nowMs();
const owner = "w#acme";

/** The entry from this many seconds ago, identified by that number. */
const entry = (secondsAgo: number, change: object = {}): Item => {
  const createdAt = toTimestamp(now - secondsAgo * 1000);
  return {
    pk: kinds.audit.partition({ tenant: owner, month: createdAt.slice(0, 7) }),
    sk: `${createdAt}#e${secondsAgo}`,
    id: `00000000-0000-4000-8000-${String(secondsAgo).padStart(12, "0")}`,
    action: "key.created",
    resource_type: "api_key",
    resource_id: null,
    summary: "",
    actor: { type: "system", id: null, name: null, key_id: null, key_kind: null },
    organization_id: null,
    provider: null,
    organization: null,
    metadata: {},
    ip_address: null,
    request_id: null,
    created_at: createdAt,
    gateway_request_id: null,
    ttl: Math.ceil(now / 1000) + 1,
    ...change,
  };
};

/** An audit log in memory. */
function logOf(entries: readonly Item[]): Table {
  const queryPage = async ({ pk, from = "", upTo = "~", descending }: Range) => {
    const items = entries.filter((item) => item.pk === pk && item.sk >= from && item.sk <= upTo);
    return { items: descending ? items.toReversed() : items };
  };
  return { ...store().table, queryPage };
}

const query = (change: Partial<AuditQuery> = {}): AuditQuery => ({
  owner,
  order: "asc",
  fromMs: undefined,
  toMs: undefined,
  after: null,
  limit: 10,
  retentionDays: 400,
  wanted: () => true,
  ...change,
});

describe("a page of the audit log", () => {
  const many = Array.from({ length: auditLimits.passedOverMax + 5 }, (_, index) =>
    entry(auditLimits.passedOverMax + 5 - index),
  );
  const read = async (change: Partial<AuditQuery>) => {
    const page = await readAuditLog({ table: logOf(many), clock }, query(change));
    return { ids: page.entries.map(({ sk }) => sk.split("#")[1]), next: page.next };
  };
  const at = (place: string): AuditPosition => ({ place, settled: place });

  test("a page of the audit log that skips very many entries ends early, with a position to continue from", async () => {
    const { ids, next } = await read({ wanted: () => false });
    expect(ids).toEqual([]);
    expect(next?.place).toBe(many[auditLimits.passedOverMax - 1]?.sk);
    const rest = await read({ wanted: () => true, after: next });
    expect(rest).toEqual({ ids: ["e5", "e4", "e3", "e2", "e1"], next: null });
  });

  test("a page of the audit log that skips large entries ends by their bytes, not only by their number", async () => {
    const large = Array.from({ length: 60 }, (_, index) =>
      entry(60 - index, { metadata: { failed: ["x".repeat(300_000)] } }),
    );
    const { next } = await readAuditLog({ table: logOf(large), clock }, query({ wanted: () => false }));
    expect(next).not.toBeNull();
    expect(next?.place).toBe(large[Math.floor(auditLimits.passedOverBytesMax / 300_000)]?.sk);
  });

  test("a page of the audit log continues in either direction from its position, inside the window only", async () => {
    const after = at(many.at(-3)?.sk ?? "");
    expect(await read({ after })).toEqual({ ids: ["e2", "e1"], next: null });
    expect(await read({ after, order: "desc", fromMs: now - 5_000 })).toEqual({
      ids: ["e4", "e5"],
      next: null,
    });
    // A position outside the window does not widen it.
    expect(await read({ after: at(many[0]?.sk ?? ""), fromMs: now - 2_000 })).toEqual({
      ids: ["e2", "e1"],
      next: null,
    });
    expect(await read({ after, order: "desc", fromMs: now - 6_000, toMs: now - 5_000 })).toEqual({
      ids: ["e5", "e6"],
      next: null,
    });
  });

  test("a page of the audit log leaves out expired entries", async () => {
    const table = logOf([entry(3, { ttl: Math.floor(now / 1000) }), entry(2)]);
    const { entries } = await readAuditLog({ table, clock }, query());
    expect(entries.map(({ sk }) => sk.split("#")[1])).toEqual(["e2"]);
  });

  test("a resumed walk whose filter matches nothing does not read the same entries again", async () => {
    const old = Array.from({ length: 30 }, (_, index) => entry(10_000 + index)).toReversed();
    let judged = 0;
    const wanted = () => {
      judged++;
      return false;
    };
    const log = { table: logOf(old), clock };
    const first = await readAuditLog(log, query({ wanted, after: { place: "2020", settled: "2020" } }));
    expect([judged, first.next]).toEqual([30, null]);
    await readAuditLog(log, query({ wanted, after: first.resume }));
    expect(judged).toBe(30);
  });

  test("a page of the audit log is resumed from before the last moments, which may not be settled", async () => {
    const settled = `${toTimestamp(now - auditLimits.settledAfterMs)}#`;
    const resume = async (entries: readonly Item[], after: AuditPosition | null = null) =>
      (await readAuditLog({ table: logOf(entries), clock }, query({ after }))).resume;
    const old = entry(10_000);
    expect(await resume([])).toEqual(at(settled));
    expect(await resume([old, entry(1)])).toEqual(at(settled));
    expect(await resume([old])).toEqual(at(settled));
    expect(await resume([], at(old.sk))).toEqual(at(settled));
    // An earlier page read moments that were not settled at that time.
    expect(await resume([entry(1)], { place: old.sk, settled: "2020" })).toEqual(at("2020"));
  });

  test.each([
    { day: "2026-11-16", order: "desc", months: ["2026-11"] },
    { day: "2026-11-03", order: "desc", months: ["2026-11", "2026-10"] },
    { day: "2026-11-30", order: "desc", months: ["2026-12", "2026-11"] },
    { day: "2027-01-02", order: "desc", months: ["2027-01", "2026-12"] },
    { day: "2026-11-16", order: "desc", after: "2026-10-15", months: ["2026-10"] },
    { day: "2026-11-16", order: "desc", after: "2026-11-04", months: ["2026-11", "2026-10"] },
    // The oldest entry that is kept is 400 days old.
    { day: "2026-11-16", order: "asc", months: ["2025-10"] },
    { day: "2026-11-16", order: "asc", after: "2026-09-20", months: ["2026-09"] },
    { day: "2026-11-16", order: "asc", after: "2025-12-28", months: ["2025-12", "2026-01"] },
  ] as const)(
    "a page of the audit log reads only the months in which it probably ends: $day, $order, after $after",
    async (row) => {
      const today = new TestClock(`${row.day}T12:00:00.000Z`);
      const after = "after" in row ? at(`${row.after}T12:00:00.000Z#e1`) : null;
      const asked: string[] = [];
      const queryPage = async ({ pk }: Range) => {
        asked.push(pk);
        return {
          items: Array.from({ length: 12 }, (_, index) => ({ ...entry(index, { ttl: 9_999_999_999 }), pk })),
        };
      };
      const table: Table = { ...store().table, queryPage };
      const { entries } = await readAuditLog({ table, clock: today }, query({ order: row.order, after }));
      expect(entries).toHaveLength(10);
      expect(asked).toEqual(row.months.map((month) => kinds.audit.partition({ tenant: owner, month })));
    },
  );

  test("a page of the audit log reads many entries per query, however few it returns", async () => {
    const { table } = await openStore(store().endpoint);
    await table.writeMany(many.slice(-600).map((put) => ({ put })));
    const meter = new StoreMeter();
    const deps = { table: table.metered(meter), clock };
    await readAuditLog(deps, query({ limit: 1, wanted: () => false, fromMs: now - 600_000 }));
    expect(meter.calls.length).toBeLessThanOrEqual(7);
  });
});

describe("a refused key", () => {
  const deps = () => ({ table: store().table, clock, random: systemRandom, retentionDays: 400 });
  const refusal = (id: string) => ({
    key: keyItem("user", { id, organization: null }),
    actor: operator,
    reason: "revoked",
    operation: "whoami",
    ipAddress: null,
    requestId: "r1",
  });
  const marker = (id: string) => store().table.get(kinds.refusal.key({ keyId: id, reason: "revoked" }));

  test("the refusal of one key is one audit entry, even if two functions audit it at the same moment", async () => {
    await Promise.all([recordRefusal(deps(), refusal("k-two")), recordRefusal(deps(), refusal("k-two"))]);
    expect(await marker("k-two")).toMatchObject({ at_ms: clock.nowMs() });
    // A function that read before the other wrote meets the entry when it writes.
    const blind: Table = { ...store().table, get: async () => undefined };
    await recordRefusal({ ...deps(), table: blind }, refusal("k-two"));
    const month = toTimestamp(clock.nowMs()).slice(0, 7);
    const { items } = await store().table.queryPage({
      pk: kinds.audit.partition({ tenant: refusal("k-two").key.tenant, month }),
    });
    expect(items.filter((item) => item.resource_id === "k-two")).toHaveLength(1);
  });

  test("an error of the store is passed on when the refusal of a key is audited", async () => {
    const error = new TypeError("planted");
    const table: Table = { ...store().table, transact: () => Promise.reject(error) };
    await expect(recordRefusal({ ...deps(), table }, refusal("k-one"))).rejects.toBe(error);
  });
});
