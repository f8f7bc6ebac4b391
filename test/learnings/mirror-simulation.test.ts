import { describe, expect, test } from "vitest";
import type { ScopeMark } from "../../lib/access/follow-scope.ts";
import { checkPlan } from "../../lib/access/policy.ts";
import type { Principal } from "../../lib/access/principal.ts";
import { selectOrganizations } from "../../lib/access/scope.ts";
import { Fault } from "../../lib/contract/fault.ts";
import { organizationUuid } from "../../lib/contract/identity.ts";
import { learningLimits } from "../../lib/contract/limits.ts";
import { listLearnings } from "../../lib/contract/operations/learnings.ts";
import type { Dependencies } from "../../lib/http/dependencies.ts";
import type { Exchange } from "../../lib/http/exchange.ts";
import { followScope } from "../../lib/http/steps.ts";
import { exportLearnings } from "../../lib/learnings/export.ts";
import { relistMoved } from "../../lib/learnings/move-learnings.ts";
import { MoveUnderWay, resumeMoves } from "../../lib/organizations/move.ts";
import { saveOrganization } from "../../lib/organizations/save-organization.ts";
import { saveWorkspace } from "../../lib/organizations/save-workspace.ts";
import { isVisible, settledEpochs } from "../../lib/organizations/visibility.ts";
import { type Clock, toTimestamp } from "../../lib/runtime/clock.ts";
import { parseLearning } from "../../lib/store/items/learning.ts";
import { type OrganizationItem, parseOrganization } from "../../lib/store/items/organization.ts";
import { parseScopeEpochs } from "../../lib/store/items/scope-epochs.ts";
import {
  isScopeEpochs,
  learningPartition,
  organizationKey,
  repositoryKey,
  tenantOrganizationsRange,
  workspaceTenant,
} from "../../lib/store/layout.ts";
import { queryAll, StoreUnavailable, type Table, type TransactionWrite } from "../../lib/store/table.ts";
import { StreamBusy } from "../../lib/stream/stream.ts";
import { Dice, diceChance, Scheduler } from "../simulation/model/scheduler.ts";
import { ModelStore, noFaults } from "../simulation/model/store.ts";
import { Process } from "../simulation/world.ts";
import { atRest, mirrorFaults } from "../support/mirror-oracle.ts";
import { isLong, timeoutMs, volume } from "../support/volume.ts";
import { item, verbsOf } from "./fixture.ts";

process.env.LOG_LEVEL ??= "silent";
/** `SEEDS=20000` goes further. */
const seeds = Number(process.env.SEEDS ?? volume(60, 5_000));
/** The slowest request of the model ends well within the two minutes after which a list counts as settled. */
const msPerStep = 40;
const settledSteps = Math.ceil(learningLimits.settledAfterMs / msPerStep);
const stepsMax = 400_000;
const names = ["1", "2", "3"];
const tenant = workspaceTenant("acme");

type Cursor = { readonly position: readonly string[]; readonly mark: ScopeMark | undefined };

/** Ways to break the promise. */
type Weak = {
  readonly table?: (table: Table) => Table;
  /** What the cursor of a walk that has ended says instead. */
  readonly resume?: (position: readonly string[]) => readonly string[];
  /** As in release 1: the cursor does not tell which organizations it covers. */
  readonly isUnmarked?: boolean;
};

/** Only what the step looks at. */
const exchangeOf = (parts: Partial<Exchange>): Exchange => ({ ...parts }) as Exchange;
const principalOf = (parts: object): Principal => ({ ...parts }) as Principal;
const dependenciesOf = (clock: Clock): Dependencies => ({ clock }) as Dependencies;

const providerOf = (name: string) =>
  ({ provider: "github", instance_id: null, provider_organization_id: name }) as const;

type Standing = { plan: "enterprise" | "pro"; active: boolean; workspace_id: string | null };

/** Organizations that change what they are and where, writers that know it or not yet, and mirrors that resume. */
class Life {
  readonly dice: Dice;
  readonly scheduler: Scheduler;
  readonly store: ModelStore;
  readonly problems: string[] = [];
  readonly mirrors: Mirror[];
  readonly #weak: Weak;
  #workers = 0;
  #versions = 0;

  constructor(seed: number, weak: Weak = {}) {
    this.#weak = weak;
    this.dice = new Dice(seed);
    this.scheduler = new Scheduler(this.dice);
    this.store = new ModelStore(this.scheduler, this.dice, noFaults);
    this.mirrors = [new Mirror(this, weak), new Mirror(this, weak)];
  }

  async live(): Promise<string[]> {
    try {
      await this.#finish(this.#prepare());
      this.store.faults = { ...noFaults, slow: 0.05, invisible: this.dice.pick([0.1, 0.5]), throttle: 0.02 };
      for (let count = 2; count > 0; count--) this.#employ(this.#write(this.dice.below(7) - 3));
      this.#employ(this.#flip());
      for (const mirror of this.mirrors)
        this.#employ(mirror.follow(() => this.#workers <= this.mirrors.length));
      await this.#run(() => this.#workers === 0);
      this.store.faults = noFaults;
      await this.#finish(this.#rest());
      for (const mirror of this.mirrors) this.#judge(mirror.held);
    } catch (error) {
      this.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    return this.problems;
  }

  clock(skewSeconds = 0): Clock {
    return {
      nowMs: () => 1_800_000_000_000 + this.scheduler.now * msPerStep + skewSeconds * 1_000,
      sleep: (ms) => this.scheduler.sleep(1 + Math.ceil(ms / msPerStep)),
    };
  }

  table(): Table {
    const table = this.store.connect(new Process());
    return this.#weak.table?.(table) ?? table;
  }

  #deps() {
    return { table: this.table(), clock: this.clock(), chance: diceChance(this.dice) };
  }

  #employ(work: Promise<void>): void {
    this.#workers++;
    work.then(
      () => this.#workers--,
      (error: unknown) => {
        this.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
        this.#workers = 0;
      },
    );
  }

  async #run(until: () => boolean): Promise<void> {
    if (!(await this.scheduler.run(stepsMax, until))) throw new Error("It does not come to an end.");
  }

  async #finish(work: Promise<void>): Promise<void> {
    let isOver = false;
    let failure: unknown;
    work
      .catch((error: unknown) => {
        failure = error ?? new Error("failed");
      })
      .finally(() => {
        isOver = true;
      });
    await this.#run(() => isOver);
    if (failure) throw failure;
  }

  async #prepare(): Promise<void> {
    for (const id of ["acme", "other"])
      await saveWorkspace(
        this.#deps(),
        { id, name: id, admins: [], seats_purchased: 0, active: true },
        this.#version(),
      );
    for (const name of names) {
      await this.#save(name, {
        plan: "enterprise",
        active: true,
        workspace_id: name === "3" ? null : "acme",
      });
      const repository = {
        ...repositoryKey(organizationUuid(providerOf(name)), "repo-1"),
        ...{
          uuid: "r",
          repository_id: "repo-1",
          name: "r",
          full_name: "g/r",
          private: null,
          url: "https://x",
        },
        ...{ active: true, approval_delay_days: null, version: "1", first_version: "1" },
      };
      this.store.seed(repository);
    }
  }

  #version(): string {
    return `${toTimestamp(this.clock().nowMs())}#event-${String(this.#versions++).padStart(4, "0")}`;
  }

  /** As the queue delivers an event: again and again until it is applied. */
  async #save(name: string, standing: Standing, version = this.#version()): Promise<void> {
    const saved = {
      ...providerOf(name),
      ...standing,
      name,
      subscription_active: true,
      deployment: "cloud",
      metrics: "ready",
      seats_purchased: 0,
      seat_assignment_mode: "manual",
      approval_delay_days: 0,
    } as const;
    for (;;) {
      try {
        await saveOrganization(this.#deps(), saved, version);
        return;
      } catch (error) {
        if (!isPassing(error)) throw error;
        await this.scheduler.sleep(20);
      }
    }
  }

  async #flip(): Promise<void> {
    const { dice } = this;
    for (let left = 4 + dice.below(6); left > 0; left--) {
      await this.#pause();
      const name = dice.pick(names);
      const { plan, active, workspace_id } = this.organization(name);
      const kept = { plan: plan === "pro" ? plan : ("enterprise" as const), active, workspace_id };
      const what = dice.below(4);
      if (what === 0) await this.#save(name, { ...kept, plan: kept.plan === "pro" ? "enterprise" : "pro" });
      else if (what === 1) await this.#save(name, { ...kept, active: !active });
      else await this.#save(name, { ...kept, workspace_id: dice.pick(["acme", "other", null]) });
    }
  }

  organization(name: string): OrganizationItem {
    const stored = this.store.truth(organizationKey(organizationUuid(providerOf(name))));
    if (!stored) throw new Error("An organization vanished.");
    return parseOrganization(stored);
  }

  /** Often a moment, now and then longer than anything takes to settle. */
  async #pause(): Promise<void> {
    await this.scheduler.sleep(this.dice.below(this.dice.chance(0.3) ? 2 * settledSteps : 60));
  }

  async #write(skewSeconds: number): Promise<void> {
    const { dice } = this;
    const embedder = { id: "simulated", embed: async () => [1] };
    for (let left = 9; left > 0; left--) {
      await this.#pause();
      const clock = this.clock(skewSeconds);
      const { post, patch, remove } = verbsOf(this.table(), { embedder, clock, chance: diceChance(dice) });
      const organization = this.organization(dice.pick(names));
      // Read with authentication: by now it may have moved, and its readers may have come by.
      await this.scheduler.sleep(dice.below(dice.chance(0.3) ? settledSteps / 4 : 30));
      const ids = this.learnings(organization.uuid).map(({ id }) => id);
      const what = dice.below(6);
      const text = () => `text ${dice.below(12)}`;
      try {
        if (what <= 1 || ids.length === 0)
          await post({ organization, authorId: "ann" }, item(text()), item(text()));
        else if (what <= 3) {
          const id = dice.pick(ids);
          await patch(organization, id, text());
          if (dice.chance(0.3)) await remove(this.organization(organization.name), id);
        } else await remove(organization, dice.pick(ids));
      } catch (error) {
        if (!(error instanceof Fault || error instanceof StoreUnavailable)) throw error;
      }
    }
  }

  learnings(uuid: string) {
    return this.store
      .all()
      .filter(({ pk }) => pk === learningPartition(uuid))
      .map(parseLearning);
  }

  /** What the clock's workers finish, then every mirror comes back until everything has settled. */
  async #rest(): Promise<void> {
    for (let rounds = 0; rounds < 2; rounds++) {
      await this.scheduler.sleep(2 * settledSteps);
      await resumeMoves(this.#deps());
      await relistMoved(this.#deps());
      await settledEpochs(this.table(), tenant);
    }
    for (let rounds = 0; rounds < 2; rounds++) {
      await this.scheduler.sleep(2 * settledSteps);
      for (const mirror of this.mirrors) await mirror.walk();
    }
  }

  /** A fresh walk returns what stands in the organizations that are visible. */
  #judge(held: ReadonlyMap<string, string>): void {
    const wanted = new Map<string, string>();
    for (const name of names) {
      const organization = this.organization(name);
      if (organization.tenant !== tenant || !isVisible(organization)) continue;
      for (const { id, text, state } of this.learnings(organization.uuid))
        if (state === "approved") wanted.set(`${name} ${id}`, text);
    }
    for (const { kind, name } of mirrorFaults(held, atRest(wanted)))
      this.problems.push(`${kind}: ${name} is held as ${held.get(name)}, and it is ${wanted.get(name)}`);
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof MoveUnderWay || error instanceof StreamBusy;

/** A caller with a workspace token that applies every page. */
class Mirror {
  readonly held = new Map<string, string>();
  readonly #life: Life;
  readonly #weak: Weak;
  #cursor: Cursor | undefined;

  constructor(life: Life, weak: Weak) {
    this.#life = life;
    this.#weak = weak;
  }

  async follow(isOver: () => boolean): Promise<void> {
    const { dice, scheduler } = this.#life;
    while (!isOver()) {
      await this.walk(() => scheduler.sleep(dice.below(dice.chance(0.1) ? 2 * settledSteps : 20)));
      await scheduler.sleep(dice.below(dice.chance(0.4) ? 2 * settledSteps : 100));
    }
  }

  /** To the end, or until nobody is visible any more. */
  async walk(pause: () => Promise<void> = async () => {}): Promise<void> {
    for (let pages = 0; pages < 400; pages++) {
      try {
        if (await this.#page()) return;
      } catch (error) {
        if (error instanceof Fault) return;
        if (!(error instanceof StoreUnavailable)) throw error;
      }
      await pause();
    }
    throw new Error("A walk that does not end.");
  }

  async #page(): Promise<boolean> {
    const life = this.#life;
    const isFirst = this.#cursor === undefined;
    const [table, clock] = [life.table(), life.clock()];
    const query = { include_removed: true } as const;
    const { principal, scope } = await this.#admit(table, clock, query);
    let next: Cursor | undefined;
    const keep = (position: readonly string[], mark?: ScopeMark) => {
      next = { position, mark };
      return "kept";
    };
    const { resume = (position: readonly string[]) => position } = this.#weak;
    const page = await exportLearnings({
      principal,
      scope: this.#weak.isUnmarked ? { organizations: scope.organizations } : scope,
      readable: "*",
      input: { query },
      paging: {
        position: this.#cursor?.position ?? null,
        pageSize: 1 + life.dice.below(4),
        next: keep,
        resume: (position, mark) => keep(resume(position), mark),
      },
      table,
      clock,
      signal: new AbortController().signal,
    });
    this.#cursor = next;
    if (isFirst && page.removed?.length !== 0) life.problems.push("a first page tells of a removal");
    for (const { organization_id, id, learning } of page.records)
      this.held.set(`${organization_id} ${id}`, learning);
    for (const gone of page.removed ?? [])
      this.#drop(`${gone.organization_id} ${"id" in gone ? gone.id : ""}`);
    return page.nextCursor === null;
  }

  #drop(gone: string): void {
    for (const id of this.held.keys()) if (id.startsWith(gone)) this.held.delete(id);
  }

  /** As the chain does it: rows and epochs in one round, then the step that follows the scope. */
  async #admit(table: Table, clock: Clock, query: Record<string, unknown>) {
    const items = await Array.fromAsync(queryAll(table, tenantOrganizationsRange(tenant)));
    const rows = items.filter((each) => !isScopeEpochs(each)).map(parseOrganization);
    const principal = principalOf({
      tenant,
      key: { kind: "workspace", authorized: null },
      organizations: rows.filter(({ active }) => active),
      forbiddenOrganizations: [],
      scopeEpochs: parseScopeEpochs(items.find(isScopeEpochs)),
    });
    const options = { mayBeEmpty: this.#cursor !== undefined };
    const selected = selectOrganizations(listLearnings, principal, {}, options);
    const mark = this.#weak.isUnmarked ? undefined : this.#cursor?.mark;
    const exchange = exchangeOf({
      operation: listLearnings,
      table,
      principal,
      input: { path: undefined, query, body: undefined },
      ...(this.#cursor && mark && { cursor: { ...opened, position: this.#cursor.position, mark } }),
      scope: checkPlan(listLearnings, selected, "workspace", options),
    });
    await followScope(dependenciesOf(clock), exchange);
    return { principal, scope: exchange.scope ?? selected };
  }
}

const opened = {
  resumes: false,
  pageSize: undefined,
  binding: "",
  tenantDigest: undefined,
  authorizedDigest: undefined,
  readable: undefined,
  ages: undefined,
};

test(
  `a mirror of Learnings is right in ${seeds} random lives, whatever is deleted, moves, leaves or comes back`,
  async () => {
    const broken: string[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const problems = await new Life(seed).live();
      if (problems.length > 0) broken.push(`seed ${seed}: ${problems.join("; ")}`);
    }
    expect(broken).toEqual([]);
  },
  timeoutMs,
);

const transactsAs =
  (bend: (writes: readonly TransactionWrite[]) => readonly TransactionWrite[]) =>
  (table: Table): Table => ({ ...table, transact: (writes) => table.transact(bend(writes)) });

const isPut = (write: TransactionWrite, what: (put: { pk: string; sk: string }) => boolean): boolean =>
  "put" in write && what(write.put);

/** The moment at which a first walk began, as the cursors of its resumes know it. */
const beganAt = (since: string): string => toTimestamp(Date.parse(since) + learningLimits.settledAfterMs);

/** No seed that catches it is known by heart: about 2,000 lives are searched. */
const searched = 0;

describe("a simulation that cannot fail proves nothing", () => {
  const weaknesses: ReadonlyArray<[name: string, caughtAt: number, weak: Weak]> = [
    [
      "a deletion that leaves no removal",
      1,
      {
        table: transactsAs((writes) =>
          writes.filter((each) => !isPut(each, ({ pk }) => pk.endsWith("#removed"))),
        ),
      },
    ],
    [
      "a Learning that leaves a tenant's list without a removal",
      searched,
      {
        table: transactsAs((writes) =>
          writes.some((each) => isPut(each, ({ pk }) => pk.startsWith("LEARNING#")))
            ? writes.filter((each) => !isPut(each, ({ pk }) => pk.endsWith("#removed")))
            : writes,
        ),
      },
    ],
    [
      "an organization that leaves without a trace",
      1,
      {
        table: transactsAs((writes) =>
          writes.filter((each) => !isPut(each, ({ sk }) => sk.startsWith("LEFT#"))),
        ),
      },
    ],
    ["a cursor that does not know its scope", 1, { isUnmarked: true }],
    [
      "a first resume that begins no earlier than its walk",
      1,
      {
        resume: ([place = "", settled = "", since = ""]) =>
          place === since ? [beganAt(since), beganAt(since), since] : [place, settled, since],
      },
    ],
  ];
  // What only a long search finds is left to the long form of this test.
  test.each(weaknesses.filter(([, caughtAt]) => caughtAt !== searched || isLong))(
    "%s is caught",
    async (_, caughtAt, weak) => {
      // A seed that catches it is tried first: the others are searched only when the code has moved it.
      const tried = [caughtAt, ...Array.from({ length: 3_000 }, (_, index) => index + 1)];
      let caught: number | undefined;
      for (const seed of tried) {
        if ((await new Life(seed, weak).live()).length === 0) continue;
        caught = seed;
        break;
      }
      expect(caught).toBeDefined();
    },
    timeoutMs,
  );
});
