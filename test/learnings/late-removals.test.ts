import { expect, test } from "vitest";
import { learningLimits } from "../../lib/contract/limits.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { type ExportContext, exportLearnings } from "../../lib/learnings/export/export-learnings.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";
import { type Home, item, newHome, verbsOf } from "./fixture.ts";

const clock = new TestClock();
const store = useStore({ clock });
const world = new World(() => store().table, clock);

/** A mirror of one organization, page by page, with its own clock. */
class Mirror {
  readonly held = new Map<string, string>();
  #position: readonly string[] | null = null;
  readonly #home: Home;
  constructor(home: Home) {
    this.#home = home;
  }

  /** Reads one page; returns true for the last page, after which the next call resumes. */
  async page(pageSize = 1): Promise<boolean> {
    const positions: Array<readonly string[]> = [];
    const keep = (position: readonly string[]) => String(positions.push(position));
    const call: ExportContext = {
      principal: { tenant: organizationTenant(this.#home.uuid) },
      scope: { organizations: [await organizationOf(store().table, this.#home.uuid)] },
      readable: "*",
      input: { query: { include_removed: true } },
      paging: { position: this.#position, pageSize, next: keep, resume: keep },
      table: store().table,
      clock,
      signal: AbortSignal.timeout(10_000),
    };
    const { records, removed = [], nextCursor } = await exportLearnings(call);
    for (const { id, learning } of records) this.held.set(id, learning);
    for (const record of removed) if ("id" in record) this.held.delete(record.id);
    this.#position = positions[0] ?? null;
    return nextCursor === null;
  }

  async toTheEnd(pageSize = 1): Promise<string[]> {
    while (!(await this.page(pageSize)));
    return [...this.held.values()].toSorted();
  }
}

const writerAt = async (home: Home, nowMs: () => number) => {
  const organization = await organizationOf(store().table, home.uuid);
  const verbs = verbsOf(store().table, { clock: { nowMs, sleep: (ms) => clock.sleep(ms) } });
  return {
    write: async (text: string) =>
      (await verbs.post({ organization, authorId: "ann" }, item(text))).results[0]?.id ?? "",
    remove: (id: string) => verbs.remove(organization, id),
  };
};

test("a long walk reports a deletion that began before it and became visible after its first page", async () => {
  const home = await newHome(world);
  const writer = await writerAt(home, () => clock.nowMs());
  const id = await writer.write("deleted");
  clock.advance(1_000);
  await writer.write("stays");
  clock.advance(10 * learningLimits.settledAfterMs);
  const beganMs = clock.nowMs() - 1_000;
  const mirror = new Mirror(home);
  expect(await mirror.page()).toBe(false);
  await (await writerAt(home, () => beganMs)).remove(id);
  for (let minutes = 0; minutes < 5; minutes++) {
    clock.advance(60_000);
    await writer.write(`minute ${minutes}`);
  }
  clock.advance(10 * learningLimits.settledAfterMs);
  await mirror.toTheEnd(2);

  const held = await mirror.toTheEnd(2);

  expect(held).toEqual(["minute 0", "minute 1", "minute 2", "minute 3", "minute 4", "stays"]);
});

test("a Learning deleted and created again just before a long walk stays in the mirror", async () => {
  const home = await newHome(world);
  const writer = await writerAt(home, () => clock.nowMs());
  await writer.write("first");
  const id = await writer.write("made again");
  clock.advance(10 * learningLimits.settledAfterMs);
  await writer.remove(id);
  clock.advance(1_000);
  expect(await writer.write("made again")).toBe(id);
  clock.advance(1_000);
  const mirror = new Mirror(home);
  expect(await mirror.page()).toBe(false);
  clock.advance(10 * learningLimits.settledAfterMs);
  await writer.write("later");
  expect(await mirror.toTheEnd()).toEqual(["first", "later", "made again"]);
  expect(await mirror.toTheEnd()).toEqual(["first", "later", "made again"]);
  clock.advance(10 * learningLimits.settledAfterMs);
  expect(await mirror.toTheEnd()).toEqual(["first", "later", "made again"]);
});
