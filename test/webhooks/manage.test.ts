import { expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { createWebhook, updateWebhook } from "../../lib/webhooks/manage.ts";
import { readWebhooks } from "../../lib/webhooks/scope.ts";
import { useStore } from "../support/engine.ts";
import { organizationOf } from "../support/stored.ts";
import { publicNetwork, World } from "../support/world.ts";
import { forbidden, urlOf } from "./forbidden.ts";

const store = useStore();
const world = new World(() => store().table);

test("no webhook is created with or changed to a forbidden address, by name or by number", async () => {
  const uuid = await world.organization("one");
  const id = await world.webhook(uuid);
  const organization = await organizationOf(store().table, uuid);
  const { tenant } = organization;
  const scope = { owner: organizationTenant(uuid), tenant, organization, authorized: null };
  const before = await readWebhooks(store().table, scope);
  for (const address of forbidden) {
    const network = {
      ...publicNetwork,
      allowsLoopback: false,
      resolve: async () => ["93.184.215.14", address],
    };
    const manager = { ...world.deps, ...operatorOrigin, network, admitted: Promise.resolve() };
    const refusal = "url: must not lead to an address that is not public.";
    for (const url of ["https://hooks.test/", urlOf(address)]) {
      const fields = { url, types: ["learnings"], description: null } as const;
      await expect(createWebhook(manager, scope, fields), url).rejects.toThrow(refusal);
      await expect(updateWebhook(manager, scope, id, { url }), url).rejects.toThrow(refusal);
    }
  }
  expect(await readWebhooks(store().table, scope)).toEqual(before);
});
