import { expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import { withCopies, writeOldOwed, writeOwed } from "../../lib/audit/owed.ts";
import { auditLimits, peopleLimits, storeLimits } from "../../lib/contract/limits.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { toTimestamp } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { auditKey } from "../../lib/store/layout.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { scanAll } from "../support/scan-all.ts";

const store = useStore();

test("copies of an audit entry beyond one transaction are written once, also by two runs", async () => {
  const { table } = store();
  const clock = new TestClock();
  const id = systemRandom.uuid();
  const createdAt = toTimestamp(clock.nowMs());
  const owners = Array.from({ length: storeLimits.transactionActionsMax + 5 }, () =>
    organizationTenant(systemRandom.uuid()),
  );
  const summaryFor = (index: number) => (index < 3 ? "Some." : "Others.");
  const copies = owners.map((owner, index) => ({
    put: {
      ...auditKey(owner, createdAt, id),
      id,
      created_at: createdAt,
      actor: operatorOrigin.actor.name,
      summary: summaryFor(index),
    },
  }));
  const { writes, owed } = withCopies([], copies);
  await table.transact(writes);

  clock.advance(1);
  await writeOwed({ table, clock }, owed);
  // The process that made the notes was slow: its run and a later one have read them before they were settled.
  clock.advance(auditLimits.settledAfterMs + 1);
  await writeOwed({ table, clock }, owed);
  await writeOldOwed({ table, clock });

  const written = (await scanAll(table)).filter(({ pk }) => pk.startsWith("AUDIT#"));
  const found = written.map(({ pk, summary }) => [pk.slice("AUDIT#".length, -"#2026-11".length), summary]);
  expect(found.toSorted()).toEqual(owners.map((owner, index) => [owner, summaryFor(index)]).toSorted());
});

test("a note holds as many copies as exactly fill a transaction", () => {
  const bytesEach = 32 * 1024;
  const fitting = peopleLimits.transactionBytesMax / bytesEach;
  const createdAt = toTimestamp(new TestClock().nowMs());
  const id = systemRandom.uuid();
  const copies = Array.from({ length: storeLimits.transactionActionsMax + 5 }, () => {
    const put = { ...auditKey(organizationTenant(systemRandom.uuid()), createdAt, id), id, summary: "" };
    return { put: { ...put, summary: "s".repeat(bytesEach - JSON.stringify(put).length) } };
  });
  const notes = withCopies([], copies).owed.map((note) => note.copies?.length);
  expect(notes).toEqual([fitting, copies.length - 1 - fitting]);
});
