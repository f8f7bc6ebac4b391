import * as z from "zod";
import { keyKinds, providers } from "./access.ts";
import { auditActionNames, auditResourceTypes } from "./audit.ts";
import { timestamp, uuid } from "./records.ts";

export const auditRecord = z.strictObject({
  id: uuid.describe("The entry's id. If you already have the id, drop the entry."),
  action: z.enum(auditActionNames).describe("What happened; new values are added."),
  resource_type: z.enum(auditResourceTypes).describe("The type of thing that changed."),
  resource_id: z.string().nullable().describe("The id of the thing; null where there were several or none."),
  summary: z.string().describe("One line for people."),
  actor: z
    .strictObject({
      type: z
        .enum(["user", "key", "system"])
        .describe("`user` or `key` for a caller, `system` for the service and for platform events."),
      id: z.string().nullable().describe("The Git provider's user id; null where it is unknown."),
      name: z.string().nullable().describe("The user's or the key's name; null where it has none."),
      email: z
        .string()
        .nullable()
        .describe(
          "The e-mail address of the member or admin, as the platform had told it when the entry was written; null where it is unknown.",
        ),
      key_id: z.string().nullable().describe("The key that was used; null without one."),
      key_kind: z.enum(keyKinds).nullable().describe("That key's kind; null without one."),
    })
    .describe("Who did it."),
  organization_id: z
    .string()
    .nullable()
    .describe(
      "The Git provider's id of the organization; null for what belongs to a whole workspace or instance.",
    ),
  metadata: z
    .record(z.string(), z.unknown())
    .describe(
      "The values before and after the change, and every failed id of a batch with its code. `people` gives user id and e-mail " +
        "address of the first 20 people.",
    ),
  ip_address: z
    .string()
    .nullable()
    .describe("The IP address of the caller; null for changes that were no call."),
  request_id: z
    .string()
    .nullable()
    .describe("`x-request-id` of the call; null for changes that were no call."),
  created_at: timestamp.describe("When it happened, UTC."),
  gateway_request_id: z
    .string()
    .nullable()
    .describe("API Gateway's own id of the call, as in its access log; null where there is none."),
  provider: z
    .enum(providers)
    .nullable()
    .describe(
      "The kind of Git provider of the organization; null for what belongs to a whole workspace or instance.",
    ),
});
