import { expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { approveDue } from "../../../lib/learnings/approval.ts";
import { parseLearning } from "../../../lib/store/items/learning.ts";
import type { Item, Table } from "../../../lib/store/table.ts";
import { createIngestHarness, deliver, everything } from "../../events/support.ts";
import { problemsOf } from "../../learnings/check-table.ts";
import { checkPeople } from "../../people/checks.ts";
import { openStore, useStore } from "../../support/engine.ts";
import { seedOfRun, timeoutMs, volume } from "../../support/volume.ts";
import { type History, histories } from "./histories.ts";
import { ordersOf } from "./orders.ts";

const store = useStore();

test.each(histories)(
  "every order of the same events ends the same: $name",
  { timeout: timeoutMs },
  async (history) => {
    const { events, ends } = history;
    const expected = await stateAfter(history, events);
    expect(expected.learnings).toEqual(ends ?? expected.learnings);
    const wrong: string[] = [];
    for (const order of ordersOf(events.length, volume(24, 720), seedOfRun())) {
      const arrived = order.flatMap((index) => events[index] ?? []);
      const state = await stateAfter(history, arrived);
      if (history.excepts?.isIn(order)) {
        expect(state.learnings).toEqual(history.excepts.ends);
        continue;
      }
      const difference = differences(expected, state);
      if (difference !== "") wrong.push(`${order.join(" ")}: ${difference}`);
    }
    expect(wrong).toEqual([]);
  },
);

test("the check detects an order that ends differently", async () => {
  const [first] = histories;
  if (!first) throw new Error("There are no histories.");
  const whole = await stateAfter(first, first.events);
  expect(differences(whole, await stateAfter(first, first.events.slice(1)))).not.toBe("");
});

type State = {
  readonly learnings: readonly object[];
  /** Everything that the events have decided. */
  readonly lines: readonly string[];
};

/** Each event arrives alone; then the schedule runs, which approves Learnings whose deadline has passed. */
async function stateAfter({ known = [] }: History, events: History["events"]): Promise<State> {
  const { table, client } = await openStore(store().endpoint);
  try {
    const harness = createIngestHarness(table);
    await deliver(harness, known);
    for (const event of events) await deliver(harness, [event]);
    expect(harness.letters).toEqual([]);
    await approveDue(harness, (_, error) => {
      throw error;
    });
    return await stateOf(table);
  } finally {
    client.destroy();
  }
}

async function stateOf(table: Table): Promise<State> {
  const items = await everything(table);
  expect(problemsOf(items)).toEqual([]);
  checkPeople(items);
  const learnings = items.filter(({ pk }) => pk.startsWith("LEARNING#")).map(shownOf);
  const others = items.filter((item) => !isOfTheWay(item));
  return { learnings, lines: [...learnings, ...others].map(lineOf) };
}

const shownOf = (item: Item) => {
  const { text, state, author_id, file, created_at, approve_at, usage_count, last_used_at } =
    parseLearning(item);
  return { text, state, author_id, file, created_at, approve_at, usage_count, last_used_at };
};

/** Places, numbers and copies tell the order in which events arrived. Other tests check that they fit the records. */
const wayPartitions = /^(AUDIT|S|LEARNING|LEARNINGS|TEXT|PRIVATE|STALE|FINDINGS|NEWS)#|^(RELIST|MOVING)$/;
const isOfTheWay = (item: Item): boolean =>
  wayPartitions.test(item.pk) || item.sk.startsWith("LEFT#") || item.sk === kinds.scopeEpochs.sk;
const wayAttributes = new Set(["visible_epoch", "arrived", "generation", "n", "i"]);

/** In one order of names, without what tells the way. */
const lineOf = (thing: object): string =>
  JSON.stringify(thing, (name, value: unknown) => {
    if (wayAttributes.has(name)) return undefined;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });

/** Empty if both are the same. */
function differences(one: State, other: State): string {
  const missing = one.lines.filter((line) => !other.lines.includes(line));
  const added = other.lines.filter((line) => !one.lines.includes(line));
  return missing.length + added.length === 0
    ? ""
    : `without ${missing.join(" and ")}, instead ${added.join(" and ")}`;
}
