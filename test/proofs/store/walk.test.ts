import { describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { walkLimits } from "../../../lib/contract/limits.ts";
import { firstPosition, walkLearnings } from "../../../lib/learnings/export/walk.ts";
import { listRepositories } from "../../../lib/organizations/list.ts";
import { listMembers } from "../../../lib/people/list-members.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { learningPlace } from "../../../lib/store/layout.ts";
import { StoreMeter } from "../../../lib/store/meter.ts";
import type { Item, Table } from "../../../lib/store/table.ts";
import { walkRange } from "../../../lib/store/walk.ts";
import { openStore, useStore } from "../../support/engine.ts";
import { organizationOf } from "../../support/stored.ts";
import { github, World } from "../../support/world.ts";

const store = useStore();

describe("a page of a filtered listing", () => {
  /** Pages of two items, up to a last number. */
  const endless = (last: number): Table => ({
    ...store().table,
    queryPage: async (_, resume) => {
      const first = resume ? Number(resume.sk) + 1 : 0;
      const items = [first, first + 1].map((number) => ({ pk: "p", sk: String(number) }));
      const end = items.at(-1);
      return first + 1 >= last || !end ? { items } : { items, resume: end };
    },
  });
  const range = { pk: "p", beginsWith: "" };

  test("a filtered page that skips too many items ends with the items found so far and where to continue", async () => {
    const page = await walkRange(endless(1e9), range, 5, async (items) =>
      items.filter(({ sk }) => sk === "3"),
    );
    expect(page.found.map(({ sk }) => sk)).toEqual(["3"]);
    // One item was found on the way, so the limit of skipped items is reached one item later.
    expect(page.next).toBe(String(2 * Math.ceil((walkLimits.passedOverMax + 1) / 2) - 1));
  });

  test("a page of a filtered listing continues until it is full and one more item was seen, or to the end", async () => {
    const all = async (items: readonly Item[]) => items;
    expect(await walkRange(endless(9), range, 3, all)).toMatchObject({
      found: [{ sk: "0" }, { sk: "1" }, { sk: "2" }],
      next: "2",
    });
    expect(await walkRange(endless(3), range, 4, all)).toMatchObject({ next: null });
  });
});

describe("a page costs a bounded number of round trips, however many items it skips", () => {
  /** Sequential round trips of every page, and everything that the whole walk finds. */
  async function count(
    table: { metered(meter: StoreMeter): Table },
    read: (table: Table, after: string | null) => Promise<{ found: readonly string[]; next: string | null }>,
  ) {
    const trips: number[] = [];
    const found: string[] = [];
    let after: string | null = null;
    do {
      const meter = new StoreMeter();
      const page = await read(table.metered(meter), after);
      trips.push(meter.sequentialRoundTrips);
      found.push(...page.found);
      after = page.next;
    } while (after !== null);
    return { trips, found };
  }
  const passedOver = walkLimits.passedOverMax + 500;
  const queriesMax = walkLimits.passedOverMax / walkLimits.pageItemsMin;

  test("a page of repositories costs a bounded number of round trips, however many inactive ones it skips", async () => {
    const { table } = await openStore(store().endpoint);
    const world = new World(() => table);
    const uuid = await world.organization("one");
    await world.repository(github("one"), "a");
    await world.repository(github("one"), "z");
    const stored = await table.get(kinds.repository.key({ organization: uuid, repositoryId: "a" }));
    if (!stored) throw new Error("The repository was not stored.");
    await table.writeMany(
      Array.from({ length: passedOver }, (_, index) => ({
        put: {
          ...stored,
          ...kinds.repository.key({ organization: uuid, repositoryId: `m${index}` }),
          repository_id: `m${index}`,
          active: false,
        },
      })),
    );
    const { trips, found } = await count(table, async (metered, after) => {
      const { entries, next } = await listRepositories(metered, uuid, { after, limit: 1 });
      return { found: entries.map(({ provider_repository_id }) => provider_repository_id), next };
    });
    expect(found).toEqual(["a", "z"]);
    // "a" and one short page, an empty rest, then "z".
    expect(trips.length).toBeLessThanOrEqual(3);
    expect(Math.max(...trips)).toBeLessThanOrEqual(queriesMax + 1);
  });

  test("a page of members costs a bounded number of round trips, however many members it skips", async () => {
    const { table } = await openStore(store().endpoint);
    const world = new World(() => table);
    const uuid = await world.organization("one");
    await world.member(github("one"), "boss", { role: "cr_admin" });
    await world.member(github("one"), "m", { seat_assigned: false });
    await world.member(github("one"), "zoe", { role: "cr_admin", seat_assigned: true });
    const member = (await table.queryPage({ pk: `MEMBERS#${uuid}`, beginsWith: "MEMBER#m" })).items[0];
    if (!member) throw new Error("The member was not stored.");
    await table.writeMany(
      Array.from({ length: passedOver }, (_, index) => ({
        put: { ...member, sk: `MEMBER#m${index}`, user_id: `m${index}` },
      })),
    );
    const organization = await organizationOf(table, uuid);
    for (const [filters, expected] of [
      [{ seat: "all", role: "admin" }, ["boss", "zoe"]],
      [{ seat: "assigned", role: "all" }, ["zoe"]],
    ] as const) {
      const { trips, found } = await count(table, async (metered, after) => {
        const page = await listMembers(metered, organization, filters, { after, limit: 1 });
        return { found: page.records.map(({ user_id }) => user_id), next: page.next };
      });
      expect(found).toEqual(expected);
      // A query and then the people of its members, one after the other.
      expect(Math.max(...trips)).toBeLessThanOrEqual(2 * queriesMax + 1);
    }
  });

  test("a page of Learnings costs a bounded number of round trips, however many old positions it skips", async () => {
    const { table } = await openStore(store().endpoint);
    const pk = kinds.listedLearning.partition({ tenant: "w#one" });
    const moved_at = "2026-01-01T00:00:00.000Z";
    const place = (index: number) => learningPlace(moved_at, 0, `id-${1000 + index}`);
    await table.writeMany(
      Array.from({ length: 350 }, (_, index) => ({
        put: { pk, sk: place(index), moved_to: place(index + 1), moved_at },
      })),
    );
    const meter = new StoreMeter();
    const page = await walkLearnings(
      { table: table.metered(meter), clock: systemClock },
      {
        owner: "w#one",
        from: firstPosition,
        limit: 1,
        wanted: () => true,
        isFiltered: false,
        signal: new AbortController().signal,
      },
    );
    expect([page.learnings, page.isLast]).toEqual([[], true]);
    expect(meter.calls.length).toBeLessThanOrEqual(4);
  });
});
