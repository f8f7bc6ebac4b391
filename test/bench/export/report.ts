import * as z from "zod";

/** What the process that makes the largest answer is run with. */
export const largestArgument = z.object({
  bundle: z.string(),
  target: z.string(),
  smallTarget: z.string(),
  key: z.string(),
  rounds: z.int(),
});

/** What it reports. */
export const largestReport = z.object({
  answerBytes: z.int(),
  pullRequests: z.int(),
  idleBytes: z.int(),
  /** Resident memory at its highest, since the process began. */
  peakBytes: z.int(),
  /** Of the heap and of buffers, as far as it could be seen between two turns. */
  heapBytes: z.int(),
  times: z.array(z.object({ oursMs: z.number(), bareMs: z.number() })),
});
export type LargestReport = z.output<typeof largestReport>;
