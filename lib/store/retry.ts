import type { Chance } from "../runtime/chance.ts";
import type { Clock } from "../runtime/clock.ts";
import { StoreUnavailable } from "./table.ts";

/** What a failed call means for the next try. */
export type Fault = "throttled" | "conflict" | "ambiguous" | "permanent";

const throttles = new Set([
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "RequestLimitExceeded",
  "LimitExceededException",
]);
const conflicts = new Set(["TransactionConflictException", "TransactionInProgressException"]);
const serverFaults = new Set([
  "InternalServerError",
  "InternalServerErrorException",
  "ServiceUnavailable",
  "TimeoutError",
]);
const brokenConnections = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "ECONNABORTED",
  "EAI_AGAIN",
]);

const property = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;

export function classify(error: unknown): Fault {
  const name = property(error, "name");
  if (typeof name === "string") {
    if (throttles.has(name)) return "throttled";
    if (conflicts.has(name)) return "conflict";
    if (serverFaults.has(name)) return "ambiguous";
    if (name === "TransactionCanceledException") return classifyCancellation(error);
  }
  const code = property(error, "code");
  if (typeof code === "string" && brokenConnections.has(code)) return "ambiguous";
  const status = property(property(error, "$metadata"), "httpStatusCode");
  if (typeof status === "number" && status >= 500) return "ambiguous";
  return "permanent";
}

/** A cancelled transaction wrote nothing: it is retried when every reason is a passing one. */
function classifyCancellation(error: unknown): Fault {
  const reasons = property(error, "CancellationReasons");
  if (!Array.isArray(reasons)) return "permanent";
  const codes = reasons
    .map((reason: unknown) => property(reason, "Code"))
    .filter((code) => code && code !== "None");
  if (codes.length === 0 || codes.includes("ConditionalCheckFailed")) return "permanent";
  if (codes.every((code) => code === "TransactionConflict")) return "conflict";
  const passing = new Set<unknown>([
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
  ]);
  return codes.every((code) => passing.has(code)) ? "throttled" : "permanent";
}

export type RetryPolicy = {
  readonly attemptsMax: number;
  readonly baseDelayMs: number;
  readonly delayMsMax: number;
};

export type Waiting = { readonly clock: Clock; readonly chance: Chance; readonly policy: RetryPolicy };

/** Full jitter: a random wait up to the exponential bound, so that rivals do not meet again. */
export async function backOff(waiting: Waiting, attempt: number, signal?: AbortSignal): Promise<void> {
  const bound = Math.min(waiting.policy.delayMsMax, waiting.policy.baseDelayMs * 2 ** attempt);
  await waiting.clock.sleep(1 + waiting.chance.below(Math.max(1, Math.ceil(bound))), signal);
}

/** Runs `call` until it answers, fails for good, or the attempts are used up. */
export async function withRetries<Answer>(
  waiting: Waiting,
  repeatAmbiguous: boolean,
  signal: AbortSignal | undefined,
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const fault = classify(error);
      if (fault === "permanent") throw error;
      const giveUp = attempt + 1 >= waiting.policy.attemptsMax || (fault === "ambiguous" && !repeatAmbiguous);
      if (giveUp) throw new StoreUnavailable(error, fault === "throttled");
      await backOff(waiting, attempt, signal);
    }
  }
}
