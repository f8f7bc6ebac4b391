import { webhookLimits } from "../contract/limits.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { WebhookItem } from "../store/items/webhook.ts";

type Retries = WebhookItem["retries"];
type Retry = Retries[string];

/** The ring that failed now, after the failures of its type that stand. */
export function retryAfter(
  before: Retry | undefined,
  ring: Pick<Retry, "id" | "place" | "mark">,
  nowMs: number,
): Retry {
  const { retryDelaysMs } = webhookLimits;
  const failures = before?.failures ?? 0;
  const delayMs = retryDelaysMs[Math.min(failures, retryDelaysMs.length - 1)] ?? 0;
  const since_ms = before?.since_ms ?? nowMs;
  return { ...before, ...ring, failures: failures + 1, due_ms: nowMs + delayMs, since_ms };
}

/**
 * After a success every ring that waits is due now. A ring that then fails again is woken by no further success, so that
 * a receiver that always refuses one type is not rung for it each minute; only by a test.
 */
export const wokenRetries = (retries: Retries, nowMs: number, isTest = false): Retries =>
  Object.fromEntries(
    Object.entries(retries).map(([type, retry]) => {
      const isWoken = isTest || retry.woken !== true;
      return [type, isWoken ? { ...retry, due_ms: Math.min(retry.due_ms, nowMs), woken: true } : retry];
    }),
  );

/** Without those of other types: a request removed the type. */
export const retriesOf = (types: readonly string[], retries: Retries): Retries =>
  Object.fromEntries(Object.entries(retries).filter(([type]) => types.includes(type)));

/**
 * When the service tries again; null if nothing waits. What is due already goes out with the next run, and runs are a
 * minute apart.
 */
export function nextAttemptAt(webhook: WebhookItem, nowMs: number): string | null {
  const { disabled_reason, retries, types, postponed = [] } = webhook;
  const due = Object.values(retries).map(({ due_ms }) => due_ms);
  if (postponed.some((type) => types.includes(type))) due.push(nowMs);
  if (disabled_reason !== null || due.length === 0) return null;
  const dueMs = Math.min(...due);
  const { runEveryMs } = webhookLimits;
  return toTimestamp(dueMs > nowMs ? dueMs : nowMs + runEveryMs - (nowMs % runEveryMs));
}

/** Whether some ring has failed for five days, in which nothing at all was delivered. */
export function isHopeless(retries: Retries, lastSuccessAt: string | null, nowMs: number): boolean {
  const longAgoMs = nowMs - webhookLimits.failingMsMax;
  const isFailing = Object.values(retries).some(({ since_ms = nowMs }) => since_ms <= longAgoMs);
  return isFailing && (lastSuccessAt === null || Date.parse(lastSuccessAt) <= longAgoMs);
}
