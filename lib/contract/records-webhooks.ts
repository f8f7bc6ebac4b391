import * as z from "zod";
import { type FieldWords, timestamp, uuid } from "./records.ts";
import { deliveryStates, disabledReasons, webhookTypes } from "./webhooks.ts";

export const webhookRecord = z.strictObject({
  id: uuid,
  url: z.string(),
  types: z.array(z.enum(webhookTypes)),
  description: z.string().nullable(),
  active: z.boolean(),
  created_at: timestamp,
  last_success_at: timestamp.nullable(),
  last_failure_at: timestamp.nullable(),
  disabled_reason: z.enum(disabledReasons).nullable(),
  next_attempt_at: timestamp.nullable(),
});

/** The only answers that show a secret. */
export const webhookWithSecret = z.strictObject({ secret: z.string(), ...webhookRecord.shape });

/** What one attempt to send a ring met. */
const attemptResult = {
  /** Null if there was no answer; `answer` then has the reason. */
  status: z.int().nullable(),
  ms: z.int(),
  answer: z.string(),
};
export const webhookTestResult = z.strictObject(attemptResult);

export const deliveryRecord = z.strictObject({
  id: z.string(),
  type: z.enum([...webhookTypes, "ping"]),
  attempts: z.array(z.strictObject({ at: timestamp, ...attemptResult })),
  state: z.enum(deliveryStates),
  request: z
    .strictObject({ headers: z.record(z.string(), z.string()), body: z.string().nullable() })
    .nullable(),
});

export const webhookWords: FieldWords = {
  id: "The webhook's id.",
  "listWebhookDeliveries: id": "The `webhook-id` of the delivery, equal in every attempt.",
  url: "Where the service sends deliveries: `https`, port 443 or 8443, a public address.",
  types: "Which news the webhook is about.",
  description: "A note for people; null for none.",
  active:
    "Whether the service sends deliveries. Set it to true to switch a webhook on; then every type but webhook.disabled is delivered.",
  last_success_at: "When a delivery or a test last succeeded, UTC; null for never.",
  last_failure_at: "When an attempt last failed, UTC; null for never.",
  disabled_reason:
    "Why it is not active: `switched_off` by a request, `gone` (the receiver answered 410), `failing` (no success in " +
    "five days); null while it is active.",
  next_attempt_at: "When the service tries a failed delivery again, UTC; null when nothing waits.",
  secret: "The secret that signs the deliveries (`whsec_…`), shown once.",
  idempotency_key:
    "A UUID of your own. The same key and the same request again, within 15 minutes, return what the first request made.",
  status: "The status of the receiver's response; null if there was none.",
  ms: "How long the attempt took, in milliseconds.",
  answer: "The first 500 bytes of the receiver's response. Without a response: what went wrong.",
  type: "What the delivery was about; `ping` for a test.",
  attempts: "The last 30 attempts of the delivery, oldest first.",
  at: "When the attempt began, UTC.",
  state:
    "`delivered`: the receiver answered 2xx. `waiting`: the service tries again. `replaced`: it does not, because a newer " +
    "delivery of the type took its place, the webhook was changed or is not active, or it was a test.",
  request: "What the last attempt sent; null if it was sent before the service kept it.",
  headers: "Its headers, without the signature.",
  body: "Its body; null if the key may not read what the type tells of.",
};
