import type { Operations } from "./operations.generated.ts";

/** A delivery of a webhook, after its signature was checked. It contains ids, never records. */
export type WebhookDelivery = {
  readonly type: Operations["createWebhook"]["answer"]["types"][number] | "ping";
  /** When this attempt was sent. */
  readonly timestamp: string;
  readonly data: {
    /** Absent in a delivery of a whole workspace or instance. */
    readonly organization_id?: string;
    /** The operation whose cursor to resume; absent in a ping. */
    readonly resume?: { readonly operation: keyof Operations };
    readonly [name: string]: unknown;
  };
};

/** The request is not a delivery of this webhook, or its time is too far away. Respond with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

export type VerifyOptions = {
  /** How far the time of the delivery may be from the time of this machine; default 300. */
  readonly toleranceSeconds?: number;
  /** A replacement for the machine's clock, for tests. */
  readonly nowMs?: () => number;
};

/** Of the request: those of `fetch`, or an object as Node and Lambda have it. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks that the service sent this delivery (Standard Webhooks), and returns it. `body` is the body as it arrived, before
 * anything parses it. Throws WebhookVerificationError.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = 300, nowMs = Date.now }: VerifyOptions = {},
): Promise<WebhookDelivery> {
  if (typeof body !== "string" && !ArrayBuffer.isView(body))
    throw new TypeError(
      "Pass the raw body: the text or the bytes as they arrived, before anything parses them.",
    );
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  const seconds = /^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(nowMs() / 1_000 - seconds) <= toleranceSeconds))
    throw new WebhookVerificationError("The delivery is too old, or one of the two clocks is wrong.");
  const expected = await signatureOf(secret, `${id}.${timestamp}.`, bytesOf(body));
  const isSigned = signatures.split(" ").some((each) => {
    const [version, signature = ""] = each.split(",");
    return version === "v1" && areEqual(decoded(signature), expected);
  });
  if (!isSigned) throw new WebhookVerificationError("No signature of the delivery belongs to this secret.");
  return JSON.parse(textOf(body));
}

function headerOf(headers: WebhookHeaders, name: string): string {
  // Some gateways keep the case in which headers arrive.
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value !== "string" || value === "")
    throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === "string" ? new TextEncoder().encode(body) : body;
const textOf = (body: string | Uint8Array): string =>
  typeof body === "string" ? body : new TextDecoder().decode(body);

async function signatureOf(secret: string, start: string, body: Uint8Array): Promise<Uint8Array> {
  const [, base64 = ""] = /^whsec_(.+)$/.exec(secret) ?? [];
  const bytes = decoded(base64);
  if (bytes.length === 0) throw new TypeError("The secret of a webhook begins with whsec_, then base64.");
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, hmac, false, ["sign"]);
  const head = new TextEncoder().encode(start);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
}

/** Takes the same time wherever the bytes differ. */
function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  return one.reduce((difference, byte, index) => difference | (byte ^ (other[index] ?? 0)), 0) === 0;
}

/** A text that is not base64 has no bytes. */
function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
