import { ApiError } from "../../../lib/contract/api-error.ts";
import { organizationUuid } from "../../../lib/contract/identity.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { learningLimits } from "../../../lib/contract/limits.ts";
import { workspaceTenant } from "../../../lib/contract/tenants.ts";
import { relistMoved } from "../../../lib/learnings/move-learnings.ts";
import { MoveUnderWay, resumeMoves } from "../../../lib/organizations/move.ts";
import { moveLogs } from "../../../lib/organizations/move-log.ts";
import { saveOrganization } from "../../../lib/organizations/save-organization.ts";
import { saveWorkspace } from "../../../lib/organizations/save-workspace.ts";
import { isVisible, publishedEpochs } from "../../../lib/organizations/visibility.ts";
import { type Clock, toTimestamp } from "../../../lib/runtime/clock.ts";
import type { Random } from "../../../lib/runtime/random.ts";
import { parseLearning } from "../../../lib/store/items/learning.ts";
import { type OrganizationItem, parseOrganization } from "../../../lib/store/items/organization.ts";
import { StoreUnavailable, type Table } from "../../../lib/store/table.ts";
import { StreamBusy } from "../../../lib/stream/stream.ts";
import { item, storedRepository, verbsOf } from "../../learnings/fixture.ts";
import { Dice, diceRandom, Scheduler } from "../simulation/model/scheduler.ts";
import { ModelStore, noFaults } from "../simulation/model/store.ts";
import { Process } from "../simulation/world.ts";
import { AuditMirror, LearningsMirror, type Mirror } from "./mirrors.ts";

/** The slowest request of the model ends well within the two minutes after which a list counts as settled. */
const msPerStep = 40;
export const settledSteps = Math.ceil(learningLimits.settledAfterMs / msPerStep);
const stepsMax = 400_000;
const names = ["1", "2", "3"];
export const tenant = workspaceTenant("acme");

/** Generates valid UUIDs, because audit entry ids are parsed as UUIDs. */
const randomFrom = (dice: Dice): Random => ({
  ...diceRandom(dice),
  uuid: () => `00000000-0000-4000-8000-${[0, 1].map(() => hex(dice.below(0x1000000))).join("")}`,
});
const hex = (number: number): string => number.toString(16).padStart(6, "0");

export type Mirrored = "Learnings" | "audit logs";

/** Ways to break the promise. */
export type Weak = {
  readonly table?: (table: Table) => Table;
  /** Replaces the position in the cursor of a finished walk. */
  readonly resume?: (position: readonly string[]) => readonly string[];
  /** The cursor does not record which organizations it covers. */
  readonly isUnmarked?: boolean;
};

const providerOf = (name: string) =>
  ({ provider: "github", instance_id: null, provider_organization_id: name }) as const;

type Standing = { plan: "enterprise" | "pro"; active: boolean; workspace_id: string | null };

/** Organizations that change plan, state and tenant, writers with current or stale data, and mirrors that resume. */
export class MirrorSimulation {
  readonly dice: Dice;
  readonly scheduler: Scheduler;
  readonly store: ModelStore;
  readonly problems: string[] = [];
  readonly mirrors: Mirror[];
  readonly #weak: Weak;
  #workers = 0;
  #versions = 0;

  constructor(seed: number, what: Mirrored, weak: Weak = {}) {
    this.#weak = weak;
    this.dice = new Dice(seed);
    this.scheduler = new Scheduler(this.dice);
    this.store = new ModelStore(this.scheduler, this.dice, noFaults);
    this.mirrors =
      what === "Learnings"
        ? [new LearningsMirror(this, weak), new LearningsMirror(this, weak)]
        : [new AuditMirror(this, weak)];
  }

  async run(): Promise<string[]> {
    try {
      await this.#finish(this.#prepare());
      this.store.faults = { ...noFaults, slow: 0.05, invisible: this.dice.pick([0.1, 0.5]), throttle: 0.02 };
      for (let count = 2; count > 0; count--) this.#employ(this.#write(this.dice.below(7) - 3));
      this.#employ(this.#flip());
      for (const mirror of this.mirrors)
        this.#employ(mirror.follow(() => this.#workers <= this.mirrors.length));
      await this.#runUntil(() => this.#workers === 0);
      this.store.faults = noFaults;
      await this.#finish(this.#rest());
      for (const mirror of this.mirrors) mirror.check();
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
    return { table: this.table(), clock: this.clock(), random: randomFrom(this.dice) };
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

  async #runUntil(until: () => boolean): Promise<void> {
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
    await this.#runUntil(() => isOver);
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
      this.store.seed(storedRepository(organizationUuid(providerOf(name))));
    }
  }

  #version(): string {
    return `${toTimestamp(this.clock().nowMs())}#event-${String(this.#versions++).padStart(4, "0")}`;
  }

  /** Delivers an event like the queue: repeatedly until it is applied. */
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
    const stored = this.store.truth(
      kinds.organization.key({ organization: organizationUuid(providerOf(name)) }),
    );
    if (!stored) throw new Error("An organization vanished.");
    return parseOrganization(stored);
  }

  /** Usually short, sometimes longer than the settling time. */
  async #pause(): Promise<void> {
    await this.scheduler.sleep(this.dice.below(this.dice.chance(0.3) ? 2 * settledSteps : 60));
  }

  async #write(skewSeconds: number): Promise<void> {
    const { dice } = this;
    const embedder = { id: "simulated", embed: async () => [1] };
    for (let left = 9; left > 0; left--) {
      await this.#pause();
      const clock = this.clock(skewSeconds);
      const { post, patch, remove } = verbsOf(this.table(), { embedder, clock, random: randomFrom(dice) });
      const organization = this.organization(dice.pick(names));
      // The organization was read at authentication: it may have moved since, and readers may have passed.
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
        if (!(error instanceof ApiError || error instanceof StoreUnavailable)) throw error;
      }
    }
  }

  learnings(uuid: string) {
    return this.store
      .all()
      .filter(({ pk }) => pk === kinds.learning.partition({ organization: uuid }))
      .map(parseLearning);
  }

  /** Runs the clock workers to completion, then every mirror reads until everything has settled. */
  async #rest(): Promise<void> {
    for (let rounds = 0; rounds < 2; rounds++) {
      await this.scheduler.sleep(2 * settledSteps);
      await resumeMoves(this.#deps());
      await relistMoved(this.#deps());
      await moveLogs(this.#deps());
      await publishedEpochs(this.table(), tenant);
    }
    for (let rounds = 0; rounds < 2; rounds++) {
      await this.scheduler.sleep(2 * settledSteps);
      for (const mirror of this.mirrors) await mirror.walk();
    }
  }

  /** It is in the workspace, and a workspace token cannot read it. */
  hides(uuid: string): boolean {
    const organization = names.map((name) => this.organization(name)).find((each) => each.uuid === uuid);
    return organization?.tenant === tenant && !isVisible(organization);
  }

  /** The organizations that a workspace token can read now. */
  visibleOrganizations(): OrganizationItem[] {
    const all = names.map((name) => this.organization(name));
    return all.filter((organization) => organization.tenant === tenant && isVisible(organization));
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof MoveUnderWay || error instanceof StreamBusy;
