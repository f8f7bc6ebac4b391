import type { Operation } from "./operation.ts";

/**
 * What a parameter is for, in the reference. The same name means the same everywhere, but where an operation is named
 * (`operationId: name`).
 */
const descriptions: Readonly<Record<string, string>> = {
  start_date: "First day of the window, UTC, inclusive.",
  end_date: "Last day of the window, UTC, inclusive; not before `start_date`.",
  repository_ids: "Only these repositories, by the Git provider's ids.",
  user_ids: "Only these people, by the Git provider's ids.",
  organization_ids:
    "Instance keys only: narrows the answer to these organizations, by the Git provider's ids. It cannot widen it.",
  limit: "Most records of one page. A page can have fewer and still not be the last.",
  cursor: "`next_cursor` of the page before, with the same filters.",
  status: "Which pull requests: merged ones, closed ones that were not merged, or both.",
  format:
    "What to answer with; default `json`. CSV and NDJSON carry the cursor in the header `x-next-cursor`.",
  "listSecurityFindings: format":
    "What to answer with; default `json`. CSV and SARIF answer everything at once, without pages.",
  repository_name:
    "User keys only: the full name of one repository that the member can read, in any letter case.",
  search: "Only what has all of these words, in any letter case.",
  file: "Only Learnings of exactly this file; may be given several times.",
  stat_filter:
    "All of them (default `total`), those used in the last 30 days, those never used, or those made in the last 7 days.",
  learning_id: "`id` of the Learning.",
  organization_id:
    "`id` of the organization, as `GET /v1/organizations` answers it; not the Git provider's id.",
  seat_filter: "Everybody, or only people with or without a seat.",
  role_filter: "Everybody, only admins, or only people who are none.",
  role_type: "All roles (default `all`), or only one type.",
  include_permissions:
    "Whether roles come with their permissions; unless given, `false` in the list and `true` for one role.",
  include_user_count: "Whether roles come with the number of their members; `true` unless given.",
  include_removed:
    "Default `false`. Whether to name what was deleted, left the window or no longer matches the filters, in the array `removed` " +
    "(in NDJSON as records with `removed`): whoever starts a walk with it, applies all pages and resumes in order and " +
    "keeps the last record of each thing, holds what a new walk would return. Not with CSV.",
  role_id: "`id` of the role: a system role's name, or the UUID of a custom one.",
  key_id: "`id` of the key, as `GET /v1/keys` shows it.",
  actions: "Only these actions.",
  resource_types: "Only what was done to these types of things.",
  date_from: "From this day (UTC) or instant on.",
  date_to: "Up to and with this day (UTC) or instant; not before `date_from`.",
  order: "Newest first, or oldest first.",
  repo_id: "Only this repository, by the Git provider's id.",
  state: "Only findings in this state; default `open`.",
  "listLearnings: state":
    "Learnings that are approved (default `approved`), or those that wait for approval.",
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
      ? "Belongs into the body. Where a key reads it there, another value here is an error."
      : selectors[organization];
  if (name === "cursor" && paging?.resumable)
    return "`next_cursor` of the page before, or a kept `x-resume-cursor`, with the same filters.";
  const description = descriptions[`${id}: ${name}`] ?? descriptions[name];
  if (description === undefined) throw new Error(`The parameter ${name} has no description.`);
  return description;
}
