import { msPerDay } from "../contract/days.ts";

/** The first and the last day of a report, both included, as YYYY-MM-DD, in the time zone of the report. */
export type Period = { readonly start_date: string; readonly end_date: string };

/** The day of an instant, in some time zone. */
export type DayOf = (ms: number) => string;

const daysPerWeek = 7;

const startMs = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);
export const utcDay: DayOf = (ms) => new Date(ms).toISOString().slice(0, 10);
export const addDays = (day: string, days: number): string => utcDay(startMs(day) + days * msPerDay);

export const utc = "UTC";

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Offsets of time zones are multiples of a quarter of an hour, so one calculation serves all its instants. */
const quarterMs = 15 * 60_000;

export function dayIn(timeZone: string): DayOf {
  if (timeZone === utc) return utcDay;
  const options = { timeZone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  // Sweden writes dates as YYYY-MM-DD.
  const format = new Intl.DateTimeFormat("sv-SE", options);
  const days = new Map<number, string>();
  return (ms) => {
    const quarter = Math.floor(ms / quarterMs);
    const day = days.get(quarter) ?? format.format(quarter * quarterMs);
    days.set(quarter, day);
    return day;
  };
}

/** What the clocks of a time zone show, to the second, as milliseconds of UTC. */
export function clockIn(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return (ms) => Date.parse(`${format.format(ms).replace(" ", "T")}Z`);
}

/** The last `days` days, including today. */
export const lastDays = (days: number, nowMs: number, dayOf: DayOf = utcDay): Period => ({
  start_date: addDays(dayOf(nowMs), 1 - days),
  end_date: dayOf(nowMs),
});

/** The whole week before the week of this day: Monday to Sunday. */
export const lastWeek = (today: string): Period => {
  const monday = mondayOf(today);
  return { start_date: addDays(monday, -daysPerWeek), end_date: addDays(monday, -1) };
};

/** The whole month before the month of this day. */
export const lastMonth = (today: string): Period => {
  const end_date = addDays(firstOfMonth(today), -1);
  return { start_date: firstOfMonth(end_date), end_date };
};

/** The month before a whole month; otherwise as many days as the period has. */
export function periodBefore(period: Period): Period {
  const { start_date, end_date } = period;
  const isMonth = start_date === firstOfMonth(end_date) && end_date === lastOfMonth(end_date);
  if (isMonth) return lastMonth(start_date);
  return { start_date: addDays(start_date, -daysOf(period)), end_date: addDays(start_date, -1) };
}

export const daysOf = ({ start_date, end_date }: Period): number =>
  Math.round((startMs(end_date) - startMs(start_date)) / msPerDay) + 1;

/** The Monday of the week. 1 January 1970 was a Thursday, three days after a Monday. */
export function mondayOf(day: string): string {
  const number = startMs(day) / msPerDay;
  return addDays(day, -((((number + 3) % daysPerWeek) + daysPerWeek) % daysPerWeek));
}

/** `2026-03` of `2026-03-15`. */
export const monthOf = (day: string): string => day.slice(0, 7);
const firstOfMonth = (day: string): string => `${monthOf(day)}-01`;
const lastOfMonth = (day: string): string => addDays(firstOfMonth(addDays(firstOfMonth(day), 31)), -1);

/** A week or a month of a period. */
export type Span = {
  /** A week's Monday, even if the period starts later; a month as YYYY-MM. */
  readonly id: string;
  /** All of its days are in the period. */
  readonly is_whole: boolean;
};

/** Every week that overlaps the period, including weeks without pull requests. */
export const weeksOf = (period: Period): Span[] =>
  spansOf(period, mondayOf, (monday) => ({ id: monday, last: addDays(monday, daysPerWeek - 1) }));

export const monthsOf = (period: Period): Span[] =>
  spansOf(period, firstOfMonth, (first) => ({ id: monthOf(first), last: lastOfMonth(first) }));

function spansOf(
  { start_date, end_date }: Period,
  firstOf: (day: string) => string,
  spanOf: (first: string) => { readonly id: string; readonly last: string },
): Span[] {
  const spans: Span[] = [];
  for (let first = firstOf(start_date); first <= end_date; ) {
    const { id, last } = spanOf(first);
    spans.push({ id, is_whole: first >= start_date && last <= end_date });
    first = addDays(last, 1);
  }
  return spans;
}
