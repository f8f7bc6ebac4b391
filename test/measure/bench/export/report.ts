import * as z from "zod";

/** The arguments of the process that makes the largest answer. */
export const largestArgument = z.object({
  bundle: z.string(),
  target: z.string(),
  smallTarget: z.string(),
  key: z.string(),
  rounds: z.int(),
});

/** Its report. */
export const largestReport = z.object({
  answerBytes: z.int(),
  pullRequests: z.int(),
  idleBytes: z.int(),
  /** Peak resident memory since the process began. */
  peakBytes: z.int(),
  /** Heap and buffers, as far as visible between two turns of the event loop. */
  heapBytes: z.int(),
  times: z.array(z.object({ oursMs: z.number(), bareMs: z.number() })),
});
export type LargestReport = z.output<typeof largestReport>;
