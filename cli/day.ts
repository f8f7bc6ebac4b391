import { isCalendarDay } from "../lib/contract/parameters.ts";
import type { CommandInput } from "./command.ts";
import { UsageFault } from "./fault.ts";

export function dayOption(input: CommandInput, name: string): string | undefined {
  const day = input.text(name);
  if (day !== undefined && !isCalendarDay(day))
    throw new UsageFault(`--${name} takes a calendar day as YYYY-MM-DD, not ${JSON.stringify(day)}.`);
  return day;
}
