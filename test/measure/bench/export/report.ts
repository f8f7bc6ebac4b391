import * as z from "zod";

/** The arguments of the process that makes the largest answer. */
export const largestArgument = z.object({
  bundle: z.string(),
  /** See `stubHttp`. */
  itemsFile: z.string(),
  target: z.string(),
  key: z.string(),
  coding: z.string(),
});

/** Its report. */
export const largestReport = z.object({
  idleBytes: z.int(),
  /** Peak resident memory since the process began. */
  peakBytes: z.int(),
  sentBytes: z.int(),
});
export type LargestReport = z.output<typeof largestReport>;
