import * as z from "zod";
import { itemSchema, parseItem } from "./parse.ts";

/** The note of a move that is in progress, and how far it has got. */
const movingItem = itemSchema({
  /** The event that began the move: the rest is valid for this move only. */
  arrived: z.string().optional(),
  /** A process works on the move until then. */
  busy_until_ms: z.number().optional(),
  /** Kinds of data that have moved completely. */
  done: z.array(z.string()).optional(),
  /** All pull requests up to this pointer have moved. */
  after: z.string().optional(),
});

export type MovingItem = z.output<typeof movingItem>;
export const parseMoving = parseItem("note of a move", movingItem);
