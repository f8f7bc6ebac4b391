import { comments, finding } from "../../support/event-data.ts";
import { learningsOf } from "../../support/stored.ts";
import { github, gitlab, type OrganizationId, type World } from "../../support/world.ts";

export const kinds = ["organization", "user", "workspace", "instance"] as const;
export type FuzzKind = (typeof kinds)[number];

/** What the organization of a key has. Names of people and repositories are the same in all of them. */
export type FuzzHome = {
  readonly uuid: string;
  /** The forms in which `org_id` names it, short and in full. */
  readonly names: readonly [string, string];
  readonly learningIds: readonly string[];
  /** A Learning that no other request needs, so it can be deleted. */
  readonly spareLearningId: string;
};

export type FuzzWorld = {
  readonly keys: Readonly<Record<FuzzKind, string>>;
  readonly homes: Readonly<Record<FuzzKind, FuzzHome>>;
};

export const repositories = ["9001", "9002"] as const;
/** Plain members: no key depends on their roles and seats. */
export const members = Array.from({ length: 12 }, (_, index) => `u${index}`);
export const emailOf = (member: string): string => `${member}@example.com`;
export const repositoryName = `group/repository-${repositories[0]}`;

/** A workspace and an instance with something to read, and keys that may do everything. */
export async function buildFuzzWorld(world: World): Promise<FuzzWorld> {
  await world.workspace("fuzz");
  await world.instance("fuzz");
  const inCloud = await build(world, github("1001"), { workspace_id: "fuzz" });
  const inInstance = await build(world, gitlab("fuzz", "1001"), {});
  const admin = { owner: "u-admin", role: "cr_admin" } as const;
  const organization = await world.key({ kind: "organization", organization: inInstance.uuid, ...admin });
  const user = await world.key({ kind: "user", organization: inInstance.uuid, owner: "u-admin" });
  const workspace = await world.token("fuzz");
  const instance = await world.key({
    kind: "instance",
    instanceId: "fuzz",
    home: inInstance.uuid,
    ...admin,
  });
  return {
    keys: {
      organization: organization.text,
      user: user.text,
      workspace: workspace.text,
      instance: instance.text,
    },
    homes: { organization: inInstance, user: inInstance, workspace: inCloud, instance: inInstance },
  };
}

async function build(world: World, name: OrganizationId, change: object): Promise<FuzzHome> {
  const uuid = await world.organization("1001", { ...name, ...change });
  await world.member(name, "u-admin", { role: "cr_admin" });
  for (const member of members) await world.member(name, member);
  for (const repository of repositories) {
    await world.repository(name, repository);
    await world.scan(name, { repository_id: repository, findings: ["a", "b", "c"].map((id) => finding(id)) });
  }
  for (let index = 0; index < 4; index++) {
    const url = `https://git.example.com/pull/${index}`;
    const mcp_servers = [{ name: "tickets", tools: [{ name: "find", calls: 1, failures: 0 }] }];
    await world.pullRequest(name, index, { pr_url: url, comments: comments(url, 2), mcp_servers });
    await world.learning(name, `Number ${index} of what we learned.`);
  }
  const learnings = await learningsOf(world.deps.table, uuid);
  const [spareLearningId = "", ...learningIds] = learnings.map(({ id }) => id);
  return { uuid, names: ["1001", `${name.provider}:1001`], learningIds, spareLearningId };
}
