import * as z from "zod";

/** How a contestant is started: one handler in a process of its own, as on Lambda. */
export const contestantArgument = z.object({
  bundle: z.string(),
  /** What it is measured with: the JSON of a proxy event. */
  event: z.string(),
  streaming: z.boolean(),
  /** As many requests as its bucket takes before a minute must pass. */
  requestsPerWindow: z.int(),
  /** A file with every item of a table, for a stubbed store; null on an engine. */
  itemsFile: z.string().nullable(),
});
export type ContestantArgument = z.output<typeof contestantArgument>;

/** What it is asked. */
export const contestantRequest = z.union([
  z.object({ requests: z.int() }),
  z.object({ callsOfOne: z.literal(true) }),
  z.object({ answerTo: z.string() }),
]);
export type ContestantRequest = z.output<typeof contestantRequest>;

export const answerSchema = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.unknown()).optional(),
  multiValueHeaders: z.record(z.string(), z.unknown()).optional(),
  body: z.string(),
});
export type BufferedAnswer = z.output<typeof answerSchema>;

/** What it answers. */
export const contestantReply = z.object({
  cpuMicrosecondsEach: z.number().optional(),
  calls: z.array(z.string()).optional(),
  answer: answerSchema.optional(),
});
export type ContestantReply = z.output<typeof contestantReply>;
