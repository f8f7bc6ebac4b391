import { vi } from "vitest";
import { localIdentity } from "../../../lib/runtime/aws-identity.ts";
import { systemChance } from "../../../lib/runtime/chance.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { createStoreClient } from "../../../lib/store/client.ts";
import { createDynamoTable } from "../../../lib/store/dynamo.ts";
import type { OpenStore } from "../../../lib/store/open.ts";
import type { Item } from "../../../lib/store/table.ts";
import { createVectorSearch } from "../../../lib/store/vectors.ts";
import { problemsOf } from "../../learnings/check-table.ts";
import { checkPeople } from "../../people/checks.ts";
import { useApi } from "../../support/api.ts";
import { World } from "../../support/world.ts";
import type { Case, How } from "./cases.ts";
import { eventsPlay } from "./events.ts";
import type { Call, Strike } from "./fault.ts";
import { operationsPlay } from "./operations.ts";
import { operatorPlay } from "./operator.ts";
import type { Ground, Play, Said, Scene, Stage } from "./scene.ts";
import { Contents, type State } from "./state.ts";
import { Wire } from "./wire.ts";
import { workersPlay } from "./workers.ts";

/** What a scene says, leaves and calls when nothing befalls it. */
export type Rehearsed = {
  readonly scene: Scene;
  readonly said: Said;
  readonly state: State;
  readonly calls: readonly Call[];
};

const minuteMs = 61_000;
/** A schedule may need more than one run: what was left behind is looked at only after a while. */
const repetitionsMax = 3;

/** Plays scenes on one table, each from its own ground, with or without a fault. */
export class Theatre {
  readonly rehearsed = new Map<string, Rehearsed>();
  readonly #api = useApi();
  readonly #wire = new Wire();
  readonly #door: { wire?: Wire };
  readonly #grounds = new Map<string, Contents>();
  readonly #plays: readonly Play[];
  #nowMs = Date.now();
  #store: OpenStore | undefined;
  /** The ground that nothing has been changed of since. */
  #standing: string | undefined;
  /** What was read of the table after the last thing that could have changed it. */
  #seen: Contents | undefined;

  constructor(door: { wire?: Wire }) {
    this.#door = door;
    const stage: Stage = {
      api: this.#api,
      wire: this.#wire,
      world: new World(() => this.#table),
      wait: (ms) => this.#wait(ms),
      store: () => this.#openStore(),
    };
    this.#plays = [operationsPlay, eventsPlay, workersPlay, operatorPlay].map((play) => play(stage));
  }

  async open(): Promise<void> {
    await this.#wire.open();
    this.#door.wire = this.#wire;
    Object.assign(process.env, environmentOf(this.#wire.endpoint));
    // Waiting between tries is not what is tested; deadlines are left as they are.
    const sleep = systemClock.sleep.bind(systemClock);
    vi.spyOn(systemClock, "sleep").mockImplementation((ms, signal) => sleep(ms > 1_000 ? ms : 0, signal));
    vi.useFakeTimers({ toFake: ["Date"], now: this.#nowMs });
    for (const { grounds, scenes } of this.#plays) {
      for (const [id, ground] of Object.entries(grounds)) await this.#build(id, ground);
      for (const [name, scene] of Object.entries(scenes())) await this.#rehearse(name, scene);
    }
  }

  close(): void {
    vi.useRealTimers();
    vi.restoreAllMocks();
    this.#wire.close();
  }

  /** Answers what went wrong, if anything did. */
  async play({ scene: name, site, fault, how }: Case): Promise<string | undefined> {
    const clean = this.rehearsed.get(name);
    if (!clean) throw new Error(`${name} was not rehearsed.`);
    let isStruck = false;
    const said = await this.#act(clean.scene, (call) => {
      const isHere = call.site === site;
      if (isHere ? isStruck && how === "once" : !(isStruck && how === "crash")) return undefined;
      const isFirst = !isStruck;
      isStruck ||= isHere;
      return how === "crash" && !isFirst ? "lost before" : fault;
    });
    if (!isStruck) return "it was not struck";
    const answer = how === "crash" ? undefined : verdict(clean, said, { site, fault, how });
    return answer ?? (await this.#loss(clean, said, how)) ?? (await this.#repeat(clean, said));
  }

  /** What is acknowledged is done; what stands is whole, done or not. */
  async #loss({ scene, state }: Rehearsed, said: Said, how: How): Promise<string | undefined> {
    if (scene.isRead) return undefined;
    const items = await this.#read();
    const broken = brokenIn([...items.items.values()], scene);
    if (broken) return broken;
    if (!said.isAcknowledged || how === "crash") return undefined;
    const left = differences(scene, state.things, this.#stateOf(scene, items).things);
    return left && `it is acknowledged (${said.text.slice(0, 60)}), yet ${left}`;
  }

  /** Again, while nothing fails: it says what it should have said, and the table is what it should have been. */
  async #repeat({ scene, said, state }: Rehearsed, first: Said): Promise<string | undefined> {
    if (first.isAcknowledged && first.text === said.text) return undefined;
    const timesMax = scene.isRepeated ? repetitionsMax : 1;
    let problem: string | undefined;
    for (let times = 0; times < timesMax; times++) {
      this.#wait(minuteMs + (scene.laterMs ?? 0));
      this.#seen = undefined;
      const again = await scene.act();
      this.#wait(-(scene.laterMs ?? 0));
      if (again.text !== said.text && !scene.doneBefore?.test(again.text))
        return `again it says ${again.text.slice(0, 200)}`;
      if (scene.isRead) return undefined;
      const { things, told } = this.#stateOf(scene, await this.#read());
      const untold = state.told.find((entry) => !told.includes(entry));
      problem = differences(scene, state.things, things) ?? (untold && `nobody was told ${untold}`);
      if (!problem) return undefined;
    }
    return problem && `again ${problem}`;
  }

  async #build(id: string, { from, build }: Ground): Promise<void> {
    await (this.#grounds.get(from ?? "") ?? new Contents()).restore(this.#table, await this.#read());
    await build();
    this.#seen = undefined;
    this.#grounds.set(id, await this.#read());
  }

  async #rehearse(name: string, scene: Scene): Promise<void> {
    const said = await this.#act(scene, () => undefined);
    if (!scene.says.test(said.text)) throw new Error(`${name} says ${said.text}.`);
    const calls = [...this.#wire.calls];
    this.rehearsed.set(name, {
      scene,
      said,
      state: this.#stateOf(scene, await this.#read()),
      calls,
    });
  }

  async #act(scene: Scene, strike: Strike): Promise<Said> {
    const ground = this.#groundOf(scene);
    if (this.#standing !== scene.ground) await ground.restore(this.#table, await this.#read());
    this.#seen = undefined;
    this.#standing = scene.isRead ? scene.ground : undefined;
    this.#wire.messages.clear();
    this.#wait(minuteMs);
    const later = scene.laterMs ?? 0;
    this.#wait(later);
    await scene.prepare?.();
    this.#wire.watch(withRival(scene, strike));
    try {
      return await scene.act();
    } finally {
      this.#wire.rest();
      this.#wait(-later);
    }
  }

  async #read(): Promise<Contents> {
    this.#seen ??= await Contents.read(this.#table);
    return this.#seen;
  }

  #stateOf(scene: Scene, items: Contents): State {
    const { things, told } = this.#groundOf(scene).stateAfter(items);
    const messages = [...this.#wire.messages.values()].map((message) => JSON.stringify(message)).sort();
    return { things: [...things, ...messages], told };
  }

  #groundOf({ ground }: Scene): Contents {
    const contents = this.#grounds.get(ground);
    if (!contents) throw new Error(`There is no ground ${ground}.`);
    return contents;
  }

  get #table() {
    return this.#api.store().table;
  }

  #wait(ms: number): void {
    this.#nowMs += ms;
    vi.setSystemTime(this.#nowMs);
  }

  #openStore(): OpenStore {
    const client = createStoreClient({ endpoint: this.#api.store().endpoint, identity: localIdentity });
    const options = {
      client,
      tableName: this.#api.store().tableName,
      clock: systemClock,
      chance: systemChance,
    };
    this.#store ??= { ...options, table: createDynamoTable(options), vectors: createVectorSearch(options) };
    return this.#store;
  }
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

/** The first write of a scene's rival comes before its own. */
function withRival({ rivalAt }: Scene, strike: Strike): Strike {
  let isAhead = rivalAt !== undefined;
  return (call) => {
    const isRivalled = isAhead && `${call.site.split(":", 1)[0]} ${call.operation}` === rivalAt;
    if (!isRivalled) return strike(call);
    isAhead = false;
    return "condition";
  };
}

/** What must hold at every moment, whatever was cut off; of people only while nothing moves to another tenant. */
function brokenIn(items: readonly Item[], { isRepeated }: Scene): string | undefined {
  const [problem] = problemsOf(items, { eventsMayComeAgain: true });
  if (problem || isRepeated) return problem;
  try {
    checkPeople(items);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

function differences(
  { mayLeave, uncompared }: Scene,
  wanted: readonly string[],
  found: readonly string[],
): string | undefined {
  const [missing] = wanted.filter((each) => !found.includes(each) && !uncompared?.test(each));
  const surplus = found.filter((each) => !wanted.includes(each) && !uncompared?.test(each));
  const [extra] = surplus.filter((each) => !mayLeave?.test(each));
  if (missing === undefined && extra === undefined) return undefined;
  return `the table lacks ${missing?.slice(0, 300)} and has ${extra?.slice(0, 300)}`;
}

/** What is written beside the answer, and may fail without anybody's knowing. */
const beside = ["lib/access/last-used.ts", "lib/audit/refusals.ts"];
const limiter = "lib/access/rate-limiter.ts";

/** Undefined when the answer is a right one for the fault. */
function verdict(
  { scene, said: clean }: Rehearsed,
  said: Said,
  { site, fault, how }: Omit<Case, "scene">,
): string | undefined {
  const file = site.split(":", 1)[0] ?? "";
  const isClean = said.text === clean.text;
  if (beside.includes(file) || (scene.isRead && file === limiter && fault !== "throttle"))
    return isClean ? undefined : `says ${said.text.slice(0, 200)}`;
  if (isClean) return undefined;
  if (how === "once" && fault === "twin" && scene.doneBefore?.test(said.text)) return undefined;
  const mayGiveUp = how === "for good" || scene.isRepeated;
  const answers = file === limiter && fault === "throttle" ? ["429 RATE_LIMIT_EXCEEDED"] : scene.maySay;
  return mayGiveUp && answers.includes(said.text) ? undefined : `says ${said.text.slice(0, 200)}`;
}
