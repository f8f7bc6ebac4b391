import { operatorOrigin } from "../../../lib/audit/entry.ts";
import { type Permission, permissions } from "../../../lib/contract/access.ts";
import { createRole } from "../../../lib/people/custom-roles.ts";
import { parseOrganization } from "../../../lib/store/items/organization.ts";
import { learningPartition, organizationKey } from "../../../lib/store/layout.ts";
import { comments, finalized } from "../../metrics/support.ts";
import { finding } from "../../security-findings/support.ts";
import { github, gitlab, type OrganizationId, type World } from "../../support/world.ts";
import type { Kind, Role, Row } from "./table.ts";

export const plans = ["free", "pro", "enterprise"] as const;
export type Plan = (typeof plans)[number];

/** An organization whose provider id, its mark, stands in everything that is told of it. */
export type Place = {
  readonly mark: string;
  readonly name: OrganizationId;
  readonly uuid: string;
  readonly plan: Plan;
  readonly isActive: boolean;
  /** An instance key's list leaves one organization out. */
  readonly isAuthorized: boolean;
  readonly learningId: string;
  readonly roleId: string;
};

export type Tenant = {
  readonly kind: "workspace" | "instance" | "standalone";
  readonly id: string;
  readonly home: Place;
  readonly other?: Place;
  readonly inactive?: Place;
  readonly unauthorized?: Place;
};

export const marksIn = (text: string): string[] =>
  [...new Set(text.match(/mark-[a-z]+-[a-z]+-[a-z]+/g))].sort();

/** Tells of an organization and of one thing of every kind in it. */
async function buildPlace(
  world: World,
  name: OrganizationId,
  data: { plan: Plan; workspace_id?: string; deployment?: string },
  change: { active?: boolean; isAuthorized?: boolean } = {},
): Promise<Place> {
  const mark = name.provider_organization_id;
  const settings = { ...name, ...data, name: `Organization ${mark}` };
  const uuid = await world.organization(mark, settings);
  await world.repository(name, `repo-${mark}`, { full_name: `group/${mark}`, name: mark });
  for (const role of ["cr_admin", "cr_member", "cr_billing_admin"])
    await world.member(name, role, { role, username: `${role} of ${mark}`, email: `${role}@${mark}.test` });
  await world.member(name, `m-${mark}`, { email: `m-${mark}@${mark}.test`, username: mark });
  await world.tell("pull_request.finalized", pullRequestOf(name));
  await world.tell("learning.captured", {
    ...name,
    repository_id: `repo-${mark}`,
    learning: `Guidance of ${mark}`,
    author_id: `m-${mark}`,
    source: "chat",
  });
  await world.tell("security_scan.completed", {
    ...name,
    repository_id: `repo-${mark}`,
    scan_id: `scan-${mark}`,
    commit_sha: "c0ffee",
    completed_at: "2026-11-01T00:00:00Z",
    findings: [finding(`finding-${mark}`)],
  });
  const roleId = await buildRole(world, uuid, `Role of ${mark}`, []);
  const { active = true, isAuthorized = true } = change;
  if (!active) await world.organization(mark, { ...settings, active });
  const { items } = await world.deps.table.queryPage({ pk: learningPartition(uuid) });
  const learningId = items[0]?.sk ?? "";
  return { mark, name, uuid, plan: data.plan, isActive: active, isAuthorized, learningId, roleId };
}

function pullRequestOf(name: OrganizationId) {
  const mark = name.provider_organization_id;
  const prUrl = `https://git.example.com/${mark}/pull/1`;
  return finalized(name, mark, {
    repository_id: `repo-${mark}`,
    pr_url: prUrl,
    comments: comments(prUrl, 1),
    mcp_servers: [{ name: mark, tools: [{ name: "find", calls: 1, failures: 0 }] }],
  });
}

async function buildRole(world: World, uuid: string, name: string, granted: readonly Permission[]) {
  const { deps } = world;
  const item = await deps.table.get(organizationKey(uuid));
  if (!item) throw new Error(`There is no organization ${uuid}.`);
  const context = { ...deps, ...operatorOrigin };
  const fields = {
    name,
    description: null,
    is_default: false,
    permissions: granted,
    duplicateFrom: undefined,
  };
  return (await createRole(context, parseOrganization(item), fields)).role.id;
}

export async function buildWorkspace(world: World, name: string, home: Plan, other: Plan): Promise<Tenant> {
  const id = `ws-${name}`;
  await world.workspace(id);
  const at = (letter: string, plan: Plan, active = true) =>
    buildPlace(world, github(`mark-ws-${name}-${letter}`), { plan, workspace_id: id }, { active });
  return {
    kind: "workspace",
    id,
    home: await at("a", home),
    other: await at("b", other),
    inactive: await at("z", home, false),
  };
}

export async function buildInstance(world: World, name: string, home: Plan, other: Plan): Promise<Tenant> {
  const id = `in-${name}`;
  await world.instance(id);
  const at = (letter: string, plan: Plan, change = {}) =>
    buildPlace(world, gitlab(id, `mark-in-${name}-${letter}`), { plan, deployment: "self_hosted" }, change);
  return {
    kind: "instance",
    id,
    home: await at("a", home),
    other: await at("b", other),
    inactive: await at("z", home, { active: false }),
    unauthorized: await at("n", home, { isAuthorized: false }),
  };
}

export async function buildStandalone(world: World, name: string, plan: Plan): Promise<Tenant> {
  const home = await buildPlace(world, github(`mark-so-${name}-a`), { plan });
  return { kind: "standalone", id: home.mark, home };
}

/** Keys of a kind and role, made when first asked for. */
export class KeyCabinet {
  readonly #world: World;
  readonly #roles = new Map<string, Promise<string>>();
  readonly #keys = new Map<string, Promise<string>>();

  constructor(world: World) {
    this.#world = world;
  }

  /** For a custom role: the one that has exactly the needed permission, or every permission but that one. */
  key(kind: Kind, tenant: Tenant, role: Role, row: Row): Promise<string> {
    const needed = permissions.find((each) => each === row.needs || each === row.needsOfUserKeys);
    const roleName = role === "with" || role === "without" ? `${role} ${needed ?? "any"}` : role;
    return remembered(this.#keys, [kind, tenant.id, roleName].join("|"), async () => {
      const roleId = await this.#roleId(tenant.home, role, needed);
      return (await this.#issue(kind, tenant, roleId, roleName)).text;
    });
  }

  #roleId({ uuid }: Place, role: Role, needed: Permission | undefined): Promise<string> {
    if (role !== "with" && role !== "without") return Promise.resolve(role);
    const whole = permissions.filter((each) => each !== needed);
    const granted = role === "with" ? (needed ? [needed] : permissions) : needed ? whole : [];
    const name = `${role} ${needed ?? "any"}`;
    return remembered(this.#roles, `${uuid}|${name}`, () => buildRole(this.#world, uuid, name, granted));
  }

  async #issue(kind: Kind, tenant: Tenant, role: string, roleName: string) {
    const { uuid: organization, name } = tenant.home;
    const owner = `owner ${roleName}`;
    if (kind === "workspace") return await this.#world.token(tenant.id);
    if (kind === "legacy") return await this.#world.key({ kind, organization });
    await this.#world.member(name, owner, { role, email: null });
    if (kind === "user" || kind === "agentic") return await this.#world.key({ kind, organization, owner });
    if (kind === "organization") return await this.#world.key({ kind, organization, owner, role });
    const authorized = [tenant.home, tenant.other].flatMap((place) => (place ? [place.uuid] : []));
    return await this.#world.key({
      kind,
      instanceId: tenant.id,
      home: organization,
      authorized,
      owner,
      role,
    });
  }
}

function remembered<Value>(known: Map<string, Promise<Value>>, name: string, make: () => Promise<Value>) {
  const made = known.get(name) ?? make();
  known.set(name, made);
  return made;
}
