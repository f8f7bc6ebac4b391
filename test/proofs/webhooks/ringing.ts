import { beforeEach, expect } from "vitest";
import { operatorOrigin } from "../../../lib/audit/entry.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { instanceTenant, organizationTenant } from "../../../lib/contract/tenants.ts";
import type { WebhookType } from "../../../lib/contract/webhooks.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { parseAudit } from "../../../lib/store/items/audit.ts";
import { parseWebhook, type WebhookItem } from "../../../lib/store/items/webhook.ts";
import { queryAll, type Table } from "../../../lib/store/table.ts";
import { createWebhook } from "../../../lib/webhooks/manage.ts";
import { ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { keyOfWebhook } from "../../../lib/webhooks/scope.ts";
import { TestClock } from "../../support/clock.ts";
import { useStore } from "../../support/engine.ts";
import { scanAll } from "../../support/scan-all.ts";
import { organizationOf } from "../../support/stored.ts";
import { github, publicNetwork, World } from "../../support/world.ts";
import { closeReceivers, type Receiver, startReceiver } from "../../webhooks/support.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** A webhook and the program that hears its rings. */
export type Endpoint = {
  readonly receiver: Receiver;
  readonly id: string;
  readonly stored: () => Promise<WebhookItem>;
};

/** What the program heard since this was last asked. */
export const typesOf = ({ heard }: Receiver): string[] =>
  heard
    .splice(0)
    .map(({ type }) => type)
    .toSorted();

/** Call it once in a test file: an empty table and a clock of its own for every test, and the worker that rings. */
export function useRinging() {
  const store = useStore();
  closeReceivers();
  let clock: TestClock;
  let world: World;
  let places: Map<number, string>;
  const restart = (at?: string) => {
    clock = new TestClock(at);
    places = new Map();
    world = new World(() => store().table, clock);
  };
  beforeEach(async () => {
    restart();
    const items = await scanAll(store().table);
    await store().table.writeMany(items.map(({ pk, sk }) => ({ delete: { pk, sk } })));
  });

  const deps = (table: Table = store().table) => ({
    places,
    table,
    clock,
    random: systemRandom,
    network: publicNetwork,
  });

  /** The worker runs every minute. */
  async function run(minutes = 1): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      clock.advance(minuteMs);
      await ringWebhooks(deps());
    }
  }

  async function company(name = "one", change: Record<string, unknown> = {}) {
    const uuid = await world.organization(name, change);
    await world.member(github(name), "u-admin", { role: "cr_admin" });
    await world.repository(github(name), "9001");
    return uuid;
  }

  async function endpoint(uuid: string, types: readonly WebhookType[], status = 204): Promise<Endpoint> {
    const receiver = await startReceiver(status);
    const id = await world.webhook(uuid, { url: `${receiver.url}?token=hidden`, types });
    const owner = uuid.startsWith("w#") ? (uuid as `w#${string}`) : organizationTenant(uuid);
    const stored = async () => {
      const item = await store().table.get(keyOfWebhook({ owner }, id));
      return parseWebhook(item ?? expect.fail("The webhook is gone."));
    };
    return { receiver, id, stored };
  }

  /** A webhook of an instance, created by a key that is authorized for some of its organizations. */
  async function endpointOfInstance(id: string, authorized: string[] | null, types: readonly WebhookType[]) {
    const receiver = await startReceiver();
    const tenant = instanceTenant(id);
    const manager = {
      ...world.deps,
      ...operatorOrigin,
      network: publicNetwork,
      admitted: Promise.resolve(),
    };
    const fields = { url: receiver.url, types, description: null };
    await createWebhook(manager, { owner: tenant, tenant, organization: null, authorized }, fields);
    return receiver;
  }

  /** Who calls the API about the webhooks of an organization. */
  async function managed(uuid: string) {
    const organization = await organizationOf(store().table, uuid);
    const { tenant } = organization;
    const origin = { ...world.deps, ...operatorOrigin };
    return {
      scope: { owner: organizationTenant(uuid), tenant, organization, authorized: null },
      manager: { ...origin, network: publicNetwork, admitted: Promise.resolve() },
    };
  }

  /** The audit entries about webhooks that the service disabled. */
  async function disablings(uuid: string) {
    const pk = kinds.audit.partition({
      tenant: organizationTenant(uuid),
      month: new Date(clock.now).toISOString().slice(0, 7),
    });
    const entries = (await Array.fromAsync(queryAll(store().table, { pk }))).map(parseAudit);
    expect(JSON.stringify(entries)).not.toContain("hidden");
    return entries
      .filter(({ action }) => action === "webhook.disabled")
      .map(({ resource_id, actor, metadata }) => ({
        id: resource_id,
        actor: actor.name,
        reason: metadata.reason,
      }));
  }

  return {
    store,
    clock: () => clock,
    world: () => world,
    restart,
    deps,
    run,
    company,
    endpoint,
    endpointOfInstance,
    managed,
    disablings,
  };
}
