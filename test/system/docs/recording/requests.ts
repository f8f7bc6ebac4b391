import type { ListedOperation, OperationId } from "../../../../lib/contract/operations.ts";
import { parametersOf, partsOf, usualKind } from "../../../../lib/contract/requests.ts";
import { absent } from "../../../support/subject.ts";
import type { ExampleWorld, KeyName } from "./world.ts";

/** One request as a reader of the documentation would send it. */
export type ExampleRequest = {
  readonly title: string;
  readonly key: KeyName;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  /** Follows the previous request, in the same world; every other request has a world of its own. */
  readonly isNext?: boolean;
  /** Follows it with the cursor from its answer. */
  readonly goesOn?: boolean;
  /** Operations whose usual request is sent before, because the answer shows what they did. */
  readonly before?: readonly OperationId[];
  /** The answer shows the key's last use, which is written at the same time: the key is used a moment before. */
  readonly showsUse?: boolean;
};

/** Differences from the usual request, where more examples or a better title teach more. */
type Chosen = Partial<ExampleRequest>;

const june = { start_date: "2026-06-01", end_date: "2026-06-30" };

const metrics: readonly Chosen[] = [
  { title: "First page", query: { ...june, limit: "1" } },
  { title: "Next page", query: { ...june, limit: "1" }, goesOn: true },
  {
    title: "One organization of a workspace",
    key: "workspace",
    query: { ...june, org_id: "1001", repository_ids: "9001,9002", user_ids: "502" },
  },
  {
    title: "Some organizations of an instance",
    key: "instance",
    query: { ...june, organization_ids: "7001,7002", limit: "1" },
  },
  { title: "For a mirror", query: { ...june, repository_ids: "9001", include_removed: "true" } },
];

/** The requests of an operation; refusals are derived from the first of them. */
export function requestsOf(operation: ListedOperation, world: ExampleWorld): readonly ExampleRequest[] {
  const usual = usualRequest(operation, world);
  return (chosenRequests(world)[operation.id] ?? [{}]).map((chosen) => ({ ...usual, ...chosen }));
}

/** The contract's request about things of the world. */
function usualRequest(operation: ListedOperation, world: ExampleWorld): ExampleRequest {
  const { learnings, roles, keyIds, webhooks } = world;
  const isDelete = operation.method === "DELETE";
  const things = {
    organization_id: world.organization,
    learning_id: isDelete ? learnings.deleted : learnings.kept,
    role_id: isDelete ? roles.unused : roles.reviewer,
    key_id: isDelete ? keyIds.ended : keyIds.turned,
    webhook_id: isDelete ? webhooks.deleted : webhooks.kept,
  };
  const subject = { ...absent, ...june, ...things, repository_id: "9001", user_id: "502" };
  const path = Object.entries(things).filter(([name]) => parametersOf(operation).includes(name));
  const { query, body } = partsOf(operation, subject);
  return {
    title: operation.answer.description,
    key: usualKind(operation),
    ...(path.length > 0 && { path: Object.fromEntries(path) }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body && { body }),
  };
}

const changedRoles: Chosen = { before: ["updateRole", "deleteRole"] };

const chosenRequests = (world: ExampleWorld): Partial<Record<OperationId, readonly Chosen[]>> => ({
  listReviewCommentMetrics: metrics,
  listReviewMetrics: [
    ...metrics,
    { title: "CSV", key: "legacy", query: { ...june, status: "all", format: "csv", limit: "2" } },
    { title: "NDJSON", key: "user", query: { ...june, status: "closed", format: "ndjson" } },
  ],
  listMcpMetrics: metrics,
  listLearnings: [
    { title: "First page", query: { limit: "1" } },
    { title: "Next page", query: { limit: "1" }, goesOn: true },
    {
      title: "A repository by its name",
      key: "user",
      query: {
        repository_name: "acme/billing",
        file: ["src/money.ts"],
        search: "money",
        stat_filter: "active",
      },
    },
    {
      title: "Filtered",
      key: "workspace",
      query: { org_id: "1001", repository_ids: "9001", user_ids: "502", search: "webhook" },
    },
    { title: "Waiting for approval", query: { state: "pending" } },
    { title: "For a mirror", query: { limit: "1", include_removed: "true" } },
    { title: "CSV", query: { format: "csv", limit: "2" } },
    { title: "NDJSON", query: { format: "ndjson", limit: "2" } },
  ],
  searchLearnings: [
    { title: "A question", body: { query: "May amounts of money be floating point numbers?", limit: 2 } },
    {
      title: "A change of a file, in one repository",
      key: "user",
      body: {
        query: "const total = 19.99 * count;",
        repository_name: "acme/billing",
        file: "src/money.ts",
        min_score: 0.1,
      },
    },
  ],
  listTeams: [
    { title: "First page", query: { limit: "1" } },
    { title: "Next page", query: { limit: "1" }, goesOn: true },
    { title: "Of a workspace", key: "workspace", query: { org_id: "1002" } },
  ],
  getLearning: [
    { title: "A shared one" },
    { title: "One that waits", key: "legacy", path: { learning_id: world.learnings.waiting } },
  ],
  createLearnings: [
    {
      title: "One created, one failed",
      body: {
        data: [
          {
            repository_id: "9001",
            learning: "Retry a payment only with its idempotency key.",
            file: "src/payments.ts",
            source_url: "https://git.acme.example/acme/billing/pull/41",
          },
          { repository_id: "1", learning: "Nobody has this repository.", file: null },
        ],
      },
    },
    {
      title: "Sent again, with a workspace token",
      isNext: true,
      key: "workspace",
      body: {
        org_id: "1001",
        data: [{ repository_id: "9001", learning: "Retry a payment only with its idempotency key." }],
      },
    },
  ],
  updateLearning: [
    { title: "New text", body: { learning: "Amounts are integers of the smallest unit, such as cents." } },
    {
      title: "With its file, without its source",
      body: {
        learning: "Amounts are integers of the smallest unit, such as cents.",
        file: "src/amount.ts",
        source_url: null,
      },
    },
  ],
  decideLearning: [{ title: "Approved", path: { learning_id: world.learnings.waiting } }],
  deleteLearning: [{ title: "Deleted" }],
  setSeatAssignment: [{ title: "Automatic" }],
  listPermissions: [{ title: "What permissions are made of" }],
  getRole: [{ title: "A custom role" }],
  updateRole: [{ title: "New name", body: { name: "Senior reviewer" } }],
  deleteRole: [{ title: "Deleted" }],
  deleteKey: [{ title: "Ended" }],
  listOrganizations: [
    { title: "First page of a workspace", key: "workspace", query: { limit: "1" } },
    { title: "Next page", key: "workspace", query: { limit: "1" }, goesOn: true },
    { title: "Some of an instance", key: "instance", query: { organization_ids: "7002" } },
  ],
  listRepositories: [
    { title: "First page", query: { limit: "1" } },
    { title: "Next page", query: { limit: "1" }, goesOn: true },
  ],
  listUsers: [
    { title: "Members of one organization", query: { limit: "2" } },
    { title: "Next page", query: { limit: "2" }, goesOn: true },
    {
      title: "Everybody of a workspace",
      key: "workspace",
      query: { seat_filter: "unassigned", role_filter: "admin" },
    },
  ],
  assignSeats: [
    { title: "By user id", key: "instance", body: { action: "assign", user_ids: ["501", "502", "404"] } },
    {
      title: "By e-mail address",
      key: "workspace",
      body: { action: "assign", emails: ["ann@acme.example"] },
    },
    {
      title: "Only what would become of it",
      key: "instance",
      body: { action: "unassign", user_ids: ["501"], dry_run: true },
    },
  ],
  changeRoles: [
    { title: "In one organization", body: { role: "cr_member", user_ids: ["502", "503"] } },
    {
      title: "In every organization of an instance",
      key: "instance",
      body: { role: "cr_member", user_ids: ["501", "502"], org_id: "ALL" },
    },
  ],
  listRoles: [
    { title: "System and custom roles", key: "user" },
    {
      title: "Custom roles with their permissions",
      key: "workspace",
      query: {
        org_id: "1001",
        role_type: "custom",
        include_permissions: "true",
        include_user_count: "false",
      },
    },
  ],
  createRole: [
    {
      title: "With its own permissions",
      body: {
        name: "Security champion",
        description: "Reads security findings and writes Learnings.",
        permissions: [
          { resource_id: "security", access_type: "read" },
          { resource_id: "learning", access_type: "write" },
        ],
      },
    },
    {
      title: "Like another role",
      key: "workspace",
      body: { name: "Trainee", duplicate_from: "cr_member", is_default: true, org_id: "1001" },
    },
  ],
  giveRole: [
    { title: "Given to two", body: { user_ids: ["504", "404"] } },
    {
      title: "Only what would become of it",
      key: "workspace",
      body: { user_ids: ["502"], dry_run: true, org_id: "1001" },
    },
  ],
  listKeys: [
    { title: "First page", query: { limit: "2" }, showsUse: true },
    { title: "Next page", query: { limit: "2" }, goesOn: true, showsUse: true },
    {
      title: "One organization of a workspace",
      key: "workspace",
      query: { org_id: "1001", limit: "1" },
      showsUse: true,
    },
  ],
  createKey: [
    {
      title: "For a vendor that reads metrics",
      body: {
        name: "metrics vendor",
        only: ["metrics:read"],
        expires_in_days: 30,
        idempotency_key: "8d2e5f10-3c4b-4a69-9d7e-1f6a2b3c4d5e",
      },
    },
  ],
  rotateKey: [
    {
      title: "With a grace of ten minutes",
      key: "turned",
      body: { idempotency_key: "5b0c9e4a-1f83-4d27-a6b1-7c2e90d4f518", grace_seconds: 600 },
    },
  ],
  createWebhook: [
    {
      title: "For metrics and Learnings",
      body: {
        url: "https://hooks.acme.example/reviews",
        types: ["metrics.reviews", "learnings"],
        description: "The warehouse's nightly mirror",
        idempotency_key: "3f0a9d1c-7b52-4c1e-9a64-5d2e8c07b1f3",
      },
    },
  ],
  updateWebhook: [{ title: "Switched off", body: { active: false } }],
  testWebhook: [{ title: "Nobody listens", path: { webhook_id: world.webhooks.local } }],
  listAuditLogs: [
    { title: "Newest first", ...changedRoles, query: { limit: "1" } },
    { title: "Next page", query: { limit: "1" }, goesOn: true },
    {
      title: "Filtered",
      key: "workspace",
      query: {
        org_id: "1001",
        order: "asc",
        actions: "key.created,role.created",
        resource_types: "api_key,role",
        date_from: "2026-06-15",
        date_to: "2026-06-15T23:59:59Z",
        limit: "2",
      },
    },
    { title: "Of one person", ...changedRoles, query: { user_ids: "501", search: "dashboards", limit: "1" } },
    { title: "CSV", ...changedRoles, query: { format: "csv", actions: "role.updated,role.deleted" } },
    { title: "NDJSON", ...changedRoles, query: { format: "ndjson", actions: "role.updated,role.deleted" } },
  ],
  listSecurityFindings: [
    { title: "First page", query: { limit: "1" } },
    { title: "Next page", query: { limit: "1" }, goesOn: true },
    { title: "Filtered", query: { repo_id: "9001", state: "all", severity: "critical,high" } },
    { title: "CSV", query: { format: "csv" } },
    { title: "SARIF", query: { format: "sarif", repo_id: "9001" } },
  ],
  whoami: [
    { title: "An organization key", key: "organization" },
    { title: "A workspace token", key: "workspace" },
    { title: "A legacy key", key: "legacy" },
  ],
});
