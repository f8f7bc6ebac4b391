import { isCalendarDay } from "../lib/contract/parameters.ts";
import { UsageError } from "../lib/runtime/operator-error.ts";
import type { CommandInput } from "./command.ts";

export function dayOption(input: CommandInput, name: string): string | undefined {
  const day = input.text(name);
  if (day !== undefined && !isCalendarDay(day))
    throw new UsageError(`--${name} takes a calendar day as YYYY-MM-DD, not ${JSON.stringify(day)}.`);
  return day;
}
