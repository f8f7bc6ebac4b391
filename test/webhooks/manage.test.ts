import { describe, expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { requestLimits } from "../../lib/contract/limits.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { StoreUnavailable, type Table, WriteExpired } from "../../lib/store/table.ts";
import { createWebhook, rotateWebhook, updateWebhook } from "../../lib/webhooks/manage.ts";
import { readWebhooks } from "../../lib/webhooks/scope.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { organizationOf } from "../support/stored.ts";
import { publicNetwork, World } from "../support/world.ts";
import { forbidden, urlOf } from "./forbidden.ts";

const store = useStore();
const clock = new TestClock();
const world = new World(() => store().table, clock);

/** An organization's webhooks, as the operator or with another table. */
async function managed(name: string) {
  const uuid = await world.organization(name);
  const organization = await organizationOf(store().table, uuid);
  const scope = {
    owner: organizationTenant(uuid),
    tenant: organization.tenant,
    organization,
    authorized: null,
  };
  const managerOf = (transact: Table["transact"] = store().table.transact) => ({
    ...world.deps,
    ...operatorOrigin,
    network: publicNetwork,
    admitted: Promise.resolve(),
    table: { ...store().table, transact },
  });
  const count = async () => (await readWebhooks(store().table, scope)).length;
  return { scope, managerOf, count, value: systemRandom.uuid() };
}

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

describe("a request with an idempotency key whose answer was lost", () => {
  const fields = { url: "https://hooks.test/", types: ["learnings"], description: null } as const;
  const lost = new StoreUnavailable("lost", false);
  const commitThenThrow = (error: Error): Table["transact"] => {
    let isFirst = true;
    return async (...given) => {
      await store().table.transact(...given);
      if (isFirst) {
        isFirst = false;
        throw error;
      }
    };
  };

  test("a webhook whose creation was committed without an answer is returned by the same request", async () => {
    const { scope, managerOf, count, value } = await managed("lost-create");
    const manager = managerOf(commitThenThrow(lost));
    await expect(createWebhook(manager, scope, fields, value)).rejects.toBe(lost);
    const { webhook } = await createWebhook(manager, scope, fields, value);
    expect(await count()).toBe(1);
    expect((await createWebhook(managerOf(), scope, fields, value)).webhook).toEqual(webhook);
  });

  test("a creation that decides again after its own commit creates one webhook, with or without a value", async () => {
    const { scope, managerOf, count, value } = await managed("expired-create");
    const manager = () => managerOf(commitThenThrow(new WriteExpired("slow")));
    await createWebhook(manager(), scope, fields, value);
    await createWebhook(manager(), scope, fields);
    expect(await count()).toBe(2);
  });

  test("a creation that another one with the same value overtakes returns the webhook of the other", async () => {
    const { scope, managerOf, count, value } = await managed("rival-create");
    for (const created of [1, 2]) {
      let rival: Promise<{ readonly secret: string }> | undefined;
      const manager = managerOf(async (...given) => {
        rival ??= createWebhook(managerOf(), scope, fields, value);
        await rival;
        await store().table.transact(...given);
      });
      const { secret } = await createWebhook(manager, scope, fields, value);
      expect([secret, await count()]).toEqual([(await rival)?.secret, created]);
      // From then on the value makes another webhook.
      clock.advance(requestLimits.idempotencyMs);
    }
  });

  test("the same value creates another webhook after 15 minutes, and not a millisecond before", async () => {
    const { scope, managerOf, value } = await managed("late-create");
    const create = async () => (await createWebhook(managerOf(), scope, fields, value)).webhook.id;
    const first = await create();
    clock.advance(requestLimits.idempotencyMs - 1);
    expect(await create()).toBe(first);
    clock.advance(1);
    const second = await create();
    expect(second).not.toBe(first);
    expect(await create()).toBe(second);
  });

  test("a rotation that was committed without an answer is not done twice", async () => {
    const { scope, managerOf, value } = await managed("lost-rotation");
    const { webhook } = await createWebhook(managerOf(), scope, fields);
    const secrets = async () =>
      (await store().table.get(kinds.webhookSecrets.key({ webhookId: webhook.id })))?.secrets;
    const manager = managerOf(commitThenThrow(lost));
    await expect(rotateWebhook(manager, scope, webhook.id, value)).rejects.toBe(lost);
    const once = await secrets();
    await rotateWebhook(manager, scope, webhook.id, value);
    expect(await secrets()).toEqual(once);
    await rotateWebhook(managerOf(commitThenThrow(new WriteExpired("slow"))), scope, webhook.id);
    expect(await secrets()).toHaveLength(3);
  });
});
