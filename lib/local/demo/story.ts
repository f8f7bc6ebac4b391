import { readFile } from "node:fs/promises";
import { msPerDay } from "../../contract/days.ts";
import type { OutgoingEvent } from "../../events/send.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import { writeWhole } from "../../runtime/write-whole.ts";
import type { DataDirectory } from "../data-directory.ts";
import { scanEvents } from "./findings.ts";
import { learningEvents } from "./learnings.ts";
import { pullRequestEvents } from "./pull-requests.ts";
import { worldEvents } from "./world.ts";

const historyDays = 84;
/** The days that a first call is likely to ask for. */
const recentDays = 31;

export type DemoEvents = {
  /** Applied before anybody reads: the organizations and people, and the recent events. */
  readonly opening: readonly OutgoingEvent[];
  /** Older events for longer windows: a newcomer does not need to wait for them. */
  readonly history: readonly OutgoingEvent[];
};

/**
 * The demo as platform events, applied the same way as all events. The first start sends the world and twelve weeks up
 * to now; a later start sends only the pull requests since then, so that "the last 30 days" always has data.
 */
export function demoEvents(sentUntilMs: number | undefined, nowMs: number): DemoEvents {
  const beginningMs = nowMs - historyDays * msPerDay;
  if (sentUntilMs !== undefined)
    return { opening: pullRequestEvents(Math.max(beginningMs, sentUntilMs), nowMs), history: [] };
  const recentMs = nowMs - recentDays * msPerDay;
  return {
    opening: [...worldEvents, ...learningEvents(nowMs), ...pullRequestEvents(recentMs, nowMs)],
    history: [...scanEvents(nowMs), ...pullRequestEvents(beginningMs, recentMs)],
  };
}

/** The time up to which this folder has the demo's events; undefined if it has none yet. */
export async function demoSentUntil({ demoProgressFile }: DataDirectory): Promise<number | undefined> {
  const text = await readFile(demoProgressFile, "utf8").catch(() => "");
  const sentUntilMs = Date.parse(text.trim());
  return Number.isNaN(sentUntilMs) ? undefined : sentUntilMs;
}

export const noteDemoSentUntil = ({ demoProgressFile }: DataDirectory, nowMs: number): Promise<void> =>
  writeWhole(demoProgressFile, `${toTimestamp(nowMs)}\n`);
