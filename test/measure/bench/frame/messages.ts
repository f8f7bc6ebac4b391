import * as z from "zod";

/** How a contestant is started: one handler in its own process, as on Lambda. */
export const contestantArgument = z.object({
  bundle: z.string(),
  /** The measured request: the JSON of a proxy event. */
  event: z.string(),
  streaming: z.boolean(),
  /** The number of requests that its bucket takes before a minute must pass. */
  requestsPerWindow: z.int(),
  /** A file with every item of a table, for a stubbed store; null with an engine. */
  itemsFile: z.string().nullable(),
});
export type ContestantArgument = z.output<typeof contestantArgument>;

/** Messages to a contestant. */
export const contestantRequest = z.union([
  z.object({ requests: z.int() }),
  z.object({ callsOfOne: z.literal(true) }),
  z.object({ answerTo: z.string() }),
  z.object({ digestOfData: z.literal(true) }),
]);
export type ContestantRequest = z.output<typeof contestantRequest>;

export const answerSchema = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.unknown()).optional(),
  multiValueHeaders: z.record(z.string(), z.unknown()).optional(),
  body: z.string(),
});
export type BufferedAnswer = z.output<typeof answerSchema>;

/** Messages from a contestant. */
export const contestantReply = z.object({
  cpuMicrosecondsEach: z.number().optional(),
  calls: z.array(z.string()).optional(),
  answer: answerSchema.optional(),
  digest: z.string().optional(),
});
export type ContestantReply = z.output<typeof contestantReply>;
