import { expect, test, vi } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { organizationTenant } from "../../../lib/contract/tenants.ts";
import { toTimestamp } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import type { LearningItem } from "../../../lib/store/items/learning.ts";
import { learningPlace } from "../../../lib/store/layout.ts";
import { type Home, newHome, pageOf } from "../../learnings/fixture.ts";
import { type Answer, useApi } from "../../support/api.ts";
import { timeoutMs, volume } from "../../support/volume.ts";
import { World } from "../../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
const total = volume(4_000, 100_000);

const keyOf = async ({ uuid }: Home) => await world.adminKey(uuid, "ann");

/** Stores Learnings only in the list that an export reads; these tests need no other items. */
async function lay(home: Home, count: number, textOf: (index: number) => string): Promise<void> {
  const startMs = Date.parse("2026-01-01T00:00:00.000Z");
  const copyOf = (index: number) => {
    const id = systemRandom.uuid();
    const at = toTimestamp(startMs + index);
    const place = learningPlace(at, 0, id);
    const learning: LearningItem = {
      ...kinds.learning.key({ organization: home.uuid, learningId: id }),
      id,
      organization: home.uuid,
      repository_id: "repo-1",
      text: textOf(index),
      digest: String(index),
      origin: { digest: String(index), generation: 1 },
      author_id: "ann",
      file: null,
      source_url: null,
      state: "approved",
      pull_requests: [],
      approve_at: null,
      usage_count: 0,
      last_used_at: null,
      created_at: at,
      updated_at: at,
      revision: id,
      listed: { tenant: organizationTenant(home.uuid), place },
    };
    return {
      put: { ...learning, ...kinds.listedLearning.key({ tenant: organizationTenant(home.uuid), place }) },
    };
  };
  for (let start = 0; start < count; start += 500) {
    const size = Math.min(500, count - start);
    await api.store().table.writeMany(Array.from({ length: size }, (_, index) => copyOf(start + index)));
  }
}

test("a page over 16 MiB is a 413 that says what to do, and a smaller page works", async () => {
  const home = await newHome(world);
  const key = await keyOf(home);
  // One byte in the table becomes six in the answer, so the engine stores little.
  await lay(home, 300, (index) => `${index} ${"\u0001".repeat(9_990)}`);
  const answer = await api.call("/v1/learnings", { key });
  expect([answer.status, answer.codes]).toEqual([413, ["RESPONSE_TOO_LARGE"]]);
  expect(pageOf(await api.call("/v1/learnings?limit=200", { key })).data).toHaveLength(200);
});

test(
  `${total} Learnings are exported page by page, each once and in order, in bounded memory`,
  async () => {
    const home = await newHome(world);
    const key = await keyOf(home);
    await lay(
      home,
      total,
      (index) => `Learning ${index}: prefer early returns over nested conditions in ${index % 7} places`,
    );

    vi.useFakeTimers({ toFake: ["Date"] });
    let next = 0;
    let mostBytes = 0;
    for (let cursor = ""; ; ) {
      const page: Answer = await api.call(`/v1/learnings?limit=1000${cursor}`, { key });
      if (page.status === 429) {
        vi.setSystemTime(Date.now() + 60_000);
        continue;
      }
      const { data, next_cursor } = pageOf(page);
      for (const { learning } of data) expect(learning.startsWith(`Learning ${next++}:`)).toBe(true);
      mostBytes = Math.max(mostBytes, page.body.length);
      if (next_cursor === null) break;
      cursor = `&cursor=${next_cursor}`;
    }
    expect(next).toBe(total);
    // Only one page is held in memory, whatever the length of the walk.
    expect(mostBytes).toBeLessThan(1_000_000);

    vi.setSystemTime(Date.now() + 60_000);
    const one = await api.call("/v1/learnings?search=6%20places&limit=5", { key });
    expect(pageOf(one).data).toHaveLength(5);
    // Nothing matches: a request skips a bounded number of Learnings and returns a cursor.
    let requests = 0;
    for (let cursor = ""; ; ) {
      const page: Answer = await api.call(`/v1/learnings?search=nowhere${cursor}`, { key });
      const { data, next_cursor } = pageOf(page);
      expect(data).toEqual([]);
      requests++;
      if (next_cursor === null) break;
      cursor = `&cursor=${next_cursor}`;
    }
    expect(requests).toBeLessThanOrEqual(Math.ceil(total / 10_000));
    vi.useRealTimers();
  },
  timeoutMs,
);
