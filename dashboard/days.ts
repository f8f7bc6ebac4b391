import { msPerDay } from "../lib/contract/days.ts";
import { shortDay } from "../lib/report/words.ts";

/** True for a day that exists, written as YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

export const wholeDays = (fromMs: number, toMs: number): number =>
  Math.max(0, Math.floor((toMs - fromMs) / msPerDay));

/** `9 Nov 2026`, from a day or an instant, UTC. */
export const longDay = (instant: string): string =>
  `${shortDay(instant.slice(0, 10))} ${instant.slice(0, 4)}`;

/** `9 Nov 2026, 14:05 UTC`. */
export const longInstant = (instant: string): string => `${longDay(instant)}, ${instant.slice(11, 16)} UTC`;
