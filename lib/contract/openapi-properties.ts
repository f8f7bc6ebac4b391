import type * as z from "zod";
import { describeSelector } from "./openapi-parameters.ts";
import type { Operation } from "./operation.ts";

/**
 * What the fields of bodies and answers mean: their unit, their default, what null says. Only the OpenAPI document needs
 * it, so no function imports it. The most special entry counts: `operationId: name`, `Tag: parent.name`, `parent.name`,
 * `Tag: name`, `name`.
 */
const words: Readonly<Record<string, string>> = {
  // Lists and what goes with them.
  data: "The records of this page, in the order of the walk; may be empty also when more pages follow.",
  "Learnings: data": "The Learnings of this page, in write order; may be empty also when more pages follow.",
  next_cursor: "Send it as `cursor` to get the next page; null: this is the last page.",
  removed: "With `include_removed=true`: what a mirror must drop since the walk began.",
  "removed.removed_at": "When it was removed, UTC.",
  removed_at: "When it was removed, UTC.",

  // Names that mean the same everywhere.
  organization_id: "The Git provider's id of the organization.",
  "Audit logs: organization_id":
    "The Git provider's id of the organization; null for what belongs to a whole workspace or instance.",
  organization_name: "The organization's name as it is now.",
  repository_id: "The Git provider's id of the repository, unique within the organization.",
  repository_name: "The repository's name as it is now; its id where the name is not known.",
  "Learnings: repository_name":
    "The repository's full name as it is now; its id where the name is not known.",
  repository_full_name: "The repository's name with its owner, as it is now.",
  repository_short_name: "The repository's name without its owner, as it is now.",
  provider: "The kind of Git provider.",
  author_id:
    "The Git provider's id of the pull request's author, from stored metrics; null when unavailable.",
  author_username: "The author's login; null where it is not known.",
  "Learnings: author_id": "The Git provider's user id of whoever wrote it, or owns the key that did.",
  created_at: "When it was made, UTC.",
  "Metrics: created_at": "When the pull request was opened, UTC.",
  "Audit logs: provider":
    "The kind of Git provider of the organization; null for what belongs to a whole workspace or instance.",
  "Audit logs: created_at": "When it happened, UTC.",
  status: "`success`: all done. `partial_success`: some failed. `failure`: all failed.",
  org_id: "The Git provider's id of the organization.",
  user_id: "The Git provider's id of the user, unique within the organization.",
  code: "Why, for programs: one of a closed list.",
  message: "Why, for people: what is wrong and what to do.",
  organizations: "The organizations it is about.",

  // Metrics.
  pr_url:
    "The address of the pull request: what records of the three metrics are joined on. Unique within an organization.",
  merged_at: "When it was merged, UTC.",
  "Metrics: merged_at": "When it was merged, UTC; null where it was not merged or that is not known.",
  closed_at: "When it was closed or merged, UTC; null where that is not known.",
  coderabbit_comments: "The stored findings, at least one; several may share one posted comment's URL.",
  "listReviewMetrics: coderabbit_comments":
    "How many findings the automated review posted, and how many were accepted.",
  "listReviewMetrics: severity": "The same by severity; a finding without one counts in `total` only.",
  "listReviewMetrics: category": "The same by category; a finding without one counts in `total` only.",
  "listReviewMetrics: accepted":
    "How many of them are stored as accepted; the others are not accepted or unknown.",
  "coderabbit_comments.url":
    "Link to the posted review comment; several findings may share it, so it names none of them.",
  "coderabbit_comments.severity": "How bad the finding is; null for absent, unknown or none values.",
  "coderabbit_comments.category":
    "What the content is about, not the type of issue; null when absent or unknown.",
  "coderabbit_comments.accepted":
    "Stored resolution outcome from automatic detection or user confirmation; not necessarily acceptance by the pull " +
    "request author. false is not proof of rejection; null means unknown. The value can change after the comment was " +
    "posted.",
  "coderabbit_comments.total": "All findings, those without a severity or category too.",
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
  review_iterations: "How often the reviewer looked at it.",
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
  "createLearnings: data": "1 to 100 Learnings, done in order. A wrong one fails alone.",
  "Learnings: id": "The Learning's id: derived from the organization, the repository and the redacted text.",
  "data.learning":
    "The text: 1 to 10,000 characters after trimming. Recognized credentials are removed before it is stored.",
  "Learnings: learning":
    "The text: 1 to 10,000 characters after trimming, with recognized credentials removed.",
  file: "The path of the file it is about; null, or left out, for none.",
  source_url: "Where it came from, an http or https URL; null, or left out, for nowhere.",
  "updateLearning: file": "The path of the file it is about; null for none. Left out, it stays as it is.",
  "updateLearning: source_url":
    "Where it came from, an http or https URL; null for nowhere. Left out, it stays as it is.",
  usage_count: "How often reviews have used it.",
  last_used_at: "When it was last used, UTC; null for never. Kept to the minute.",
  "Learnings: last_used_at": "When a review last used it, UTC; null for never.",
  updated_at: "When it was last changed, UTC.",
  created_count: "How many were created.",
  duplicate_count: "How many existed already.",
  failed_count: "How many failed.",
  results: "What became of each item, in the order of the request.",
  "results.index": "The item's place in the request, from 0.",
  "results.status": "`created`, `duplicate` for a text that exists already, or `failed`.",
  "results.id": "The Learning's id; null only when `repository_id` or `learning` is unusable.",
  "results.promoted":
    "true: it was private, pending or disapproved, and is shared and approved now. Left out otherwise.",
  "results.error": "Why it failed; left out otherwise.",
  "results.redacted":
    "The kinds of credentials that were removed from the text; left out where there were none.",
  "Learnings: state": "Whether it is in use, or waits for an admin.",
  approve_at: "When it is approved by itself, UTC.",
  decision: "`approve` shares it, `disapprove` turns it down.",

  // Organizations.
  "Organizations: organizations": "The organizations of this page.",
  "organizations.id": "The service's UUID of the organization: what the path of its repositories takes.",
  "organizations.name": "The organization's name.",
  provider_organization_id: "The Git provider's id of the organization: what `org_id` takes, not the path.",
  repositories: "The active repositories of this page.",
  "repositories.id": "The service's UUID of the repository.",
  provider_repository_id: "The Git provider's id of the repository: what filters take.",
  "repositories.name": "The short name.",
  full_name: "The name with its owner.",
  private: "Whether only members can see it; null where that is not known.",
  url: "The repository's address.",

  // People.
  seats_purchased: "Seats that were bought, of the workspace where there is one.",
  seats_assigned: "Seats that people hold; more than were bought after fewer were bought.",
  seat_assignment_mode:
    "`automatic`: whoever has a pull request reviewed gets a seat. `manual`: an admin assigns it. null where the " +
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
    "The organizations of the scope that the person belongs to; empty for a holder of a seat who has none left there.",
  action: "`assign` or `unassign`.",
  user_ids: "The people, by the Git provider's user ids; 1 to 500, each done once.",
  "assignSeats: user_ids":
    "The people, by the Git provider's user ids; 1 to 500, each done once. With a workspace token only for `unassign`, and " +
    "by the `seat_holder_id` that `GET /v1/users` shows.",
  seat_holder_id:
    "What `user_ids` of `POST /v1/users/seats` takes to unassign the seat, `provider:org_id:user_id`. Only of a holder of a " +
    "seat whom no e-mail address names; left out otherwise.",
  emails:
    "The people, by e-mail address in any letter case; 1 to 500, each done once. Workspace tokens only.",
  dry_run:
    "true: tells the answer and changes nothing. Default `false`; in an answer left out unless it was asked for.",
  succeeded: "Those for whom it was done, as they were named in the request.",
  failed: "Those for whom it was not done.",
  "failed.user_id": "The Git provider's user id as it was sent.",
  "failed.id": "The same name, under a field that all failures have.",
  "failed.organizations":
    "With `ALL`: the organizations where it failed; what was changed elsewhere stays. Left out otherwise.",

  // Roles.
  roles: "The roles, system ones first.",
  "Roles: id": "A system role's name, or the UUID of a custom one.",
  "Roles: name": "1 to 255 characters, unique within the organization in any letter case.",
  "Roles: description": "Up to 1,000 characters; null for none.",
  type: "`system`, or `custom`.",
  is_default: "Whether a new member without a role gets it. Default `false`; one role at most.",
  "updateRole: is_default":
    "Whether a new member without a role gets it; one role at most. Left out, it stays as it is.",
  permissions: "What the role allows. Left out of a list unless asked for.",
  "Roles: permissions":
    "What the role allows; a repeated one counts once. Without it and `duplicate_from` a new role has those of " +
    "`cr_member`; left out of an answer unless asked for.",
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
  "Keys: name": "What its maker called it; null for nothing.",
  "key.name": "What its maker called it; null for nothing.",
  "whoami: key": "What the key itself is, never its value.",
  "rotateKey: key": "The value of the new key, shown this once.",
  "Keys: role":
    "The role stored on the key; null where its rights are those of a member or of a workspace admin.",
  owner: "The Git provider's user id of its owner; null where it has none.",
  "keys.organizations":
    "The Git provider's ids of its organizations; null: every one of its workspace or instance.",
  "Keys: organizations":
    "The organizations within the key's reach; null: every one of its workspace or instance.",
  expires_at: "When it stops working by itself, UTC; null for never.",
  "Keys: state": "Whether it works: `active`, or why it does not.",
  successor_id: "The id of the key that replaces it; null where it was not rotated.",
  grace_seconds: "Seconds that the old key goes on working, 0 to 86,400. Default 3,600.",
  scope: "What the key reaches.",
  tenant: "Whether the key belongs to a workspace, an instance or a stand-alone organization.",
  tenant_id: "The id of that workspace or instance, or the organization's UUID.",
  home: "Of an instance key: the organization that operations on people, seats and roles act on; null for other kinds.",
  "home.id": "The service's UUID of the organization.",
  "home.name": "The organization's name.",
  "Keys: user_id": "The Git provider's id of the user it acts as; null where it acts as nobody.",
  "Keys: permissions": "What the key may do, of that which its kind can use.",

  // Audit log.
  "Audit logs: id": "The entry's id: drop an entry whose id you have.",
  "Audit logs: action": "What happened; one of a closed list.",
  resource_type: "What kind of thing it happened to.",
  "Audit logs: resource_id": "Which thing; null where there were several or none.",
  summary: "One line for people.",
  actor: "Who did it.",
  "actor.type": "`user` or `key` of a caller, `system` for the service and the platform's events.",
  "actor.id": "The Git provider's user id; null where nobody is known.",
  "actor.name": "The user's or the key's name; null where it has none.",
  "actor.key_id": "The key that was used; null without one.",
  "actor.key_kind": "That key's kind; null without one.",
  metadata: "Before and after of what changed, and every failed id of a batch with its code.",
  ip_address: "Where the call came from; null where it was none.",
  request_id: "`x-request-id` of the call; null where it was none.",
  gateway_request_id: "API Gateway's own id of the call, as in its access log; null where there is none.",

  // Security.
  "Security: id": "The finding's id, the same in every scan.",
  title: "What is wrong, in one line.",
  "Security: description": "What is wrong, in full.",
  severity: "How bad it is.",
  "Security: state": "`open`, `fixed`, or `dismissed` by somebody.",
  cwe: "The weakness as `CWE-79`; null where none is named.",
  file_path: "The file, relative to the repository's root.",
  start_line: "The first line, from 1.",
  end_line: "The last line.",
  evidence: "Lines of code that show it.",
  scan_id: "The newest scan that has the finding.",
  commit_sha: "What that scan looked at.",
  detected_at: "When the first scan that has the finding was complete, UTC.",
  "Security: updated_at": "When the newest scan that has it was complete, UTC.",
};

type Schema = z.core.JSONSchema.BaseSchema;

/** Describes every property of a body or an answer, in place. One without words stays as it is: a test lists it. */
export function describeProperties(schema: Schema, operation: Operation, place: "body" | "answer"): void {
  const visit = (value: Schema, parent: string): void => {
    for (const part of [value.items, value.additionalProperties, ...(value.anyOf ?? [])].filter(isSchema))
      visit(part, parent);
    for (const [name, property] of Object.entries(value.properties ?? {}).filter(isSchemaEntry)) {
      const isSelector = name === "org_id" && place === "body" && parent === "";
      const meaning =
        meaningOf(operation, parent, name) ?? (isSelector ? describeSelector(operation) : words[name]);
      // What a schema says of itself is its limit: it comes behind.
      if (meaning) property.description = [meaning, property.description].filter(Boolean).join(" ");
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
