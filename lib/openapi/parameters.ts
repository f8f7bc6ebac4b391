import type { Operation } from "../contract/operation.ts";

/**
 * Descriptions of parameters for the reference. A name has the same meaning everywhere, except for entries that name an
 * operation (`operationId: name`).
 */
const descriptions: Readonly<Record<string, string>> = {
  start_date: "First day of the window, UTC, inclusive.",
  end_date: "Last day of the window, UTC, inclusive; not before `start_date`.",
  repository_ids: "Only these repositories, by the Git provider's ids.",
  user_ids: "Only these people, by the Git provider's ids.",
  organization_ids:
    "Instance keys only: only these organizations, by the Git provider's ids. Only organizations that the key is authorized for.",
  limit: "The maximum number of records of a page. A page can have fewer and still not be the last.",
  cursor: "`next_cursor` of the previous page, with the same filters.",
  status: "Merged pull requests, closed ones that were not merged, or both.",
  format:
    "The format of the answer; default `json`. CSV and NDJSON carry the cursor in the header `x-next-cursor`.",
  "listSecurityFindings: format":
    "The format of the answer; default `json`. CSV and SARIF answer everything at once, without pages.",
  repository_name:
    "User keys only: the full name of one repository that the member can read, in any letter case.",
  search: "Only records that have all of these words, in any letter case.",
  file: "Only Learnings of exactly this file; may be given several times.",
  stat_filter:
    "All Learnings (default `total`), those used in the last 30 days, those never used, or those created in the last 7 days.",
  learning_id: "`id` of the Learning.",
  organization_id:
    "`id` of the organization, as `GET /v1/organizations` answers it; not the Git provider's id.",
  seat_filter: "Everybody, or only people with or without a seat.",
  role_filter: "Everybody, only admins, or only people who are not admins.",
  role_type: "All roles (default `all`), or only one type.",
  include_permissions:
    "Whether roles come with their permissions; unless given, `false` in the list and `true` for one role.",
  include_user_count: "Whether roles come with the number of their members; `true` unless given.",
  include_removed:
    "Default `false`. With `true` the array `removed` (in NDJSON: records with `removed`) names what was deleted, left the " +
    "window or no longer matches the filters. If you start a walk with it, apply all pages and resumes in order, and keep " +
    "the last record of each thing, you hold what a new walk would return. Not with CSV, and on " +
    "Learnings not with `search`, `file`, `stat_filter` or `state`.",
  role_id: "`id` of the role: a system role's name, or the UUID of a custom one.",
  key_id: "`id` of the key, as `GET /v1/keys` shows it.",
  webhook_id: "The webhook's id, as `GET /v1/webhooks` shows it.",
  actions: "Only these actions.",
  resource_types: "Only entries about these types of things.",
  date_from: "From this day (UTC) or instant on.",
  date_to: "Up to this day (UTC) or instant, inclusive; not before `date_from`.",
  order: "Newest first, or oldest first.",
  repo_id: "Only this repository, by the Git provider's id.",
  state: "Only findings in this state; default `open`.",
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
  const description = descriptions[`${id}: ${name}`] ?? descriptions[name];
  if (description === undefined) throw new Error(`The parameter ${name} has no description.`);
  return description;
}
