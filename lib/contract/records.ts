import * as z from "zod";
import { keyKinds, metricsStates, plans, providers } from "./access.ts";
import { auditActionNames, auditResourceTypes } from "./audit.ts";

/** Parts of responses that several operations share. */

/**
 * The meaning of fields in bodies and responses: their unit, their default, what null means. The keys are `name`,
 * `parent.name`, or `operationId: name`. Only the OpenAPI document reads them, so bundles do not contain them.
 */
export type FieldWords = Readonly<Record<string, string>>;

export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: "date-time" });
export const uuid = z.uuid();
export const nextCursor = z.string().nullable();

export const sharedWords: FieldWords = {
  data: "The records of this page, in the order of the walk. It can be empty and still not be the last page.",
  next_cursor: "Send it as `cursor` to get the next page; null: this is the last page.",
  removed: "With `include_removed=true`: what a mirror must drop.",
  "removed.removed_at": "When it was removed, UTC.",
  organization_id: "The Git provider's id of the organization.",
  organization_name: "The organization's current name.",
  repository_id: "The Git provider's id of the repository, unique within the organization.",
  repository_name: "The repository's current name; its id where the name is unknown.",
  repository_short_name: "The repository's current name without its owner.",
  provider: "The kind of Git provider.",
  author_username: "The author's login; null where it is not known.",
  created_at: "When it was created, UTC.",
  code: "The reason, for programs: one of a closed list.",
  message: "The reason, for people: what is wrong and what to do.",
  status: "`success`: all done. `partial_success`: some failed. `failure`: all failed.",
  org_id: "The Git provider's id of the organization.",
  user_id: "The Git provider's id of the user, unique within the organization.",
};

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

export const organizationWords: FieldWords = {
  organizations: "The organizations of this page.",
  "organizations.id": "The service's UUID of the organization. Use it in the path of the repositories list.",
  "organizations.name": "The organization's name.",
  provider_organization_id: "The Git provider's id of the organization. Use it as `org_id`, not in a path.",
  repositories: "The active repositories of this page.",
  "repositories.id": "The service's UUID of the repository.",
  provider_repository_id: "The Git provider's id of the repository. Use it in filters.",
  "repositories.name": "The short name.",
  full_name: "The name with its owner.",
  private: "Whether only members can see it; null where that is unknown.",
  url: "The repository's address.",
};

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

/** What decides whether an organization is in reads over several organizations. */
const reachedOrganization = z.strictObject({
  ...organizationRecord.shape,
  plan: z.enum(plans),
  metrics: z.enum(metricsStates),
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
    organizations: z.array(reachedOrganization),
  }),
  user_id: z.string().nullable(),
  role: z.string().nullable(),
  permissions: z.array(z.string()),
});

export const whoamiWords: FieldWords = {
  "whoami: key": "The key of the request, never its value.",
  scope: "What the key reaches.",
  tenant: "Whether the key belongs to a workspace, an instance or a stand-alone organization.",
  tenant_id: "The id of that workspace or instance, or the Git provider's id of the organization.",
  home: "For an instance key: the organization that operations on people, seats and roles act on; null for other kinds.",
  plan: "The plan; reads over several organizations leave out those that are not on `enterprise`.",
  metrics: "Whether the metrics of the organization can be read.",
  "home.id": "The service's UUID of the organization.",
  "home.name": "The organization's name.",
  user_id: "The Git provider's id of the user that it acts as; null for none.",
  permissions: "What the key may do: permissions of its role that its kind can use.",
};

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
  action: "What happened; one of a closed list.",
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

export const learningWords: FieldWords = {
  data: "The Learnings of this page, in write order. It can be empty and still not be the last page.",
  id: "The Learning's id: derived from the organization, the repository and the redacted text.",
  learning: "The text: 1 to 10,000 characters after trimming, with recognized credentials removed.",
  repository_name: "The repository's current full name; its id where the name is unknown.",
  author_id: "The Git provider's user id of the author, or of the owner of the key that created it.",
  file: "The path of the file it is about; null, or left out, for none.",
  source_url: "Its source, an http or https URL; null, or left out, for none.",
  usage_count: "How often reviews have used it.",
  last_used_at: "When a review last used it, UTC; null for never.",
  updated_at: "When it was last changed, UTC.",
  state: "Whether it is in use or pending.",
  approve_at: "When it is approved automatically, UTC.",
};
