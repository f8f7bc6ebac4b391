import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromBase32 } from "../../../lib/access/base32.ts";
import { madeUpKeyText, parseKeyText } from "../../../lib/access/key-text.ts";
import { keyKinds } from "../../../lib/contract/access.ts";
import { keyLimits } from "../../../lib/contract/limits.ts";
import { useApi } from "../../support/api.ts";
import { isLong, seedOfRun, timeoutMs, volume } from "../../support/volume.ts";
import { World } from "../../support/world.ts";
import { collide, NameSwapper } from "./checks.ts";
import { collisions } from "./collisions.ts";
import { leaksIn } from "./compare.ts";
import { makeCursors, misuseOwnCursor, onePerKind, swapCursor } from "./cursors.ts";
import { contents, Stage, strayEntries } from "./stage.ts";
import { swaps } from "./swaps.ts";
import type { Holder, TenantFixture } from "./tenants.ts";

const seed = seedOfRun();
const swapsWanted = volume(1_200, 100_000);

const api = useApi();
const world = new World(() => api.store().table);
const stage = new Stage(api, seed);
beforeAll(() => stage.build(world, volume(1, 4)), timeoutMs);
afterAll(() => stage.end());

const swapper = new NameSwapper(stage, volume(2, 8));

/** A key with a valid form and checksum: the thief's own secret, the victim's organization. */
async function forge(): Promise<void> {
  const thief = stage.any(stage.tenants);
  const isModern = ({ kind }: Holder) => kind !== "legacy";
  const victim = stage.any(stage.otherThan(thief).holders.filter(isModern));
  const hints = parseKeyText(victim.key)?.hints;
  const body = stage.any(thief.holders.filter(isModern)).key.split("_")[2]?.slice(0, -7);
  const secret = fromBase32(body ?? "")?.subarray(0, keyLimits.secretBytes);
  if (!hints || hints.kind === "legacy" || !secret) throw new Error("The keys here are of the new form.");
  const key = madeUpKeyText(hints, { ...stage.random, bytes: () => secret });
  const { operation, ask } = stage.any(collisions.filter(({ kinds }) => kinds.includes(victim.kind)));
  const answer = await stage.send({ ...victim, key }, operation, ask(victim, stage.random), thief.id);
  expect([operation, answer.status, answer.codes]).toEqual([operation, 401, ["UNAUTHORIZED"]]);
  expect(leaksIn(answer, stage.secretsBeside(thief), "")).toEqual([]);
}

describe(`tenants whose provider ids collide (SEED=${seed})`, () => {
  let before: Awaited<ReturnType<typeof contents>>;
  let swapped = 0;
  const print = (what: string) => console.info(`isolation: ${what} (SEED=${seed})`);
  /** Adds up what one test swapped; returns that count and the number of requests. */
  async function swapUntil(share: number, swap: () => Promise<number>): Promise<[number, number]> {
    const requests = stage.requests;
    const count = await stage.repeat(swapsWanted * share, swap);
    swapped += count;
    return [count, stage.requests - requests];
  }

  test(
    "every tenant sees its own data under the ids that all tenants have",
    async () => {
      const seen = new Set<string | undefined>();
      const visit = async (tenant: TenantFixture) => {
        for (const holder of isLong ? tenant.holders : onePerKind(tenant))
          for (const collision of collisions.filter(({ kinds }) => kinds.includes(holder.kind)))
            seen.add(await collide(stage, tenant, holder, collision));
      };
      await Promise.all(stage.tenants.map(visit));
      print(
        `${stage.requests} requests with ids that all ${stage.tenants.length} tenants have, 0 foreign bytes`,
      );
      // A check that finds nothing must have had something to find.
      for (const { operation } of collisions) expect(seen).toContain(operation);
      await stage.settle();
      before = await contents(api.store().table);
    },
    timeoutMs,
  );

  test(
    "another tenant's name is answered like a name that does not exist, byte for byte, and shows no data",
    async () => {
      const [names, requests] = await swapUntil(0.9, () => swapper.swap());
      print(
        `${names} names swapped between tenants in ${requests} requests, 0 differences from names of nobody`,
      );
      // Every swap alone and in a mixed list, by three kinds of key, with three kinds of name.
      expect(swapper.rounds).toBeGreaterThanOrEqual(3 * swaps.length);
      expect(swapper.kindsMet.size).toBe(keyKinds.length);
    },
    timeoutMs,
  );

  test(
    "a cursor of another tenant is refused in the same way for every tenant, like one of another walk",
    async () => {
      const made = await makeCursors(stage);
      const answersByPlace = new Map<string, Set<string>>();
      const note = (place: string, bytes: string) =>
        answersByPlace.set(place, (answersByPlace.get(place) ?? new Set()).add(bytes));
      const [count] = await swapUntil(0.05, async () => {
        note(...(await swapCursor(stage, made)));
        return 1;
      });
      const firsts = new Map(made.map((each) => [`${each.operation} ${each.holder.kind}`, each]));
      let misused = 0;
      for (const own of firsts.values()) {
        const answered = await misuseOwnCursor(stage, own);
        if (answered) note(...answered);
        misused += answered ? 1 : 0;
      }
      print(`${count} swaps of ${made.length} cursors, all refused as ${misused} misused ones of their own`);
      // One answer for the cursors of others, another for those of its own walks: neither reveals a tenant.
      for (const [place, answers] of answersByPlace)
        expect([place, answers.size <= 2]).toEqual([place, true]);
      expect(misused).toBeGreaterThan(20);
    },
    timeoutMs,
  );

  test(
    "a key made of one tenant's secret and another's hints is refused",
    async () => {
      const [count] = await swapUntil(0.05, async () => {
        await forge();
        return 1;
      });
      print(`${count} forged keys, all refused`);
    },
    timeoutMs,
  );

  test("the swaps changed no data of any tenant, and only the caller's own log records them", async () => {
    const after = await contents(api.store().table);
    expect([...after.things.keys()].sort()).toEqual([...before.things.keys()].sort());
    for (const [key, item] of before.things) expect(after.things.get(key)).toEqual(item);
    const entriesAdded = after.audit.length - before.audit.length;
    expect(entriesAdded).toBeGreaterThan(0);
    expect(strayEntries(after.audit, stage.tenants)).toEqual([]);
    print(
      `${swapped} swaps in all, in ${stage.requests} requests; ${entriesAdded} audit entries, 0 in another's log`,
    );
    expect(swapped).toBeGreaterThanOrEqual(swapsWanted);
  });
});
