import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromBase32 } from "../../../lib/access/base32.ts";
import { makeKeyText, parseKeyText } from "../../../lib/access/key-text.ts";
import { keyLimits } from "../../../lib/contract/limits.ts";
import type { Item } from "../../../lib/store/table.ts";
import { useApi } from "../../support/api.ts";
import { seededChance } from "../../support/clock.ts";
import { seedOfRun, timeoutMs, volume } from "../../support/volume.ts";
import { World } from "../../support/world.ts";
import { bytesOf, leaksIn } from "./compare.ts";
import { makeCursors, swapCursor } from "./cursors.ts";
import { type Shop, strange } from "./shops.ts";
import { contents, Stage } from "./stage.ts";
import { collisions, type Named, swaps } from "./swaps.ts";

const seed = seedOfRun();
const swapsWanted = volume(5_000, 100_000);

const api = useApi();
const world = new World(() => api.store().table);
const stage = new Stage(api, seed);
beforeAll(() => stage.build(world, volume(1, 4)), timeoutMs);
afterAll(() => stage.end());

const namesOf = ({ own, branches }: Shop): Named => {
  const { uuid, learningIds, roleIds } = stage.any(branches);
  return { ...own, uuid, learningId: stage.any(learningIds), roleId: stage.any(roleIds) };
};
const namesOfNobody = (): Named => {
  const { chance } = stage;
  return { ...strange(chance), uuid: chance.uuid(), learningId: chance.uuid(), roleId: chance.uuid() };
};

const namesInList = 5;
const requestsEach = 8;
let calls = 0;
let rounds = 0;

/** One request in the name of one tenant: with names that nobody has, then several times with those of others. */
async function swapNames(): Promise<number> {
  // Every swap in its turn; who makes it is left to chance.
  const swap = swaps[rounds++ % swaps.length];
  if (!swap) throw new Error("There is something to swap.");
  const holders = stage.shops.flatMap((shop) => shop.holders.map((holder) => ({ shop, holder })));
  const { shop, holder } = stage.any(holders.filter((each) => swap.kinds.includes(each.holder.kind)));
  const variant = stage.chance.below(1_000);
  const count = swap.isList ? namesInList : 1;
  const ask = async ([first = "", ...more]: readonly string[]) => {
    const request = swap.ask(first, holder, seededChance(variant), more);
    const answer = await stage.send(holder, swap.operation, request);
    calls++;
    return { answer, request, bytes: bytesOf(answer, [first, ...more]) };
  };
  const expected = await ask(Array.from({ length: count }, () => namesOfNobody()[swap.names]));
  for (let index = 0; index < requestsEach; index++) {
    const { answer, request, bytes } = await ask(
      stage.othersThan(shop, count).map((other) => namesOf(other)[swap.names]),
    );
    const who = `${swap.operation} with a foreign ${swap.names}, by ${holder.kind} of ${shop.id}`;
    expect(leaksIn(answer, stage.secretsBeside(shop), JSON.stringify(request)), who).toEqual([]);
    expect(bytes, who).toBe(expected.bytes);
  }
  return requestsEach * count;
}

/** A request with names that every tenant has. Answers the operation if it showed the tenant's own things. */
async function collide(): Promise<string | undefined> {
  const shop = stage.any(stage.shops);
  const holder = stage.any(shop.holders);
  const collision = stage.any(collisions.filter(({ kinds }) => kinds.includes(holder.kind)));
  const answer = await stage.send(holder, collision.operation, collision.ask(holder, stage.chance));
  const who = `${collision.operation} by ${holder.kind} of ${shop.id}`;
  expect([who, answer.status]).toEqual([who, 200]);
  expect(leaksIn(answer, stage.secretsBeside(shop), ""), who).toEqual([]);
  return answer.body.includes(shop.canary) ? collision.operation : undefined;
}

/** A key of the right form and checksum: the thief's own secret, the victim's organization. */
async function forge(): Promise<void> {
  const thief = stage.any(stage.shops);
  const victim = stage.any(stage.otherThan(thief).holders);
  const hints = parseKeyText(victim.key)?.hints;
  const body = stage.any(thief.holders).key.split("_")[2]?.slice(0, -7);
  const secret = fromBase32(body ?? "")?.subarray(0, keyLimits.secretBytes);
  if (!hints || hints.kind === "legacy" || !secret) throw new Error("The keys here are of the new form.");
  const key = makeKeyText(hints, { ...stage.chance, bytes: () => secret });
  const { operation, ask } = stage.any(collisions.filter(({ kinds }) => kinds.includes(victim.kind)));
  const answer = await stage.send({ ...victim, key }, operation, ask(victim, stage.chance));
  expect([operation, answer.status, answer.codes]).toEqual([operation, 401, ["UNAUTHORIZED"]]);
  expect(leaksIn(answer, stage.secretsBeside(thief), "")).toEqual([]);
}

describe(`tenants whose provider ids collide (SEED=${seed})`, () => {
  let before: Map<string, Item>;
  const tell = (count: number, what: string) => console.info(`isolation: ${count} ${what} (SEED=${seed})`);

  test(
    "every tenant sees its own under the ids that all have",
    async () => {
      const seen = new Set<string | undefined>();
      const count = await stage.repeat(swapsWanted * 0.1, async () => {
        seen.add(await collide());
        return 1;
      });
      tell(count, `requests with ids that all ${stage.shops.length} tenants have, 0 foreign bytes`);
      // A check that finds nothing must have had something to find.
      for (const { operation } of collisions) expect(seen).toContain(operation);
      before = await contents(api.store().table);
    },
    timeoutMs,
  );

  test(
    "a name of another tenant is a name of nobody, byte for byte, and brings none of its bytes",
    async () => {
      const count = await stage.repeat(swapsWanted * 0.8, swapNames);
      tell(count, `names swapped between tenants in ${calls} requests, 0 differences from names of nobody`);
      expect(rounds).toBeGreaterThan(swaps.length);
    },
    timeoutMs,
  );

  test(
    "a cursor of another tenant is refused, whoever's it is",
    async () => {
      const made = await makeCursors(stage);
      const told = new Map<string, Set<string>>();
      const count = await stage.repeat(swapsWanted * 0.05, async () => {
        const [operation, bytes] = await swapCursor(stage, made);
        told.set(operation, (told.get(operation) ?? new Set()).add(bytes));
        return 1;
      });
      tell(count, `swaps of ${made.length} cursors, all refused`);
      for (const [operation, answers] of told) expect([operation, answers.size]).toEqual([operation, 1]);
    },
    timeoutMs,
  );

  test(
    "a key made of one tenant's secret and another's hints is no key",
    async () => {
      const count = await stage.repeat(swapsWanted * 0.05, async () => {
        await forge();
        return 1;
      });
      tell(count, "forged keys, all refused");
    },
    timeoutMs,
  );

  test("nothing of any tenant was changed by it", async () => {
    const after = await contents(api.store().table);
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    for (const [key, item] of before) expect(after.get(key)).toEqual(item);
  });
});
