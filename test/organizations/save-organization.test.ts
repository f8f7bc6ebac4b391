import { beforeEach, describe, expect, test } from "vitest";
import { operator } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { organizationTenant, workspaceTenant } from "../../lib/contract/tenants.ts";
import { ingest } from "../../lib/events/ingest.ts";
import { changeOrganizationSettings } from "../../lib/organizations/settings.ts";
import { parsePerson } from "../../lib/store/items/people.ts";
import { parseRepository } from "../../lib/store/items/repository.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { faultyTable } from "../events/faulty-table.ts";
import {
  createIngestHarness,
  deliver,
  event,
  everything,
  type IngestHarness,
  instanceSaved,
  memberSaved,
  organizationName,
  organizationSaved,
  repositorySaved,
  toMessages,
  uuidOf,
  workspaceSaved,
} from "../events/support.ts";
import { checkPeople } from "../people/checks.ts";
import { openStore, useStore } from "../support/engine.ts";
import { finalized } from "../support/event-data.ts";
import { organizationOf } from "../support/stored.ts";

const store = useStore();
let harness: IngestHarness;
beforeEach(async () => {
  harness = createIngestHarness((await openStore(store().endpoint)).table);
});

const organization = (id = "1001") => organizationOf(harness.table, uuidOf(id));
const seatedUsers = async () =>
  (await everything(harness.table))
    .filter(({ sk, seat }) => sk.startsWith("PERSON#") && seat === true)
    .flatMap((item) => parsePerson(item).memberships.map(({ user_id }) => user_id));

describe("organization.saved", () => {
  test("organization.saved writes the organization, its tenant's copy and its row in the directory", async () => {
    await deliver(harness, [organizationSaved(1)]);

    const uuid = uuidOf();
    const tenant = organizationTenant(uuid);
    const stored = await organization();
    expect(stored).toMatchObject({ uuid, tenant, name: "Widgets", seats_purchased: 50, metrics: "ready" });
    expect(await harness.table.get(kinds.tenantOrganization.key({ tenant, organization: uuid }))).toEqual({
      ...stored,
      ...kinds.tenantOrganization.key({ tenant, organization: uuid }),
    });
    const key = kinds.organizationDirectory.key({ providerId: "1001", organization: uuid });
    expect(await harness.table.get(key)).toEqual({ ...key, uuid, ...organizationName(), name: "Widgets" });
  });

  test("the newest event wins; of two at the same moment, the greater event id wins", async () => {
    const events = ["one", "two"].map((name) => ({ name, event: organizationSaved(5, { name }) }));
    const greater = events.toSorted((left, right) => (left.event.id < right.event.id ? 1 : -1));
    await deliver(harness, [...greater.map(({ event }) => event), organizationSaved(2, { name: "old" })]);
    expect((await organization()).name).toBe(greater[0]?.name);
  });

  test("equal moments in different offsets and precisions are equal", async () => {
    const moment = { ...organizationSaved(5, { name: "later" }), occurred_at: "2026-10-01T02:30:00.5+02:00" };
    const before = { ...organizationSaved(5, { name: "sooner" }), occurred_at: "2026-10-01T00:30:00.499Z" };
    await deliver(harness, [moment, before]);
    expect(await organization()).toMatchObject({
      name: "later",
      version: `2026-10-01T00:30:00.500Z#${moment.id}`,
    });
  });

  test("a late earliest event that says automatic seats authors whose reviews came before it", async () => {
    const unseated = { seat_assigned: false, email: null };
    await deliver(harness, [
      organizationSaved(5, { seat_assignment_mode: "manual" }),
      repositorySaved(6),
      memberSaved(7, { user_id: "ann", ...unseated }),
      memberSaved(7, { user_id: "bob", ...unseated }),
      event("pull_request.finalized", 8, finalized(organizationName(), 1, { author_id: "ann" })),
      event("pull_request.finalized", 8, finalized(organizationName(), 2, { author_id: "late" })),
    ]);
    expect(await seatedUsers()).toEqual([]);
    const earliest = organizationSaved(1, { seat_assignment_mode: "automatic" });
    const interrupted: Table = {
      ...harness.table,
      queryPage: (range, resume) =>
        range.pk === kinds.pointer.partition({ organization: uuidOf() })
          ? Promise.reject(new StoreUnavailable("injected", false))
          : harness.table.queryPage(range, resume),
    };
    const messages = await toMessages(harness, [earliest]);
    expect(await ingest({ ...harness, table: interrupted }, messages)).toHaveLength(1);
    expect((await organization()).seat_assignment_mode).toBe("automatic");

    await deliver(harness, [earliest, memberSaved(9, { user_id: "late", ...unseated })]);

    expect(await seatedUsers()).toEqual(["ann", "late"]);
    expect(await organization()).not.toHaveProperty("seats_behind");
    checkPeople(await everything(harness.table));
  });

  test("mode and approval delay stay as the earliest event set them, or as decided here", async () => {
    await deliver(harness, [
      organizationSaved(5, { seat_assignment_mode: "manual", approval_delay_days: 5 }),
      organizationSaved(9, { seat_assignment_mode: "automatic", approval_delay_days: 9 }),
    ]);
    expect(await organization()).toMatchObject({ seat_assignment_mode: "manual", approval_delay_days: 5 });

    const context = { ...harness, actor: operator, ipAddress: null, requestId: null, retentionDays: 1 };
    await changeOrganizationSettings(context, uuidOf(), { approval_delay_days: 30 });
    await deliver(harness, [
      organizationSaved(1, { seat_assignment_mode: "automatic", approval_delay_days: 1 }),
    ]);

    const { tenant, uuid } = await organization();
    const expected = { seat_assignment_mode: "automatic", approval_delay_days: 30, delay_decided: true };
    expect(await organization()).toMatchObject(expected);
    expect(
      await harness.table.get(kinds.tenantOrganization.key({ tenant, organization: uuid })),
    ).toMatchObject(expected);
  });

  test("ids that collide between instances and providers are different organizations", async () => {
    await deliver(harness, [
      instanceSaved(1),
      instanceSaved(1, { id: "mill", name: "Mill" }),
      ...[
        {},
        { provider: "gitlab" },
        { provider: "gitlab", instance_id: "forge" },
        { provider: "gitlab", instance_id: "mill" },
      ].map((name) => organizationSaved(2, name)),
    ]);
    const items = await everything(harness.table);
    expect(items.filter(({ pk, sk }) => pk.startsWith("ORG#") && sk === "ORG")).toHaveLength(4);
    expect(items.filter(({ pk }) => pk === "DIRECTORY#ORG")).toHaveLength(4);
  });
});

describe("a change of tenant", () => {
  test("a change of tenant takes the copy and the people along, and leaves nothing behind", async () => {
    await deliver(harness, [
      workspaceSaved(1),
      organizationSaved(2),
      memberSaved(3),
      organizationSaved(4, { workspace_id: "acme" }),
    ]);

    const items = await everything(harness.table);
    checkPeople(items);
    const uuid = uuidOf();
    expect(items.some(({ pk }) => pk === `ORGS#o#${uuid}`)).toBe(false);
    expect(items.find(({ sk }) => sk.startsWith("PERSON#"))).toMatchObject({
      pk: "SEATS#w#acme",
      sk: "PERSON#mail#ann@acme.test",
      seat: true,
    });
    expect((await organization()).tenant).toBe(workspaceTenant("acme"));
  });

  test("a change of tenant moves all 60 people between workspaces, even if some share an address", async () => {
    const people = Array.from({ length: 60 }, (_, index) =>
      memberSaved(3, { user_id: `u${index}`, email: index % 3 === 0 ? null : `p${index >> 1}@acme.test` }),
    );
    await deliver(harness, [
      workspaceSaved(1, { seats_purchased: 60 }),
      workspaceSaved(1, { id: "birch", seats_purchased: 30 }),
      organizationSaved(2, { workspace_id: "acme" }),
      ...people,
      organizationSaved(4, { workspace_id: "birch" }),
    ]);

    const items = await everything(harness.table);
    checkPeople(items);
    expect(items.find(({ pk, sk }) => pk === "SEATS#w#acme" && sk === "SEATS")).toMatchObject({
      seats_free: 60,
    });
    const birch = items.filter(({ pk, sk }) => pk === "SEATS#w#birch" && sk.startsWith("PERSON#"));
    expect(birch.filter(({ seat }) => seat)).toHaveLength(30);
    expect(birch.length).toBeGreaterThan(30);
  });

  test("a change of tenant while a member is being saved does not leave the member behind", async () => {
    await deliver(harness, [workspaceSaved(1), organizationSaved(2)]);
    let overtaken = false;
    const transact: Table["transact"] = async (writes) => {
      if (!overtaken) {
        overtaken = true;
        await deliver(harness, [organizationSaved(4, { workspace_id: "acme" })]);
      }
      await harness.table.transact(writes);
    };

    await deliver({ ...harness, table: { ...harness.table, transact } }, [memberSaved(3)]);

    const items = await everything(harness.table);
    checkPeople(items);
    expect(items.filter(({ sk }) => sk.startsWith("PERSON#"))).toMatchObject([
      { pk: "SEATS#w#acme", seat: true },
    ]);
  });

  test("an interrupted change of tenant is finished before the next one, so that nothing is lost", async () => {
    const neighbour = organizationName("1002");
    for (const each of [
      workspaceSaved(1, { seats_purchased: 1 }),
      workspaceSaved(1, { id: "birch" }),
      organizationSaved(2, { workspace_id: "acme" }),
      organizationSaved(2, { ...neighbour, workspace_id: "acme" }),
      memberSaved(3),
      memberSaved(3, { ...neighbour, email: "bob@acme.test" }),
    ]) {
      await deliver(harness, [each]);
    }
    const [toBirch] = await toMessages(harness, [organizationSaved(4, { workspace_id: "birch" })]);
    // Dependency, organization, the epochs of both tenants, transaction; then the process dies.
    const { table } = faultyTable(harness.table, 5, "crash");
    if (toBirch) await ingest({ ...harness, table }, [toBirch]);
    expect(await organization()).toMatchObject({ tenant: "w#birch", leaving: "w#acme" });

    await deliver(harness, [organizationSaved(5)]);

    const items = await everything(harness.table);
    checkPeople(items);
    expect(items.find(({ sk }) => sk === "PERSON#mail#bob@acme.test")).toMatchObject({ seat: true });
  });

  test("a change of tenant and back ends in the original state", async () => {
    await deliver(harness, [workspaceSaved(1), organizationSaved(2), memberSaved(3)]);
    const before = (await everything(harness.table)).filter(({ sk }) =>
      /^(PERSON|MEMBER|PEOPLE|SEATS)/.test(sk),
    );
    await deliver(harness, [organizationSaved(4, { workspace_id: "acme" }), organizationSaved(5)]);
    const after = (await everything(harness.table)).filter(({ sk }) =>
      /^(PERSON|MEMBER|PEOPLE|SEATS)/.test(sk),
    );
    expect(after).toEqual(before);
  });
});

describe("repository.saved", () => {
  test("the newest repository state wins, but the earliest approval delay stays", async () => {
    await deliver(harness, [
      organizationSaved(1),
      repositorySaved(5, { approval_delay_days: 5, active: false }),
      repositorySaved(3, { approval_delay_days: 3, name: "old" }),
      repositorySaved(9, { approval_delay_days: null, name: "new" }),
    ]);
    const item = await harness.table.get(
      kinds.repository.key({ organization: uuidOf(), repositoryId: "9001" }),
    );
    expect(item && parseRepository(item)).toMatchObject({
      name: "new",
      active: true,
      approval_delay_days: 3,
    });
  });
});
