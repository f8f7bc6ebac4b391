/**
 * Who may call what, written by hand from "Who may call what" in docs/use/guide.md. Nothing here is read from the tested
 * code. y = accepted, 403 = KEY_TYPE_FORBIDDEN, 410 = LEGACY_API_KEY.
 */
const written = `
| operation                | organization | user | workspace | instance | legacy | agentic | org_id   | needs                        | plan       | limit | instance   | organization_ids |
|--------------------------|--------------|------|-----------|----------|--------|---------|----------|------------------------------|------------|-------|------------|------------------|
| listReviewCommentMetrics | y            | y    | y         | y        | y      | 403     | optional | -                            | enterprise | 60    | authorized | y                |
| listReviewMetrics        | y            | y    | y         | y        | y      | 403     | optional | -                            | enterprise | 60    | authorized | y                |
| listMcpMetrics           | y            | y    | y         | y        | y      | 403     | optional | -                            | enterprise | 60    | authorized | y                |
| listLearnings            | y            | y    | y         | y        | y      | 403     | optional | user keys learning:read      | enterprise | 60    | authorized | y                |
| listLearnings of a name  | 403          | y    | 403       | 403      | 403    | 403     | optional | user keys learning:read      | enterprise | 60    | authorized | y                |
| listLearnings of pending | y            | y    | y         | y        | 403    | 403     | optional | Admin                        | enterprise | 60    | authorized | y                |
| createLearnings          | y            | y    | y         | y        | 410    | 403     | required | learning:write               | enterprise | 10    | home       | -                |
| getLearning              | y            | y    | y         | y        | y      | 403     | required | user keys learning:read      | enterprise | 60    | authorized | -                |
| updateLearning           | y            | y    | y         | y        | 410    | 403     | required | learning:write               | enterprise | 10    | authorized | -                |
| deleteLearning           | y            | y    | y         | y        | 410    | 403     | required | learning:write               | enterprise | 10    | authorized | -                |
| decideLearning           | y            | y    | y         | y        | 410    | 403     | required | Admin                        | enterprise | 10    | authorized | -                |
| listOrganizations        | y            | y    | y         | y        | 410    | 403     | refused  | organization_management:read | somewhere  | 10    | authorized | y                |
| listRepositories         | y            | y    | y         | y        | 410    | 403     | refused  | organization_management:read | enterprise | 60    | authorized | -                |
| listUsers                | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 60    | home       | -                |
| assignSeats              | y            | y    | y         | y        | 410    | 403     | refused  | Admin                        | enterprise | 10    | home       | -                |
| getSeatAssignment        | y            | y    | 403       | y        | 410    | 403     | -        | Admin                        | enterprise | 10    | home       | -                |
| setSeatAssignment        | y            | y    | 403       | y        | 410    | 403     | -        | Admin                        | enterprise | 10    | home       | -                |
| changeRoles              | y            | y    | y         | y        | 410    | 403     | required | Admin                        | somewhere  | 10    | named      | -                |
| listRoles                | y            | y    | y         | y        | 410    | 403     | required | role_management:read         | enterprise | 60    | home       | -                |
| getRole                  | y            | y    | y         | y        | 410    | 403     | required | role_management:read         | enterprise | 60    | home       | -                |
| listPermissions          | y            | y    | y         | y        | 410    | 403     | required | role_management:read         | enterprise | 60    | home       | -                |
| createRole               | y            | y    | y         | y        | 410    | 403     | required | Admin                        | enterprise | 10    | home       | -                |
| updateRole               | y            | y    | y         | y        | 410    | 403     | required | Admin                        | enterprise | 10    | home       | -                |
| deleteRole               | y            | y    | y         | y        | 410    | 403     | required | Admin                        | enterprise | 10    | home       | -                |
| giveRole                 | y            | y    | y         | y        | 410    | 403     | required | Admin                        | enterprise | 10    | home       | -                |
| listAuditLogs            | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 60    | authorized | y                |
| listSecurityFindings     | y            | y    | 403       | y        | 410    | 403     | -        | security:read                | every      | 60    | authorized | y                |
| listKeys                 | y            | y    | y         | y        | 410    | 403     | optional | Admin                        | enterprise | 10    | authorized | -                |
| rotateKey                | y            | y    | y         | y        | 410    | 403     | ignored  | Admin                        | enterprise | 10    | authorized | -                |
| deleteKey                | y            | y    | y         | y        | 410    | 403     | ignored  | Admin                        | enterprise | 10    | authorized | -                |
| whoami                   | y            | y    | y         | y        | y      | y       | ignored  | -                            | every      | 60    | authorized | -                |
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
