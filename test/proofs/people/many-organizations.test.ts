import { beforeEach, expect, test } from "vitest";
import { operatorOrigin } from "../../../lib/audit/entry.ts";
import { writeOldOwed } from "../../../lib/audit/owed.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { auditLimits, peopleLimits, requestLimits, storeLimits } from "../../../lib/contract/limits.ts";
import { workspaceTenant } from "../../../lib/contract/tenants.ts";
import { assignSeatsByEmail } from "../../../lib/people/assign-seats.ts";
import { parsePerson } from "../../../lib/store/items/people.ts";
import { personKey } from "../../../lib/store/layout.ts";
import { StoreUnavailable, type Table } from "../../../lib/store/table.ts";
import {
  createIngestHarness,
  deliver,
  everything,
  type IngestHarness,
  memberSaved,
  organizationName,
  organizationSaved,
  uuidOf,
  workspaceSaved,
} from "../../events/support.ts";
import { openStore, useStore } from "../../support/engine.ts";

const store = useStore();
let harness: IngestHarness;
let largestBytes: number;
beforeEach(async () => {
  const { table } = await openStore(store().endpoint);
  largestBytes = 0;
  const transact: Table["transact"] = async (writes, ...rest) => {
    const puts = writes.flatMap((write) => ("put" in write ? [write.put] : []));
    largestBytes = Math.max(largestBytes, Buffer.byteLength(JSON.stringify(puts)));
    await table.transact(writes, ...rest);
  };
  harness = createIngestHarness({ ...table, transact });
});

const acme = workspaceTenant("acme");
const inAcme = { ...organizationName(), workspace_id: "acme" };

/** Adds a person to this many more organizations, whose ids have the maximum length. */
async function join(email: string, count: number): Promise<void> {
  const base = await harness.table.get(kinds.organization.key({ organization: uuidOf() }));
  const key = personKey(acme, { organization: "", userId: "", email });
  const person = await harness.table.get(key);
  if (!base || !person) throw new Error("There is no such person.");
  const ids = Array.from({ length: count }, (_, index) =>
    `${email}-${index}-`.padEnd(requestLimits.idBytesMax, "x"),
  );
  await harness.table.writeMany(
    ids.map((id) => ({
      put: {
        ...base,
        ...kinds.organization.key({ organization: uuidOf(id) }),
        uuid: uuidOf(id),
        provider_organization_id: id,
      },
    })),
  );
  const more = ids.map((id) => ({ organization: uuidOf(id), user_id: "u", seat_wanted: true }));
  const { memberships } = parsePerson(person);
  await harness.table.write({ put: { ...person, memberships: [...memberships, ...more] } });
}

const entries = async (action: string) => {
  const all = (await everything(harness.table)).filter(
    (item) => item.pk.startsWith("AUDIT#") && item.action === action,
  );
  const isOfTenant = ({ pk }: { readonly pk: string }) => pk.startsWith(`AUDIT#${acme}#`);
  return { tenant: all.filter(isOfTenant), copies: all.filter((item) => !isOfTenant(item)) };
};

test("people in very many organizations get free seats; the entry counts all, names some, is in every log", async () => {
  const emails = ["ann@acme.test", "bob@acme.test"];
  await deliver(harness, [
    workspaceSaved(1, { seats_purchased: 0 }),
    organizationSaved(2, inAcme),
    ...emails.map((email) => memberSaved(3, { user_id: email, email })),
  ]);
  for (const email of emails) await join(email, 150);

  await deliver(harness, [workspaceSaved(4, { seats_purchased: 2 })]);

  const { tenant, copies } = await entries("seats.assigned");
  expect(tenant).toMatchObject([{ metadata: { ids: emails, organization_count: 301 } }]);
  expect(tenant[0]?.metadata).toHaveProperty("organization_ids.length", peopleLimits.organizationsNamedMax);
  expect(copies).toHaveLength(301);
  expect(largestBytes).toBeLessThan(storeLimits.transactionBytesMax);
});

test("the clock worker writes, once, the copies of an entry that an unavailable store did not take", async () => {
  const email = "ann@acme.test";
  await deliver(harness, [
    workspaceSaved(1),
    organizationSaved(2, inAcme),
    memberSaved(3, { user_id: "ann", email }),
  ]);
  await join(email, 2 * storeLimits.transactionActionsMax);
  let transactions = 0;
  const going: Table = {
    ...harness.table,
    transact: (...given) =>
      ++transactions > 2
        ? Promise.reject(new StoreUnavailable("away", true))
        : harness.table.transact(...given),
  };
  const unassign = (table: Table) =>
    assignSeatsByEmail(
      { ...harness, ...operatorOrigin, table, retentionDays: auditLimits.retentionDaysDefault },
      { tenant: acme, organizations: [] },
      { action: "unassign", emails: [email] },
    );
  await expect(unassign(going)).rejects.toThrow(StoreUnavailable);
  // The repeated call changes nothing, so it writes no entry of its own.
  expect((await unassign(harness.table)).succeeded).toEqual([email]);
  const all = 2 * storeLimits.transactionActionsMax + 1;
  expect((await entries("seats.unassigned")).copies.length).toBeLessThan(all);
  await writeOldOwed(harness);
  expect((await entries("seats.unassigned")).copies.length).toBeLessThan(all);
  harness.clock.now += auditLimits.settledAfterMs + 1;
  for (let run = 0; run < 2; run++) await writeOldOwed(harness);

  const { tenant, copies } = await entries("seats.unassigned");
  expect(tenant).toMatchObject([{ metadata: { ids: [email], organization_count: all } }]);
  expect(new Set(copies.map(({ pk }) => pk)).size).toBe(all);
  expect(copies).toHaveLength(all);
  const [entry] = tenant;
  const alike = { id: entry?.id, actor: entry?.actor, metadata: { ids: [email] } };
  for (const copy of copies) expect(copy).toMatchObject(alike);
  // A late copy is stored under its own time, so a walk that already passed the entry still reads the copy.
  for (const { sk, created_at } of copies) expect(sk).toBe(`${created_at}#${entry?.id}`);
  expect(copies.filter(({ created_at }) => created_at !== entry?.created_at)).not.toEqual([]);
});

test("a call with very many failures unassigns a person of many organizations within the store's limits", async () => {
  const email = "ann@acme.test";
  await deliver(harness, [
    workspaceSaved(1),
    organizationSaved(2, inAcme),
    memberSaved(3, { user_id: "ann", email }),
  ]);
  await join(email, 95);
  const unknown = Array.from({ length: peopleLimits.batchUsersMax - 1 }, (_, index) =>
    `${index}@`.padEnd(peopleLimits.emailBytesMax, "x"),
  );
  const context = { ...harness, ...operatorOrigin, retentionDays: auditLimits.retentionDaysDefault };
  const outcomes = await assignSeatsByEmail(
    context,
    { tenant: acme, organizations: [] },
    { action: "unassign", emails: [...unknown, email] },
  );
  expect(outcomes.succeeded).toEqual([email]);
  const { tenant, copies } = await entries("seats.unassigned");
  expect(tenant).toHaveLength(1);
  expect(copies).toHaveLength(96);
  expect(largestBytes).toBeLessThan(storeLimits.transactionBytesMax);
});
