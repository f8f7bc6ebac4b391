import { required } from "../../../lib/runtime/required.ts";
import { isLong, seedOfRun } from "../../support/volume.ts";
import { type Call, canHappen, type Fault, faults } from "./fault.ts";
import type { Rehearsed } from "./fault-runner.ts";
import { writtenSites } from "./sites.ts";

/** At one call, at it and all later ones of the same place, or there and at everything that would have followed. */
export type How = "once" | "for good" | "crash";
export type Case = {
  readonly scenario: string;
  readonly site: string;
  /** Which of the calls that the scenario makes there, from 1. */
  readonly nth: number;
  readonly fault: Fault;
  readonly how: How;
};

const faultsOf: Readonly<Record<How, readonly Fault[]>> = {
  once: faults,
  "for good": ["throttle", "conflict", "server error", "lost before", "lost after", "slow"],
  crash: ["lost before", "lost after"],
};

/** `SITE=lib/people/seats.ts:36` (or the beginning of it) plays only what strikes there. */
const siteWanted = process.env.SITE ?? "";

const hows = ["once", "for good", "crash"] as const;

type Place = { readonly scenario: string; readonly call: Call; readonly nth: number };

/** The first call and the last one that a scenario makes at each place. */
function placesOf(scenario: string, calls: readonly Call[]): Place[] {
  const bySite = Map.groupBy(
    calls.filter(({ site }) => site.startsWith(siteWanted)),
    ({ site }) => site,
  );
  return [...bySite.values()].flatMap((made) =>
    [...new Set([1, made.length])].flatMap((nth) =>
      made.slice(nth - 1, nth).map((call) => ({ scenario, call, nth })),
    ),
  );
}

/** The long run takes every place of every scenario; the short one each call site once, in turn by other faults. */
export function casesOf(rehearsed: ReadonlyMap<string, Rehearsed>): Case[] {
  const places = [...rehearsed].flatMap(([scenario, { calls }]) => placesOf(scenario, calls));
  const chosen = isLong ? places : [...Map.groupBy(places, ({ call }) => call.site).values()].map(inTurn);
  return chosen.flatMap(({ scenario, call, nth }, index) =>
    hows.flatMap((how) => {
      const turn = index + seedOfRun();
      // A short run strikes a call site once, in one of the three ways; the next site takes the next way and fault.
      if (!isLong && how !== hows[turn % hows.length]) return [];
      const { isAlone = false } = rehearsed.get(scenario)?.scenario ?? {};
      const possible = faultsOf[how].filter(
        (fault) => canHappen(fault, call) && isFair(fault, isAlone, call),
      );
      const next = possible[Math.floor(turn / hows.length) % possible.length];
      const taken = isLong ? possible : next === undefined ? [] : [next];
      return taken.map((fault): Case => ({ scenario, site: call.site, nth, fault, how }));
    }),
  );
}

/** Where a failed condition says that somebody else has done it: there it never fails for no reason. */
export const takenAsDone: readonly string[] = [
  "lib/access/key-registry.ts revoke transact",
  "lib/audit/owed.ts settleOwed transact",
  "lib/audit/refusals.ts recordRefusal transact",
  "lib/events/tries.ts tellEnd write",
  "lib/events/waiting.ts keepWaiting transact",
  "lib/events/waiting.ts stopWaiting transact",
  "lib/http/cursor-keys.ts createCursorKeys writeIf",
  "lib/learnings/delete.ts removeOrphans writeIf",
  "lib/organizations/move.ts completeMove transact",
  "lib/stream/settle.ts settle writeIf",
  "lib/stream/settle.ts settle writeIf 2",
];
const namesBySite = new Map(writtenSites.map(({ id, name }) => [id, name]));

function isFair(fault: Fault, isAlone: boolean, { site }: Call): boolean {
  if (fault === "condition") return !isAlone && !takenAsDone.includes(namesBySite.get(site) ?? "");
  return fault !== "twin" || !isAlone;
}

/** Last calls show more than first ones, and scenarios that change something (which come later) more than those that read. */
function inTurn(places: readonly Place[]): Place {
  const byWorth = places.toSorted((one, other) => Number(one.nth > 1) - Number(other.nth > 1));
  return required(byWorth.at(-1 - ((seedOfRun() - 1) % places.length)), "place of a group");
}
