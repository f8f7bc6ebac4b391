import { organizationKey, streamHeadKey } from "../../lib/store/layout.ts";
import { StoreUnavailable } from "../../lib/store/table.ts";
import { parseHead } from "../../lib/stream/head.ts";
import type { PageResult } from "../../lib/stream/read.ts";
import { datasets } from "../../lib/stream/stream.ts";
import { weekStartMs } from "../../lib/stream/weeks.ts";
import { checkCursor, checkShown, checkWalk, Violation, type WalkScope } from "./checker.ts";
import { firstWeek, pullRequestOf, visibleText, weeksCount } from "./history.ts";
import {
  lookAtOrganizations,
  organizations,
  Process,
  parseOrganizationState,
  tenantsFor,
  type World,
} from "./world.ts";

const dayMs = 86_400_000;

/** Walks one scope after another, resuming some of them, until the world closes. */
export function startReader(world: World): void {
  const process = new Process();
  const read = async () => {
    while (!world.isClosing) {
      await world.someTime(60);
      const walk = new Walk(world, process, await randomScope(world));
      for (let rounds = world.dice.below(3); rounds >= 0; rounds--) {
        if (!(await walk.toTheEnd(() => randomLimit(world)))) break;
        await world.someTime(150);
      }
    }
  };
  read().catch((error: unknown) => world.fail(error));
}

const randomLimit = ({ dice }: World): number => (dice.chance(0.5) ? 1 : 1 + dice.below(5));

async function randomScope(world: World): Promise<WalkScope> {
  const { dice, events } = world;
  const used = dice.pick(events).change.organization;
  const now = (await lookAtOrganizations(world)).get(used);
  const tenant = now && dice.chance(0.9) ? now.tenant : dice.pick(tenantsFor(used));
  const organization = dice.chance(0.4) ? used : undefined;
  const first = firstWeek + (dice.chance(0.5) ? 0 : dice.below(weeksCount));
  const isAll = dice.chance(0.4);
  const startMs = isAll ? -62_135_596_800_000 : weekStartMs(first) + dice.below(3) * dayMs;
  const endMs = isAll
    ? 253_402_300_800_000
    : weekStartMs(first + 1 + dice.below(weeksCount)) - dice.below(3) * dayMs;
  return {
    tenant,
    organization: tenant.startsWith("o#") && dice.chance(0.5) ? undefined : organization,
    dataset: dice.pick(datasets),
    window: { startMs, endMs },
    authorId: dice.chance(0.3) ? `author-${dice.below(2)}` : undefined,
  };
}

type Admission = { readonly organizations: ReadonlyMap<string, number>; readonly began: number };

/** A caller that walks pages, keeps the last state it saw of every pull request, and may come back later. */
export class Walk {
  readonly #world: World;
  readonly #process: Process;
  readonly scope: WalkScope;
  readonly shown = new Map<string, string>();
  pages = 0;
  #after = 0;
  /** Organizations in scope on every page so far, with their change counters. */
  #steady: ReadonlyMap<string, number> | undefined;

  constructor(world: World, process: Process, scope: WalkScope) {
    this.#world = world;
    this.#process = process;
    this.scope = scope;
  }

  /** False when the walk had to be given up: the organization left, or the world closes. */
  async toTheEnd(nextLimit: () => number): Promise<boolean> {
    for (;;) {
      try {
        const admission = await this.#admit();
        if (admission === "gone" || (admission === "preparing" && this.#world.isClosing)) return false;
        if (admission !== "preparing") {
          const isEnd = await this.#page(admission, nextLimit());
          if (isEnd) return true;
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
      }
      await this.#world.sleep(this.#world.dice.below(20));
    }
  }

  /** As authentication does at every call: who is in scope now? */
  async #admit(): Promise<Admission | "gone" | "preparing"> {
    const began = this.#world.now();
    const table = this.#world.connect(this.#process);
    const { tenant, organization } = this.scope;
    const wanted = organization === undefined ? organizations : [organization];
    const items = await Promise.all(wanted.map((each) => table.get(organizationKey(each))));
    const found = items.map((item, index) => ({
      name: wanted[index] ?? "",
      state: parseOrganizationState(item),
    }));
    const ours = found.filter(({ state }) => state.tenant === tenant);
    if (ours.length === 0) return "gone";
    if (ours.some(({ state }) => !state.isReady)) return "preparing";
    return { organizations: new Map(ours.map(({ name, state }) => [name, state.changes])), began };
  }

  /** One page; true when it was the last. */
  async #page({ organizations: inScope, began }: Admission, limit: number): Promise<boolean> {
    const { dice, events, isClosing } = this.#world;
    const { tenant, organization, dataset, window, authorId } = this.scope;
    this.#steady = stillSteady(this.#steady, inScope);
    const { table, read } = this.#world.reader(this.#process);
    const head = dice.chance(0.5) ? parseHead(await table.get(streamHeadKey(tenant))) : undefined;
    const timeUp = !isClosing && dice.chance(0.05) ? abortAfter(this.#world, dice.below(30)) : undefined;
    const result: PageResult = await read(table, {
      tenant,
      organization,
      dataset,
      window,
      after: this.#after,
      limit,
      eligible: (entry) =>
        inScope.has(entry.organization) && (authorId === undefined || entry.authorId === authorId),
      responseBytesMax: 1_000_000,
      passedOverBytesMax: !isClosing && dice.chance(0.3) ? dice.below(400) : 1_000_000,
      ...(head && { head }),
      ...(timeUp && { timeUp }),
    });
    if (result.kind === "no-progress") return false;
    if (result.kind === "too-large") throw new Violation("paging", "a small page was called too large");
    if (result.kind === "moved") throw new Violation("paging", "a page that did not ask was told of a move");
    this.pages++;
    this.#world.pages++;
    if (result.entries.length > limit) throw new Violation("paging", "a page holds more than its limit");
    const names = result.entries.map(({ payload }) => pullRequestOf(payload));
    if (new Set(names).size < names.length)
      throw new Violation("paging", "a pull request stands twice on one page");
    for (const entry of result.entries) {
      if (entry.number <= this.#after) throw new Violation("paging", "an entry before the cursor appears");
      checkShown(events, this.scope, new Set(inScope.keys()), entry);
      this.shown.set(pullRequestOf(entry.payload), visibleText(entry));
    }
    if (result.nextAfter !== null && result.nextAfter <= this.#after)
      throw new Violation("paging", "the cursor stands still");
    this.#after = result.nextAfter ?? result.readUpTo;
    const promised = await this.#stillHere();
    await checkCursor(this.#world, this.scope, promised, this.#after, this.shown);
    if (result.nextAfter !== null) return false;
    this.#world.walks++;
    checkWalk(events, this.scope, promised, began, this.shown);
    return true;
  }

  /** Organizations that were in scope all the time and are now: only of them was everything promised. */
  async #stillHere(): Promise<Set<string>> {
    const states = await lookAtOrganizations(this.#world);
    const here = [...(this.#steady ?? [])].filter(([name, changes]) => {
      const state = states.get(name);
      return state?.changes === changes && state.isReady;
    });
    return new Set(here.map(([name]) => name));
  }
}

function stillSteady(
  before: ReadonlyMap<string, number> | undefined,
  now: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  if (!before) return now;
  return new Map([...before].filter(([name, changes]) => now.get(name) === changes));
}

function abortAfter(world: World, steps: number): AbortSignal {
  const controller = new AbortController();
  world.sleep(steps).then(() => controller.abort());
  return controller.signal;
}
