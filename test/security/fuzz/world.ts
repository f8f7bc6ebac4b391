import { comments, finalized } from "../../metrics/support.ts";
import { finding } from "../../security-findings/support.ts";
import { github, gitlab, type OrganizationId, type World } from "../../support/world.ts";

export const kinds = ["organization", "user", "workspace", "instance"] as const;
export type FuzzKind = (typeof kinds)[number];

export type FuzzWorld = {
  readonly keys: Readonly<Record<FuzzKind, string>>;
  /** Names that mean something to the kind of key. */
  readonly orgId: Readonly<Record<FuzzKind, string>>;
  readonly organizationUuid: Readonly<Record<FuzzKind, string>>;
};

/** A workspace and an instance with something to read, and keys that may do everything. */
export async function buildFuzzWorld(world: World): Promise<FuzzWorld> {
  await world.workspace("fuzz");
  await world.instance("fuzz");
  const cloud = github("1001");
  const hosted = gitlab("fuzz", "1001");
  const inCloud = await build(world, cloud, { workspace_id: "fuzz" });
  const inInstance = await build(world, hosted, {});
  const admin = { owner: "u-admin", role: "cr_admin" } as const;
  const organization = await world.key({ kind: "organization", organization: inInstance, ...admin });
  const user = await world.key({ kind: "user", organization: inInstance, owner: "u-admin" });
  const workspace = await world.token("fuzz");
  const instance = await world.key({ kind: "instance", instanceId: "fuzz", home: inInstance, ...admin });
  return {
    keys: {
      organization: organization.text,
      user: user.text,
      workspace: workspace.text,
      instance: instance.text,
    },
    orgId: { organization: "1001", user: "1001", workspace: "1001", instance: "1001" },
    organizationUuid: {
      organization: inInstance,
      user: inInstance,
      workspace: inCloud,
      instance: inInstance,
    },
  };
}

async function build(world: World, name: OrganizationId, change: object): Promise<string> {
  const uuid = await world.organization("1001", { ...name, ...change });
  await world.member(name, "u-admin", { role: "cr_admin" });
  for (let index = 0; index < 12; index++) await world.member(name, `u${index}`);
  for (const repository of ["9001", "9002"]) {
    await world.repository(name, repository);
    await world.tell("security_scan.completed", {
      ...name,
      repository_id: repository,
      scan_id: "s1",
      commit_sha: "c0ffee",
      completed_at: "2026-11-01T00:00:00Z",
      findings: ["a", "b", "c"].map((id) => finding(id)),
    });
  }
  for (let index = 0; index < 4; index++) {
    const url = `https://git.example.com/pull/${index}`;
    const mcp_servers = [{ name: "tickets", tools: [{ name: "find", calls: 1, failures: 0 }] }];
    await world.tell(
      "pull_request.finalized",
      finalized(name, index, { pr_url: url, comments: comments(url, 2), mcp_servers }),
    );
    const learning = `Number ${index} of what we learned.`;
    const captured = { ...name, repository_id: "9001", author_id: "u1", source: "chat", learning };
    await world.tell("learning.captured", captured);
  }
  return uuid;
}
