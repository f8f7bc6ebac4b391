import { beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { type RingReport, ringWebhooks } from "../../../lib/webhooks/ring.ts";
import { useApi } from "../../support/api.ts";
import { seededRandom } from "../../support/clock.ts";
import { github, publicNetwork, World } from "../../support/world.ts";
import { closeReceivers, type Heard, type Receiver, startReceiver } from "../../webhooks/support.ts";

const api = useApi();
const world = new World(() => api.store().table);
closeReceivers();

const seed = Number(process.env.SEED ?? 1);
const random = seededRandom(seed);
const histories = 100;
const steps = 10;
const hourMs = 3_600_000;

const datasets = {
  "metrics.reviews": "/v1/metrics/reviews?start_date=2000-01-01&end_date=2099-12-31",
  learnings: "/v1/learnings?limit=1000",
} as const;
type Dataset = keyof typeof datasets;
const isDataset = (type: string): type is Dataset => Object.hasOwn(datasets, type);

const thing = z.looseObject({ id: z.string().optional(), pr_url: z.string().optional() });
const page = z.object({
  data: z.array(thing),
  removed: z.array(thing).default([]),
  next_cursor: z.string().nullable(),
});
const nameOf = ({ id, pr_url }: z.output<typeof thing>): string => pr_url ?? id ?? "";

/** What a receiver has on disk: its copy of a dataset, and the cursor to continue from. */
type Mirror = { readonly things: ReadonlyMap<string, string>; readonly cursor: string | undefined };
const empty: Mirror = { things: new Map(), cursor: undefined };

/** Applies everything since the mirror's cursor. */
async function resume(key: string, dataset: Dataset, { things, cursor }: Mirror): Promise<Mirror> {
  const next = new Map(things);
  let from = cursor;
  for (;;) {
    const place = from === undefined ? "" : `&cursor=${encodeURIComponent(from)}`;
    const answer = await api.call(`${datasets[dataset]}&include_removed=true${place}`, { key });
    expect([answer.status, answer.message]).toEqual([200, ""]);
    const { data, removed, next_cursor } = page.parse(answer.json);
    for (const each of removed) next.delete(nameOf(each));
    for (const each of data) next.set(nameOf(each), JSON.stringify(each));
    if (next_cursor === null) return { things: next, cursor: answer.headers["x-resume-cursor"] };
    from = next_cursor;
  }
}

/** How a receiver behaves when it hears a ring. */
const moods = ["works", "dies before", "dies after", "is late", "hears twice", "never answers"] as const;
type Mood = (typeof moods)[number] | "lies";

class Customer {
  readonly name: string;
  readonly key: string;
  readonly receiver: Receiver;
  mood: Mood = "works";
  pullRequests = 0;
  learnings = 0;
  readonly disk = new Map<Dataset, Mirror>();
  rings = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(name: string, key: string, receiver: Receiver) {
    this.name = name;
    this.key = key;
    this.receiver = receiver;
    receiver.answer = (ring, response) => {
      const { mood } = this;
      this.rings++;
      if (mood === "never answers") return;
      if (mood === "dies before") return void response.destroy();
      void this.hear(ring, mood).then(
        () =>
          mood === "dies after" ? response.destroy() : mood !== "is late" && response.writeHead(204).end(),
        () => response.writeHead(500).end(),
      );
    };
  }

  /** One ring after the other: two that resume the same cursor at once would overwrite each other's mirror. */
  async hear(ring: Heard, mood: Mood): Promise<void> {
    const turn = this.#turn.then(() => this.#apply(ring, mood));
    this.#turn = turn.catch(() => {});
    await turn;
  }

  async #apply({ type }: Heard, mood: Mood): Promise<void> {
    if (mood === "lies" || !isDataset(type)) return;
    for (let times = mood === "hears twice" ? 2 : 1; times > 0; times--) {
      const after = await resume(this.key, type, this.disk.get(type) ?? empty);
      // Killed before it wrote: the next ring begins where it was.
      if (mood === "dies after" && random.below(2) === 0) return;
      this.disk.set(type, after);
    }
  }
}

async function open(name: string): Promise<Customer> {
  const uuid = await world.organization(name);
  await world.member(github(name), "u-admin", { role: "cr_admin" });
  await world.repository(github(name), "r1");
  const receiver = await startReceiver();
  await world.webhook(uuid, { url: receiver.url, types: ["metrics.reviews", "learnings"] });
  return new Customer(name, await world.adminKey(uuid), receiver);
}

async function change(customer: Customer): Promise<void> {
  const place = github(customer.name);
  const what = random.below(5);
  if (what === 0) return;
  if (what === 1) await world.learning(place, `Say why, ${customer.learnings++}.`, { repository_id: "r1" });
  else if (what === 2 && customer.learnings > 0) {
    const { json } = await api.call("/v1/learnings?limit=1", { key: customer.key });
    const [first] = page.parse(json).data;
    if (first) await api.call(`/v1/learnings/${first.id}`, { method: "DELETE", key: customer.key });
  } else {
    const isNew = customer.pullRequests === 0 || random.below(2) === 0;
    const number = isNew ? customer.pullRequests++ : random.below(customer.pullRequests);
    await world.pullRequest(place, number, {
      repository_id: "r1",
      review_iterations: random.below(100),
      reviewed: random.below(6) > 0,
    });
  }
}

/** One clock for the API, the events of the platform and the worker. */
let aheadMs = 0;
beforeEach(() => {
  vi.spyOn(systemClock, "nowMs").mockImplementation(() => Date.now() + aheadMs);
});

async function run(afterMs: number, attemptMsMax: number): Promise<RingReport> {
  aheadMs += afterMs;
  const network = { ...publicNetwork, attemptMsMax };
  return await ringWebhooks({
    table: api.store().table,
    clock: systemClock,
    random: systemRandom,
    network,
    places: new Map(),
  });
}

const runsMin = 3;
const runsMax = 40;

/**
 * Everybody works again; the last retries are due within ten hours. A run has a minute, in which a busy machine rings
 * only some: the runs end when nothing is left to ring.
 */
async function settle(customers: readonly Customer[]): Promise<void> {
  for (const customer of customers) if (customer.mood !== "lies") customer.mood = "works";
  for (let runs = 1; runs <= runsMax; runs++) {
    const { delivered, failed, postponed, unread } = await run(11 * hourMs, 60_000);
    if (runs >= runsMin && delivered + failed + postponed + unread === 0) return;
  }
}

const differs = async (customer: Customer): Promise<boolean> => {
  for (const dataset of ["metrics.reviews", "learnings"] as const) {
    const fresh = await resume(customer.key, dataset, empty);
    const own = customer.disk.get(dataset)?.things ?? empty.things;
    const sorted = (things: ReadonlyMap<string, string>) => JSON.stringify([...things].toSorted());
    if (sorted(fresh.things) !== sorted(own)) return true;
  }
  return false;
};

test(`${histories} receivers that die, lag, hear twice or never answer end like a new walk (SEED=${seed})`, {
  timeout: 900_000,
}, async () => {
  const customers: Customer[] = [];
  for (let index = 0; index < histories; index++) customers.push(await open(`receiver-${index}`));
  for (let step = 0; step < steps; step++) {
    for (const customer of customers) {
      customer.mood = moods[random.below(moods.length)] ?? "works";
      await change(customer);
    }
    await run(random.below(3) === 0 ? 2 * hourMs : 3 * 60_000, 2_000);
  }
  await settle(customers);
  const wrong: string[] = [];
  for (const customer of customers) if (await differs(customer)) wrong.push(customer.name);
  expect(wrong).toEqual([]);
  expect(customers.reduce((sum, { rings }) => sum + rings, 0)).toBeGreaterThan(histories * 5);
  expect(customers.filter(({ pullRequests }) => pullRequests > 0).length).toBeGreaterThan(histories / 2);
});

test("the comparison finds a receiver that confirms a ring without reading", {
  timeout: 900_000,
}, async () => {
  const liar = await open("liar");
  await run(60_000, 5_000);
  liar.mood = "lies";
  await world.pullRequest(github("liar"), 1, { repository_id: "r1" });
  await settle([liar]);
  expect(liar.rings).toBeGreaterThan(2);
  expect(await differs(liar)).toBe(true);
});
