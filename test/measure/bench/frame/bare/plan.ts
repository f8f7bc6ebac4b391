import type { Key } from "../../../../../lib/store/table.ts";

type Range = { readonly pk: string; readonly from: string; readonly upTo: string };

/** The reads and writes of a bare handler; known beforehand, since a bare handler does not authenticate the caller. */
export type BarePlan = {
  readonly keys: readonly Key[];
  readonly organizations: Range;
  /** If present, it is read concurrently with the limiter's write, and the answer is streamed. */
  readonly entries?: Range & { readonly pageItems: number };
  readonly bucket: Key;
  readonly slots: number;
  readonly windowMs: number;
};

/** Passed by the environment, like all settings of a handler. */
export const barePlanVariable = "BARE_PLAN";

export function barePlan(): BarePlan {
  // Written by the benchmark itself, a moment ago.
  return JSON.parse(process.env[barePlanVariable] ?? "null") as BarePlan;
}
