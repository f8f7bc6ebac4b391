import { expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { parseWebhook } from "../../lib/store/items/webhook.ts";
import type { Table } from "../../lib/store/table.ts";
import { attemptPut, attemptWrites, listDeliveries, placeOf } from "../../lib/webhooks/deliveries.ts";
import {
  createWebhook,
  deleteWebhook,
  rotateWebhook,
  testWebhook,
  updateWebhook,
} from "../../lib/webhooks/manage.ts";
import { ringWebhooks } from "../../lib/webhooks/ring.ts";
import { keyOfWebhook, readWebhooks } from "../../lib/webhooks/scope.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { overtakenBy as overtakes } from "../support/overtaken.ts";
import { organizationOf } from "../support/stored.ts";
import { publicNetwork, World } from "../support/world.ts";
import { closeReceivers, failingForDays, startReceiver } from "./support.ts";

const store = useStore();
closeReceivers();
const world = new World(() => store().table, new TestClock());

/** A webhook; a manager; and one whose first transaction another request overtakes. */
async function managed(name: string) {
  const uuid = await world.organization(name);
  const organization = await organizationOf(store().table, uuid);
  const { tenant } = organization;
  const scope = { owner: organizationTenant(uuid), tenant, organization, authorized: null };
  const managerOf = (table: Table) => ({
    ...world.deps,
    ...operatorOrigin,
    network: publicNetwork,
    admitted: Promise.resolve(),
    table,
  });
  const manager = managerOf(store().table);
  const overtakenBy = (other: () => Promise<unknown>) => managerOf(overtakes(store().table, other));
  const fields = { url: "https://hooks.test/", types: ["learnings"], description: null } as const;
  const { id } = (await createWebhook(manager, scope, fields)).webhook;
  const stored = async () => await store().table.get(keyOfWebhook(scope, id));
  const secrets = async () => await store().table.get(kinds.webhookSecrets.key({ webhookId: id }));
  return { scope, manager, overtakenBy, fields, id, stored, secrets };
}

test("two deletions of one webhook at once free one place", async () => {
  const { scope, manager, overtakenBy, fields, id } = await managed("deleted-twice");
  await createWebhook(manager, scope, fields);
  const late = deleteWebhook(
    overtakenBy(() => deleteWebhook(manager, scope, id)),
    scope,
    id,
  );
  await expect(late).rejects.toMatchObject({ code: "WEBHOOK_NOT_FOUND" });
  const counts = await store().table.queryPage({ pk: keyOfWebhook(scope, id).pk });
  expect(counts.items.flatMap(({ sk, count }) => (sk.includes(scope.owner) ? (count ?? []) : []))).toEqual([
    1,
  ]);
  expect(await readWebhooks(store().table, scope)).toHaveLength(1);
});

test("a change or a rotation that a deletion overtakes brings nothing back", async () => {
  for (const act of [updateWebhook, rotateWebhook] as const) {
    const { scope, manager, overtakenBy, id, stored, secrets } = await managed(act.name);
    const late = overtakenBy(() => deleteWebhook(manager, scope, id));
    const acted =
      act === updateWebhook
        ? updateWebhook(late, scope, id, { description: "Late." })
        : rotateWebhook(late, scope, id);
    await expect(acted).rejects.toMatchObject({ code: "WEBHOOK_NOT_FOUND" });
    expect([await stored(), await secrets()]).toEqual([undefined, undefined]);
  }
});

test("two changes of one webhook at once both count", async () => {
  const { scope, manager, overtakenBy, id, stored } = await managed("changed-twice");
  const other = () => updateWebhook(manager, scope, id, { description: "Other." });
  await updateWebhook(overtakenBy(other), scope, id, { types: ["audit_logs"] });
  expect(await stored()).toMatchObject({ description: "Other.", types: ["audit_logs"] });
});

test("two rotations of one webhook at once keep both new secrets", async () => {
  const { scope, manager, overtakenBy, id, secrets } = await managed("rotated-twice");
  await rotateWebhook(
    overtakenBy(() => rotateWebhook(manager, scope, id)),
    scope,
    id,
  );
  expect((await secrets())?.secrets).toHaveLength(3);
});

/** The table on which something else happens just before the webhook is first written outside a transaction. */
function beforeTheWrite(sk: string, other: () => Promise<unknown>): Table {
  let isOvertaken = false;
  const write: Table["write"] = async (given, ...options) => {
    if ("update" in given && given.update.sk === sk && !isOvertaken) {
      isOvertaken = true;
      await other();
    }
    return await store().table.write(given, ...options);
  };
  return { ...store().table, write };
}

test("a test that succeeds forgets no ring that began to wait meanwhile", async () => {
  const { scope, manager, id, stored } = await managed("tested");
  const { url } = await startReceiver();
  await updateWebhook(manager, scope, id, { url });
  const key = keyOfWebhook(scope, id);
  const fails = () => store().table.write({ update: key, change: { set: [["retries", failingForDays]] } });
  await testWebhook({ ...manager, table: beforeTheWrite(key.sk, fails) }, scope, id);
  expect(Object.keys(Object((await stored())?.retries))).toEqual(Object.keys(failingForDays));
});

test("a run writes no result about a webhook that was changed while it rang", async () => {
  const { scope, manager, overtakenBy, id, stored } = await managed("rung");
  const { url, heard } = await startReceiver();
  await updateWebhook(manager, scope, id, { url });
  const late = overtakenBy(() => updateWebhook(manager, scope, id, { url: `${url}moved` }));
  await ringWebhooks({ ...late, places: new Map() });
  expect(heard).toHaveLength(1);
  const item = await stored();
  expect([item?.url, Object.keys(Object(item?.rung))]).toEqual([`${url}moved`, ["webhook.disabled"]]);
});

test("a merge of old attempts that a whole attempt overtakes lists the delivery once", async () => {
  const { id, stored } = await managed("merged-twice");
  const webhook = parseWebhook((await stored()) ?? expect.fail("The webhook is gone."));
  const { table } = store();
  const nowMs = world.deps.clock.nowMs();
  const ring = { id: "ring", type: "learnings" } as const;
  const message = { headers: {}, body: "{}" };
  const attempt = { status: 500, ms: 1, answer: "" };
  const attemptOf = (minutes: number) => ({ ring, message, attempt, atMs: nowMs + minutes * 60_000 });
  const place = placeOf(attemptOf(0));
  for (const failures of [0, 1, 2])
    await table.write({
      put: {
        ...attemptPut(webhook, { ...attemptOf(0), before: { place, failures } }).put,
        ...kinds.delivery.key({ webhookId: id, place, attempt: failures }),
      },
    });
  const next = (minutes: number) => ({ ...attemptOf(minutes), before: { place, failures: 3 } });
  const whole = async () => void (await table.transact(await attemptWrites(table, webhook, next(1))));
  await attemptWrites(overtakes(table, whole), webhook, next(2));
  const { records } = await listDeliveries({ table, nowMs }, webhook, { after: null, limit: 10 });
  expect(records.map(({ attempts }) => attempts.length)).toEqual([4]);
});
