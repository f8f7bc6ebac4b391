import { beforeAll, expect, test, vi } from "vitest";
// A warm function has loaded what it loads with its first request.
import "../../lib/learnings/create.ts";
import "../../lib/learnings/update.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import { useApi } from "../support/api.ts";
import { World } from "../support/world.ts";
import { type Home, item, newHome, pageOf, resultsOf } from "./fixture.ts";

const api = useApi();
const world = new World(() => api.store().table);
let home: Home;
let key: string;
/** The meter of the last request. */
let meter: StoreMeter;

beforeAll(async () => {
  // However slow the machine is, no minute passes in which the key's use would be recorded again.
  vi.useFakeTimers({ toFake: ["Date"] });
  home = await newHome(world, { workspace_id: await world.workspace("trips") });
  key = await world.adminKey(home.uuid, "ann");
  const { start } = StoreMeter.prototype;
  vi.spyOn(StoreMeter.prototype, "start").mockImplementation(function (this: StoreMeter, operation) {
    meter = this;
    return start.call(this, operation);
  });
  // The first request of a function, and of a key in a minute, makes a few more calls.
  await api.call("/v1/learnings", { key });
});

const texts = (name: string, count = 100) =>
  Array.from({ length: count }, (_, index) =>
    item(`${name} ${index}: prefer early returns over nested conditions`),
  );
const cost = () => {
  const { sequentialRoundTrips, readUnits, writeUnits, calls } = meter;
  return { sequentialRoundTrips, readUnits, writeUnits, calls: calls.length };
};
const printCost = (what: string) => console.info(what, JSON.stringify(cost()));

test("100 new Learnings take at most six sequential round trips", async () => {
  const answer = await api.call("/v1/learnings", { key, body: { data: texts("new") } });
  expect(resultsOf(answer).created_count).toBe(100);
  printCost("a batch of 100 new Learnings:");
  expect(meter.sequentialRoundTrips).toBeLessThanOrEqual(6);
  expect(meter.writeUnits).toBeLessThan(1_900);
});

test("100 duplicates take three sequential round trips, and write only the limiter's slot", async () => {
  const answer = await api.call("/v1/learnings", { key, body: { data: texts("new") } });
  expect(resultsOf(answer).duplicate_count).toBe(100);
  printCost("a batch of 100 duplicates:");
  expect(meter.sequentialRoundTrips).toBe(3);
  expect(meter.writeUnits).toBeLessThanOrEqual(2);
});

test("a page of the export takes three sequential round trips, and one more if a Learning in it just moved", async () => {
  await api.call("/v1/learnings", { key });
  printCost("a page of 100 Learnings:");
  expect(meter.sequentialRoundTrips).toBe(3);
  const { data } = pageOf(await api.call("/v1/learnings?limit=1", { key }));
  await api.call(`/v1/learnings/${data[0]?.id}`, { method: "PATCH", key, body: { learning: "moved" } });
  const after = pageOf(await api.call("/v1/learnings", { key })).data;
  printCost("a page with a Learning that just moved:");
  expect(meter.sequentialRoundTrips).toBe(4);
  expect(after.map(({ learning }) => learning).filter((text) => text === "moved")).toHaveLength(1);
  expect(after.at(-1)?.learning).toBe("moved");
});

test("a change and a deletion take three sequential round trips, a deletion of nothing two", async () => {
  const [first] = resultsOf(
    await api.call("/v1/learnings", { key, body: { data: texts("one", 1) } }),
  ).results;
  await api.call(`/v1/learnings/${first?.id}`, { method: "PATCH", key, body: { learning: "changed" } });
  printCost("a change:");
  expect(meter.sequentialRoundTrips).toBe(3);
  await api.call(`/v1/learnings/${first?.id}`, { method: "DELETE", key });
  printCost("a deletion:");
  expect(meter.sequentialRoundTrips).toBe(3);
  await api.call(`/v1/learnings/${first?.id}`, { method: "DELETE", key });
  printCost("a deletion of nothing:");
  expect(meter.sequentialRoundTrips).toBe(2);
});
