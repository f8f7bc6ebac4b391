import { msPerDay } from "../lib/contract/days.ts";

/** True for a day that exists, written as YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

export const wholeDays = (fromMs: number, toMs: number): number =>
  Math.max(0, Math.floor((toMs - fromMs) / msPerDay));
