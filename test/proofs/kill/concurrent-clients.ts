import { createAnswer } from "../../../lib/contract/operations/learnings.ts";
import { rolesChangeAnswer, seatsAnswer } from "../../../lib/contract/records-people.ts";
import type { OutgoingEvent } from "../../../lib/events/send.ts";
import { sendEvents } from "../../../lib/events/send.ts";
import type { LocalBackend } from "../../../lib/local/backend.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { finalized } from "../../support/event-data.ts";
import type { OrganizationId } from "../../support/world.ts";
import type { ClientAnswer, CountingClient } from "./counting-client.ts";

export type Home = {
  readonly name: OrganizationId;
  readonly uuid: string;
  readonly key: string;
  readonly users: readonly string[];
};

/** The possible values of a thing: one after an answer, several after a request whose answer was lost. */
export class Possible<Value> {
  readonly #values = new Map<string, Set<Value>>();

  /** Whether setting this value was certainly a change. */
  surelyChanges(name: string, before: Value, value: Value): boolean {
    return !(this.#values.get(name) ?? new Set([before])).has(value);
  }
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

/** Windows of ten a minute fill up soon; this pause spreads them over several lives of the engine. */
const limitedPaceMs = 30;
const ingestPaceMs = 2;
/** Enough that a kill often comes between the Learnings and their entries in the index. */
const batchItems = 25;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const waitAfter = (status: number) => pause(status === 429 ? 250 : 20);

export type Stage = {
  readonly front: CountingClient;
  readonly backend: LocalBackend;
  readonly homes: readonly Home[];
};

/** An acknowledged change, which must be in the log of its organization. */
export type Acknowledged = {
  readonly organization: string;
  readonly requestId: string;
  readonly action: string;
  readonly id: string;
};

/** All clients that work while the engine dies, and the answers that they received. */
export class ConcurrentClients {
  isEnding = false;
  /** Text by `organization id`; null: deleted. */
  readonly learnings = new Possible<string | null>();
  readonly roles = new Possible<string>();
  readonly seats = new Possible<boolean>();
  /** The last state sent of every pull request, by organization and URL. */
  readonly pullRequests = new Map<string, Map<string, number>>();
  /** Counts of answers that acknowledged the work. */
  readonly acknowledged = { learnings: 0, deletions: 0, roles: 0, seats: 0, events: 0 };
  readonly changes: Acknowledged[] = [];
  sendsRefused = 0;
  /** Stored Learnings whose answer said that they are not in the index yet. */
  leftUnindexed = 0;
  readonly #stage: Stage;
  #underWay = 0;
  #resting: PromiseWithResolvers<void> | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Nobody begins new work, and all running work has ended: then the expected state is exact. */
  async rest(): Promise<void> {
    this.#resting = Promise.withResolvers();
    while (this.#underWay > 0) await pause(5);
  }

  goOn(): void {
    this.#resting?.resolve();
    this.#resting = undefined;
  }

  /** One home after another, until the end. */
  async #rounds(paceMs: number, work: (home: Home, round: number) => Promise<void>): Promise<void> {
    for (let round = 0; !this.isEnding; round++) {
      for (const home of this.#stage.homes) {
        await this.#resting?.promise;
        if (this.isEnding) return;
        this.#underWay++;
        await work(home, round).finally(() => this.#underWay--);
        await pause(paceMs);
      }
    }
  }

  /** Batches of new Learnings; one Learning of every batch is changed and one deleted. */
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
        if (isThere && status === "failed") this.leftUnindexed++;
        if (id && isThere) this.learnings.settle(`${uuid} ${id}`, texts[index] ?? "");
        if (id && isThere) this.#note(uuid, posted, "learning.created", id);
        return isThere ? id : null;
      });
      const [changed, deleted] = ids;
      const text = `${teacher} now prefers rule 0 of round ${round} in ${uuid}.`;
      if (changed && !this.#resting) await this.#change(key, uuid, changed, text);
      if (deleted && !this.#resting) await this.#delete(key, uuid, deleted);
    });
  }

  async #change(key: string, uuid: string, id: string, text: string): Promise<void> {
    const said = await this.#stage.front.ask(key, "PATCH", `/v1/learnings/${id}`, { learning: text });
    if (said.status === 503) this.learnings.leaveOpen(`${uuid} ${id}`, null, text);
    if (said.status !== 200) return;
    this.acknowledged.learnings++;
    this.learnings.settle(`${uuid} ${id}`, text);
    this.#note(uuid, said, "learning.updated", id);
  }

  async #delete(key: string, uuid: string, id: string): Promise<void> {
    const said = await this.#stage.front.ask(key, "DELETE", `/v1/learnings/${id}`);
    if (said.status === 503) this.learnings.leaveOpen(`${uuid} ${id}`, null, null);
    if (said.status !== 204) return;
    this.acknowledged.learnings++;
    this.acknowledged.deletions++;
    this.learnings.settle(`${uuid} ${id}`, null);
    this.#note(uuid, said, "learning.deleted", id);
  }

  #note(organization: string, { requestId }: ClientAnswer, action: string, id: string): void {
    this.changes.push({ organization, requestId, action, id });
  }

  promote(): Promise<void> {
    return this.#rounds(limitedPaceMs, async ({ key, uuid, users }, round) => {
      const role = round % 2 === 0 ? "cr_admin" : "cr_member";
      const said = await this.#stage.front.ask(key, "POST", "/v1/users/roles", { role, user_ids: users });
      const succeeded = said.status === 200 ? rolesChangeAnswer.parse(said.json).succeeded : undefined;
      this.acknowledged.roles += succeeded?.length ?? 0;
      const change = { before: "cr_member", value: role, action: "roles.changed" };
      await this.#noteAnswer(said, { uuid, users }, succeeded, this.roles, change);
    });
  }

  seat(): Promise<void> {
    return this.#rounds(limitedPaceMs, async ({ key, uuid, users }, round) => {
      const action = round % 2 === 0 ? "assign" : "unassign";
      const said = await this.#stage.front.ask(key, "POST", "/v1/users/seats", { action, user_ids: users });
      const succeeded = said.status === 200 ? seatsAnswer.parse(said.json).succeeded : undefined;
      this.acknowledged.seats += succeeded?.length ?? 0;
      const change = { before: false, value: action === "assign", action: `seats.${action}ed` };
      await this.#noteAnswer(said, { uuid, users }, succeeded, this.seats, change);
    });
  }

  /** For each user: the new value, or one more possible value. */
  async #noteAnswer<Value>(
    said: ClientAnswer,
    { uuid, users }: Pick<Home, "uuid" | "users">,
    succeeded: readonly string[] | undefined,
    book: Possible<Value>,
    { before, value, action }: { before: Value; value: Value; action: string },
  ): Promise<void> {
    for (const user of said.status === 429 ? [] : users) {
      const name = `${uuid} ${user}`;
      if (!succeeded?.includes(user)) book.leaveOpen(name, before, value);
      else {
        // A user who has the value already is not changed, and then nothing is logged.
        if (book.surelyChanges(name, before, value)) this.#note(uuid, said, action, user);
        book.settle(name, value);
      }
    }
    if (!succeeded) await waitAfter(said.status);
  }

  /** New pull requests and earlier ones again; an event that the queue did not accept is sent until it is accepted. */
  ingest(): Promise<void> {
    const { queue, bucket } = this.#stage.backend;
    return this.#rounds(ingestPaceMs, async ({ name, uuid }, round) => {
      const sentVersions = this.pullRequests.get(uuid) ?? new Map<string, number>();
      this.pullRequests.set(uuid, sentVersions);
      const events = [round, Math.floor(round / 2)].map((number) => this.#event(name, number, sentVersions));
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

  #event(name: OrganizationId, number: number, sentVersions: Map<string, number>): OutgoingEvent {
    const day = `2026-${String(1 + (number % 9)).padStart(2, "0")}-15`;
    const data = finalized(name, `${name.provider_organization_id}-${number}`, {
      merged_at: `${day}T10:00:00.000Z`,
      created_at: `${day}T08:00:00.000Z`,
    });
    const version = (sentVersions.get(data.pr_url) ?? 0) + 1;
    sentVersions.set(data.pr_url, version);
    // The number of findings shows which of its states a reader has.
    const comments = Array.from({ length: version }, (_, index) => ({ url: `${data.pr_url}#r${index}` }));
    const occurred_at = new Date(Date.UTC(2026, 10, 1) + version * 1000).toISOString();
    return {
      id: systemRandom.uuid(),
      type: "pull_request.finalized",
      occurred_at,
      data: { ...data, comments },
    };
  }
}
