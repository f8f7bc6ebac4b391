import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { eventLimits } from "../contract/limits.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { ErrorCollector } from "../runtime/error-collector.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { parseWaitingByAge, type WaitingByAgeItem } from "../store/items/waiting.ts";
import { waitingKey } from "../store/layout.ts";
import { identityOf, type Key, queryPages, StoreUnavailable } from "../store/table.ts";
import { drain } from "./apply.ts";
import { deadLetter } from "./dead-letter.ts";
import { WaitingEventFailed } from "./error-kind.ts";
import type { EventDeps } from "./ports.ts";
import { takeBackLate } from "./tries.ts";
import { readWaiting, stopWaiting } from "./waiting.ts";

/**
 * Checks all waiting events, one page at a time: there may be millions. An event that has waited too long goes to the
 * dead letters. If its dependency exists after all (its arrival was interrupted too often, for example), the event is
 * applied now: nothing stays behind.
 */
export async function expireWaiting(deps: EventDeps): Promise<void> {
  const pieces = new ErrorCollector();
  await pieces.run(() => takeBackLate(deps));
  const dependencies = new Dependencies(deps, pieces);
  const oldestAllowed = toTimestamp(deps.clock.nowMs() - eventLimits.waitingDaysMax * msPerDay);
  for await (const items of queryPages(deps.table, kinds.waitingByAge.range())) {
    const rows: WaitingByAgeItem[] = [];
    for (const item of items) await pieces.run(async () => rows.push(parseWaitingByAge(item)));
    await dependencies.drain(rows);
    for (const row of rows.filter(({ since }) => since < oldestAllowed)) {
      const state = dependencies.stateOf(row);
      if (state !== "away") await pieces.run(() => expire(deps, row, state === "known"));
    }
  }
  pieces.end();
}

/** The dependencies of waiting events that exist. Each is drained once in a run. */
class Dependencies {
  readonly #deps: EventDeps;
  readonly #pieces: ErrorCollector;
  readonly #states = new Map<string, "known" | "away">();

  constructor(deps: EventDeps, pieces: ErrorCollector) {
    this.#deps = deps;
    this.#pieces = pieces;
  }

  /** `away`: the store was temporarily unavailable, so events that it could not accept do not become dead letters. */
  stateOf({ dependency }: WaitingByAgeItem): "known" | "away" | undefined {
    return this.#states.get(identityOf(dependency));
  }

  async drain(rows: readonly WaitingByAgeItem[]): Promise<void> {
    const asked = new Map(
      rows
        .filter((row) => this.stateOf(row) === undefined)
        .map(({ dependency }) => [identityOf(dependency), dependency]),
    );
    for (const item of await this.#deps.table.getMany([...asked.values()], { only: ["pk"] }))
      if (item) await this.#pieces.run(() => this.#drainOne(item));
  }

  async #drainOne(item: Key): Promise<void> {
    this.#states.set(identityOf(item), "known");
    try {
      await drain(this.#deps, item, eventLimits.receivesForWaiting);
    } catch (error) {
      if (isStoreAway(error)) this.#states.set(identityOf(item), "away");
      throw error;
    }
  }
}

async function expire(deps: EventDeps, row: WaitingByAgeItem, isKnown: boolean): Promise<void> {
  const item = await deps.table.get(waitingKey(row.dependency, row.version));
  if (!item) {
    await deps.table.write({ delete: { pk: row.pk, sk: row.sk } });
    return;
  }
  const days = eventLimits.waitingDaysMax;
  // If the dependency exists, the event was tried a moment ago, and still waits.
  const reason = isKnown
    ? `It waited ${days} days: also since the ${row.label} came it could not be applied.`
    : `It waited ${days} days for the ${row.label}, which never came.`;
  for (const waiting of await readWaiting(deps, item)) {
    await deadLetter(deps, waiting, reason);
    await stopWaiting(deps.table, waiting);
  }
}

const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreUnavailable ||
  error instanceof TimeUp ||
  (error instanceof WaitingEventFailed && isStoreAway(error.cause));
