import { msPerDay } from "../contract/days.ts";
/** The first and the last day of a report, both included, UTC, as YYYY-MM-DD. */
export type Period = { readonly start_date: string; readonly end_date: string };

const daysPerWeek = 7;

const startMs = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The last `days` days, including today. */
export const lastDays = (days: number, nowMs: number): Period => ({
  start_date: dayOf(nowMs - (days - 1) * msPerDay),
  end_date: dayOf(nowMs),
});

export const daysOf = ({ start_date, end_date }: Period): number =>
  Math.round((startMs(end_date) - startMs(start_date)) / msPerDay) + 1;

/** The Monday of the week. 1 January 1970 was a Thursday, three days after a Monday. */
function mondayMs(ms: number): number {
  const day = Math.floor(ms / msPerDay);
  return (day - ((((day + 3) % daysPerWeek) + daysPerWeek) % daysPerWeek)) * msPerDay;
}

export const mondayOf = (ms: number): string => dayOf(mondayMs(ms));

export type Week = {
  /** The week's Monday, even if the period starts later. */
  readonly monday: string;
  /** All seven days are in the period. */
  readonly is_whole: boolean;
};

/** Every week that overlaps the period, including weeks without pull requests. */
export function weeksOf({ start_date, end_date }: Period): Week[] {
  const [firstMs, lastMs] = [startMs(start_date), startMs(end_date)];
  const weeks: Week[] = [];
  for (let ms = mondayMs(firstMs); ms <= lastMs; ms += daysPerWeek * msPerDay)
    weeks.push({
      monday: dayOf(ms),
      is_whole: ms >= firstMs && ms + (daysPerWeek - 1) * msPerDay <= lastMs,
    });
  return weeks;
}
