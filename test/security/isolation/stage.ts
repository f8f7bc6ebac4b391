import { operations } from "../../../lib/contract/operations.ts";
import type { Chance } from "../../../lib/runtime/chance.ts";
import type { Item, Key, Table } from "../../../lib/store/table.ts";
import type { Answer, Api } from "../../support/api.ts";
import { seededChance } from "../../support/clock.ts";
import { Pace } from "../../support/pace.ts";
import type { World } from "../../support/world.ts";
import { buildShop, type Holder, planWorld, type Shop } from "./shops.ts";
import type { Request } from "./swaps.ts";

const callersAtOnce = 8;

/** A world of tenants, and a way to call in the name of any of them. */
export class Stage {
  readonly chance: Chance;
  readonly shops: Shop[] = [];
  readonly #api: Api;
  #pace: Pace | undefined;

  constructor(api: Api, seed: number) {
    this.#api = api;
    this.chance = seededChance(seed);
  }

  async build(world: World, worlds: number): Promise<void> {
    for (const plan of planWorld(this.chance)) this.shops.push(await buildShop(world, this.chance, plan));
    // Further worlds bring instances only: the cloud's organization 100 of each provider exists once.
    for (let more = 1; more < worlds; more++)
      for (const plan of planWorld(this.chance).filter(({ kind }) => kind === "instance"))
        this.shops.push(await buildShop(world, this.chance, plan));
    this.#pace = new Pace(Date.now());
  }

  end(): void {
    this.#pace?.end();
  }

  any<Element>(elements: readonly Element[]): Element {
    const element = elements[this.chance.below(elements.length)];
    if (element === undefined) throw new Error("There is nothing to choose from.");
    return element;
  }

  otherThan(shop: Shop): Shop {
    return this.any(this.shops.filter((each) => each !== shop));
  }

  /** Each another one: a name that is sent twice is done once. */
  othersThan(shop: Shop, count: number): Shop[] {
    const others: Shop[] = [];
    while (others.length < count)
      others.push(this.any(this.shops.filter((each) => each !== shop && !others.includes(each))));
    return others;
  }

  secretsBeside(shop: Shop): string[] {
    return this.shops.filter((each) => each !== shop).flatMap(({ secrets }) => secrets);
  }

  async send(holder: Holder, operation: string, { target, ...rest }: Request): Promise<Answer> {
    if (!this.#pace) throw new Error("The world is built first.");
    const limit = operations.find(({ id }) => id === operation)?.rateLimit;
    const bucket = `${holder.shopId}|${limit?.bucket}`;
    return await this.#pace.run(bucket, limit?.requestsMax ?? 1, () =>
      this.#api.call(target, { key: holder.key, ...rest }),
    );
  }

  /** Several callers at once, until the count is reached. */
  async repeat(times: number, work: () => Promise<number>): Promise<number> {
    let done = 0;
    const caller = async () => {
      while (done < times) {
        const more = await work();
        done += more;
      }
    };
    await Promise.all(Array.from({ length: callersAtOnce }, caller));
    return done;
  }
}

/** Everything of the table but counters, dates of use and the audit log. */
export async function contents(table: Table): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  let resume: Key | undefined;
  do {
    const page = await table.scanPage({}, resume);
    for (const { last_used_at_ms: _, ...item } of page.items)
      if (!/^(LIMIT|REFUSED|AUDIT)#/.test(item.pk)) found.set(`${item.pk} ${item.sk}`, item);
    resume = page.resume;
  } while (resume);
  return found;
}
