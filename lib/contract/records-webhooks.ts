import * as z from "zod";
import { createdAt, timestamp, uuid } from "./records.ts";
import { deliveryStates, disabledReasons, webhookTypes } from "./webhooks.ts";

/** What the fields mean that a request has too. */
export const webhookWords = {
  url: "Where the service sends deliveries: `https`, port 443 or 8443, a public address.",
  types: "Which news the webhook is about.",
  description: "A note for people; null for none.",
  active:
    "Whether the service sends deliveries. Set it to true to switch a webhook on; then every type but webhook.disabled is delivered.",
};

export const webhookRecord = z.strictObject({
  id: uuid.describe("The webhook's id."),
  url: z.string().describe(webhookWords.url),
  types: z.array(z.enum(webhookTypes)).describe(webhookWords.types),
  description: z.string().nullable().describe(webhookWords.description),
  active: z.boolean().describe(webhookWords.active),
  created_at: createdAt,
  last_success_at: timestamp
    .nullable()
    .describe("When a delivery or a test last succeeded, UTC; null for never."),
  last_failure_at: timestamp.nullable().describe("When an attempt last failed, UTC; null for never."),
  disabled_reason: z
    .enum(disabledReasons)
    .nullable()
    .describe(
      "Why it is not active: `switched_off` by a request, `gone` (the receiver responded with 410), `failing` (no success in " +
        "five days); null while it is active.",
    ),
  next_attempt_at: timestamp
    .nullable()
    .describe(
      "When the service tries what waits, UTC, up to a minute later: a failed delivery, or one that the last run had no time for; null " +
        "when nothing waits.",
    ),
});

/** The only answers that show a secret. */
export const webhookWithSecret = z.strictObject({
  secret: z.string().describe("The secret that signs the deliveries (`whsec_…`), shown once."),
  ...webhookRecord.shape,
});

/** What one attempt to send a ring met. */
const attemptResult = {
  status: z.int().nullable().describe("The status of the receiver's response; null if there was none."),
  ms: z.int().describe("How long the attempt took, in milliseconds."),
  answer: z
    .string()
    .describe("The first 500 bytes of the receiver's response. Without a response: what went wrong."),
};
export const webhookTestResult = z.strictObject(attemptResult);

export const deliveryRecord = z.strictObject({
  id: z.string().describe("The `webhook-id` of the delivery, equal in every attempt."),
  type: z.enum([...webhookTypes, "ping"]).describe("What the delivery was about; `ping` for a test."),
  attempts: z
    .array(z.strictObject({ at: timestamp.describe("When the attempt began, UTC."), ...attemptResult }))
    .describe("The last 30 attempts of the delivery, oldest first."),
  state: z
    .enum(deliveryStates)
    .describe(
      "`delivered`: the receiver responded with 2xx. `waiting`: the service tries again. `replaced`: it does not, because a newer " +
        "delivery of the type took its place, the webhook was changed or is not active, or it was a test. `ended`: the receiver responded with 410.",
    ),
  request: z
    .strictObject({
      headers: z.record(z.string(), z.string()).describe("Its headers, without the signature."),
      body: z.string().nullable().describe("Its body; null if the key may not read what the type tells of."),
    })
    .nullable()
    .describe("What the last attempt sent; null if it was sent before the service kept it."),
});
