import type { Key } from "../../../../lib/store/table.ts";

type Range = { readonly pk: string; readonly from: string; readonly upTo: string };

/** What a bare handler reads and writes; known beforehand, since nothing in it finds out who is calling. */
export type BarePlan = {
  readonly keys: readonly Key[];
  readonly organizations: Range;
  /** Where there is one, it is read beside the limiter's write, and the answer is streamed. */
  readonly entries?: Range & { readonly pageItems: number };
  readonly bucket: Key;
  readonly slots: number;
  readonly windowMs: number;
};

/** Passed by the environment, as a handler gets everything. */
export const barePlanVariable = "BARE_PLAN";

export function barePlan(): BarePlan {
  // Written by the benchmark itself, a moment ago.
  return JSON.parse(process.env[barePlanVariable] ?? "null") as BarePlan;
}
