import type { Logger } from "@smithy/types";
import { awsLimits } from "../contract/limits.ts";
import { faultFrom, isTemporaryAwsError } from "./aws-error.ts";
import { createRequestHandler, type RequestHandlerOptions } from "./aws-handler.ts";
import { type AwsIdentity, environmentIdentity } from "./aws-identity.ts";
import { backOffMs } from "./back-off.ts";
import { type Clock, systemClock } from "./clock.ts";
import { log } from "./log.ts";
import { type Random, systemRandom } from "./random.ts";
import { Sha256 } from "./sha256.ts";

/** The options in which clients of the AWS SDK differ. */
export type AwsClientOptions = RequestHandlerOptions & {
  /** From the environment unless given. */
  readonly identity?: AwsIdentity | undefined;
  /** Replaces AWS's own endpoint. */
  readonly endpoint?: string | undefined;
};

/**
 * The configuration that all clients of the AWS SDK share. Partitions, FIPS and dual stack follow the SDK's settings.
 */
export function awsClientConfig({
  identity = environmentIdentity(),
  endpoint,
  ...options
}: AwsClientOptions) {
  return {
    region: identity.region,
    credentials: async () => ({
      ...(await identity.credentials()),
      // The SDK keeps credentials until they expire. These are read again for every signature.
      expiration: new Date(0),
    }),
    ...(endpoint !== undefined && { endpoint }),
    // Our own retries know which requests may be repeated.
    maxAttempts: 1,
    requestHandler: createRequestHandler(options),
    sha256: Sha256,
    logger: quietLogger(),
  };
}

/**
 * The SDK copies every request and every answer for the `info` method of a logger, also for its own logger, which drops
 * them: 5 % of the CPU of a page. Without that method it copies nothing.
 */
function quietLogger(): Logger {
  const nothing = () => {};
  const warn = (text: unknown) => log("warn", "warning of AWS's SDK", { text: String(text) });
  const withoutInfo: Omit<Logger, "info"> = { debug: nothing, warn, error: nothing };
  return withoutInfo as Logger;
}

/** Returns the client's answer. Throws AwsError for an error answer, NoAnswer if no answer came. */
export async function sendOnce<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    throw faultFrom(error);
  }
}

export type Attempts = {
  readonly attemptsMax: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
};

/** For requests that may be repeated: retries a request that was throttled or not answered. */
export async function sendRepeatedly<Answer>(
  { attemptsMax, signal, clock = systemClock, random = systemRandom }: Attempts,
  send: () => Promise<Answer>,
): Promise<Answer> {
  for (let tried = 1; ; tried++) {
    try {
      return await sendOnce(send);
    } catch (error) {
      if (tried >= attemptsMax || !isTemporaryAwsError(error)) throw error;
      await clock.sleep(1 + backOffMs(random, awsLimits.retry, tried), signal);
    }
  }
}
