import type { Operation } from "../contract/operation.ts";

const withRemoved = (what: string): string =>
  `Default \`false\`. With \`true\` the array \`removed\` names ${what}; both arrays count against \`limit\`. If you start ` +
  "with it, and apply all pages of the first and of every later sync in order, your copy holds what a first read would return.";

/** A name has the same meaning everywhere, except for entries that name an operation (`operationId: name`). */
const descriptions: Readonly<Record<string, string>> = {
  start_date: "First day of the window, UTC, inclusive.",
  end_date: "Last day of the window, UTC, inclusive; not before `start_date`.",
  repository_ids: "Only these repositories, by the Git provider's ids.",
  user_ids: "Only pull requests of these authors, by the Git provider's user ids.",
  "listLearnings: user_ids": "Only Learnings of these authors, by the Git provider's user ids.",
  "listAuditLogs: user_ids":
    "Only what these people did (`actor.id`), by the Git provider's user ids. For what was done to a person, use `search`.",
  organization_ids:
    "Instance keys only: only these organizations, by the Git provider's ids. Only organizations that the key is authorized for.",
  limit: "The maximum number of records of a page. A page can have fewer and still not be the last.",
  cursor: "`next_cursor` of the previous page, with the same filters.",
  status: "Merged pull requests, closed ones that were not merged, or both.",
  format: "The format of the response. CSV and NDJSON carry the cursor in the header `x-next-cursor`.",
  "listSecurityFindings: format":
    "The format of the response. CSV and SARIF return everything at once, without `limit` and `cursor`.",
  repository_name:
    "User keys only: the full name of one repository that the member can read, in any letter case.",
  search: "Only Learnings whose text has all of these words, as parts of words too, in any letter case.",
  "listAuditLogs: search":
    "Only entries that have all of these words, as parts of words too, in any letter case, in: `action`, `summary`, the actor's " +
    "`name`, `id` and `key_id`, `resource_id`, `organization_id`, `request_id`, `ip_address`, and the texts in `metadata`. " +
    "A page may be short or empty and still have a `next_cursor`: follow it.",
  file: "Only Learnings of exactly this file; may be given several times.",
  stat_filter:
    "All Learnings (default `total`), those used in the last 30 days, those never used, or those created in the last 7 days.",
  learning_id: "`id` of the Learning.",
  organization_id:
    "`id` of the organization, as `GET /v1/organizations` returns it; not the Git provider's id.",
  seat_filter: "Everybody, or only people with or without a seat.",
  role_filter: "Everybody, only admins, or only people who are not admins.",
  role_type: "All roles (default `all`), or only one type.",
  include_permissions:
    "Whether roles come with their permissions; unless given, `false` in the list and `true` for one role.",
  include_user_count: "Whether roles come with the number of their members; `true` unless given.",
  include_removed: withRemoved("what was deleted, left the window or no longer matches the filters"),
  "listReviewMetrics: include_removed": `${withRemoved(
    "what was deleted, left the window or no longer matches the filters",
  )} In NDJSON these are records with \`removed\`. Not with CSV.`,
  "listLearnings: include_removed": `${withRemoved(
    "what was deleted or no longer matches the filters",
  )} In NDJSON these are records with \`removed\`. Not with CSV, \`search\`, \`file\`, \`stat_filter\` or \`state\`.`,
  role_id: "`id` of a custom role: its UUID. A system role cannot be changed: 409.",
  "getRole: role_id": "`id` of the role: a system role's name, or the UUID of a custom one.",
  key_id: "`id` of the key, as `GET /v1/keys` shows it.",
  webhook_id: "The webhook's id, as `GET /v1/webhooks` shows it.",
  actions: "Only these actions.",
  resource_types: "Only entries about these types of things.",
  date_from: "From this day (UTC) or instant on.",
  date_to: "Up to this day (UTC) or instant, inclusive; not before `date_from`.",
  order: "Newest first, or oldest first.",
  repo_id: "Only this repository, by the Git provider's id.",
  state: "Only findings in this state.",
  "listLearnings: state": "Approved Learnings (default `approved`), or pending ones.",
  severity: "Only findings of these severities.",
};

const selectors = {
  optional: "Workspace tokens may name one organization, by the Git provider's id. Other keys ignore it.",
  required: "Workspace tokens must name one organization, by the Git provider's id. Other keys ignore it.",
  refused: "Workspace tokens must not send it. Other keys ignore it.",
  ignored: "Ignored.",
} as const;

export const describeSelector = ({ organization }: Operation): string => selectors[organization];

export function describeParameter({ id, organization, body, paging }: Operation, name: string): string {
  if (name === "org_id")
    return body && organization === "required"
      ? "Send it in the body instead. A different value here is an error, for keys that read `org_id`."
      : selectors[organization];
  if (name === "cursor" && paging?.resumable)
    return "`next_cursor` of the previous page, or a stored `x-resume-cursor`, with the same filters.";
  if (name === "cursor" && paging?.bindsPageSize)
    return "`next_cursor` of the previous page, with the same filters and the same `limit`.";
  const description = descriptions[`${id}: ${name}`] ?? descriptions[name];
  if (description === undefined) throw new Error(`The parameter ${name} has no description.`);
  return description;
}
