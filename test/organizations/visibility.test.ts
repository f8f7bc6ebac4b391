import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { organizationSaved } from "../../lib/events/schemas.ts";
import { saveOrganization } from "../../lib/organizations/save-organization.ts";
import { parseScopeEpochs } from "../../lib/store/items/scope-epochs.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { organizationData } from "../support/event-data.ts";
import { github, World } from "../support/world.ts";

const store = useStore();
const world = new World(() => store().table);

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
  const key = kinds.scopeEpochs.key({ tenant: workspaceTenant("acme") });
  const epochs = async () => parseScopeEpochs(await store().table.get(key));
  const interrupted: Table = {
    ...store().table,
    write: async (write, ...options) => {
      if ("update" in write && write.update.pk === key.pk && write.update.sk === key.sk)
        throw new StoreUnavailable("away", true);
      return await store().table.write(write, ...options);
    },
  };

  await expect(deliver(interrupted)).rejects.toThrow(StoreUnavailable);
  const { next, published } = await epochs();
  expect(published).toBe(next - 2);
  await deliver(store().table);
  expect(await epochs()).toMatchObject({ next, published: next - 1 });
});
