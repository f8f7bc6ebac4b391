import type * as z from "zod";
import type { Operation } from "../contract/operation.ts";
import { describeSelector } from "./parameters.ts";

/**
 * The meaning of fields in bodies and responses: their unit, their default, what null means. Only the OpenAPI document
 * needs these texts, so no function imports this file. The most specific entry applies: `operationId: name`, `Tag:
 * parent.name`, `parent.name`, `Tag: name`, `name`.
 */
const words: Readonly<Record<string, string>> = {
  // Lists and their paging fields.
  data: "The records of this page, in the order of the walk. It can be empty and still not be the last page.",
  "Learnings: data":
    "The Learnings of this page, in write order. It can be empty and still not be the last page.",
  next_cursor: "Send it as `cursor` to get the next page; null: this is the last page.",
  removed: "With `include_removed=true`: what a mirror must drop.",
  "removed.removed_at": "When it was removed, UTC.",
  removed_at: "When it was removed, UTC.",

  // Names with the same meaning everywhere.
  organization_id: "The Git provider's id of the organization.",
  "Audit logs: organization_id":
    "The Git provider's id of the organization; null for what belongs to a whole workspace or instance.",
  organization_name: "The organization's current name.",
  repository_id: "The Git provider's id of the repository, unique within the organization.",
  repository_name: "The repository's current name; its id where the name is unknown.",
  "Learnings: repository_name": "The repository's current full name; its id where the name is unknown.",
  repository_full_name: "The repository's current name with its owner.",
  repository_short_name: "The repository's current name without its owner.",
  provider: "The kind of Git provider.",
  author_id:
    "The Git provider's id of the pull request's author, from stored metrics; null when unavailable.",
  author_username: "The author's login; null where it is not known.",
  "Learnings: author_id":
    "The Git provider's user id of the author, or of the owner of the key that created it.",
  created_at: "When it was created, UTC.",
  "Metrics: created_at": "When the pull request was opened, UTC.",
  "Audit logs: provider":
    "The kind of Git provider of the organization; null for what belongs to a whole workspace or instance.",
  "Audit logs: created_at": "When it happened, UTC.",
  status: "`success`: all done. `partial_success`: some failed. `failure`: all failed.",
  org_id: "The Git provider's id of the organization.",
  user_id: "The Git provider's id of the user, unique within the organization.",
  code: "The reason, for programs: one of a closed list.",
  message: "The reason, for people: what is wrong and what to do.",
  organizations: "The organizations it is about.",

  // Metrics.
  pr_url: "The address of the pull request. Join the three metrics on it. Unique within an organization.",
  merged_at: "When it was merged, UTC.",
  "Metrics: merged_at": "When it was merged, UTC; null where it was not merged or that is not known.",
  closed_at: "When it was closed or merged, UTC; null where that is not known.",
  coderabbit_comments: "The stored findings, at least one; several may share one posted comment's URL.",
  "listReviewMetrics: coderabbit_comments":
    "The number of findings that the automated review posted, and how many were accepted.",
  "listReviewMetrics: severity": "The same by severity; a finding without one counts in `total` only.",
  "listReviewMetrics: category": "The same by category; a finding without one counts in `total` only.",
  "listReviewMetrics: accepted":
    "How many of them are stored as accepted; the others are not accepted or unknown.",
  "coderabbit_comments.url":
    "Link to the posted review comment. Several findings may share it, so it does not identify a finding.",
  "coderabbit_comments.severity": "How bad the finding is; null for absent, unknown or none values.",
  "coderabbit_comments.category":
    "What the content is about, not the type of issue; null when absent or unknown.",
  "coderabbit_comments.accepted":
    "Stored resolution outcome from automatic detection or user confirmation; not necessarily acceptance by the pull " +
    "request author. false is not proof of rejection; null means unknown. The value can change after the comment was " +
    "posted.",
  "coderabbit_comments.total": "All findings, also those without a severity or category.",
  posted: "How many findings were posted.",
  critical: "Findings of severity critical.",
  major: "Findings of severity major.",
  minor: "Findings of severity minor.",
  trivial: "Findings of severity trivial.",
  info: "Findings of severity info.",
  data_integrity_and_integration: "Findings about data integrity and integration.",
  functional_correctness: "Findings about functional correctness.",
  maintainability_and_code_quality: "Findings about maintainability and code quality.",
  performance_and_scalability: "Findings about performance and scalability.",
  security_and_privacy: "Findings about security and privacy.",
  stability_and_availability: "Findings about stability and availability.",
  ready_for_review_at: "When it was last marked as ready for review, UTC; null where that is not known.",
  first_human_review_at: "When a person first reviewed it, UTC; null for never, or not known.",
  last_commit_at: "When its last commit was pushed, UTC; null where that is not known.",
  "Metrics: status": "`merged`, or `closed` for one that was closed unmerged.",
  review_iterations: "How often the reviewer reviewed it.",
  estimated_complexity: "From 1 (small) to 5 (large); null where there is no estimate.",
  estimated_review_minutes: "Minutes that a person would need to review it; null where there is no estimate.",
  servers: "The MCP servers that the review used, at least one. Counts are best-effort.",
  "servers.name": "The server's name.",
  "servers.calls": "Calls of all its tools together.",
  "servers.tools": "Its tools that were called.",
  "tools.name": "The tool's name.",
  "tools.calls": "How often it was called.",
  "tools.failures": "How many of these calls failed.",

  // Learnings.
  "createLearnings: data": "1 to 100 Learnings, processed in order. A wrong one fails alone.",
  "Learnings: id": "The Learning's id: derived from the organization, the repository and the redacted text.",
  "data.learning":
    "The text: 1 to 10,000 characters after trimming. Recognized credentials are removed before it is stored.",
  "Learnings: learning":
    "The text: 1 to 10,000 characters after trimming, with recognized credentials removed.",
  file: "The path of the file it is about; null, or left out, for none.",
  source_url: "Its source, an http or https URL; null, or left out, for none.",
  "updateLearning: file": "The path of the file it is about; null for none. Left out, it stays as it is.",
  "updateLearning: source_url":
    "Its source, an http or https URL; null for none. Left out, it stays as it is.",
  usage_count: "How often reviews have used it.",
  last_used_at: "When it was last used, UTC; null for never. Kept to the minute.",
  "Learnings: last_used_at": "When a review last used it, UTC; null for never.",
  updated_at: "When it was last changed, UTC.",
  created_count: "How many were created.",
  duplicate_count: "How many already existed.",
  failed_count: "How many failed.",
  results: "The result of each item, in the order of the request.",
  "results.index": "The item's place in the request, from 0.",
  "results.status": "`created`, `duplicate` for a text that already exists, or `failed`.",
  "results.id": "The Learning's id; null only when `repository_id` or `learning` is unusable.",
  "results.promoted":
    "true: the Learning was private, pending or disapproved, and is now shared and approved. Left out otherwise.",
  "results.error": "Why it failed; left out otherwise.",
  "results.redacted":
    "The kinds of credentials that were removed from the text; left out where there were none.",
  "Learnings: state": "Whether it is in use or pending.",
  approve_at: "When it is approved automatically, UTC.",
  decision: "`approve` shares it, `disapprove` rejects it.",

  // Organizations.
  "Organizations: organizations": "The organizations of this page.",
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

  // People.
  seats_purchased: "Purchased seats, of the workspace where there is one.",
  seats_assigned: "Seats that people hold. After a smaller purchase it can be more than the purchased seats.",
  seat_assignment_mode:
    "`automatic`: a person whose pull request is reviewed gets a seat. `manual`: an admin assigns it. null where the " +
    "organizations differ.",
  mode: "`automatic`: a developer gets a seat when the reviewer is tagged. `manual`: an admin assigns it.",
  users: "The people of this page.",
  email: "The e-mail address; null where it is not known.",
  "failed.email": "The e-mail address as it was sent.",
  username: "The login; null where it is not known.",
  seat_assigned: "Whether the person holds a seat.",
  role: "The id of the role: a system role's name, or the UUID of a custom one.",
  "changeRoles: role": "The role to give.",
  "changeRoles: org_id":
    "Workspace tokens must name one organization, by the Git provider's id. Instance keys may name one, or `ALL` in any " +
    "letter case for every active one they are authorized for; without it they act on their home. Other keys ignore it. In " +
    "an answer: the organization where it failed.",
  role_name: "The role's name, for people.",
  role_type: "`system` roles are the same everywhere, `custom` ones are the organization's own.",
  "users.organizations":
    "The organizations of the scope that the person belongs to. Empty for a seat holder who has left all of them.",
  action: "`assign` or `unassign`.",
  user_ids: "The people, by the Git provider's user ids; 1 to 500. Repeated ids count once.",
  "assignSeats: user_ids":
    "The people, by the Git provider's user ids; 1 to 500. Repeated ids count once. With a workspace token only for " +
    "`unassign`, and by the `seat_holder_id` that `GET /v1/users` shows.",
  seat_holder_id:
    "Send it in `user_ids` of `POST /v1/users/seats` to unassign the seat: `provider:org_id:user_id`. Only for a holder " +
    "without an e-mail address; left out otherwise.",
  emails:
    "The people, by e-mail address in any letter case; 1 to 500. Repeated addresses count once. Workspace tokens only.",
  dry_run:
    "true: answers what would happen and changes nothing. Default `false`. Left out of an answer unless requested.",
  succeeded: "The people who succeeded, as the request named them.",
  failed: "The people who failed.",
  "failed.user_id": "The Git provider's user id as it was sent.",
  "failed.id": "The same name, in a field that every failure has.",
  "failed.organizations":
    "With `ALL`: the organizations where it failed. Changes in other organizations stay. Left out otherwise.",

  // Roles.
  roles: "The roles, system ones first.",
  "Roles: id": "A system role's name, or the UUID of a custom one.",
  "Roles: name": "1 to 255 characters, unique within the organization in any letter case.",
  "Roles: description": "Up to 1,000 characters; null for none.",
  type: "`system`, or `custom`.",
  is_default: "Whether new members without a role get it. Default `false`; at most one role.",
  "updateRole: is_default":
    "Whether new members without a role get it; at most one role. Left out, it stays as it is.",
  permissions: "What the role allows. Left out of a list unless requested.",
  "Roles: permissions":
    "What the role allows. Repeated permissions count once. Without it and without `duplicate_from` a new role gets " +
    "those of `cr_member`. Left out of an answer unless requested.",
  resource_id: "What the permission is about.",
  access_type: "What it allows there.",
  resource_ids: "What permissions can be about.",
  access_types: "What they can allow.",
  duplicate_from:
    "The id of a role whose permissions the new one starts with; not together with `permissions`.",
  user_count: "How many active members have it. Left out with `include_user_count=false`.",

  // Keys.
  "Keys: keys": "The keys of this page, never their values.",
  "Keys: id": "The key's id, which is no secret.",
  "key.id": "The key's id, which is no secret.",
  kind: "The kind of key, which decides its scope.",
  "Keys: name": "The name that its creator gave it; null for none.",
  "key.name": "The name that its creator gave it; null for none.",
  "whoami: key": "The key of the request, never its value.",
  "rotateKey: key": "The value of the new key, shown once.",
  "Keys: role":
    "The role stored on the key; null where the key has the rights of a member or of a workspace admin.",
  owner: "The Git provider's user id of its owner; null where it has none.",
  "keys.organizations":
    "The Git provider's ids of its organizations; null for all of its workspace or instance.",
  "Keys: organizations":
    "The organizations within the key's reach; null for all of its workspace or instance.",
  expires_at: "When it expires, UTC; null for never.",
  "Keys: state": "Whether it works: `active`, or why it does not.",
  successor_id: "The id of the key that replaces it; null where it was not rotated.",
  grace_seconds: "How many seconds the old key still works, 0 to 86,400. Default 3,600.",
  scope: "What the key reaches.",
  tenant: "Whether the key belongs to a workspace, an instance or a stand-alone organization.",
  tenant_id: "The id of that workspace or instance, or the Git provider's id of the organization.",
  home: "For an instance key: the organization that operations on people, seats and roles act on; null for other kinds.",
  "home.id": "The service's UUID of the organization.",
  "home.name": "The organization's name.",
  "Keys: user_id": "The Git provider's id of the user that it acts as; null for none.",
  "Keys: permissions": "What the key may do: permissions of its role that its kind can use.",

  // Audit log.
  "Audit logs: id": "The entry's id. If you already have the id, drop the entry.",
  "Audit logs: action": "What happened; one of a closed list.",
  resource_type: "The type of thing that changed.",
  "Audit logs: resource_id": "The id of the thing; null where there were several or none.",
  summary: "One line for people.",
  actor: "Who did it.",
  "actor.type": "`user` or `key` for a caller, `system` for the service and for platform events.",
  "actor.id": "The Git provider's user id; null where it is unknown.",
  "actor.name": "The user's or the key's name; null where it has none.",
  "actor.key_id": "The key that was used; null without one.",
  "actor.key_kind": "That key's kind; null without one.",
  metadata: "The values before and after the change, and every failed id of a batch with its code.",
  ip_address: "The IP address of the caller; null for changes that were no call.",
  request_id: "`x-request-id` of the call; null for changes that were no call.",
  gateway_request_id: "API Gateway's own id of the call, as in its access log; null where there is none.",

  // Security.
  "Security: id": "The finding's id, the same in every scan.",
  title: "What is wrong, in one line.",
  "Security: description": "What is wrong, in full.",
  severity: "How bad it is.",
  "Security: state": "`open`, `fixed`, or `dismissed` by somebody.",
  cwe: "The weakness, such as `CWE-79`; null for none.",
  file_path: "The file, relative to the repository's root.",
  start_line: "The first line, from 1.",
  end_line: "The last line.",
  evidence: "Lines of code that show it.",
  scan_id: "The newest scan that has the finding.",
  commit_sha: "The commit of that scan.",
  detected_at: "When the first scan that has the finding was complete, UTC.",
  "Security: updated_at": "When the newest scan that has it was complete, UTC.",
};

type Schema = z.core.JSONSchema.BaseSchema;

/**
 * Describes every property of a body or a response, in place. A property without a text gets an empty description: a
 * test lists it.
 */
export function describeProperties(schema: Schema, operation: Operation, place: "body" | "answer"): void {
  const visit = (value: Schema, parent: string): void => {
    for (const part of [value.items, value.additionalProperties, ...(value.anyOf ?? [])].filter(isSchema))
      visit(part, parent);
    for (const [name, property] of Object.entries(value.properties ?? {}).filter(isSchemaEntry)) {
      const isSelector = name === "org_id" && place === "body" && parent === "";
      const meaning =
        meaningOf(operation, parent, name) ?? (isSelector ? describeSelector(operation) : words[name]);
      // The schema's own description contains its limits, so it comes last.
      property.description = [meaning, property.description].filter(Boolean).join(" ");
      visit(property, name);
    }
  };
  visit(schema, "");
}

const meaningOf = ({ id, tag }: Operation, parent: string, name: string): string | undefined =>
  words[`${id}: ${name}`] ??
  words[`${tag}: ${parent}.${name}`] ??
  words[`${parent}.${name}`] ??
  words[`${tag}: ${name}`];

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const isSchemaEntry = (entry: [string, unknown]): entry is [string, Schema] => isSchema(entry[1]);
