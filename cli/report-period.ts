import {
  type DayOf,
  dayIn,
  isTimeZone,
  lastDays,
  lastMonth,
  lastWeek,
  type Period,
  utc,
} from "../lib/report/period.ts";
import { UsageError } from "../lib/runtime/operator-error.ts";
import type { CommandInput, OptionDefinitions } from "./command.ts";

const daysDefault = 30;
const daysMax = 3_660;

export const periodOptions: OptionDefinitions = {
  "last-week": { help: "the last whole week, Monday to Sunday" },
  "last-month": { help: "the last whole month" },
  days: {
    value: "N",
    help: `the last N days up to now, today included (default ${daysDefault}); for a job, use --last-week`,
  },
  start: { value: "DAY", help: "merged from this day on" },
  end: { value: "DAY", help: "merged up to this day (default today); with --days, the last of N days" },
  timezone: {
    value: "ZONE",
    help: "days, weeks and months of this time zone, e.g. Europe/Berlin (default UTC)",
  },
};

export type RequestedPeriod = { readonly period: Period; readonly timeZone: string };

export function requestedPeriod(input: CommandInput, nowMs: number): RequestedPeriod {
  const timeZone = input.text("timezone") ?? utc;
  if (!isTimeZone(timeZone))
    throw new UsageError(
      `--timezone takes the name of a time zone, such as Europe/Berlin, not ${JSON.stringify(timeZone)}.`,
    );
  return { period: periodOf(input, nowMs, dayIn(timeZone)), timeZone };
}

/** Each of these names the period alone; `--end` goes with `--days` or `--start`. */
const alternatives = ["last-week", "last-month", "days", "start"];

function periodOf(input: CommandInput, nowMs: number, dayOf: DayOf): Period {
  const days = input.integer("days", { min: 1, max: daysMax });
  const [start, end] = [input.day("start"), input.day("end")];
  const [first, second = end === undefined ? undefined : "end"] = alternatives.filter((name) =>
    input.has(name),
  );
  const isWhole = first === "last-week" || first === "last-month";
  if (second !== undefined && (isWhole || second !== "end"))
    throw new UsageError(`--${first} and --${second} cannot be used together.`);
  const today = dayOf(nowMs);
  if (isWhole) return first === "last-week" ? lastWeek(today) : lastMonth(today);
  const last = end ?? today;
  if (start === undefined) return lastDays(days ?? daysDefault, Date.parse(`${last}T00:00:00.000Z`));
  if (last < start) throw new UsageError("--end must not be before --start.");
  return { start_date: start, end_date: last };
}
