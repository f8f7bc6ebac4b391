import * as z from "zod";
import { parseItem } from "./parse.ts";

/** The note of an audit log that moves with its organization, and how far it has got. */
const logMoveItem = z.object({
  pk: z.string(),
  /** UUID of the organization. */
  sk: z.string(),
  /** The event that moved the organization: the rest is valid for this move only. */
  arrived: z.string(),
  /** All requests that began before the organization moved have ended by then. */
  due_at_ms: z.number(),
  /** The sort key of the last entry that was copied. */
  after: z.string().optional(),
  /** When a run last worked on it: the one that waited longest is next. */
  turn_at_ms: z.number().optional(),
});

export type LogMoveItem = z.output<typeof logMoveItem>;
export const parseLogMove = parseItem("note of an audit log that moves", logMoveItem);
