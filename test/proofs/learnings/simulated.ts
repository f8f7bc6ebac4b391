import { ApiError } from "../../../lib/contract/api-error.ts";
import { organizationUuid } from "../../../lib/contract/identity.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { workspaceTenant } from "../../../lib/contract/tenants.ts";
import type { Embedder } from "../../../lib/index/embedder.ts";
import { reconcileAll } from "../../../lib/index/reconcile.ts";
import { type RefreshDeps, refresh, staleMarkers } from "../../../lib/index/refresh.ts";
import { approveDue, decideLearning } from "../../../lib/learnings/approval.ts";
import { captureLearning } from "../../../lib/learnings/events/capture.ts";
import { closePrivateLearnings, mergedBefore } from "../../../lib/learnings/events/pull-request.ts";
import type { LearningCaptured } from "../../../lib/learnings/events/schemas.ts";
import { useLearning } from "../../../lib/learnings/events/use.ts";
import { moveLearnings } from "../../../lib/learnings/move-learnings.ts";
import type { Clock } from "../../../lib/runtime/clock.ts";
import { parseLearning } from "../../../lib/store/items/learning.ts";
import { type OrganizationItem, parseOrganization } from "../../../lib/store/items/organization.ts";
import { type Item, StoreUnavailable, type Table } from "../../../lib/store/table.ts";
import { problemsOf } from "../../learnings/check-table.ts";
import { item, storedRepository, verbsOf } from "../../learnings/fixture.ts";
import { Dice, diceRandom, jumpingClock, Scheduler } from "../simulation/model/scheduler.ts";
import { SimulatedRun } from "../simulation/model/simulated-run.ts";
import { type Faults, ModelStore, noFaults } from "../simulation/model/store.ts";
import { randomFaults } from "../simulation/simulated-world.ts";
import { Process } from "../simulation/world.ts";

/** A known way to break a promise: it wraps the table between the code and the store. */
export type Weakness = (table: Table) => Table;

const name = { provider: "github" as const, instance_id: null, provider_organization_id: "1" };
const uuid = organizationUuid(name);
const texts = ["A", "B", "C"];
const pullRequests = ["https://x/1", "https://x/2"];
const stepsMax = 60_000;

type SimulatedEvent = {
  readonly version: string;
  apply(store: { table: Table }): Promise<unknown>;
  isDone: boolean;
};

/** Runs one seed of an organization's Learnings on the DynamoDB model; returns the problems found at rest. */
export async function simulate(
  seed: number,
  { weakness = (table: Table) => table, faults = {} }: { weakness?: Weakness; faults?: Partial<Faults> } = {},
): Promise<string[]> {
  return await new LearningsSimulation(seed, weakness, faults).run();
}

class LearningsSimulation {
  readonly #dice: Dice;
  readonly #scheduler: Scheduler;
  readonly #store: ModelStore;
  readonly #clock: Clock;
  readonly #weakness: Weakness;
  readonly #events: SimulatedEvent[] = [];
  readonly #faults: Faults;
  #uses = 0;
  #usedId = "";
  #callsLeft = 0;
  readonly #run: SimulatedRun;

  constructor(seed: number, weakness: Weakness, faults: Partial<Faults>) {
    this.#dice = new Dice(seed);
    this.#scheduler = new Scheduler(this.#dice);
    this.#run = new SimulatedRun(this.#scheduler, stepsMax);
    this.#faults = { ...randomFaults(this.#dice, this.#dice.chance(0.4) ? 0 : this.#dice.next()), ...faults };
    this.#store = new ModelStore(this.#scheduler, this.#dice, noFaults);
    this.#clock = jumpingClock(this.#scheduler, this.#dice);
    this.#weakness = weakness;
    for (const each of firstItems(this.#dice.pick([0, 0, 1]))) this.#store.seed(each);
  }

  async run(): Promise<string[]> {
    try {
      await this.#prepare();
      this.#store.faults = this.#faults;
      for (let count = 2 + this.#dice.below(2); count > 0; count--)
        this.#employ((process) => this.#call(process));
      for (let count = 1 + this.#dice.below(2); count > 0; count--)
        this.#employ((process) => this.#deliver(process));
      this.#employ((process) => this.#keepHouse(process));
      await this.#run.run(() => this.#callsLeft <= 0 && this.#events.every(({ isDone }) => isDone));
      this.#store.faults = noFaults;
      await this.#run.run();
      return await this.#atRest();
    } catch (error) {
      return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
    }
  }

  /** Events use one Learning that is never deleted, so that its use can be counted. */
  async #prepare(): Promise<void> {
    const { post } = this.#verbs(new Process());
    const { results } = await this.#run.finish(post(await this.#author(), item("used")));
    this.#usedId = results[0]?.id ?? "";
    const { dice } = this;
    for (let count = 6 + dice.below(6); count > 0; count--) this.#events.push(this.#makeEvent());
    this.#callsLeft = 10 + dice.below(8);
  }

  get dice(): Dice {
    return this.#dice;
  }

  #makeEvent(): SimulatedEvent {
    const { dice } = this;
    const at = `2026-11-${String(1 + dice.below(9)).padStart(2, "0")}T00:00:00.000Z`;
    const version = `${at}#event-${this.#events.length}-${dice.below(1e9)}`;
    const prUrl = dice.pick(pullRequests);
    const what = dice.below(4);
    if (what === 0) {
      const count = 1 + dice.below(5);
      this.#uses += count;
      const data = { ...name, learning_id: this.#usedId, used_at: at, count };
      return this.#newEvent(version, (store) => useLearning(store, data, version));
    }
    if (what === 1) {
      const status = dice.pick(["merged", "closed"] as const);
      const end = { organization: uuid, prUrl, status, version };
      const looksFirst = dice.chance(0.5);
      return this.#newEvent(version, async (store) => {
        const merged = looksFirst ? await mergedBefore(store.table, [end]) : new Map();
        await closePrivateLearnings(store, end, merged.get(end));
      });
    }
    const source = dice.pick(["chat", "pull_request", "pull_request"] as const);
    const data: LearningCaptured = {
      ...name,
      repository_id: "repo-1",
      learning: dice.pick(texts),
      author_id: "bob",
      source,
      pr_url: source === "chat" ? null : prUrl,
      file: null,
      source_url: null,
    };
    return this.#newEvent(version, (store) => captureLearning(store, data, version));
  }

  #newEvent(
    version: string,
    apply: (store: ReturnType<LearningsSimulation["deps"]>) => Promise<unknown>,
  ): SimulatedEvent {
    return { version, isDone: false, apply: ({ table }) => apply({ ...this.deps(new Process()), table }) };
  }

  deps(process: Process) {
    return {
      table: this.#weakness(this.#store.connect(process)),
      clock: this.#clock,
      random: diceRandom(this.#dice),
      embedder: this.#embedder(),
    };
  }

  /** Has random delays, and sometimes fails. */
  #embedder(): Embedder {
    return {
      id: "simulated",
      embed: async (text) => {
        await this.#scheduler.sleep(this.#dice.below(this.#dice.chance(0.1) ? 200 : 4));
        if (this.#store.faults !== noFaults && this.#dice.chance(0.1)) throw new Error("The model is away.");
        return [text.length];
      },
    };
  }

  #verbs(process: Process) {
    const deps = this.deps(process);
    return verbsOf(deps.table, deps);
  }

  async #author() {
    const stored = this.#store.truth(kinds.organization.key({ organization: uuid }));
    if (!stored) throw new Error("The organization vanished.");
    return { organization: parseOrganization(stored), authorId: "ann" };
  }

  #someId(): string {
    const ids = this.#store
      .all()
      .filter(({ pk }) => pk === `LEARNING#${uuid}`)
      .map(({ sk }) => sk);
    return ids.length > 0 ? this.#dice.pick(ids) : "none";
  }

  /** Callers of the API: they may repeat a request whose answer was lost. */
  async #call(process: Process): Promise<void> {
    const { dice } = this;
    while (this.#callsLeft > 0) {
      await this.#someTime(20);
      this.#callsLeft--;
      const { post, patch, remove } = this.#verbs(process);
      const author = await this.#author();
      const id = this.#someId();
      const what = dice.below(5);
      if (what === 0 && id !== this.#usedId) await settledOrFault(remove(author.organization, id));
      else if (what <= 2) await settledOrFault(patch(author.organization, id, dice.pick([...texts, "D"])));
      else await settledOrFault(post(author, item(dice.pick(texts)), item(dice.pick(texts))));
    }
  }

  /** The queue: delivers at least once, in any order, sometimes twice at the same time. */
  async #deliver(process: Process): Promise<void> {
    while (this.#events.some(({ isDone }) => !isDone)) {
      await this.#someTime(12);
      const open = this.#events.filter(({ isDone }) => !isDone);
      const event = this.#dice.pick(this.#dice.chance(0.2) || open.length === 0 ? this.#events : open);
      try {
        await event.apply(this.deps(process));
        event.isDone = true;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
      }
    }
  }

  /** The clock workers, and an admin. */
  async #keepHouse(process: Process): Promise<void> {
    for (let round = 0; round < 4; round++) {
      await this.#someTime(150);
      const deps = this.deps(process);
      await settledOrFault(approveDue(deps, () => {}));
      await settledOrFault(refreshAll(deps, this.#clock));
      if (this.#dice.chance(0.3)) await settledOrFault(this.#changeTenant(process));
      const decision = this.#dice.pick(["approved", "disapproved"] as const);
      await settledOrFault(
        decideLearning({ ...verbsOf(deps.table, deps).deps, ...deps }, uuid, this.#someId(), decision),
      );
    }
  }

  async #changeTenant(process: Process): Promise<void> {
    const { organization } = await this.#author();
    const tenant = workspaceTenant(this.#dice.pick(["acme", "other"]));
    const deps = this.deps(process);
    await deps.table.write({ put: { ...organization, tenant } });
    await moveLearnings(deps, { ...organization, tenant });
  }

  async #someTime(stepsMost: number): Promise<void> {
    const time = this.#scheduler.sleep(this.#dice.below(stepsMost));
    await (this.#dice.chance(0.5) ? Promise.race([time, this.#store.nextCommit()]) : time);
  }

  /** A process that dies is replaced. */
  #employ(work: (process: Process) => Promise<void>): void {
    const process = new Process(() => {
      this.#scheduler.after(this.#dice.below(40), () => this.#employ(work));
    });
    work(process).catch((error: unknown) => this.#run.fail(error));
  }

  async #atRest(): Promise<string[]> {
    const deps = this.deps(new Process());
    const { embedder } = deps;
    // Requests from before a change of tenant have ended: move the Learnings that they listed.
    const { organization } = await this.#author();
    await this.#run.finish(moveLearnings(deps, organization));
    const records = problemsOf(this.#store.all());
    const strays = this.#store
      .all()
      .filter(({ pk }) => pk === `LEARNING#${uuid}`)
      .map(parseLearning)
      .filter(({ listed }) => listed && listed.tenant !== organization.tenant)
      .map(({ id }) => `${id} is listed with another tenant`);
    const used = this.#store.truth({ pk: `LEARNING#${uuid}`, sk: this.#usedId });
    const uses = used && parseLearning(used).usage_count;
    const use = uses === this.#uses ? [] : [`used ${this.#uses} times, counted ${uses}`];
    // The markers alone are enough, unless a request arrived long after its sender gave up or died.
    if (isPunctual(this.#faults)) await this.#run.finish(refreshAll(deps, this.#clock));
    else await this.#fullPasses(deps);
    return [...records, ...strays, ...use, ...problemsOf(this.#store.all(), { embedder })];
  }

  /** A pass may read stale data, so the next pass fixes what it missed. */
  async #fullPasses(deps: ReturnType<LearningsSimulation["deps"]>): Promise<void> {
    for (let pass = 0; pass < passesMax; pass++) {
      await this.#run.finish(reconcileAll(deps));
      if (problemsOf(this.#store.all(), deps).length === 0) return;
    }
  }
}

const passesMax = 20;

const isPunctual = ({ crash, crashAfterCommit, timeOut, echo }: Faults): boolean =>
  crash + crashAfterCommit + timeOut + echo === 0;

async function refreshAll(deps: RefreshDeps, clock: Clock) {
  const options = { nowMs: clock.nowMs(), everything: true };
  return await refresh(deps, await Array.fromAsync(staleMarkers(deps.table, options)));
}

/** Documented errors are expected; any other error is a finding. */
async function settledOrFault(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof ApiError)) throw error;
  }
}

export function firstItems(approvalDelayDays: number): Item[] {
  const organization: OrganizationItem = {
    ...kinds.organization.key({ organization: uuid }),
    uuid,
    ...name,
    name: "one",
    tenant: workspaceTenant("acme"),
    workspace_id: "acme",
    plan: "enterprise",
    subscription_active: true,
    deployment: "cloud",
    active: true,
    metrics: "ready",
    seats_purchased: 1,
    seat_assignment_mode: "manual",
    approval_delay_days: approvalDelayDays,
    version: "1",
    first_version: "1",
  };
  const directory = { pk: "DIRECTORY#ORG", sk: `1#${uuid}`, uuid, ...name, name: "one" };
  return [organization, storedRepository(uuid), directory];
}
