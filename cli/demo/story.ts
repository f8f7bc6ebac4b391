import { readFile } from "node:fs/promises";
import { msPerDay } from "../../lib/contract/days.ts";
import type { OutgoingEvent } from "../../lib/events/send.ts";
import { toTimestamp } from "../../lib/runtime/clock.ts";
import type { DataDirectory } from "../local/data-directory.ts";
import { writeWhole } from "../local/write-whole.ts";
import { scanEvents } from "./findings.ts";
import { learningEvents } from "./learnings.ts";
import { pullRequestEvents } from "./pull-requests.ts";
import { worldEvents } from "./world.ts";

const historyDays = 84;
/** What a first call is likely to ask for. */
const recentDays = 31;

export type Story = {
  /** To be applied before anybody looks: who there is, and what happened lately. */
  readonly opening: readonly OutgoingEvent[];
  /** Further back, for whoever looks longer: a newcomer need not wait for it. */
  readonly history: readonly OutgoingEvent[];
};

/**
 * The demo as platform events, applied on the way all events take. The first time: the world, and twelve weeks
 * up to now; at a later start only the pull requests since, so that "the last 30 days" never run dry.
 */
export function demoStory(toldUntilMs: number | undefined, nowMs: number): Story {
  const beginningMs = nowMs - historyDays * msPerDay;
  if (toldUntilMs !== undefined)
    return { opening: pullRequestEvents(Math.max(beginningMs, toldUntilMs), nowMs), history: [] };
  const recentMs = nowMs - recentDays * msPerDay;
  return {
    opening: [...worldEvents, ...learningEvents(nowMs), ...pullRequestEvents(recentMs, nowMs)],
    history: [...scanEvents(nowMs), ...pullRequestEvents(beginningMs, recentMs)],
  };
}

/** Up to when the story has been told in this folder; undefined if there is none yet. */
export async function toldUntil({ storyFile }: DataDirectory): Promise<number | undefined> {
  const text = await readFile(storyFile, "utf8").catch(() => "");
  const toldMs = Date.parse(text.trim());
  return Number.isNaN(toldMs) ? undefined : toldMs;
}

export const noteTold = ({ storyFile }: DataDirectory, nowMs: number): Promise<void> =>
  writeWhole(storyFile, `${toTimestamp(nowMs)}\n`);
