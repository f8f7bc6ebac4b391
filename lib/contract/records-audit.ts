import * as z from "zod";
import { keyKinds, providers } from "./access.ts";
import { auditActionNames, auditResourceTypes } from "./audit.ts";
import { type FieldWords, timestamp, uuid } from "./records.ts";

export const auditRecord = z.strictObject({
  id: uuid,
  action: z.enum(auditActionNames),
  resource_type: z.enum(auditResourceTypes),
  resource_id: z.string().nullable(),
  summary: z.string(),
  actor: z.strictObject({
    type: z.enum(["user", "key", "system"]),
    id: z.string().nullable(),
    name: z.string().nullable(),
    key_id: z.string().nullable(),
    key_kind: z.enum(keyKinds).nullable(),
  }),
  organization_id: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  ip_address: z.string().nullable(),
  request_id: z.string().nullable(),
  /** The gateway's own id of the request, if the caller chose `request_id`. */
  gateway_request_id: z.string().nullable(),
  created_at: timestamp,
  /** The organization's provider; null if there is no organization. */
  provider: z.enum(providers).nullable(),
});

export const auditWords: FieldWords = {
  id: "The entry's id. If you already have the id, drop the entry.",
  action: "What happened; new values are added.",
  resource_type: "The type of thing that changed.",
  resource_id: "The id of the thing; null where there were several or none.",
  summary: "One line for people.",
  actor: "Who did it.",
  "actor.type": "`user` or `key` for a caller, `system` for the service and for platform events.",
  "actor.id": "The Git provider's user id; null where it is unknown.",
  "actor.name": "The user's or the key's name; null where it has none.",
  "actor.key_id": "The key that was used; null without one.",
  "actor.key_kind": "That key's kind; null without one.",
  organization_id:
    "The Git provider's id of the organization; null for what belongs to a whole workspace or instance.",
  metadata: "The values before and after the change, and every failed id of a batch with its code.",
  ip_address: "The IP address of the caller; null for changes that were no call.",
  request_id: "`x-request-id` of the call; null for changes that were no call.",
  gateway_request_id: "API Gateway's own id of the call, as in its access log; null where there is none.",
  created_at: "When it happened, UTC.",
  provider:
    "The kind of Git provider of the organization; null for what belongs to a whole workspace or instance.",
};
