import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { operatorOrigin } from "../../lib/audit/entry.ts";
import { removeWholeStage } from "../../lib/checks/service/remove.ts";
import { stage } from "../../lib/checks/service/stage.ts";
import { workspaceTenant } from "../../lib/contract/tenants.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { identityOf, type Key } from "../../lib/store/table.ts";
import { anyKind, kindNames } from "../store/item-kinds.ts";
import { useStore } from "../support/engine.ts";
import { scanAll } from "../support/scan-all.ts";

const store = useStore();
const connection = () => {
  const { table } = store();
  return {
    table,
    audited: { ...operatorOrigin, table, clock: systemClock, random: systemRandom, retentionDays: 1 },
  };
};
const storedKeys = async () => (await scanAll(store().table)).map(identityOf).toSorted();

/** A waiting event has to say what it waits for. */
const waits = { since: "2026-11-02", dependency: { pk: "ORG#another", sk: "ORG" }, label: "", version: "v" };

test("the removal of the stage leaves the items of others, of every kind", async () => {
  const file = readFileSync(new URL("../contract/recorded-keys.ndjson", import.meta.url), "utf8");
  const lines = file.trimEnd().split("\n");
  const keys = lines.map((line): Key => JSON.parse(line).key);
  const anothers = {
    organization: "another",
    learningId: "l",
    revision: "r",
    tenant: "w#another",
    webhookId: "w",
  };
  for (let shard = 0; shard < 64; shard++)
    for (const name of ["stale", "webhook", "webhookCount"] as const)
      keys.push(anyKind(name).key({ ...anothers, shard }));
  const others = new Map(keys.map((key) => [identityOf(key), key])).values();
  await store().table.writeMany([...others].map((key) => ({ put: { ...key, ...waits } })));
  // In a partition that the stage shares with others.
  const waiting = anyKind("waitingByAge").key({ since: waits.since, eventId: "another" });
  await store().table.write({
    put: { ...waiting, ...waits, dependency: { pk: "MOVING", sk: "another" } },
  });
  const before = await storedKeys();
  expect(before.length).toBeGreaterThan(300);

  await removeWholeStage(connection());

  expect(await storedKeys()).toEqual(before);
});

test("the removal of the stage finds every kind that its organizations and tenants own", async () => {
  const before = await storedKeys();
  const tenant = workspaceTenant(stage.workspace);
  const parts = {
    organization: stage.cloud.uuid,
    providerId: stage.cloud.provider_organization_id,
    tenant,
    pool: tenant,
    shard: 7,
  };
  /** Found by what other items hold: test/system/cli/verify.test.ts has them. */
  const elsewhere = ["spill", "streamHead", "waitingByAge", "expiry"];
  const own = kindNames.filter((name) => {
    const { owner, foundBy = "" } = anyKind(name);
    return (owner === "organization" || owner === "tenant") && !elsewhere.includes(foundBy);
  });
  const rest = Object.fromEntries(own.flatMap((name) => namesOf(name)).map((each) => [each, "x1"]));
  const numbers = { part: 1, index: 1, number: 1, piece: 1, week: 1 };
  const keys = own
    .filter((name) => !["keyRow", "spill", "streamHead", "webhook", "webhookCount"].includes(name))
    .map((name) => anyKind(name).key({ ...rest, ...numbers, ...parts }));
  await store().table.writeMany(keys.map((key) => ({ put: key })));

  await removeWholeStage(connection());

  expect(own.length).toBeGreaterThan(30);
  expect(await storedKeys()).toEqual(before);
});

const namesOf = (name: (typeof kindNames)[number]): string[] =>
  Array.from(`${anyKind(name).pk} ${anyKind(name).sk}`.matchAll(/\{(\w+)/g), ([, part = ""]) => part);
