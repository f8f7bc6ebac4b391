import { describe, expect, test } from "vitest";
import { ApiError } from "../../../lib/contract/api-error.ts";
import { organizationUuid } from "../../../lib/contract/identity.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { organizationTenant } from "../../../lib/contract/tenants.ts";
import { firstPosition, type LearningPosition, walkLearnings } from "../../../lib/learnings/export/walk.ts";
import { type LearningItem, parseLearning } from "../../../lib/store/items/learning.ts";
import { parseOrganization } from "../../../lib/store/items/organization.ts";
import { StoreUnavailable, type Table, type TransactionWrite } from "../../../lib/store/table.ts";
import { item, verbsOf } from "../../learnings/fixture.ts";
import { timeoutMs, volume } from "../../support/volume.ts";
import { Dice, diceRandom, Scheduler } from "../simulation/model/scheduler.ts";
import { ModelStore, noFaults } from "../simulation/model/store.ts";
import { Process } from "../simulation/world.ts";
import { firstItems } from "./simulated.ts";

/** `SEEDS=20000` runs more seeds. */
const seeds = Number(process.env.SEEDS ?? volume(60, 5_000));
const uuid = organizationUuid({ provider: "github", instance_id: null, provider_organization_id: "1" });
const msPerStep = 10;
const stepsMax = 60_000;
const pagesMax = 200;

/** Ways to break the promises. */
type Weak = {
  readonly resumes?: (end: LearningPosition) => LearningPosition;
  readonly weakness?: (table: Table) => Table;
};

/** The position that the last page's cursor has. */
const resumed = ({ settled }: LearningPosition): LearningPosition => ({ place: settled, settled });

/** Writers with slightly different clocks, and a reader that exports repeatedly, on the worst allowed store. */
class ExportSimulation {
  readonly dice: Dice;
  readonly scheduler: Scheduler;
  readonly store: ModelStore;
  readonly problems: string[] = [];
  /** The reader's copy: the last text per id. */
  readonly held = new Map<string, string>();
  readonly #resumes: (end: LearningPosition) => LearningPosition;
  readonly #weakness: (table: Table) => Table;
  #resumeFrom = firstPosition;
  #writersLeft: number;
  /** Ids whose deletion has begun. */
  readonly #deleted = new Set<string>();

  constructor(seed: number, { resumes = resumed, weakness = (table: Table) => table }: Weak = {}) {
    this.#resumes = resumes;
    this.#weakness = weakness;
    this.dice = new Dice(seed);
    this.scheduler = new Scheduler(this.dice);
    this.store = new ModelStore(this.scheduler, this.dice, noFaults);
    for (const each of firstItems(0)) this.store.seed(each);
    this.#writersLeft = 2 + this.dice.below(2);
  }

  async run(): Promise<string[]> {
    this.store.faults = { ...noFaults, slow: 0.1, invisible: this.dice.pick([0.1, 0.5]), throttle: 0.03 };
    let isOver = false;
    const failed = (error: unknown) => {
      this.problems.push(String(error));
      isOver = true;
    };
    for (let count = this.#writersLeft; count > 0; count--) this.#write(this.dice.below(7) - 3).catch(failed);
    this.#read().then(() => {
      isOver = true;
    }, failed);
    if (!(await this.scheduler.run(stepsMax, () => isOver)))
      this.problems.push("It does not come to an end.");
    return this.problems;
  }

  #clock(skewSeconds: number) {
    return {
      nowMs: () => 1_800_000_000_000 + this.scheduler.now * msPerStep + skewSeconds * 1_000,
      sleep: (ms: number) => this.scheduler.sleep(1 + Math.ceil(ms / msPerStep)),
    };
  }

  #table(): Table {
    return this.#weakness(this.store.connect(new Process()));
  }

  #items(partition: string): LearningItem[] {
    return this.store
      .all()
      .filter((stored) => stored.pk === partition && !("moved_to" in stored))
      .map(parseLearning);
  }

  #current(): LearningItem[] {
    return this.#items(kinds.learning.partition({ organization: uuid }));
  }

  async #write(skewSeconds: number): Promise<void> {
    const { dice } = this;
    const embedder = { id: "simulated", embed: async () => [1] };
    const { post, patch, remove } = verbsOf(this.#table(), {
      embedder,
      clock: this.#clock(skewSeconds),
      random: diceRandom(dice),
    });
    const stored = this.store.truth(kinds.organization.key({ organization: uuid }));
    if (!stored) throw new Error("The organization vanished.");
    const organization = parseOrganization(stored);
    for (let count = 8; count > 0; count--) {
      await this.scheduler.sleep(dice.below(60));
      const ids = this.#current().map(({ id }) => id);
      const what = dice.below(6);
      const text = () => `text ${dice.below(30)}`;
      try {
        if (what <= 2 || ids.length === 0)
          await post({ organization, authorId: "ann" }, item(text()), item(text()));
        else if (what <= 4) await patch(organization, dice.pick(ids), text());
        else {
          const id = dice.pick(ids);
          this.#deleted.add(id);
          await remove(organization, id);
        }
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof StoreUnavailable)) throw error;
      }
    }
    this.#writersLeft--;
  }

  async #read(): Promise<void> {
    for (let isLast = false; !isLast; ) {
      // Read before the walk: writes during the walk are left to the next walk.
      isLast = this.#writersLeft === 0;
      if (isLast) await this.scheduler.sleep(600);
      await this.#walk();
      await this.#wholeWalk();
      await this.scheduler.sleep(this.dice.below(100));
    }
    for (const { id, text, state } of this.#current())
      if (state === "approved" && this.held.get(id) !== text)
        this.problems.push(`${id} is held as ${this.held.get(id)}, and it is ${text}`);
  }

  async #walk(): Promise<void> {
    const { seen, end } = await this.#pages(this.#resumeFrom);
    for (const { id, text } of seen) this.held.set(id, text);
    this.#resumeFrom = this.#resumes(end);
  }

  /** A walk from the beginning must return every Learning that existed before it and still exists. */
  async #wholeWalk(): Promise<void> {
    const before = this.#items(kinds.listedLearning.partition({ tenant: organizationTenant(uuid) }));
    const { seen } = await this.#pages(firstPosition);
    const met = new Set(seen.map(({ id }) => id));
    for (const { id } of before)
      if (!met.has(id) && !this.#deleted.has(id)) this.problems.push(`a walk missed ${id}`);
  }

  async #pages(start: LearningPosition): Promise<{ seen: LearningItem[]; end: LearningPosition }> {
    const seen: LearningItem[] = [];
    let from = start;
    for (let pages = 0; pages < pagesMax; pages++) {
      const page = await this.#page(from);
      if (!page) continue;
      seen.push(...page.learnings);
      from = page.position;
      if (page.isLast) return { seen, end: from };
    }
    throw new Error("A walk that does not end.");
  }

  async #page(from: LearningPosition) {
    try {
      return await walkLearnings(
        { table: this.#table(), clock: this.#clock(0) },
        {
          owner: organizationTenant(uuid),
          from,
          limit: 1 + this.dice.below(4),
          wanted: () => true,
          isFiltered: false,
          signal: new AbortController().signal,
        },
      );
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined;
      throw error;
    }
  }
}

test(
  `an export misses nothing; a resumed one has every Learning's current state, in ${seeds} random lives`,
  async () => {
    const broken: string[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const problems = await new ExportSimulation(seed).run();
      if (problems.length > 0) broken.push(`seed ${seed}: ${problems.join("; ")}`);
    }
    expect(broken).toEqual([]);
  },
  timeoutMs,
);

const nothingLeftBehind = (write: TransactionWrite): TransactionWrite =>
  "put" in write && "moved_to" in write.put ? { delete: { pk: write.put.pk, sk: write.put.sk } } : write;

describe("a simulation that cannot fail proves nothing", () => {
  test.each<[string, Weak]>([
    [
      "a resume cursor that skips entries that are not settled yet",
      { resumes: ({ place }) => ({ place, settled: place }) },
    ],
    [
      "a Learning that moves and leaves no note at its old place",
      {
        weakness: (table) => ({
          ...table,
          transact: (writes) => table.transact(writes.map(nothingLeftBehind)),
        }),
      },
    ],
    [
      "a Learning that counts as found at its new place although it is not there",
      {
        weakness: (table) => ({
          ...table,
          get: async (key, options) =>
            (await table.get(key, options)) ?? (key.pk.startsWith("LEARNINGS#") ? key : undefined),
        }),
      },
    ],
  ])(
    "the simulation detects %s",
    async (_, weak) => {
      let caught = false;
      for (let seed = 1; seed <= 1_000 && !caught; seed++)
        caught = (await new ExportSimulation(seed, weak).run()).length > 0;
      expect(caught).toBe(true);
    },
    120_000,
  );
});
