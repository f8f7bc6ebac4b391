import { createHmac } from "node:crypto";
import { operationOfType, type WebhookType } from "../contract/webhooks.ts";
import { toTimestamp } from "../runtime/clock.ts";

/** A ring, before it is signed. */
export type Ring = {
  /** Equal in every attempt to deliver the same news. */
  readonly id: string;
  readonly type: WebhookType | "ping";
  /** The ids that the ring is about. */
  readonly data: Readonly<Record<string, unknown>>;
};

export type SignedMessage = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

const secretPrefix = "whsec_";

/** The text of a secret, in the form of Standard Webhooks. */
export const secretText = (bytes: Uint8Array): string =>
  `${secretPrefix}${Buffer.from(bytes).toString("base64")}`;

/** Standard Webhooks (https://www.standardwebhooks.com): one signature for each secret that is valid now. */
export function signRing(ring: Ring, secrets: readonly string[], nowMs: number): SignedMessage {
  const resume = ring.type === "ping" ? {} : { resume: { operation: operationOfType(ring.type) } };
  const body = JSON.stringify({
    type: ring.type,
    timestamp: toTimestamp(nowMs),
    data: { ...ring.data, ...resume },
  });
  const seconds = String(Math.floor(nowMs / 1_000));
  const signed = `${ring.id}.${seconds}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  return {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "review-api-webhooks/1",
      "webhook-id": ring.id,
      "webhook-timestamp": seconds,
      "webhook-signature": signatures.join(" "),
    },
  };
}
