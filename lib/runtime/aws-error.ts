/** What an error answer means for the next attempt. */
export type AwsErrorKind =
  | "throttled"
  /** This machine's clock was wrong. The SDK has corrected its own clock, and the service did nothing. */
  | "skewed"
  | "unavailable"
  | "refused";

/** The service answered with an error; `name` is the service's own name for the error. */
export class AwsError extends Error {
  override readonly name: string;
  readonly status: number;
  readonly kind: AwsErrorKind;
  /** AWS's own id of the request, for a support case. */
  readonly requestId: string | undefined;
  /** Private, because Lambda prints all other fields of an error that ends a function, and this may hold items. */
  readonly #details: object;

  constructor({
    name,
    status,
    message = `Status ${status}.`,
    details = {},
    isSkewed = false,
    requestId,
  }: AwsErrorAnswer) {
    super(message);
    this.name = name;
    this.status = status;
    this.requestId = requestId;
    this.kind = isSkewed ? "skewed" : kindOf(name, status);
    this.#details = details;
  }

  /** A field of the answer, in the form that the SDK's client gives it. */
  detail(field: string): unknown {
    return Reflect.get(this.#details, field);
  }
}

/** No answer came: the connection failed, broke, or the time was up. The request may have taken effect. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

export type AwsErrorAnswer = {
  readonly name: string;
  readonly status: number;
  readonly message?: string;
  readonly details?: object;
  readonly isSkewed?: boolean;
  readonly requestId?: string | undefined;
};

/**
 * Converts the SDK's errors about an answer to AwsError or NoAnswer. The SDK's error is not passed on, because it holds
 * the whole answer. Every other error (our own, of a caller that gave up, or a bug) stays as it is.
 */
export function faultFrom(error: unknown): unknown {
  if (!isAboutAnswer(error)) return error;
  const { httpStatusCode: status, clockSkewCorrected, requestId } = error.$metadata;
  if ("$fault" in error)
    return new AwsError({
      name: error.name,
      status,
      message: error.message,
      details: error,
      isSkewed: clockSkewCorrected === true,
      requestId,
    });
  // The SDK could not read the answer, and its message quotes the answer.
  return status >= 300
    ? new AwsError({ name: `Status${status}`, status, requestId })
    : new NoAnswer("The answer cannot be read.");
}

/** DynamoDB's reason why one action of a cancelled transaction was refused; the item is still in DynamoDB's format. */
type CancellationReason = { readonly Code?: string; readonly Item?: object };

/** One for every action, in order. */
export function cancellationReasons(error: AwsError): readonly CancellationReason[] {
  const reasons = error.detail("CancellationReasons");
  return Array.isArray(reasons) ? reasons : [];
}

/** Each code once, without those of actions that were not refused. */
export const cancellationCodes = (error: AwsError): ReadonlySet<string> =>
  new Set(cancellationReasons(error).flatMap(({ Code = "None" }) => (Code === "None" ? [] : [Code])));

export const isTemporaryAwsError = (error: unknown): boolean =>
  error instanceof NoAnswer || (error instanceof AwsError && error.kind !== "refused");

const throttles = new Set([
  "Throttling",
  "ThrottlingException",
  "ThrottledException",
  "RequestThrottled",
  "RequestThrottledException",
  "RequestLimitExceeded",
  "TooManyRequestsException",
  "ProvisionedThroughputExceededException",
  "LimitExceededException",
  "SlowDown",
  "KmsThrottled",
]);

function kindOf(name: string, status: number): AwsErrorKind {
  if (throttles.has(name) || status === 429) return "throttled";
  return status >= 500 || status === 408 ? "unavailable" : "refused";
}

type AboutAnswer = Error & {
  readonly $metadata: {
    readonly httpStatusCode: number;
    readonly clockSkewCorrected?: unknown;
    readonly requestId?: string;
  };
};

/** The SDK adds metadata to every error, also to ours. Only the metadata of an answer has a status. */
const isAboutAnswer = (error: unknown): error is AboutAnswer =>
  error instanceof Error &&
  "$metadata" in error &&
  typeof error.$metadata === "object" &&
  error.$metadata !== null &&
  "httpStatusCode" in error.$metadata &&
  typeof error.$metadata.httpStatusCode === "number";
