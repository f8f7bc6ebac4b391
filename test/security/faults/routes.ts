import type { World } from "../../support/world.ts";
import { github, gitlab } from "../../support/world.ts";

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

export const routesOf = ({ uuid, roleId, unusedRoleId }: FaultWorld): Readonly<Record<string, Route>> => ({
  whoami: get("organization", "/v1/whoami"),
  organizations: get("workspace", "/v1/organizations"),
  repositories: get("organization", `/v1/organizations/${uuid}/repositories`),
  "members of one organization": get("organization", "/v1/users"),
  "people of a workspace": get("workspace", "/v1/users"),
  "audit log of an organization": get("organization", "/v1/audit-logs?actions=key.created"),
  "audit log of a workspace": get("workspace", "/v1/audit-logs?actions=key.created&order=asc"),
  "roles, listed": get("organization", "/v1/roles?include_permissions=true"),
  "a role, read": get("organization", `/v1/roles/${roleId}`),
  permissions: get("organization", "/v1/roles/permissions"),
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
