import type { IncomingHttpHeaders } from "node:http";

/** What a refusal means for the next try. */
export type AwsFaultKind = "throttled" | "unavailable" | "refused";

/** The service answered, and the answer is an error; `name` is the service's own word for it. */
export class AwsFault extends Error {
  override readonly name: string;
  readonly status: number;
  readonly kind: AwsFaultKind;
  /** Private, because Lambda prints all other fields of an error that ends a function, and this may hold items. */
  readonly #details: unknown;

  constructor({ status, headers, body }: AwsErrorAnswer) {
    const details = parsed(body);
    super(textAt(details, "message") ?? textAt(details, "Message") ?? `Status ${status}.`);
    this.name = codeOf(headers, details, body) ?? `Status${status}`;
    this.status = status;
    this.kind = kindOf(this.name, status);
    this.#details = details;
  }

  /** A field of the answer, where the protocol is JSON. */
  detail(field: string): unknown {
    return fieldOf(this.#details, field);
  }
}

/** No answer came: the connection failed, broke, or the time was up. What was asked for may have happened. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

export type AwsErrorAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

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

function kindOf(name: string, status: number): AwsFaultKind {
  if (throttles.has(name) || status === 429) return "throttled";
  return status >= 500 || status === 408 ? "unavailable" : "refused";
}

/** A header in REST protocols, `__type` in JSON ones, an element in S3's XML. */
function codeOf(headers: IncomingHttpHeaders, details: unknown, body: Buffer): string | undefined {
  const header = headers["x-amzn-errortype"];
  const name = (typeof header === "string" ? header : undefined) ?? textAt(details, "__type");
  if (name !== undefined) return name.split(":", 1)[0]?.split("#").at(-1);
  return /<Code>(\w+)<\/Code>/.exec(body.toString())?.[1];
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;

function textAt(value: unknown, field: string): string | undefined {
  const text = fieldOf(value, field);
  return typeof text === "string" ? text : undefined;
}
