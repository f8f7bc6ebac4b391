import { requestLimits } from "../contract/limits.ts";
import type { KeyItem } from "../store/items/key.ts";
import { hashOf, sameHash, storedHash, type ValueRequest, valueText } from "./key-text.ts";

/** Which of the two values of a key was sent. */
export type SentValue = {
  /** `ended`: an old value whose end has passed. */
  readonly state: "current" | "old" | "ended";
  /** The stored hash that it has. */
  readonly hash: string;
  /** When an old value ends, in milliseconds; null: it is the current one. */
  readonly untilMs: number | null;
};

/** Undefined if the text with this hash is no value of the key. */
export function sentValueOf(key: KeyItem, textHash: string, nowMs: number): SentValue | undefined {
  const hash = storedHash(textHash, key);
  if (sameHash(key.hash, hash)) {
    // The last release made another key of each rotation: the text of the one before is an old value.
    return key.rotated_to === null
      ? { state: "current", hash, untilMs: null }
      : { state: "old", hash, untilMs: key.expires_at_ms };
  }
  if (key.old_hash === undefined || !sameHash(key.old_hash, hash)) return undefined;
  const untilMs = key.old_until === undefined ? 0 : Date.parse(key.old_until);
  return { state: untilMs > nowMs ? "old" : "ended", hash, untilMs };
}

/**
 * The current value, if this request made it a moment ago: the caller lost the answer. `madeAt` is when it was made.
 * Undefined for any other request, also of the same caller.
 */
export function repeatedValue(
  key: KeyItem,
  madeAt: string | undefined,
  request: ValueRequest,
  nowMs: number,
): string | undefined {
  if (key.salt === undefined || madeAt === undefined || !isRecent(madeAt, nowMs)) return undefined;
  const text = valueText(key, key.salt, request);
  return sameHash(key.hash, storedHash(hashOf(text), key)) ? text : undefined;
}

const isRecent = (madeAt: string, nowMs: number): boolean =>
  nowMs < Date.parse(madeAt) + requestLimits.idempotencyMs;

/** Whether the old value, which may have ended, may still ask for the value that its rotation made. */
export const mayStillRepeat = ({ salt, rotated_at }: KeyItem, nowMs: number): boolean =>
  salt !== undefined && rotated_at !== undefined && isRecent(rotated_at, nowMs);
