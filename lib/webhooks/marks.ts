import { toTimestamp } from "../runtime/clock.ts";

/** A mark of a type that follows the clock: everything up to this moment is told. Marks compare as text. */
export const markAt = (ms: number): string => toTimestamp(ms);
export const msOfMark = (mark: string): number => Date.parse(mark);
