import type { OperationId } from "./operations.ts";

/**
 * Which operations assistants may call through `POST /mcp`, and the words for a model: when to use the tool and what it
 * returns. Name, schemas and policy come from the operation. An operation without an entry is not a tool, so a new
 * operation is never offered by mistake. No tool returns a secret: keys, tokens and secrets of webhooks have no entry.
 */
export type Tool = {
  readonly title: string;
  readonly text: string;
  /** Present if the tool changes something; the text says what. */
  readonly write?: {
    /** It deletes or overwrites something. */
    readonly destructive: boolean;
    /** A second call with the same arguments changes nothing more. */
    readonly idempotent: boolean;
  };
};

/** They say enough, or the instructions of the server explain them once. */
const clearNames = [
  ...["cursor", "limit", "org_id", "organization_ids", "learning_id", "repository_ids", "repo_id", "action"],
  ...["decision", "actions", "resource_types", "severity", "user_ids", "resource_id", "access_type"],
  ...["repository_id", "role", "source_url"],
];

/** Shorter words for arguments, by name or by operation and name. */
export const argumentWords: Readonly<Record<string, string>> = {
  ...Object.fromEntries(clearNames.map((name) => [name, ""])),
  start_date: "First day, UTC.",
  end_date: "Last day, UTC, included.",
  date_from: "A day or an instant, UTC.",
  date_to: "Included.",
  dry_run: "true: changes nothing.",
  order: "Default desc: newest first.",
  state: "Default open.",
  "listLearnings.state": "Default approved.",
  seat_filter: "Default all.",
  role_filter: "Default all.",
  role_type: "Default all.",
  status: "closed: not merged. Default merged.",
  name: "1 to 255 characters, unique in any letter case.",
  role_id: "UUID of a custom role.",
  include_permissions: "Default false.",
  include_user_count: "Default true.",
  organization_id: "id of the organization, a UUID.",
  emails: "Instead of user_ids: workspace tokens only.",
  "assignSeats.user_ids": "With a workspace token only to unassign, by seat_holder_id of list_users.",
  "listAuditLogs.user_ids": "Only what these people did. For what was done to a person, use search.",
  "listAuditLogs.search": "Only entries with all of these words, in any field.",
  "listLearnings.search": "Only Learnings with all of these words.",
  "searchLearnings.limit": "Default 10.",
  "changeRoles.org_id": "ALL stands for every organization of an instance key.",
  file: "Path of the file; null or left out for none.",
  "listLearnings.file": "Only Learnings of exactly these paths.",
  "searchLearnings.file": "A path that the query is about: Learnings near it score higher.",
  "updateLearning.file": "Left out, it stays.",
  "updateLearning.source_url": "Left out, it stays.",
  learning: "The text.",
  repository_name: "Full name of one repository.",
  is_default: "Whether new members get the role.",
};

export const toolName = (operation: string): string =>
  operation.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Routes = Readonly<Record<string, { readonly method: string; readonly path: string }>>;

/** A sentence of the API for a model: tools instead of paths, and nothing about places and statuses of HTTP. */
export const toolWords = (text: string, routes: Routes): string =>
  text
    .replaceAll(/ in the (?:body|query string)\b|: 4\d\d(?=\.)| comma-separated(?= values)/g, "")
    .replaceAll("endpoints", "tools")
    .replaceAll(/`?([A-Z]+) (\/v1[\w/{}-]*)`?/g, (found, method, path) => {
      const [id] =
        Object.entries(routes).find(([, route]) => route.method === method && route.path === path) ?? [];
      return id !== undefined && id in tools ? toolName(id) : found;
    });

const adds = { destructive: false, idempotent: true };
const overwrites = { destructive: true, idempotent: true };

export const tools: Readonly<Partial<Record<OperationId, Tool>>> = {
  whoami: {
    title: "Who am I",
    text: "Describes the key: its kind, organizations, role and permissions. Call it first when you do not know which organizations the key reaches; it holds the org_id values (provider_organization_id) that other tools take.",
  },
  listOrganizations: {
    title: "List organizations",
    text: "Names and ids of the organizations that the key reaches. id (a UUID) is for list_repositories, provider_organization_id is the org_id of other tools.",
  },
  listRepositories: {
    title: "List repositories",
    text: "Active repositories of one organization. provider_repository_id is the repository_id of Learnings and metrics.",
  },
  listLearnings: {
    title: "List Learnings",
    text: "Learnings are a team's guidance for code reviews. Use this to read them by repository, file, person or words; state=pending shows those that wait for an admin.",
  },
  searchLearnings: {
    title: "Search Learnings",
    text: "Finds the Learnings that fit a question or a change best, by meaning, with a score from 0 (unrelated) to 1 (the same text): the best may still fit badly; 0 is left out. Use it before you review or write code. Only shared, approved Learnings are found.",
  },
  listTeams: {
    title: "List teams",
    text: "Teams of an organization with the user ids of their members. One person may be in several teams.",
  },
  getLearning: {
    title: "Read a Learning",
    text: "One Learning by its id, in any state, with its use count.",
  },
  createLearnings: {
    title: "Create Learnings",
    text: "CHANGES DATA: stores 1 to 100 Learnings, which future reviews follow. Use it only when the user asks to remember a rule. Check the status of every result; the same text again is a duplicate, not an error.",
    write: adds,
  },
  updateLearning: {
    title: "Change a Learning",
    text: "CHANGES DATA: replaces the text of a Learning; file and source_url stay unless sent. Read the Learning first and send the whole new text.",
    write: overwrites,
  },
  deleteLearning: {
    title: "Delete a Learning",
    text: "CHANGES DATA: deletes a Learning for good. Ask the user before you call it.",
    write: overwrites,
  },
  decideLearning: {
    title: "Approve or disapprove a Learning",
    text: "CHANGES DATA: decides about a pending Learning. An approved one is used in reviews within a minute.",
    write: overwrites,
  },
  listReviewMetrics: {
    title: "List reviewed pull requests",
    text: "One record per reviewed pull request: times (UTC), counts of findings by severity and category, review rounds, estimated minutes. For totals and comparisons use review_report instead: it reads all pages for you.",
  },
  listReviewCommentMetrics: {
    title: "List review findings",
    text: "Metadata of every review finding on merged pull requests: link, severity, category, accepted (true, false or unknown). It has no comment text.",
  },
  listMcpMetrics: {
    title: "List MCP use in reviews",
    text: "MCP servers and tools that reviews of merged pull requests called, with counts of calls and failures.",
  },
  listSecurityFindings: {
    title: "List security findings",
    text: "Findings of AI security scans with severity, CWE, file, lines and evidence; open ones unless state says otherwise.",
  },
  listUsers: {
    title: "List people and seats",
    text: "Members with their seats and roles. seats_purchased and seats_assigned count the whole pool, which organizations of a workspace share: for one organization count its members.",
  },
  assignSeats: {
    title: "Assign or unassign seats",
    text: "CHANGES DATA: gives seats to people or takes them away; seats cost money. Call it with dry_run true first, show the user the result, then call it again.",
    write: overwrites,
  },
  getSeatAssignment: {
    title: "Read the seat assignment mode",
    text: "Whether people get a seat automatically or from an admin (manual). Self-hosted organizations only.",
  },
  setSeatAssignment: {
    title: "Set the seat assignment mode",
    text: "CHANGES DATA: automatic gives a seat to everybody who uses the reviewer; manual waits for an admin. Self-hosted organizations only.",
    write: overwrites,
  },
  changeRoles: {
    title: "Change system roles of people",
    text: "CHANGES DATA: makes people admins or members. Call it with dry_run true first, show the user the result, then call it again.",
    write: overwrites,
  },
  listRoles: {
    title: "List roles",
    text: "System and custom roles with the number of their members; include_permissions=true adds what each allows.",
  },
  createRole: {
    title: "Create a custom role",
    text: "CHANGES DATA: adds a role with the given permissions, or those of the role in duplicate_from.",
    write: adds,
  },
  updateRole: {
    title: "Change a custom role",
    text: "CHANGES DATA: replaces the fields that you send; everybody with the role has the new permissions at once.",
    write: overwrites,
  },
  deleteRole: {
    title: "Delete a custom role",
    text: "CHANGES DATA: deletes the role for good. It is refused while somebody has the role.",
    write: overwrites,
  },
  giveRole: {
    title: "Give a custom role to people",
    text: "CHANGES DATA: replaces the role of up to 500 people. Call it with dry_run true first, show the user the result, then call it again.",
    write: overwrites,
  },
  listAuditLogs: {
    title: "Read the audit log",
    text: "Who changed what and when (UTC), and which keys were refused; newest first.",
  },
};
