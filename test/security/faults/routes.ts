import { comments, finalized } from "../../metrics/support.ts";
import { finding } from "../../security-findings/support.ts";
import { github, gitlab, type OrganizationId, type World } from "../../support/world.ts";

export type FaultWorld = {
  readonly keys: Readonly<Record<"organization" | "member" | "workspace" | "instance", string>>;
  readonly uuid: string;
  readonly roleId: string;
  readonly unusedRoleId: string;
};

/** One request of a kind, and what a repetition may say when the first try had done it. */
export type Route = {
  readonly key: keyof FaultWorld["keys"];
  readonly method: string;
  readonly target: string;
  readonly body?: object;
  readonly status: number;
  readonly doneBefore?: string;
};

/** A workspace and an instance, small enough to be put back after every fault. */
export async function buildFaultWorld(
  world: World,
  createRole: (uuid: string, name: string) => Promise<string>,
): Promise<FaultWorld> {
  await world.workspace("faults", { seats_purchased: 2 });
  await world.instance("faults");
  const cloud = github("one");
  const uuid = await world.organization("one", { workspace_id: "faults" });
  await world.organization("two", { workspace_id: "faults" });
  const home = await world.organization("home", { instance_id: "faults", seats_purchased: 2 });
  await world.organization("branch", { instance_id: "faults" });
  const hosted = gitlab("faults", "home");
  const branch = gitlab("faults", "branch");
  for (const name of [cloud, github("two"), hosted, branch]) {
    await world.member(name, "u-admin", { role: "cr_admin", email: null });
    for (const user of ["u1", "u2"]) await world.member(name, user);
  }
  for (const user of ["u1", "u2", "u3"]) await world.member(hosted, user, { seat_assigned: user === "u1" });
  for (const repository of ["r1", "r2"]) await world.repository(cloud, repository);
  await tellData(world, cloud);
  const admin = { owner: "u-admin", role: "cr_admin" } as const;
  const single = await world.key({ kind: "organization", organization: uuid, ...admin });
  const member = await world.key({ kind: "user", organization: uuid, owner: "u1" });
  const workspace = await world.token("faults");
  const instance = await world.key({ kind: "instance", instanceId: "faults", home, ...admin });
  return {
    keys: {
      organization: single.text,
      member: member.text,
      workspace: workspace.text,
      instance: instance.text,
    },
    uuid,
    roleId: await createRole(uuid, "Reviewer"),
    unusedRoleId: await createRole(uuid, "Unused"),
  };
}

async function tellData(world: World, name: OrganizationId): Promise<void> {
  const url = "https://git.example.com/pull/1";
  const mcp_servers = [{ name: "tickets", tools: [{ name: "find", calls: 1, failures: 0 }] }];
  const told = { repository_id: "r1", pr_url: url, comments: comments(url, 2), mcp_servers };
  await world.tell("pull_request.finalized", finalized(name, 1, told));
  const captured = {
    ...name,
    repository_id: "r1",
    author_id: "u1",
    source: "chat",
    learning: "Mind the gap.",
  };
  await world.tell("learning.captured", captured);
  await world.tell("security_scan.completed", {
    ...name,
    repository_id: "r1",
    scan_id: "s1",
    commit_sha: "c0ffee",
    completed_at: "2026-11-01T00:00:00Z",
    findings: [finding("f1")],
  });
}

const get = (key: Route["key"], target: string, status = 200): Route => ({
  key,
  method: "GET",
  target,
  status,
});
const post = (key: Route["key"], target: string, body: object, more: Partial<Route> = {}): Route => ({
  key,
  method: "POST",
  target,
  body,
  status: 200,
  ...more,
});

const window = "start_date=2026-11-01&end_date=2026-11-30";
/** A few months, each a partition and so a call of its own. */
const since = new Date(Date.now() - 60 * 86_400_000).toISOString().slice(0, 10);

export const routesOf = ({ uuid, roleId, unusedRoleId }: FaultWorld): Readonly<Record<string, Route>> => ({
  whoami: get("organization", "/v1/whoami"),
  organizations: get("workspace", "/v1/organizations"),
  repositories: get("organization", `/v1/organizations/${uuid}/repositories`),
  "members of one organization": get("organization", "/v1/users"),
  "people of a workspace": get("workspace", "/v1/users"),
  "audit log of an organization": get(
    "organization",
    `/v1/audit-logs?actions=key.created&date_from=${since}`,
  ),
  "audit log of a workspace": get(
    "workspace",
    `/v1/audit-logs?actions=key.created&order=asc&date_from=${since}`,
  ),
  "roles, listed": get("organization", "/v1/roles?include_permissions=true"),
  "a role, read": get("organization", `/v1/roles/${roleId}`),
  permissions: get("organization", "/v1/roles/permissions"),
  "review comment metrics": get("workspace", `/v1/metrics/review-comments?${window}`),
  "review metrics": get("organization", `/v1/metrics/reviews?${window}&format=csv`),
  "MCP metrics": get("workspace", `/v1/metrics/mcp?${window}&org_id=one`),
  Learnings: get("workspace", "/v1/learnings"),
  "security findings": get("organization", "/v1/security/scans/code"),
  "seat assignment, read": get("instance", "/v1/users/seats/assignment"),
  "a member who is no admin": get("member", "/v1/users", 403),
  "seat assignment, set": post("instance", "/v1/users/seats/assignment", { mode: "automatic" }),
  "seats for members": post("instance", "/v1/users/seats", {
    action: "assign",
    user_ids: ["u2", "u3", "nobody"],
  }),
  "seats taken from members": post("instance", "/v1/users/seats", {
    action: "unassign",
    user_ids: ["u1", "u2"],
  }),
  "seats by address": post("workspace", "/v1/users/seats", {
    action: "assign",
    emails: ["u1@example.com", "U2@example.com", "nobody@example.com"],
  }),
  "roles of members": post("organization", "/v1/users/roles", {
    role: "cr_admin",
    user_ids: ["u1", "u2", "nobody"],
  }),
  "the last admin": post("organization", "/v1/users/roles", { role: "cr_member", user_ids: ["u-admin"] }),
  "roles everywhere": post("instance", "/v1/users/roles", {
    role: "cr_admin",
    user_ids: ["u1"],
    org_id: "ALL",
  }),
  "a role, created": post(
    "organization",
    "/v1/roles",
    { name: "New", is_default: true, permissions: [{ resource_id: "security", access_type: "read" }] },
    { status: 201, doneBefore: "ROLE_NAME_TAKEN" },
  ),
  "a role, changed": {
    ...post("organization", `/v1/roles/${roleId}`, { name: "Renamed", is_default: true }),
    method: "PATCH",
  },
  "a role, deleted": {
    key: "organization",
    method: "DELETE",
    target: `/v1/roles/${unusedRoleId}`,
    status: 204,
    doneBefore: "ROLE_NOT_FOUND",
  },
});
