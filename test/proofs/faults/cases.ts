import { required } from "../../../lib/runtime/required.ts";
import { isLong, seedOfRun } from "../../support/volume.ts";
import { type Call, canHappen, type Fault, faults } from "./fault.ts";
import type { CleanRun } from "./fault-runner.ts";
import { namesBySite } from "./sites.ts";

/** A fault at one call, at this and all later calls of the same place, or at this call and every call after it. */
export type How = "once" | "for good" | "crash";
export type Case = {
  readonly scenario: string;
  readonly site: string;
  /** Which of the scenario's calls at this place, from 1. */
  readonly nth: number;
  readonly fault: Fault;
  readonly how: How;
};

const faultsOf: Readonly<Record<How, readonly Fault[]>> = {
  once: faults,
  "for good": ["throttle", "conflict", "server error", "lost before", "lost after", "slow"],
  crash: ["lost before", "lost after"],
};

/** `SITE=lib/people/seats.ts:36` (or the beginning of it) runs only the faults at that place. */
const siteWanted = process.env.SITE ?? "";

const hows = ["once", "for good", "crash"] as const;

type FaultPoint = { readonly scenario: string; readonly call: Call; readonly nth: number };

/** The first call and the last one that a scenario makes at each place. */
function faultPointsOf(scenario: string, calls: readonly Call[]): FaultPoint[] {
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

/** The long run takes every place of every scenario; the short run takes each call site once and varies the fault. */
export function casesOf(rehearsed: ReadonlyMap<string, CleanRun>): Case[] {
  const all = [...rehearsed].flatMap(([scenario, { calls }]) => faultPointsOf(scenario, calls));
  const isRacing = ({ scenario }: FaultPoint) => rehearsed.get(scenario)?.scenario.isRacing === true;
  const sure = new Set(all.filter((point) => !isRacing(point)).map(({ call }) => call.site));
  const points = all.filter((point) => !(isRacing(point) && sure.has(point.call.site)));
  const chosen = isLong ? points : [...Map.groupBy(points, ({ call }) => call.site).values()].map(inTurn);
  return chosen.flatMap(({ scenario, call, nth }, index) =>
    hows.flatMap((how) => {
      const turn = index + seedOfRun();
      // A short run faults a call site once, in one of the three ways; the next site takes the next way and fault.
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

/** Here a failed condition means that somebody else did the work: at these sites it never fails without a reason. */
export const takenAsDone: readonly string[] = [
  "lib/audit/owed.ts writeOwed transactIf",
  "lib/audit/refused-keys.ts recordRefusal transactIf",
  "lib/events/drop.ts dropWaiting transactIf",
  "lib/events/tries.ts takeBack writeIf",
  "lib/events/waiting.ts keepWaiting transactIf",
  "lib/events/waiting.ts stopWaiting transactIf",
  "lib/http/cursor-keys.ts createCursorKeys writeIf",
  "lib/learnings/delete.ts removeOrphans writeIf",
  "lib/organizations/move-log.ts copyEntries writeIf",
  "lib/organizations/move.ts completeMove transactIf",
  "lib/stream/settle.ts settleAppend writeIf",
  "lib/stream/settle.ts settleAppend writeIf 2",
];

function isFair(fault: Fault, isAlone: boolean, { site }: Call): boolean {
  if (fault === "condition") return !isAlone && !takenAsDone.includes(namesBySite.get(site) ?? "");
  return fault !== "twin" || !isAlone;
}

/** Last calls show more than first ones, and scenarios that write (they come later) show more than those that read. */
function inTurn(points: readonly FaultPoint[]): FaultPoint {
  const byWorth = points.toSorted((one, other) => Number(one.nth > 1) - Number(other.nth > 1));
  return required(byWorth.at(-1 - ((seedOfRun() - 1) % points.length)), "fault point of a group");
}
