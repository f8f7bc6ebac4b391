import * as z from "zod";
import type { LocalBackend } from "../../../cli/local/backend.ts";
import { createAnswer } from "../../../lib/contract/operations/learnings.ts";
import { rolesChangeAnswer, seatsAnswer } from "../../../lib/contract/records-people.ts";
import type { OutgoingEvent } from "../../../lib/events/send.ts";
import { sendEvents } from "../../../lib/events/send.ts";
import { systemChance } from "../../../lib/runtime/chance.ts";
import { finalized } from "../../metrics/support.ts";
import type { OrganizationId } from "../../support/world.ts";
import type { Front } from "./front.ts";

export type Home = {
  readonly name: OrganizationId;
  readonly uuid: string;
  readonly key: string;
  readonly users: readonly string[];
};

/** What a thing may be: one value after an answer, several after a question whose answer was lost. */
export class Possible<Value> {
  readonly #values = new Map<string, Set<Value>>();

  settle(name: string, value: Value): void {
    this.#values.set(name, new Set([value]));
  }
  leaveOpen(name: string, before: Value, value: Value): void {
    this.#values.set(name, new Set([...(this.#values.get(name) ?? [before]), value]));
  }
  /** Names whose value now is not a possible one. */
  contradictions(now: ReadonlyMap<string, Value>, otherwise: Value): string[] {
    return [...this.#values].flatMap(([name, values]) => {
      const value = now.get(name) ?? otherwise;
      return values.has(value) ? [] : [`${name} is ${value}, not one of: ${[...values].join(", ")}`];
    });
  }
  get certain(): number {
    return [...this.#values.values()].filter(({ size }) => size === 1).length;
  }
  get size(): number {
    return this.#values.size;
  }
}

/** Windows of ten a minute are soon full; this spreads them over several lives of the engine. */
const limitedPaceMs = 30;
const ingestPaceMs = 2;
/** Enough that a kill often comes between the Learnings and their places in the index. */
const batchItems = 25;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const waitAfter = (status: number) => pause(status === 429 ? 250 : 20);

export type Stage = {
  readonly front: Front;
  readonly backend: LocalBackend;
  readonly homes: readonly Home[];
};

/** Everybody who works while the engine dies, and what they were told. */
export class Crowd {
  isEnding = false;
  /** Text by `organization id`; null: deleted. */
  readonly learnings = new Possible<string | null>();
  readonly roles = new Possible<string>();
  readonly seats = new Possible<boolean>();
  /** The last state sent of every pull request, by organization and URL. */
  readonly pullRequests = new Map<string, Map<string, number>>();
  /** Answers that said it was done. */
  readonly acknowledged = { learnings: 0, roles: 0, seats: 0, events: 0 };
  sendsRefused = 0;
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Home after home, until the end. */
  async #rounds(paceMs: number, work: (home: Home, round: number) => Promise<void>): Promise<void> {
    for (let round = 0; !this.isEnding; round++) {
      for (const home of this.#stage.homes) {
        if (this.isEnding) return;
        await work(home, round);
        await pause(paceMs);
      }
    }
  }

  /** Batches of new Learnings; of every batch one is changed and one deleted. */
  teach(teacher: string): Promise<void> {
    const { front } = this.#stage;
    return this.#rounds(limitedPaceMs, async ({ key, uuid }, round) => {
      const texts = Array.from(
        { length: batchItems },
        (_, index) => `${teacher} prefers rule ${index} of round ${round} in ${uuid}.`,
      );
      const data = texts.map((learning) => ({ repository_id: "9001", learning }));
      const posted = await front.ask(key, "POST", "/v1/learnings", { data });
      if (posted.status !== 200) return void (await waitAfter(posted.status));
      const ids = createAnswer.parse(posted.json).results.map(({ id, status, error }, index) => {
        const isThere = status !== "failed" || error?.code === "INDEXING_FAILED";
        if (isThere) this.acknowledged.learnings++;
        if (id && isThere) this.learnings.settle(`${uuid} ${id}`, texts[index] ?? "");
        return isThere ? id : null;
      });
      const [changed, deleted] = ids;
      if (changed)
        await this.#change(
          key,
          `${uuid} ${changed}`,
          `${teacher} now prefers rule 0 of round ${round} in ${uuid}.`,
        );
      if (deleted) await this.#delete(key, `${uuid} ${deleted}`);
    });
  }

  async #change(key: string, name: string, text: string): Promise<void> {
    const target = `/v1/learnings/${name.split(" ")[1]}`;
    const { status } = await this.#stage.front.ask(key, "PATCH", target, { learning: text });
    if (status === 200) this.acknowledged.learnings++;
    if (status === 200) this.learnings.settle(name, text);
    if (status === 503) this.learnings.leaveOpen(name, null, text);
  }

  async #delete(key: string, name: string): Promise<void> {
    const { status } = await this.#stage.front.ask(key, "DELETE", `/v1/learnings/${name.split(" ")[1]}`);
    if (status < 300) this.acknowledged.learnings++;
    if (status < 300) this.learnings.settle(name, null);
    if (status === 503) this.learnings.leaveOpen(name, null, null);
  }

  promote(): Promise<void> {
    return this.#rounds(limitedPaceMs, async ({ key, uuid, users }, round) => {
      const role = round % 2 === 0 ? "cr_admin" : "cr_member";
      const answer = await this.#stage.front.ask(key, "POST", "/v1/users/roles", { role, user_ids: users });
      const succeeded =
        answer.status === 200 ? new Set(rolesChangeAnswer.parse(answer.json).succeeded) : undefined;
      for (const user of answer.status === 429 ? [] : users) {
        if (succeeded?.has(user)) this.acknowledged.roles++;
        if (succeeded?.has(user)) this.roles.settle(`${uuid} ${user}`, role);
        else this.roles.leaveOpen(`${uuid} ${user}`, "cr_member", role);
      }
      if (!succeeded) await waitAfter(answer.status);
    });
  }

  seat(): Promise<void> {
    return this.#rounds(limitedPaceMs, async ({ key, uuid, users }, round) => {
      const action = round % 2 === 0 ? "assign" : "unassign";
      const answer = await this.#stage.front.ask(key, "POST", "/v1/users/seats", { action, user_ids: users });
      const succeeded = answer.status === 200 ? new Set(seatsAnswer.parse(answer.json).succeeded) : undefined;
      for (const user of answer.status === 429 ? [] : users) {
        if (succeeded?.has(user)) this.acknowledged.seats++;
        if (succeeded?.has(user)) this.seats.settle(`${uuid} ${user}`, action === "assign");
        else this.seats.leaveOpen(`${uuid} ${user}`, false, action === "assign");
      }
      if (!succeeded) await waitAfter(answer.status);
    });
  }

  /** New pull requests and old ones again; what the queue has not taken is sent again until it has. */
  ingest(): Promise<void> {
    const { queue, bucket } = this.#stage.backend;
    return this.#rounds(ingestPaceMs, async ({ name, uuid }, round) => {
      const told = this.pullRequests.get(uuid) ?? new Map<string, number>();
      this.pullRequests.set(uuid, told);
      const events = [round, Math.floor(round / 2)].map((number) => this.#event(name, number, told));
      for (let isTaken = false; !isTaken; ) {
        isTaken = await sendEvents(queue.events, bucket, events).then(
          () => true,
          () => false,
        );
        if (!isTaken) this.sendsRefused++;
        if (!isTaken) await pause(20);
      }
      this.acknowledged.events += events.length;
    });
  }

  #event(name: OrganizationId, number: number, told: Map<string, number>): OutgoingEvent {
    const day = `2026-${String(1 + (number % 9)).padStart(2, "0")}-15`;
    const data = finalized(name, `${name.provider_organization_id}-${number}`, {
      merged_at: `${day}T10:00:00.000Z`,
      created_at: `${day}T08:00:00.000Z`,
    });
    const version = (told.get(data.pr_url) ?? 0) + 1;
    told.set(data.pr_url, version);
    // The number of findings tells which of its states a reader has.
    const comments = Array.from({ length: version }, (_, index) => ({ url: `${data.pr_url}#r${index}` }));
    const occurred_at = new Date(Date.UTC(2026, 10, 1) + version * 1000).toISOString();
    return {
      id: systemChance.uuid(),
      type: "pull_request.finalized",
      occurred_at,
      data: { ...data, comments },
    };
  }
}

const page = z.object({
  data: z.array(z.object({ pr_url: z.string(), coderabbit_comments: z.array(z.unknown()) })),
  next_cursor: z.string().nullable(),
});

/** One walk over the metrics that goes on through every crash, and after its end from its resume cursor. */
export class Walker {
  /** The last state seen of every pull request: how many findings it has. */
  readonly seen = new Map<string, number>();
  pages = 0;
  interrupted = 0;
  #cursor = "";
  readonly #front: Front;
  readonly #key: string;

  constructor(front: Front, key: string) {
    this.#front = front;
    this.#key = key;
  }

  /** One page; answers whether it was the last one. */
  async step(): Promise<boolean> {
    const target = "/v1/metrics/review-comments?start_date=2026-01-01&end_date=2026-12-31&limit=15";
    const cursor = this.#cursor && `&cursor=${encodeURIComponent(this.#cursor)}`;
    const answer = await this.#front.ask(this.#key, "GET", `${target}${cursor}`);
    if (answer.status !== 200) {
      this.interrupted++;
      await waitAfter(answer.status);
      return false;
    }
    const { data, next_cursor } = page.parse(answer.json);
    for (const { pr_url, coderabbit_comments } of data) this.seen.set(pr_url, coderabbit_comments.length);
    this.#cursor = next_cursor ?? answer.headers.get("x-resume-cursor") ?? "";
    this.pages++;
    return next_cursor === null;
  }

  async untilEnd(): Promise<void> {
    while (!(await this.step()));
  }
}
