import { beforeAll, expect, test } from "vitest";
import { handler as runApproveDue } from "../../functions/workers/approve-due.ts";
import * as kinds from "../../lib/contract/items.ts";
import { eventLimits } from "../../lib/contract/limits.ts";
import { systemClock, toTimestamp } from "../../lib/runtime/clock.ts";
import { useApi } from "../support/api.ts";
import { TestClock } from "../support/clock.ts";
import { captured } from "../support/event-data.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";
import { withGrants } from "../support/granted-table.ts";
import { github, World } from "../support/world.ts";

const approveDue = withGrants("approveDue", runApproveDue);

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
/** Ten days ago. */
const past = new World(
  () => api.store().table,
  new TestClock(toTimestamp(systemClock.nowMs() - 10 * 86_400_000)),
);
beforeAll(() => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
});

/** An organization with Learnings whose delay has passed, and whose other Learnings are to be listed again. */
async function withDueWork(name: string) {
  const uuid = await past.organization(name, { approval_delay_days: 1 });
  await past.repository(github(name), "1");
  for (const learning of ["one", "two", "three"])
    await past.sendEvent("learning.captured", captured(github(name), learning, { repository_id: "1" }));
  const note = {
    ...kinds.relist.key({ dueAt: "2020-01-01T00:00:00.000Z", organization: uuid }),
    organization: uuid,
  };
  await api.store().table.write({ put: note });
  const states = async () =>
    (await api.store().table.queryPage({ pk: kinds.learning.partition({ organization: uuid }) })).items.map(
      ({ state }) => state,
    );
  return { note, states };
}

const within = (ms: number) => ({ getRemainingTimeInMillis: () => ms });

test("due approvals do not delay the Learnings of moved organizations: both begin at once", async () => {
  const { note, states } = await withDueWork("both");
  const order: string[] = [];
  engine.inject(({ operation, body }) => {
    if (operation === "Query" && body.includes(`"${kinds.relist.partition()}"`)) order.push("relists");
    if (operation === "TransactWriteItems" && body.includes(`"${kinds.pending.partition()}"`))
      order.push("approves");
    return undefined;
  });
  await approveDue({}, within(60_000));
  expect(order.indexOf("relists")).toBeLessThan(order.lastIndexOf("approves"));
  expect(await states()).toEqual(["approved", "approved", "approved"]);
  expect(await api.store().table.get(note)).toBeUndefined();
});

test("a fault in the approvals does not stop moved Learnings, and the run counts as failed", async () => {
  const { note, states } = await withDueWork("fault");
  engine.inject(({ operation, body }) =>
    operation === "Query" && body.includes(`"${kinds.pending.partition()}"`) ? "validation" : undefined,
  );
  await expect(approveDue({}, within(60_000))).rejects.toThrow("approveDue failed");
  expect(await api.store().table.get(note)).toBeUndefined();
  engine.inject();
  await approveDue({}, within(60_000));
  expect(await states()).toEqual(["approved", "approved", "approved"]);
});

test("a run without time changes nothing and ends well; the next run does the work", async () => {
  const { note, states } = await withDueWork("late");
  engine.inject();
  await approveDue({}, within(eventLimits.workerMarginMs));
  expect(await states()).toEqual(["pending", "pending", "pending"]);
  expect(await api.store().table.get(note)).toBeDefined();
  await approveDue({}, within(60_000));
  expect(await states()).toEqual(["approved", "approved", "approved"]);
  expect(await api.store().table.get(note)).toBeUndefined();
});
