import * as z from "zod";
import { eventLimits } from "../../../../lib/contract/limits.ts";
import { toTimestamp } from "../../../../lib/runtime/clock.ts";
import { versionOf } from "../../../../lib/store/items/version.ts";
import { memberData, organizationData, workspaceData } from "../../../support/event-data.ts";
import { Dice } from "../model/scheduler.ts";
import { nameOf, organizations, type SimulatedEvent, users } from "./history.ts";

/** Only these seeds have such a platform, so that the other seeds behave as before. */
const livesApart = 8;
const busyLives = [0, 4, 5];
/** A sender whose clock is as far ahead as is allowed, up to a second. */
const aheadMs = eventLimits.aheadMsMax - 1_000;
/** A host is behind by this much; a minute keeps the sender at the edge while a batch waits for its worker. */
const behindMs = [0, 2_000, 60_000, 60_000];

/** Where an event names its organization's tenant. */
const placed = z.object({ provider_organization_id: z.string(), workspace_id: z.string().nullable() });

/**
 * A platform that sends more while the events of the history are applied: an organization that changes tenant is
 * renamed, moved on, and described by stale and repeated events while it moves; and a sender is ahead, at the edge,
 * while the hosts that receive the next events are behind.
 */
export class BusyPlatform {
  /** Separate dice, so that all other random choices of the seed stay the same. */
  readonly #dice: Dice;
  readonly #edges = new Set<string>();
  #sent = 0;
  /** Whether it sends anything with this seed. */
  readonly isBusy: boolean;

  constructor(seed: number) {
    this.#dice = new Dice(seed + 2_000_000);
    this.isBusy = busyLives.includes(seed % livesApart);
  }

  /** How far a host is behind. An event at the edge reaches a host with the right clock, which accepts it. */
  behindMs(eventIds: readonly string[]): number {
    if (!this.isBusy || eventIds.some((id) => this.#edges.has(id))) return 0;
    return this.#dice.pick(behindMs);
  }

  /** How long a step of a move takes: many moves outlast their event, and other events overtake them. */
  moveDelay(): number {
    return this.isBusy && this.#dice.chance(0.8) ? 400 + this.#dice.below(700) : 0;
  }

  pause(): number {
    return this.#dice.below(1_500);
  }

  /** Between two events of a burst: the second is often delivered by itself, while the first one's move goes on. */
  shortPause(): number {
    return this.#dice.chance(0.5) ? this.#dice.below(800) : 500 + this.#dice.below(3_000);
  }

  burstsLeft(): number {
    return this.isBusy ? 6 + this.#dice.below(8) : 0;
  }

  /** The next events of one group. `sent` are all earlier events: some are sent again. */
  burst(nowMs: number, sent: readonly SimulatedEvent[]): SimulatedEvent[] {
    const { id } = this.#dice.pick(organizations);
    return this.#dice.chance(0.6) ? this.#move(id, nowMs, sent) : this.#edge(id, nowMs);
  }

  #move(id: string, nowMs: number, sent: readonly SimulatedEvent[]): SimulatedEvent[] {
    const own = sent.filter(({ type, data }) => type === "organization.saved" && placeOf(data).id === id);
    const newest = own.toSorted(byVersion).at(-1);
    const workspace = newest && placeOf(newest.data).workspace === null ? "acme" : null;
    const moves = this.#organization(id, nowMs, workspace);
    const renamed = this.#organization(id, nowMs + 1, workspace);
    const movesOn = this.#organization(id, nowMs + 2, workspace === null ? "acme" : null);
    const stale = this.#dice.pick([...own, moves]);
    const overtaking = [renamed, stale, movesOn, moves].filter(() => this.#dice.chance(0.6));
    return [moves, ...overtaking];
  }

  /** An event from the edge of the allowed future, and an older event right behind it. */
  #edge(id: string, nowMs: number): SimulatedEvent[] {
    const make = this.#dice.pick([
      (atMs: number) => this.#organization(id, atMs, this.#dice.pick(["acme", null])),
      (atMs: number) => this.#member(id, atMs, user),
      (atMs: number) => this.#workspace(atMs),
    ]);
    const user = this.#dice.pick(users);
    const edge = make(nowMs + aheadMs);
    this.#edges.add(edge.id);
    return [edge, make(nowMs)];
  }

  #organization(id: string, atMs: number, workspace_id: string | null): SimulatedEvent {
    return this.#say("organization.saved", atMs, {
      ...nameOf(id),
      name: `${id} at ${atMs}`,
      ...organizationData,
      workspace_id,
      seats_purchased: this.#dice.below(4),
      seat_assignment_mode: "manual",
    });
  }

  #member(id: string, atMs: number, user: string): SimulatedEvent {
    return this.#say("member.saved", atMs, {
      ...nameOf(id),
      user_id: user,
      username: user,
      ...memberData,
      email: this.#dice.pick([null, `${user}@acme.test`]),
      role: this.#dice.pick(["cr_admin", "cr_member"]),
      seat_assigned: this.#dice.chance(0.5),
      active: this.#dice.chance(0.75),
    });
  }

  #workspace(atMs: number): SimulatedEvent {
    const seats_purchased = this.#dice.below(9);
    return this.#say("workspace.saved", atMs, {
      id: "acme",
      name: "Acme",
      ...workspaceData,
      admins: [],
      seats_purchased,
    });
  }

  #say(type: string, atMs: number, data: object): SimulatedEvent {
    const id = `00000000-0000-4000-8000-${String(++this.#sent).padStart(12, "0")}`;
    return { id, type, occurred_at: toTimestamp(atMs), data, fate: "good" };
  }
}

const placeOf = (data: unknown): { readonly id: string; readonly workspace: string | null } => {
  const { provider_organization_id: id, workspace_id: workspace } = placed.parse(data);
  return { id, workspace };
};

/** The order in which events count, whatever the order in which they were sent. */
export const byVersion = (one: SimulatedEvent, other: SimulatedEvent): number =>
  versionOf(one) < versionOf(other) ? -1 : 1;
