import { systemClock } from "../../../../lib/runtime/clock.ts";

const dayOfMonth = 16;

/**
 * From now on the clock shows the 16th of a month: audit entries are stored by month, so the number of reads of a
 * request depends on the day. The clock never goes back, because stored items would already be expired. The returned
 * function ends it.
 */
export function goToMidMonth(): () => void {
  const { nowMs } = systemClock;
  const shiftMs = nextMidMonthMs(nowMs()) - nowMs();
  systemClock.nowMs = () => nowMs() + shiftMs;
  return () => {
    systemClock.nowMs = nowMs;
  };
}

export async function onDayInMidMonth<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const leave = goToMidMonth();
  return await work().finally(leave);
}

/** The same time of day on the next 16th; today, if it is the 16th. */
function nextMidMonthMs(nowMs: number): number {
  const day = new Date(nowMs);
  const months = day.getUTCDate() > dayOfMonth ? 1 : 0;
  return day.setUTCMonth(day.getUTCMonth() + months, dayOfMonth);
}
