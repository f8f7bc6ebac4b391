import type { Item } from "../../../lib/store/table.ts";
import { problemsOf } from "../../learnings/check-table.ts";
import { checkPeople } from "../../people/checks.ts";
import type { Case } from "./cases.ts";
import type { CleanRun } from "./fault-runner.ts";
import type { CallResult, Scenario } from "./scenario.ts";
import { namesBySite } from "./sites.ts";
import { subjectOf, type TableState } from "./state.ts";

/** The rules that hold at every moment, even after an interruption. */
export function brokenIn(items: readonly Item[], { settlesPeopleLater }: Scenario): string | undefined {
  const [problem] = problemsOf(items, { eventsMayComeAgain: true });
  if (problem || settlesPeopleLater) return problem;
  try {
    checkPeople(items);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Undefined if a run left the expected state. Repeated work may be stored twice and logged twice. */
export function difference(
  { mayLeave, mayRecord, uncompared }: Scenario,
  wanted: TableState,
  found: TableState,
  { isTwice }: { readonly isTwice: boolean },
): string | undefined {
  const isCompared = (each: string) => !uncompared?.test(each) && !(isTwice && wanted.things.includes(each));
  const [missing] = without(wanted.things, found.things).filter((each) => !uncompared?.test(each));
  const [extra] = without(found.things, wanted.things).filter(
    (each) => isCompared(each) && !mayLeave?.test(each),
  );
  if (missing !== undefined || extra !== undefined)
    return `the table lacks ${missing?.slice(0, 300)} and has ${extra?.slice(0, 300)}`;
  const [missingEntry] = without(wanted.audited, found.audited);
  if (missingEntry !== undefined) return `the audit log lacks ${missingEntry}`;
  const subjects = isTwice ? wanted.audited.map(subjectOf) : [];
  const often = without(found.audited, wanted.audited).find(
    (entry) => !subjects.includes(subjectOf(entry)) && !mayRecord?.test(entry),
  );
  return often && `the log tells once too often ${often}`;
}

/** The elements of `some` that `others` lacks, with their counts. */
function without(some: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const each of others) left.set(each, (left.get(each) ?? 0) + 1);
  return some.filter((each) => {
    const times = left.get(each) ?? 0;
    left.set(each, times - 1);
    return times <= 0;
  });
}

/** Written beside the answer; may fail without anybody noticing. */
const beside = [
  "lib/access/last-used.ts touchLastUsed ",
  "lib/audit/refused-keys.ts ",
  "lib/access/refusals.ts ",
];
export const isBeside = (site: string): boolean =>
  beside.some((name) => namesBySite.get(site)?.startsWith(name));
const limiter = "lib/access/rate-limiter.ts";

/** Undefined if the answer is correct for the fault. */
export function verdict(
  { scenario, said: clean }: CleanRun,
  said: CallResult,
  { site, fault, how }: Omit<Case, "scenario">,
): string | undefined {
  const file = site.split(":", 1)[0] ?? "";
  const isClean = said.text === clean.text;
  if (isBeside(site) || (scenario.isRead && file === limiter && fault !== "throttle"))
    return isClean ? undefined : `says ${said.text.slice(0, 200)}`;
  if (isClean) return undefined;
  if (how === "once" && fault === "twin" && scenario.doneBefore?.test(said.text)) return undefined;
  const mayGiveUp = how === "for good" || scenario.isRepeated;
  const answers = file === limiter && fault === "throttle" ? ["429 RATE_LIMIT_EXCEEDED"] : scenario.maySay;
  return mayGiveUp && answers.includes(said.text) ? undefined : `says ${said.text.slice(0, 200)}`;
}
