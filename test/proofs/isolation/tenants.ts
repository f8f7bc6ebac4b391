import { operatorOrigin } from "../../../lib/audit/entry.ts";
import type { KeyKind } from "../../../lib/contract/access.ts";
import { deleteRole } from "../../../lib/people/custom-roles.ts";
import type { Random } from "../../../lib/runtime/random.ts";
import { finding } from "../../support/event-data.ts";
import { learningsOf, organizationOf } from "../../support/stored.ts";
import { indexAll } from "../../support/vectors.ts";
import type { OrganizationId, World } from "../../support/world.ts";

/** An organization of a tenant. It shares its provider ids with all others, except for one of each kind. */
export type Branch = {
  readonly name: OrganizationId;
  readonly uuid: string;
  readonly learningIds: readonly string[];
  readonly roleIds: readonly string[];
  /** The id of an organization key that no caller uses. */
  readonly keyIds: readonly string[];
};

/** Things that only this tenant has: no answer to another tenant may depend on them. */
export type Own = {
  readonly orgId: string;
  /** The provider and the id of one of its organizations. */
  readonly qualifiedOrgId: string;
  readonly repositoryId: string;
  readonly repositoryName: string;
  readonly userId: string;
  readonly email: string;
  readonly file: string;
  readonly word: string;
};

export type TenantFixture = {
  readonly kind: "workspace" | "instance" | "standalone";
  readonly id: string;
  /** Is in every text of this tenant, and nowhere else. */
  readonly canary: string;
  readonly own: Own;
  readonly branches: readonly Branch[];
  readonly holders: readonly Holder[];
  /** Strings that no other tenant may ever see. */
  readonly secrets: readonly string[];
};

export type Holder = {
  readonly kind: KeyKind;
  readonly key: string;
  readonly tenantId: string;
  readonly own: Own;
  /** The home organization; for a workspace token, one of its organizations. */
  readonly branch: Branch;
};

/** The same in every tenant. */
export const shared = {
  orgIds: ["100", "200"],
  repositoryId: "9001",
  repositoryName: "group/billing",
  userIds: ["u1", "u2"],
  email: "ann@example.com",
  prUrl: "https://git.example.com/group/billing/pull/7",
  learning: "Prefer early returns to nested conditions.",
  file: "src/main.ts",
} as const;

const letters = "abcdefghijkmnpqrstuvwxyz23456789";
export const word = (random: Random, length = 10): string =>
  Array.from({ length }, () => letters[random.below(letters.length)]).join("");

/** Has the same form as another tenant's name, but does not exist. */
export const strange = (random: Random): Own => ownOf(random, { kind: "workspace", provider: "gitlab" });

const ownOf = (random: Random, { kind, provider }: Pick<TenantPlan, "kind" | "provider">): Own => {
  const orgId = `7${word(random)}`;
  // A stand-alone organization has the shared id, at a provider that no other tenant uses.
  const qualifiedOrgId = `${provider}:${kind === "standalone" ? shared.orgIds[0] : orgId}`;
  return { orgId, qualifiedOrgId, ...namesOf(random) };
};

const namesOf = (random: Random) => ({
  repositoryId: `r${word(random)}`,
  repositoryName: `group/${word(random)}`,
  userId: `u${word(random)}`,
  email: `${word(random)}@example.com`,
  file: `src/${word(random)}.ts`,
  word: word(random),
});

export type TenantPlan = {
  readonly kind: TenantFixture["kind"];
  readonly provider: string;
  readonly id: string;
};

/** Cloud tenants use different providers, instances use their own names: so all can have organization 100. */
export function planWorld(random: Random): TenantPlan[] {
  const cloud = ["github", "gitlab", "azure_devops", "bitbucket"];
  const workspaces = 2 + random.below(2);
  const plans = cloud.map((provider, index): TenantPlan => {
    const kind = index < workspaces ? "workspace" : "standalone";
    return { kind, provider, id: `${kind}-${word(random)}` };
  });
  const instances = 2 + random.below(3);
  for (let index = 0; index < instances; index++)
    plans.push({ kind: "instance", provider: "gitlab", id: `instance-${word(random)}` });
  return plans;
}

export async function buildTenant(world: World, random: Random, plan: TenantPlan): Promise<TenantFixture> {
  const canary = `canary${word(random, 14)}`;
  const own = ownOf(random, plan);
  if (plan.kind === "workspace") await world.workspace(plan.id, { name: canary });
  if (plan.kind === "instance")
    await world.instance(plan.id, { name: canary, base_url: `https://${canary}.test` });
  const orgIds = plan.kind === "standalone" ? [shared.orgIds[0]] : [...shared.orgIds, own.orgId];
  const branches: Branch[] = [];
  for (const orgId of orgIds) branches.push(await buildBranch(world, plan, orgId, canary, own));
  const holders = await issueKeys(world, plan, branches, { canary, own });
  const secrets = [
    canary,
    ...(plan.kind === "standalone" ? [] : [plan.id]),
    ...branches.flatMap(({ uuid, learningIds, roleIds, keyIds }) => [
      uuid,
      ...learningIds,
      ...roleIds,
      ...keyIds,
    ]),
  ];
  return { kind: plan.kind, id: plan.id, canary, own, branches, holders, secrets };
}

async function buildBranch(
  world: World,
  plan: TenantPlan,
  orgId: string,
  canary: string,
  own: Own,
): Promise<Branch> {
  const name: OrganizationId = {
    provider: plan.provider,
    instance_id: plan.kind === "instance" ? plan.id : null,
    provider_organization_id: orgId,
  };
  const uuid = await world.organization(orgId, {
    ...name,
    name: `${canary} ${orgId}`,
    workspace_id: plan.kind === "workspace" ? plan.id : null,
    deployment: plan.kind === "workspace" ? "cloud" : "self_hosted",
  });
  for (const [repositoryId, fullName] of [
    [shared.repositoryId, shared.repositoryName],
    [own.repositoryId, own.repositoryName],
  ]) {
    const url = `https://${canary}.test/${repositoryId}`;
    await world.repository(name, repositoryId ?? "", { name: canary, full_name: fullName, url });
  }
  await world.member(name, "u1", { role: "cr_admin", username: canary, email: shared.email });
  await world.member(name, "u2", { username: `${canary} two`, email: `two@${canary}.test` });
  await world.member(name, own.userId, { username: `${canary} own`, email: own.email });
  for (const team_id of ["t1", own.word])
    await world.sendEvent("team.saved", { ...name, team_id, name: canary, user_ids: ["u1"], active: true });
  await sendData(world, name, canary, own);
  await indexAll(world, uuid);
  return { name, uuid, ...(await buildThings(world, uuid, canary, own)) };
}

/** One thing of every kind under the shared ids, one under the tenant's own ids. */
async function sendData(world: World, name: OrganizationId, canary: string, own: Own): Promise<void> {
  const things = [
    { repository_id: shared.repositoryId, author_id: "u1", file: shared.file },
    { repository_id: own.repositoryId, author_id: own.userId, file: own.file },
  ];
  for (const [index, { repository_id, author_id, file }] of things.entries()) {
    const pr_url = index === 0 ? shared.prUrl : `${shared.prUrl}/${own.word}`;
    const comments = [{ url: `https://${canary}.test/${index}`, severity: "major", category: null }];
    const mcp_servers = [{ name: canary, tools: [{ name: `${canary} tool`, calls: 1, failures: 0 }] }];
    const author_username = `${canary} author`;
    const data = { repository_id, author_id, author_username, pr_url, comments, mcp_servers };
    await world.pullRequest(name, index, data);
    const learning = `${index === 0 ? "Mind" : own.word} ${canary}.`;
    const source_url = `https://${canary}.test/source`;
    const source = { repository_id, author_id, file, source_url };
    await world.learning(name, learning, source);
    await world.learning(name, shared.learning, source);
    const text = { title: canary, description: canary, evidence: [canary], file_path: file };
    await world.scan(name, { repository_id, scan_id: canary, findings: [finding("f1", text)] });
  }
}

async function buildThings(world: World, uuid: string, canary: string, own: Own) {
  const { deps } = world;
  // Its audit entries contain the names that only this tenant has.
  const actorName = `${canary} ${own.word}`;
  const actor = { ...operatorOrigin.actor, type: "user", id: own.userId, name: actorName } as const;
  const origin = { ...operatorOrigin, actor };
  const fields = { description: canary, permissions: [] };
  const roleId = await world.role(uuid, `Reviewer ${canary}`, fields, origin);
  const goneId = await world.role(uuid, `Gone ${canary}`, fields, origin);
  await deleteRole({ ...deps, ...origin }, await organizationOf(deps.table, uuid), goneId);
  const learnings = await learningsOf(deps.table, uuid);
  const spare = { kind: "organization", organization: uuid, owner: "u1", role: "cr_admin" } as const;
  const { key } = await world.key({ ...spare, name: canary });
  await world.webhook(uuid, { url: `https://${canary}.test/rings` });
  return { learningIds: learnings.map((each) => each.id), roleIds: [roleId], keyIds: [key.id] };
}

async function issueKeys(
  world: World,
  { kind, id }: TenantPlan,
  branches: readonly Branch[],
  { canary, own }: Pick<TenantFixture, "canary" | "own">,
): Promise<Holder[]> {
  const admin = { owner: "u1", role: "cr_admin", name: canary } as const;
  const holders: Holder[] = [];
  for (const branch of branches) {
    const { uuid: organization } = branch;
    const single = await world.key({ kind: "organization", organization, ...admin });
    const member = { organization, owner: "u1", name: canary };
    const keys = [
      single,
      await world.key({ kind: "user", ...member }),
      await world.key({ kind: "agentic", ...member }),
      await world.key({ kind: "legacy", organization, name: canary }),
    ];
    for (const { text, key } of keys) holders.push({ kind: key.kind, key: text, tenantId: id, own, branch });
  }
  const [branch] = branches;
  if (!branch) throw new Error("A tenant has an organization.");
  if (kind === "workspace") {
    const { text } = await world.token(id);
    holders.push(...branches.map((each) => ({ kind, key: text, tenantId: id, own, branch: each })));
  }
  if (kind === "instance") {
    const { text } = await world.key({ kind, instanceId: id, home: branch.uuid, ...admin });
    holders.push({ kind, key: text, tenantId: id, own, branch });
  }
  return holders;
}
