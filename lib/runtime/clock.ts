import { msPerDay } from "../contract/days.ts";

/** Time as an argument: everything that needs the current time takes a Clock, so tests can stop or move it. */
export interface Clock {
  nowMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};

const daysKeptMax = 4_000;
/** "2026-11-15T" by the number of the day. A page has thousands of times, and all of them lie in a few hundred days. */
const days = new Map<number, string>();
const digits = (length: number) =>
  Array.from({ length: 10 ** length }, (_, number) => String(number).padStart(length, "0"));
const two = digits(2);
const three = digits(3);

/** The only format for a point in time: UTC with milliseconds. */
export function toTimestamp(time: number): string {
  const ms = Math.trunc(time);
  const number = Math.floor(ms / msPerDay);
  let day = days.get(number);
  if (day === undefined) {
    // Also throws a RangeError for what is no time.
    day = new Date(ms).toISOString().slice(0, -13);
    if (days.size === daysKeptMax) days.clear();
    days.set(number, day);
  }
  const inDay = ms - number * msPerDay;
  const second = Math.floor(inDay / 1_000);
  const minute = Math.floor(second / 60);
  return `${day}${two[Math.floor(minute / 60)]}:${two[minute % 60]}:${two[second % 60]}.${three[inDay % 1_000]}Z`;
}
