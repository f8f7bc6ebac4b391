import { expect } from "vitest";
import { toBase32 } from "../../../lib/access/base32.ts";
import { seededRandom } from "../../support/clock.ts";
import type { Collision } from "./collisions.ts";
import { bytesOf, leaksIn } from "./compare.ts";
import type { Stage } from "./stage.ts";
import { type Named, swaps } from "./swaps.ts";
import { type Holder, strange, type TenantFixture } from "./tenants.ts";

const namesOf = (stage: Stage, { own, branches }: TenantFixture): Named => {
  const { uuid, learningIds, roleIds, keyIds } = stage.any(branches);
  const things = { learningId: stage.any(learningIds), roleId: stage.any(roleIds), keyId: stage.any(keyIds) };
  return { ...own, uuid, ...things };
};
const namesOfNobody = ({ random }: Stage): Named => {
  const keyId = `k${toBase32(random.bytes(10))}`;
  return { ...strange(random), uuid: random.uuid(), learningId: random.uuid(), roleId: random.uuid(), keyId };
};

const namesInList = 5;

/** Names of other tenants in place of the caller's own. */
export class NameSwapper {
  rounds = 0;
  readonly kindsMet = new Set<Holder["kind"]>();
  readonly #stage: Stage;
  readonly #foreignEach: number;

  constructor(stage: Stage, foreignEach: number) {
    this.#stage = stage;
    this.#foreignEach = foreignEach;
  }

  /** One request by one tenant: with names that do not exist, then so many times with names of other tenants. */
  async swap(): Promise<number> {
    const stage = this.#stage;
    // Every swap in turn, each time with another kind of key and another kind of name.
    const place = this.rounds % swaps.length;
    const turn = Math.floor(this.rounds++ / swaps.length);
    const swap = swaps[place];
    const names = swap?.names[turn % swap.names.length];
    const kind = swap?.kinds[(place + turn) % swap.kinds.length];
    if (!swap || !names || !kind) throw new Error("There is something to swap.");
    this.kindsMet.add(kind);
    const holders = stage.tenants.flatMap((tenant) => tenant.holders.map((holder) => ({ tenant, holder })));
    const { tenant, holder } = stage.any(holders.filter((each) => each.holder.kind === kind));
    const variant = stage.random.below(1_000);
    // Lists hold only names of others, or one of the caller's own before them.
    const own = swap.mine && turn % 2 === 1 ? [swap.mine(holder)] : [];
    const count = swap.mine ? namesInList - own.length : 1;
    const ask = async (swapped: readonly string[]) => {
      const [first = "", ...more] = [...own, ...swapped];
      const request = swap.ask(first, holder, seededRandom(variant), more);
      const answer = await stage.send(holder, swap.operation, request);
      return { answer, request, bytes: bytesOf(answer, swapped) };
    };
    const expected = await ask(Array.from({ length: count }, () => namesOfNobody(stage)[names]));
    for (let index = 0; index < this.#foreignEach; index++) {
      const { answer, request, bytes } = await ask(
        stage.othersThan(tenant, count).map((other) => namesOf(stage, other)[names]),
      );
      const who = `${swap.operation} with a foreign ${names}, by ${holder.kind} of ${tenant.id}`;
      expect(leaksIn(answer, stage.secretsBeside(tenant), JSON.stringify(request)), who).toEqual([]);
      expect(bytes, who).toBe(expected.bytes);
    }
    return this.#foreignEach * count;
  }
}

/** A request with names that every tenant has. Returns the operation if it showed the tenant's own data. */
export async function collide(
  stage: Stage,
  tenant: TenantFixture,
  holder: Holder,
  collision: Collision,
): Promise<string | undefined> {
  const answer = await stage.send(holder, collision.operation, collision.ask(holder, stage.random));
  const who = `${collision.operation} by ${holder.kind} of ${tenant.id}`;
  expect([who, answer.status]).toEqual([who, 200]);
  expect(leaksIn(answer, stage.secretsBeside(tenant), ""), who).toEqual([]);
  return answer.body.includes(tenant.canary) ? collision.operation : undefined;
}
