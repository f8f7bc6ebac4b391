import * as z from "zod";
import { keyKinds, providers } from "./access.ts";
import { auditActionNames, auditResourceTypes } from "./audit.ts";

/** Parts of responses that several operations share. */

export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: "date-time" });
export const uuid = z.uuid();
export const nextCursor = z.string().nullable();

export const organizationRecord = z.strictObject({
  id: uuid,
  name: z.string(),
  provider: z.enum(providers),
  provider_organization_id: z.string(),
});

export const repositoryRecord = z.strictObject({
  id: uuid,
  provider_repository_id: z.string(),
  name: z.string(),
  full_name: z.string(),
  private: z.boolean().nullable(),
  url: z.string(),
});

/** In `removed`: an organization that left the scope, together with everything that was read of it. */
export const removedOrganization = z.strictObject({
  provider: z.enum(providers),
  organization_id: z.string(),
  removed_at: timestamp,
});
export type RemovedOrganization = z.output<typeof removedOrganization>;

/** A page; `removed` is present if it was requested. */
export const pageOf = <Record extends z.ZodType, Removed extends z.ZodType>(
  record: Record,
  removed: Removed,
) =>
  z.strictObject({
    data: z.array(record),
    removed: z.array(z.union([removed, removedOrganization])).optional(),
    next_cursor: nextCursor,
  });

export const whoamiRecord = z.strictObject({
  key: z.strictObject({
    id: z.string(),
    kind: z.enum(keyKinds),
    name: z.string().nullable(),
    expires_at: timestamp.nullable(),
  }),
  scope: z.strictObject({
    tenant: z.enum(["workspace", "instance", "organization"]),
    tenant_id: z.string(),
    /** For an instance key: the organization that the operations on people, seats and roles act on. */
    home: organizationRecord.nullable(),
    organizations: z.array(organizationRecord),
  }),
  user_id: z.string().nullable(),
  role: z.string().nullable(),
  permissions: z.array(z.string()),
});

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

export const learningRecord = z.strictObject({
  id: uuid,
  learning: z.string(),
  organization_id: z.string(),
  organization_name: z.string(),
  repository_id: z.string(),
  repository_name: z.string(),
  author_id: z.string(),
  author_username: z.string().nullable(),
  file: z.string().nullable(),
  source_url: z.string().nullable(),
  usage_count: z.int().min(0),
  last_used_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
  provider: z.enum(providers),
  repository_short_name: z.string(),
});

/** `private`: from an open pull request. Only `approved` ones are shared. */
export const learningStates = ["approved", "pending", "private", "disapproved"] as const;
export const learningDetail = learningRecord.extend({ state: z.enum(learningStates) });
/** In the list of pending Learnings: when the Learning is approved automatically. */
export const listedLearning = learningRecord.extend({ approve_at: timestamp.optional() });
/** In `removed` of the export. */
export const removedLearning = z.strictObject({
  id: uuid,
  provider: z.enum(providers),
  organization_id: z.string(),
  repository_id: z.string(),
  removed_at: timestamp,
});
export type RemovedLearning = z.output<typeof removedLearning>;
