import { beforeAll, expect, test } from "vitest";
import { handler as runHousekeeping } from "../../functions/workers/housekeeping.ts";
import { msPerDay } from "../../lib/contract/days.ts";
import * as kinds from "../../lib/contract/items.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { queryAll } from "../../lib/store/table.ts";
import { writeSpill } from "../../lib/stream/spill.ts";
import { useApi } from "../support/api.ts";
import { TestClock } from "../support/clock.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";
import { withGrants } from "../support/granted-table.ts";
import { gitlab, World } from "../support/world.ts";

const housekeeping = withGrants("housekeeping", runHousekeeping);

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
beforeAll(() => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
});

test("an instance key that may see only some organizations is noted, within what the worker may read", async () => {
  await world.instance("fleet");
  const home = await world.organization("fleet-home", { instance_id: "fleet" });
  await world.member(gitlab("fleet", "fleet-home"), "boss", { role: "cr_admin" });
  // It ends in two and a half days: the notes of three days and of one day before are missing.
  const tenDaysAgo = new TestClock(toTimestamp(systemClock.nowMs() - 10.5 * msPerDay));
  const { key } = await new World(() => api.store().table, tenDaysAgo).key({
    kind: "instance",
    instanceId: "fleet",
    home,
    owner: "boss",
    role: "cr_admin",
    authorized: [home],
    expiresInDays: 13,
  });
  const { table } = api.store();
  const notes = async () =>
    (
      await Array.fromAsync(queryAll(table, { pk: kinds.tenantNews.partition({ tenant: key.tenant }) }))
    ).filter(({ sk }) => sk.endsWith(key.id));
  // As if an earlier release had made the key.
  for (const { pk, sk } of await notes()) await table.write({ delete: { pk, sk } });

  await housekeeping();

  expect(await notes()).toMatchObject([{ authorized: [home] }, { authorized: [home] }]);
});

test("a failure in one organization does not delay the others, and the next run repeats the work", async () => {
  const { table } = api.store();
  const organizations = [await world.organization("one"), await world.organization("two")].sort();
  const spills = await Promise.all(
    organizations.map((uuid) => writeSpill(world.deps, uuid, "nobody", Buffer.alloc(10))),
  );
  const parts = async () => {
    const items = await table.getMany(spills.map(({ id }) => kinds.spillPart.key({ spillId: id, index: 0 })));
    return items.map((item) => item !== undefined);
  };

  const troubled = kinds.spill.partition({ organization: organizations[0] ?? "" });
  engine.inject(({ body }) => (body.includes(troubled) ? "validation" : undefined));
  await expect(housekeeping()).rejects.toThrow("housekeeping failed");
  expect(await parts()).toEqual([true, false]);

  engine.inject();
  await housekeeping();
  expect(await parts()).toEqual([false, false]);
});
