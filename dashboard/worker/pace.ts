import type { OperationName } from "../../lib/client/client.ts";
import { routes } from "../../lib/client/operations.generated.ts";
import type { Clock } from "../../lib/runtime/clock.ts";
import type { WaitingNotice } from "../protocol.ts";
import { policies } from "./contract.generated.ts";
import type { RequestLimit } from "./policy.ts";

type Fetch = typeof globalThis.fetch;

type OnWait = (bucket: string, waiting: WaitingNotice | null) => void;

type Bucket = {
  readonly name: string;
  /** The contract's value, until the service's headers give another one. */
  requestsMax: number;
  windowMs: number;
  /** When the last requests were answered, oldest first. */
  answeredMs: readonly number[];
  /** Until then nothing is left of the limit. */
  emptyUntilMs: number;
  /** Requests run one after another. */
  turn: Promise<unknown>;
};

/**
 * Never uses more than half of a rate limit in any window: exports of the same customer keep the other half. The time
 * of the answer counts, which is never before the service counted the request. If others have used up the limit, the
 * page waits instead of sending requests.
 */
export function rateLimitedFetch(fetch: Fetch, clock: Clock, onWait: OnWait): Fetch {
  const buckets = new Map<string, Bucket>();
  const bucketOf = ({ bucket: name, requestsMax, windowSeconds }: RequestLimit): Bucket => {
    const known = buckets.get(name);
    if (known) return known;
    const made = {
      name,
      requestsMax,
      windowMs: windowSeconds * 1000,
      answeredMs: [],
      emptyUntilMs: 0,
      turn: Promise.resolve(),
    };
    buckets.set(name, made);
    return made;
  };

  const waitForPlace = async (bucket: Bucket, signal: AbortSignal | undefined) => {
    const half = Math.max(1, Math.floor(bucket.requestsMax / 2));
    const oldestMs = bucket.answeredMs.at(-half);
    const placeMs = oldestMs === undefined ? 0 : oldestMs + bucket.windowMs;
    const waitMs = Math.max(placeMs, bucket.emptyUntilMs) - clock.nowMs();
    if (waitMs <= 0) return;
    const reason = bucket.emptyUntilMs > placeMs ? "asked" : "half";
    onWait(bucket.name, { reason, seconds: Math.ceil(waitMs / 1000) });
    await clock.sleep(waitMs, signal);
  };

  return (target, init) => {
    const bucket = bucketOf(limitOf(String(target), init?.method ?? "GET"));
    const signal = init?.signal ?? undefined;
    const answer = bucket.turn.then(async () => {
      signal?.throwIfAborted();
      try {
        await waitForPlace(bucket, signal);
      } finally {
        onWait(bucket.name, null);
      }
      try {
        const response = await fetch(target, init);
        note(bucket, response, clock, onWait);
        return response;
      } finally {
        bucket.answeredMs = [...bucket.answeredMs, clock.nowMs()].slice(-bucket.requestsMax);
      }
    });
    // The next request waits for this one's answer, whatever it is.
    bucket.turn = answer.catch(() => undefined);
    return answer;
  };
}

function note(bucket: Bucket, { status, headers }: Response, clock: Clock, onWait: OnWait): void {
  const requestsMax = parameter(headers.get("ratelimit-policy"), "q");
  const windowSeconds = parameter(headers.get("ratelimit-policy"), "w");
  if (requestsMax !== null) bucket.requestsMax = requestsMax;
  if (windowSeconds !== null) bucket.windowMs = windowSeconds * 1000;
  const remaining = parameter(headers.get("ratelimit"), "r");
  const resetSeconds = parameter(headers.get("ratelimit"), "t");
  if (remaining === 0 && resetSeconds !== null) bucket.emptyUntilMs = clock.nowMs() + resetSeconds * 1000;
  const askedSeconds = Number(headers.get("retry-after"));
  if ((status === 429 || status === 503) && askedSeconds > 0)
    onWait(bucket.name, { reason: "asked", seconds: askedSeconds });
}

/** A parameter of a structured field: `"metrics";q=60;w=60`. */
function parameter(field: string | null, name: string): number | null {
  const found = new RegExp(`;\\s*${name}=(\\d+)`).exec(field ?? "")?.[1];
  return found === undefined ? null : Number(found);
}

const limits = Object.keys(routes)
  .filter((name): name is OperationName => name in routes)
  .map((name) => ({
    method: routes[name].method,
    pattern: new RegExp(`${routes[name].path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    limit: policies[name].limit,
  }));

function limitOf(address: string, method: string): RequestLimit {
  const { pathname } = new URL(address);
  const found = limits.find((each) => each.method === method && each.pattern.test(pathname));
  if (!found) throw new Error(`${method} ${pathname} is no operation.`);
  return found.limit;
}
