import { isCalendarDay } from "../lib/contract/parameters.ts";
import type { Input } from "./command.ts";
import { UsageFault } from "./fault.ts";

export function dayOf(input: Input, name: string): string | undefined {
  const day = input.text(name);
  if (day !== undefined && !isCalendarDay(day))
    throw new UsageFault(`--${name} takes a calendar day as YYYY-MM-DD, not ${JSON.stringify(day)}.`);
  return day;
}
