import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { organizationSaved } from "../../lib/events/schemas.ts";
import { saveOrganization } from "../../lib/organizations/save-organization.ts";
import { publishEpoch } from "../../lib/organizations/visibility.ts";
import { parseScopeEpochs } from "../../lib/store/items/scope-epochs.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { organizationData } from "../support/event-data.ts";
import { overtakenBy } from "../support/overtaken.ts";
import { organizationOf } from "../support/stored.ts";
import { github, World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table);

/** Its user is interrupted before it publishes this epoch. */
const interruptedAt = (epoch: number, table: Table = store().table): Table => ({
  ...table,
  write: async (write, ...options) => {
    if ("update" in write && write.change.set?.some(([name, value]) => name === "p" && value === epoch))
      throw new StoreUnavailable("away", true);
    return await table.write(write, ...options);
  },
});
const epochsOf = async (workspace: string) =>
  parseScopeEpochs(await store().table.get(kinds.scopeEpochs.key({ tenant: workspaceTenant(workspace) })));
const join = (workspace: string, name: string, table: Table = store().table) =>
  new World(() => table).organization(name, { workspace_id: workspace });
const joinUntil = async (epoch: number, workspace: string, name: string, table?: Table) =>
  await expect(join(workspace, name, interruptedAt(epoch, table))).rejects.toThrow(StoreUnavailable);

test("a repeated delivery publishes the epoch of an interrupted one", async () => {
  await world.workspace("acme");
  const saved = organizationSaved.parse({
    ...github("one"),
    ...organizationData,
    name: "One",
    workspace_id: "acme",
  });
  const deliver = (table: Table) =>
    saveOrganization({ ...world.deps, table }, saved, "2026-11-15T00:00:00.000Z#first");

  await expect(deliver(interruptedAt(1))).rejects.toThrow(StoreUnavailable);
  const { next, published } = await epochsOf("acme");
  expect(published).toBe(next - 2);
  await deliver(store().table);
  expect(await epochsOf("acme")).toMatchObject({ next, published: next - 1 });
});

test.each([1, 2])(
  "two organizations that become visible at once take two epochs (%i and the next)",
  async (epoch) => {
    const workspace = `pair-${epoch}`;
    for (let before = 1; before < epoch; before++) await join(workspace, `${workspace}-${before}`);
    const first = () => joinUntil(epoch, workspace, `${workspace}-first`);
    const last = await join(workspace, `${workspace}-last`, overtakenBy(store().table, first));
    expect(await organizationOf(store().table, last)).toMatchObject({ visible_epoch: epoch + 1 });
    expect(await epochsOf(workspace)).toMatchObject({ next: epoch + 2, published: epoch + 1 });
  },
);

test("one epoch at a time is unpublished, also if writers are interrupted one after the other", async () => {
  await joinUntil(1, "queue", "queue-1");
  const second = () => joinUntil(2, "queue", "queue-2");
  const late = overtakenBy(store().table, second, "transactGet");
  await joinUntil(3, "queue", "queue-3", late);
  expect(await epochsOf("queue")).toMatchObject({ next: 4, published: 2 });
});

test("an epoch that is published late takes no later one back", async () => {
  for (const name of ["late-1", "late-2"]) await join("late", name);
  await publishEpoch(store().table, workspaceTenant("late"), 1);
  expect(await epochsOf("late")).toMatchObject({ next: 3, published: 2 });
});
