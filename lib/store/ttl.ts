import { secondsPerDay } from "../contract/days.ts";

/** The `ttl` of an item that is kept for this many days: DynamoDB deletes the item some time after this second. */
export const ttlAfter = (fromMs: number, days: number): number =>
  Math.ceil(fromMs / 1000) + days * secondsPerDay;
