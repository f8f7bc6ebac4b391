/**
 * Who may call what, written by hand from "Who may call what" in docs/use/keys.md. Nothing here is read from the tested
 * code. y = accepted, 403 = KEY_TYPE_FORBIDDEN, 410 = LEGACY_API_KEY. Rows with the same window share their limit, which
 * counts for the organization, for the key, or by quota: the organization, workspace or instance that the key is of.
 * Answers that show no organization have a "-" at the end.
 */
const written = `
| operation                | organization | user | workspace | instance | legacy | agentic | org_id   | needs                        | plan       | limit | instance   | organization_ids | window          | counts for                | shows | only               |
|--------------------------|--------------|------|-----------|----------|--------|---------|----------|------------------------------|------------|-------|------------|------------------|-----------------|---------------------------|-------|--------------------|
| listReviewCommentMetrics | y            | y    | y         | y        | y      | 403     | optional | -                            | enterprise | 60    | authorized | y                | metrics         | quota                     | y     | metrics:read       |
| listReviewMetrics        | y            | y    | y         | y        | y      | 403     | optional | -                            | enterprise | 60    | authorized | y                | metrics         | quota                     | y     | metrics:read       |
| listMcpMetrics           | y            | y    | y         | y        | y      | 403     | optional | -                            | enterprise | 60    | authorized | y                | metrics         | quota                     | y     | metrics:read       |
| listLearnings            | y            | y    | y         | y        | y      | 403     | optional | user keys learning:read      | enterprise | 60    | authorized | y                | learnings       | quota                     | y     | learnings:read     |
| listLearnings of a name  | 403          | y    | 403       | 403      | 403    | 403     | optional | user keys learning:read      | enterprise | 60    | authorized | y                | learnings       | quota                     | y     | learnings:read     |
| listLearnings of pending | y            | y    | y         | y        | 403    | 403     | optional | Admin                        | enterprise | 60    | authorized | y                | learnings       | quota                     | -     | learnings:read     |
| searchLearnings          | y            | y    | y         | y        | 410    | 403     | optional | learning:read                | enterprise | 60    | authorized | y                | learnings       | quota                     | y     | learnings:read     |
| searchLearnings of a name | 403         | y    | 403       | 403      | 410    | 403     | optional | learning:read                | enterprise | 60    | authorized | y                | learnings       | quota                     | y     | learnings:read     |
| createLearnings          | y            | y    | y         | y        | 410    | 403     | required | learning:write               | enterprise | 10    | home       | -                | learnings-write | organization              | y     | learnings:write    |
| getLearning              | y            | y    | y         | y        | y      | 403     | required | user keys learning:read      | enterprise | 60    | authorized | -                | learnings       | quota                     | y     | learnings:read     |
| updateLearning           | y            | y    | y         | y        | 410    | 403     | required | learning:write               | enterprise | 10    | authorized | -                | learnings-write | organization              | y     | learnings:write    |
| deleteLearning           | y            | y    | y         | y        | 410    | 403     | required | learning:write               | enterprise | 10    | authorized | -                | learnings-write | organization              | -     | learnings:write    |
| decideLearning           | y            | y    | y         | y        | 410    | 403     | required | Admin                        | enterprise | 10    | authorized | -                | learnings-write | organization              | y     | learnings:write    |
| listOrganizations        | y            | y    | y         | y        | 410    | 403     | refused  | organization_management:read | somewhere  | 10    | authorized | y                | organizations   | quota                     | y     | organizations:read |
| listRepositories         | y            | y    | y         | y        | 410    | 403     | refused  | organization_management:read | enterprise | 60    | authorized | -                | repositories    | quota                     | y     | organizations:read |
| listUsers                | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 60    | home       | -                | users           | quota                     | y     | people:read        |
| assignSeats              | y            | y    | y         | y        | 410    | 403     | refused  | Admin                        | enterprise | 10    | home       | -                | seats           | organization or workspace | y     | people:write       |
| getSeatAssignment        | y            | y    | 403       | y        | 410    | 403     | -        | Admin                        | enterprise | 10    | home       | -                | seat-assignment | organization              | y     | people:read        |
| setSeatAssignment        | y            | y    | 403       | y        | 410    | 403     | -        | Admin                        | enterprise | 10    | home       | -                | seat-assignment | organization              | -     | people:write       |
| changeRoles              | y            | y    | y         | y        | 410    | 403     | required | Admin                        | somewhere  | 10    | named      | -                | role-changes    | organization              | y     | roles:write        |
| listTeams                | y            | y    | y         | y        | 410    | 403     | optional | organization_management:read | enterprise | 60    | authorized | y                | teams           | quota                     | y     | organizations:read |
| listRoles                | y            | y    | y         | y        | 410    | 403     | required | role_management:read         | enterprise | 60    | home       | -                | roles           | organization              | y     | roles:read         |
| getRole                  | y            | y    | y         | y        | 410    | 403     | required | role_management:read         | enterprise | 60    | home       | -                | roles           | organization              | y     | roles:read         |
| listPermissions          | y            | y    | y         | y        | 410    | 403     | required | role_management:read         | enterprise | 60    | home       | -                | roles           | organization              | -     | roles:read         |
| createRole               | y            | y    | y         | y        | 410    | 403     | required | Admin                        | enterprise | 10    | home       | -                | roles-write     | organization              | -     | roles:write        |
| updateRole               | y            | y    | y         | y        | 410    | 403     | required | Admin                        | enterprise | 10    | home       | -                | roles-write     | organization              | y     | roles:write        |
| deleteRole               | y            | y    | y         | y        | 410    | 403     | required | Admin                        | enterprise | 10    | home       | -                | roles-write     | organization              | -     | roles:write        |
| giveRole                 | y            | y    | y         | y        | 410    | 403     | required | Admin                        | enterprise | 10    | home       | -                | role-changes    | organization              | y     | roles:write        |
| listAuditLogs            | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 60    | authorized | y                | audit-logs      | quota                     | y     | audit_logs:read    |
| listSecurityFindings     | y            | y    | 403       | y        | 410    | 403     | -        | security:read                | every      | 60    | authorized | y                | findings        | quota                     | y     | security:read      |
| listKeys                 | y            | y    | y         | y        | 410    | 403     | optional | -                            | enterprise | 10    | authorized | -                | keys            | key                       | -     | keys:read          |
| createKey                | y            | y    | y         | y        | 410    | 403     | ignored  | -                            | enterprise | 10    | authorized | -                | keys-create     | key                       | -     | keys:write         |
| rotateKey                | y            | y    | y         | y        | 410    | 403     | ignored  | -                            | enterprise | 10    | authorized | -                | keys-rotate     | key                       | -     | -                  |
| deleteKey                | y            | y    | y         | y        | 410    | 403     | ignored  | -                            | enterprise | 10    | authorized | -                | keys-delete     | key                       | -     | keys:write         |
| createWebhook            | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 10    | authorized | -                | webhooks-write  | quota                     | -     | webhooks:write     |
| listWebhooks             | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 60    | authorized | -                | webhooks        | quota                     | -     | webhooks:read      |
| getWebhook               | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 60    | authorized | -                | webhooks        | quota                     | -     | webhooks:read      |
| updateWebhook            | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 10    | authorized | -                | webhooks-write  | quota                     | -     | webhooks:write     |
| deleteWebhook            | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 10    | authorized | -                | webhooks-write  | quota                     | -     | webhooks:write     |
| rotateWebhook            | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 10    | authorized | -                | webhooks-write  | quota                     | -     | webhooks:write     |
| testWebhook              | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 10    | authorized | -                | webhooks-write  | quota                     | -     | webhooks:write     |
| listWebhookDeliveries    | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 60    | authorized | -                | webhooks        | quota                     | -     | webhooks:read      |
| whoami                   | y            | y    | y         | y        | y      | y       | ignored  | -                            | every      | 60    | authorized | -                | whoami          | key                       | y     | -                  |
`;

export const kinds = ["organization", "user", "workspace", "instance", "legacy", "agentic"] as const;
export type Kind = (typeof kinds)[number];

export type Row = Readonly<Record<Kind, string>> & {
  /** The operation's id, and what is special about the request. */
  readonly operation: string;
  readonly id: string;
  /** What a workspace token must do with `org_id`. */
  readonly orgId: string;
  /** "-", "Admin", or a permission. */
  readonly needs: string;
  readonly needsOfUserKeys: string;
  readonly plan: string;
  readonly perMinute: string;
  /** The organizations that an instance key acts on. */
  readonly instanceActsOn: string;
  readonly takesOrganizationIds: boolean;
  readonly window: string;
  readonly countsFor: string;
  /** Whether the answer shows which organizations the request reached. */
  readonly showsOrganizations: boolean;
  /** What a narrow key needs; "-" for nothing. */
  readonly only: string;
};

export const rows: readonly Row[] = written
  .trim()
  .split("\n")
  .slice(2)
  .map((line) => line.slice(1, -1).split("|"))
  .map((cells) => toRow(cells.map((cell) => cell.trim())));

function toRow(cells: readonly string[]): Row {
  const [operation = "", organization = "", user = "", workspace = "", instance = "", legacy = ""] = cells;
  const [agentic = "", orgId = "", needs = "", plan = "", perMinute = "", acts = "", ids = ""] =
    cells.slice(6);
  const [window = "", countsFor = "", shows = "", only = ""] = cells.slice(13);
  const [, ofUserKeys] = /^user keys (.+)$/.exec(needs) ?? [];
  return {
    operation,
    id: operation.split(" ", 1)[0] ?? "",
    organization,
    user,
    workspace,
    instance,
    legacy,
    agentic,
    orgId,
    needs: ofUserKeys ? "-" : needs,
    needsOfUserKeys: ofUserKeys ?? "-",
    plan,
    perMinute,
    instanceActsOn: acts,
    takesOrganizationIds: ids === "y",
    window,
    countsFor,
    showsOrganizations: shows === "y",
    only,
  };
}

/** The tested roles. `with` and `without` are custom roles made for the permission in question. */
export const roles = ["cr_admin", "cr_member", "cr_billing_admin", "with", "without"] as const;
export type Role = (typeof roles)[number];

const systemRolePermissions: Readonly<Record<string, readonly string[]>> = {
  cr_member: ["learning:read", "learning:write", "organization_management:read", "role_management:read"],
  cr_billing_admin: ["organization_management:read"],
};

export function roleAllows(role: Role, needed: string): boolean {
  if (needed === "-" || role === "cr_admin") return true;
  if (needed === "Admin") return false;
  return role === "with" || (systemRolePermissions[role]?.includes(needed) ?? false);
}
