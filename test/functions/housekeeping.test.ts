import { beforeAll, expect, test } from "vitest";
import { handler as runHousekeeping } from "../../functions/workers/housekeeping.ts";
import * as kinds from "../../lib/contract/items.ts";
import { writeSpill } from "../../lib/stream/spill.ts";
import { useApi } from "../support/api.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";
import { withGrants } from "../support/granted-table.ts";
import { World } from "../support/world.ts";

const housekeeping = withGrants("housekeeping", runHousekeeping);

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
const world = new World(() => api.store().table);
beforeAll(() => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
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
