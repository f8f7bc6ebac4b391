import { vi } from "vitest";
import { storeLimits } from "../../../lib/contract/limits.ts";
import { createCursorKeys } from "../../../lib/http/cursor-keys.ts";
import { resumeMoves } from "../../../lib/organizations/move.ts";
import { localIdentity } from "../../../lib/runtime/aws-identity.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { required } from "../../../lib/runtime/required.ts";
import { createStoreClient } from "../../../lib/store/client.ts";
import { createDynamoTable } from "../../../lib/store/dynamo.ts";
import type { OpenStore } from "../../../lib/store/open.ts";
import type { Item } from "../../../lib/store/table.ts";
import { createVectorSearch } from "../../../lib/store/vectors.ts";
import { useApi } from "../../support/api.ts";
import { isLong } from "../../support/volume.ts";
import { World } from "../../support/world.ts";
import { synthesize } from "../../system/infra/synthesize.ts";
import type { Case } from "./cases.ts";
import { eventScenarios } from "./events.ts";
import type { Call, FaultInjector } from "./fault.ts";
import { Grants } from "./grants.ts";
import { operationScenarios } from "./operations.ts";
import { operatorScenarios } from "./operator.ts";
import { operatorEventScenarios } from "./operator-events.ts";
import type { CallResult, FaultEnvironment, Fixture, Scenario, ScenarioSet } from "./scenario.ts";
import { TableContents, type TableState } from "./state.ts";
import { brokenIn, difference, isBeside, verdict } from "./verdict.ts";
import { type WatchOptions, Wire } from "./wire.ts";
import { workerScenarios } from "./workers.ts";

/** A scenario's answer, final state and calls in a run without a fault. */
export type CleanRun = {
  readonly scenario: Scenario;
  readonly said: CallResult;
  readonly state: TableState;
  readonly calls: readonly Call[];
};

const minuteMs = 61_000;
/** More attempts than the store makes for a call that it may give up. */
const triesMax = 3 * storeLimits.retry.attemptsMax;
/** A schedule may need more than one run: it looks at leftovers only after a while. */
const repetitionsMax = 3;

/** Runs scenarios on one table, each from its own initial contents (fixture), with or without a fault. */
export class FaultRunner {
  readonly cleanRuns = new Map<string, CleanRun>();
  #grants: Grants | undefined;
  readonly #api = useApi();
  readonly #wire = new Wire();
  readonly #door: { wire?: Wire };
  readonly #onItems: ((items: readonly Item[]) => void) | undefined;
  readonly #fixtures = new Map<string, TableContents>();
  readonly #scenarioSets: readonly ScenarioSet[];
  #nowMs = Date.now();
  #store: OpenStore | undefined;
  /** The fixture that the table still holds unchanged. */
  #restored: string | undefined;
  /** The table's contents, read after the last possible change. */
  #seen: TableContents | undefined;

  /** `onItems` gets what the table holds whenever it is read. */
  constructor(door: { wire?: Wire }, onItems?: (items: readonly Item[]) => void) {
    this.#door = door;
    this.#onItems = onItems;
    const environment: FaultEnvironment = {
      api: this.#api,
      wire: this.#wire,
      world: new World(() => this.#table),
      wait: (ms) => this.#wait(ms),
      store: () => this.store,
    };
    this.#scenarioSets = [
      operationScenarios,
      eventScenarios,
      workerScenarios,
      operatorScenarios,
      operatorEventScenarios,
    ].map((scenarios) => scenarios(environment));
  }

  async open(): Promise<void> {
    this.#grants = new Grants(synthesize(), this.#api.store().tableName);
    await this.#wire.open();
    this.#door.wire = this.#wire;
    Object.assign(process.env, environmentOf(this.#wire.endpoint));
    // Waiting between tries is not under test; deadlines keep their length.
    const sleep = systemClock.sleep.bind(systemClock);
    vi.spyOn(systemClock, "sleep").mockImplementation((ms, signal) => sleep(ms > 1_000 ? ms : 0, signal));
    vi.useFakeTimers({ toFake: ["Date"], now: this.#nowMs });
    for (const { fixtures, scenarios } of this.#scenarioSets) {
      for (const [id, fixture] of Object.entries(fixtures)) await this.#build(id, fixture);
      for (const [name, scenario] of byGround(Object.entries(scenarios()), ([, each]) => each))
        await this.#runClean(name, scenario);
    }
  }

  /** In an order that restores few fixtures. */
  inOrder(cases: readonly Case[]): Case[] {
    return byGround(
      cases,
      ({ scenario }) => required(this.cleanRuns.get(scenario), `a clean run of ${scenario}`).scenario,
    );
  }

  close(): void {
    vi.useRealTimers();
    vi.restoreAllMocks();
    this.#wire.close();
  }

  /** Returns the problem, if there is one. */
  async run({ scenario: name, ...struck }: Case): Promise<string | undefined> {
    const { site, nth, fault, how } = struck;
    const clean = this.cleanRuns.get(name);
    if (!clean) throw new Error(`${name} has no clean run.`);
    let isStruck = false;
    let made = 0;
    let strikes = 0;
    const strike: FaultInjector = (call) => {
      const isHere = call.site === site;
      if (isHere) made += 1;
      if (isStruck) {
        const again = how === "crash" ? "lost before" : how === "for good" && isHere ? fault : undefined;
        // Work that is retried until its deadline need not take that long: here the clock runs faster.
        if (again && ++strikes > triesMax) this.#wait(1_000);
        return again;
      }
      isStruck = isHere && made === nth;
      return isStruck ? fault : undefined;
    };
    const said = await this.#act(clean.scenario, strike, { isSlow: fault === "slow" });
    // On a busy machine the clean run may have repeated a call: then the last call has a lower number now.
    if (!isStruck && made > 0 && made < nth) return await this.run({ scenario: name, ...struck, nth: made });
    if (!isStruck) return "it was not struck";
    if (this.#wire.isWaitedFor) return "it waits for an answer that never comes";
    const answer = how === "crash" ? undefined : verdict(clean, said, struck);
    return answer ?? (await this.#loss(clean, said, struck)) ?? (await this.#repeat(clean, said));
  }

  /** Acknowledged work is done; stored data is consistent, done or not. */
  async #loss(
    { scenario, state }: CleanRun,
    said: CallResult,
    { site, how, fault }: Omit<Case, "scenario">,
  ): Promise<string | undefined> {
    if (scenario.isRead) return undefined;
    const items = await this.#read();
    const broken = brokenIn([...items.items.values()], scenario);
    if (broken) return broken;
    if (!said.isAcknowledged || how === "crash") return undefined;
    const isUnaudited = scenario.recordsLater || (isBeside(site) && how === "for good");
    const compare = async () => {
      const { things, audited } = this.#stateOf(scenario, await this.#read());
      const found = { things, audited: isUnaudited ? state.audited : audited };
      return difference(scenario, state, found, { isTwice: fault === "twin" });
    };
    let left = await compare();
    if (left && (await this.#endMoves())) left = await compare();
    return left && `it is acknowledged (${said.text.slice(0, 60)}), yet ${left}`;
  }

  /** An event leaves a move that takes too long to the scheduled worker, which finds its note. */
  async #endMoves(): Promise<boolean> {
    this.#seen = undefined;
    return (await resumeMoves(this.store)) > 0;
  }

  /** Runs the scenario again without a fault: the answer and the table must be the expected ones. */
  async #repeat({ scenario, said, state }: CleanRun, first: CallResult): Promise<string | undefined> {
    if (first.isAcknowledged && first.text === said.text) return undefined;
    const timesMax = scenario.isRepeated ? repetitionsMax : 1;
    let problem: string | undefined;
    for (let times = 0; times < timesMax; times++) {
      this.#wait(minuteMs + (scenario.laterMs ?? 0));
      this.#seen = undefined;
      const again = await scenario.act();
      this.#wait(-(scenario.laterMs ?? 0));
      if (again.text !== said.text && !scenario.doneBefore?.test(again.text))
        return `again it says ${again.text.slice(0, 200)}`;
      if (scenario.isRead) return undefined;
      const { things, audited } = this.#stateOf(scenario, await this.#read());
      const found = { things, audited: scenario.recordsLater ? state.audited : audited };
      problem = difference(scenario, state, found, { isTwice: true });
      if (!problem) return undefined;
    }
    return problem && `again ${problem}`;
  }

  async #build(id: string, { from, build }: Fixture): Promise<void> {
    await (this.#fixtures.get(from ?? "") ?? new TableContents()).restore(this.#table, await this.#read());
    if (from === undefined)
      await createCursorKeys({ table: this.#table, clock: systemClock, random: systemRandom });
    await build();
    this.#seen = undefined;
    this.#fixtures.set(id, await this.#read());
  }

  async #runClean(name: string, scenario: Scenario): Promise<void> {
    const said = await this.#act(scenario, () => undefined);
    if (!scenario.says.test(said.text)) throw new Error(`${name} says ${said.text}.`);
    const calls = [...this.#wire.calls];
    const now = await this.#read();
    const broken = brokenIn([...now.items.values()], { ...scenario, settlesPeopleLater: false });
    if (broken) throw new Error(`${name} leaves ${broken}.`);
    const clean = { scenario, said, state: this.#stateOf(scenario, now), calls };
    this.cleanRuns.set(name, clean);
    if (isLong || scenario.isRead) await this.#runWithWholePages(name, clean);
  }

  /** The store's page boundaries are not part of the answer and the final state. */
  async #runWithWholePages(name: string, { scenario, said, state }: CleanRun): Promise<void> {
    const whole = await this.#act(scenario, () => undefined, { hasWholePages: true });
    const found = this.#stateOf(scenario, await this.#read());
    const unlike = difference(scenario, state, found, { isTwice: false });
    if (whole.text === said.text && unlike === undefined) return;
    throw new Error(`${name} says ${said.text} by short pages, and ${whole.text} by whole ones; ${unlike}.`);
  }

  /** What the functions asked of the table in all runs so far. */
  get grants(): Grants {
    return required(this.#grants, "grants");
  }

  /** Call sites that received items from a page after the first. */
  get readOn(): ReadonlySet<string> {
    return this.#wire.readOn;
  }

  async #act(scenario: Scenario, strike: FaultInjector, options: WatchOptions = {}): Promise<CallResult> {
    const fixture = this.#fixtureOf(scenario);
    if (this.#restored !== scenario.fixture) await fixture.restore(this.#table, await this.#read());
    this.#seen = undefined;
    this.#restored = scenario.isRead ? scenario.fixture : undefined;
    this.#wire.messages.clear();
    this.#wire.deadLetters.fill(scenario.deadLetters ?? []);
    this.#wait(minuteMs);
    const later = scenario.laterMs ?? 0;
    this.#wait(later);
    await scenario.prepare?.();
    this.#wire.watch(withTrouble(scenario, strike), options);
    try {
      return await scenario.act();
    } finally {
      this.#wire.rest();
      this.#grants?.note(scenario.covers, this.#wire.calls);
      this.#wait(-later);
    }
  }

  async #read(): Promise<TableContents> {
    if (!this.#seen) {
      this.#seen = await TableContents.read(this.#table);
      this.#onItems?.([...this.#seen.items.values()]);
    }
    return this.#seen;
  }

  #stateOf(scenario: Scenario, items: TableContents): TableState {
    const { things, audited } = this.#fixtureOf(scenario).stateAfter(items);
    const { messages, deadLetters } = this.#wire;
    const queued = new Set([...messages.values()].map((message) => JSON.stringify(message)));
    return { things: [...things, ...queued, ...deadLetters.bodies.values()], audited };
  }

  #fixtureOf({ fixture }: Scenario): TableContents {
    const contents = this.#fixtures.get(fixture);
    if (!contents) throw new Error(`There is no fixture ${fixture}.`);
    return contents;
  }

  get #table() {
    return this.#api.store().table;
  }

  #wait(ms: number): void {
    this.#nowMs += ms;
    vi.setSystemTime(this.#nowMs);
  }

  get store(): OpenStore {
    const client = createStoreClient({ endpoint: this.#api.store().endpoint, identity: localIdentity });
    const options = {
      client,
      tableName: this.#api.store().tableName,
      clock: systemClock,
      random: systemRandom,
    };
    this.#store ??= { ...options, table: createDynamoTable(options), vectors: createVectorSearch(options) };
    return this.#store;
  }
}

/**
 * Reading scenarios first, since they do not change a fixture; then fixture by fixture, since restoring one takes long.
 */
function byGround<Element>(elements: readonly Element[], sceneOf: (element: Element) => Scenario): Element[] {
  const rank = (element: Element) => {
    const { isRead = false, fixture } = sceneOf(element);
    return `${isRead ? 0 : 1} ${fixture}`;
  };
  return elements.toSorted((one, other) => (rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : 0));
}

const environmentOf = (endpoint: string) => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_REGION: "eu-test-1",
  AWS_ACCESS_KEY_ID: "AKIDTEST",
  AWS_SECRET_ACCESS_KEY: "kept",
  EVENTS_BUCKET: "events",
  DEAD_LETTER_QUEUE_URL: "https://queue.test/dead",
  BEDROCK_MODEL_ID: "titan",
});

/** The faults of a scenario in every run, and the fault of this run. */
function withTrouble({ extraFault }: Scenario, strike: FaultInjector): FaultInjector {
  let times = 0;
  return (call) => {
    const fault = strike(call);
    const isThere = `${call.site.split(":", 1)[0]} ${call.operation}` === extraFault?.at;
    if (fault || !isThere || times >= extraFault.times) return fault;
    times += 1;
    return extraFault.fault;
  };
}
