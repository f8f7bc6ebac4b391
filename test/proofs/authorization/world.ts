import { type Permission, permissions } from "../../../lib/contract/access.ts";
import { organizationUuid } from "../../../lib/contract/identity.ts";
import * as kinds from "../../../lib/contract/items.ts";
import { required } from "../../../lib/runtime/required.ts";
import { comments, finding } from "../../support/event-data.ts";
import { learningsOf } from "../../support/stored.ts";
import { indexAll } from "../../support/vectors.ts";
import { isLong } from "../../support/volume.ts";
import { github, gitlab, type OrganizationId, type World } from "../../support/world.ts";
import type { Kind, Role, Row } from "./table.ts";

export const plans = ["free", "pro", "enterprise"] as const;
export type Plan = (typeof plans)[number];

/** An organization whose mark is in every text about it. */
export type MarkedOrganization = {
  readonly mark: string;
  /** Equals the mark, except for twins. */
  readonly providerId: string;
  readonly name: OrganizationId;
  readonly uuid: string;
  readonly plan: Plan;
  readonly learningId: string;
  /** A custom role that a member has. */
  readonly roleId: string;
};

export type Tenant = {
  readonly kind: "workspace" | "instance" | "standalone";
  readonly id: string;
  readonly home: MarkedOrganization;
  readonly other?: MarkedOrganization;
  /** Instances only: the home is neither the first nor the last by UUID, because both could be right by accident. */
  readonly further?: MarkedOrganization;
  /** Still on the list of an instance key: it was active when the key was created. */
  readonly inactive?: MarkedOrganization;
  readonly unauthorized?: MarkedOrganization;
  readonly unauthorizedInactive?: MarkedOrganization;
};

/** The organizations that a key of the whole tenant can reach. */
export const reachedOf = ({ home, other, further }: Tenant): MarkedOrganization[] =>
  [home, other, further].filter((organization) => organization !== undefined);

export const organizationsOf = (tenant: Tenant): MarkedOrganization[] => [
  ...reachedOf(tenant),
  ...[tenant.inactive, tenant.unauthorized, tenant.unauthorizedInactive].filter(
    (organization) => organization !== undefined,
  ),
];

/** Things that every organization has, except a tenant's home. */
export const siblingsMode = "manual";

type OrganizationData = {
  readonly plan: Plan;
  readonly mark?: string;
  readonly active?: boolean;
  readonly workspace_id?: string;
  readonly deployment?: string;
  readonly seat_assignment_mode?: string;
};

export const marksIn = (text: string): string[] =>
  [...new Set(text.match(/mark-[a-z]+-[a-z]+-[a-z]+/g))].sort();

/** Sends the events of an organization and of one thing of every kind in it. */
async function buildOrganization(
  world: World,
  name: OrganizationId,
  { mark = name.provider_organization_id, active = true, ...data }: OrganizationData,
): Promise<MarkedOrganization> {
  const settings = { seat_assignment_mode: siblingsMode, ...name, ...data, name: `Organization ${mark}` };
  const uuid = await world.organization(name.provider_organization_id, settings);
  await world.repository(name, `repo-${mark}`, { full_name: `group/${mark}`, name: mark });
  const roleId = await world.role(uuid, `Role of ${mark}`, { permissions: [] });
  for (const role of ["cr_admin", "cr_billing_admin", roleId])
    await world.member(name, role, { role, username: `${role} of ${mark}`, email: `${role}@${mark}.test` });
  await world.member(name, `m-${mark}`, { email: `m-${mark}@${mark}.test`, username: mark });
  const repository_id = `repo-${mark}`;
  const pr_url = `https://git.example.com/${mark}/pull/1`;
  await world.pullRequest(name, mark, {
    repository_id,
    pr_url,
    comments: comments(pr_url, 1),
    mcp_servers: [{ name: mark, tools: [{ name: "find", calls: 1, failures: 0 }] }],
  });
  await world.learning(name, `Guidance of ${mark}`, { repository_id, author_id: `m-${mark}` });
  await world.scan(name, { repository_id, scan_id: `scan-${mark}`, findings: [finding(`finding-${mark}`)] });
  if (!active) await world.organization(name.provider_organization_id, { ...settings, active });
  await world.sendEvent("team.saved", {
    ...name,
    team_id: `team-${mark}`,
    name: `Team of ${mark}`,
    user_ids: [`m-${mark}`],
    active: true,
  });
  await indexAll(world, uuid);
  const [learning] = await learningsOf(world.deps.table, uuid);
  const learningId = required(learning, `Learning of ${mark}`).id;
  const providerId = name.provider_organization_id;
  return { mark, providerId, name, uuid, plan: data.plan, learningId, roleId };
}

const homeMode = { seat_assignment_mode: "automatic" } as const;

/** In a short run only Enterprise tenants get requests for resources that are closed to them. */
const isWhole = (home: Plan, other: Plan): boolean =>
  isLong || (home === "enterprise" && other === "enterprise");

export async function buildWorkspace(world: World, name: string, home: Plan, other: Plan): Promise<Tenant> {
  const id = `ws-${name}`;
  await world.workspace(id);
  const at = (letter: string, data: OrganizationData) =>
    buildOrganization(world, github(`mark-ws-${name}-${letter}`), { workspace_id: id, ...data });
  return {
    kind: "workspace",
    id,
    home: await at("a", { plan: home, ...homeMode }),
    other: await at("b", { plan: other }),
    ...(isWhole(home, other) && { inactive: await at("z", { plan: home, active: false }) }),
  };
}

/** A workspace of two providers whose organizations have the same provider id. */
export async function buildTwins(world: World): Promise<Tenant> {
  const id = "ws-twins";
  await world.workspace(id);
  const at = (provider: string, letter: string) =>
    buildOrganization(
      world,
      { provider, instance_id: null, provider_organization_id: "twins" },
      { plan: "enterprise", workspace_id: id, mark: `mark-ws-twins-${letter}`, ...homeMode },
    );
  return { kind: "workspace", id, home: await at("github", "a"), other: await at("gitlab", "b") };
}

export async function buildInstance(world: World, name: string, home: Plan, other: Plan): Promise<Tenant> {
  const id = `in-${name}`;
  await world.instance(id);
  const nameOf = (letter: string) => gitlab(id, `mark-in-${name}-${letter}`);
  const at = (letter: string, data: OrganizationData) =>
    buildOrganization(world, nameOf(letter), { deployment: "self_hosted", ...data });
  const uuidOf = (letter: string) => organizationUuid(nameOf(letter));
  const [first = "", middle = "", last = ""] = ["a", "b", "c"].sort((one, next) =>
    uuidOf(one) < uuidOf(next) ? -1 : 1,
  );
  return {
    kind: "instance",
    id,
    home: await at(middle, { plan: home, ...homeMode }),
    other: await at(first, { plan: other }),
    ...(isWhole(home, other) && {
      further: await at(last, { plan: other }),
      inactive: await at("z", { plan: home, active: false }),
      unauthorized: await at("n", { plan: home }),
      unauthorizedInactive: await at("x", { plan: home, active: false }),
    }),
  };
}

export async function buildStandalone(world: World, name: string, plan: Plan): Promise<Tenant> {
  const home = await buildOrganization(world, github(`mark-so-${name}-a`), { plan, ...homeMode });
  return { kind: "standalone", id: home.mark, home };
}

type InstanceRights = {
  readonly owner: string;
  readonly role: string;
  readonly only: readonly string[] | undefined;
  readonly expiresInDays: number;
};

/** Keys of a kind and role, created on first use. */
export class KeyStore {
  readonly #world: World;
  readonly #roles = new Map<string, Promise<string>>();
  readonly #keys = new Map<string, Promise<string>>();

  constructor(world: World) {
    this.#world = world;
  }

  /** For a custom role: the role has exactly the needed permission, or every permission except that one. */
  key(kind: Kind, tenant: Tenant, role: Role, row: Row, only?: readonly string[]): Promise<string> {
    const needed = permissions.find((each) => each === row.needs || each === row.needsOfUserKeys);
    const roleName = role === "with" || role === "without" ? `${role} ${needed ?? "any"}` : role;
    return remembered(this.#keys, [kind, tenant.id, roleName, ...(only ?? [])].join("|"), async () => {
      const roleId = await this.#roleId(tenant.home, role, needed);
      return (await this.#issue(kind, tenant, roleId, roleName, only)).text;
    });
  }

  #roleId({ uuid }: MarkedOrganization, role: Role, needed: Permission | undefined): Promise<string> {
    if (role !== "with" && role !== "without") return Promise.resolve(role);
    const whole = permissions.filter((each) => each !== needed);
    const granted = role === "with" ? (needed ? [needed] : permissions) : needed ? whole : [];
    const name = `${role} ${needed ?? "any"}`;
    return remembered(this.#roles, `${uuid}|${name}`, () =>
      this.#world.role(uuid, name, { permissions: granted }),
    );
  }

  async #issue(kind: Kind, tenant: Tenant, role: string, roleName: string, only?: readonly string[]) {
    const { uuid: organization, name } = tenant.home;
    const owner = `owner ${roleName}`;
    const limited = { only, expiresInDays: 300 };
    if (kind === "workspace") return await this.#world.token(tenant.id, "u-admin", 300, only);
    if (kind === "legacy") return await this.#world.key({ kind, organization });
    await this.#world.member(name, owner, { role, email: null });
    if (kind === "agentic") return await this.#world.key({ kind, organization, owner });
    if (kind === "user") return await this.#world.key({ kind, organization, owner, ...limited });
    if (kind === "organization")
      return await this.#world.key({ kind, organization, owner, role, ...limited });
    return await this.#issueForInstance(tenant, { owner, role, ...limited });
  }

  /** The list dates from the key's creation: organizations on it may have been closed since. */
  async #issueForInstance(tenant: Tenant, rights: InstanceRights) {
    const { id, home, inactive } = tenant;
    const authorized = reachedOf(tenant).map(({ uuid }) => uuid);
    const request = { kind: "instance", instanceId: id, home: home.uuid, authorized, ...rights } as const;
    const issued = await this.#world.key(request);
    if (!inactive) return issued;
    const set = [["authorized", [...authorized, inactive.uuid]]] as const;
    await this.#world.deps.table.write({
      update: kinds.apiKey.key({ keyId: issued.key.id }),
      change: { set },
    });
    return issued;
  }
}

function remembered<Value>(known: Map<string, Promise<Value>>, name: string, make: () => Promise<Value>) {
  const made = known.get(name) ?? make();
  known.set(name, made);
  return made;
}
