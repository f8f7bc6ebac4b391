import { madeUpKeyText } from "../../../../lib/access/key-text.ts";
import { auditWrites, operatorOrigin } from "../../../../lib/audit/entry.ts";
import * as itemKinds from "../../../../lib/contract/items.ts";
import { organizationTenant, type TenantKey } from "../../../../lib/contract/tenants.ts";
import { systemClock, toTimestamp } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import type { Item, Table } from "../../../../lib/store/table.ts";
import { finding } from "../../../support/event-data.ts";
import { github, gitlab, type OrganizationId, World } from "../../../support/world.ts";
import { itemsOf } from "../support/history.ts";
import { learningText } from "../support/learnings.ts";

/** Numbers of things; small and large organizations differ only in these. */
export type Amounts = {
  readonly members: number;
  readonly learnings: number;
  readonly pullRequests: number;
  readonly findings: number;
  readonly customRoles: number;
  /** More than those about the things above. */
  readonly auditEntries: number;
};

export type Sizes = {
  readonly small: Amounts;
  readonly large: Amounts;
  readonly workspaceOrganizations: number;
};

const small: Amounts = {
  members: 3,
  learnings: 3,
  pullRequests: 3,
  findings: 2,
  customRoles: 2,
  auditEntries: 0,
};

/** The sizes that docs/reports/benchmarks.md reports. */
export const fullSizes: Sizes = {
  small,
  large: {
    members: 500,
    learnings: 1_000,
    pullRequests: 1_000,
    findings: 1_000,
    customRoles: 99,
    auditEntries: 100,
  },
  workspaceOrganizations: 200,
};

/** The same shapes, created in seconds: the tests check these. */
export const testSizes: Sizes = {
  small,
  large: {
    members: 500,
    learnings: 120,
    pullRequests: 200,
    findings: 200,
    customRoles: 20,
    auditEntries: 100,
  },
  workspaceOrganizations: 20,
};

const instanceOrganizations = 10;

/** One organization with every kind of data, and keys of the kinds that act only in it. */
export type BenchOrganization = {
  readonly id: OrganizationId;
  readonly uuid: string;
  readonly members: readonly string[];
  readonly repositoryIds: readonly string[];
  readonly learningIds: readonly string[];
  readonly roleIds: readonly string[];
  /** Organization keys that no caller uses: a request rotates the first, with itself, and ends the second. */
  readonly spareKeys: ReadonlyArray<{ readonly id: string; readonly text: string }>;
  readonly webhookIds: readonly string[];
  readonly keys: {
    readonly organization: string;
    readonly user: string;
    readonly legacy: string;
    /** A user key that no request has used. */
    readonly unused: string;
    /** A user key with the right form and checksum that does not exist. */
    readonly madeUp: string;
  };
};

export type BenchWorld = {
  readonly sizes: Sizes;
  readonly small: BenchOrganization;
  readonly large: BenchOrganization;
  /** A workspace of many organizations, of which the first one has people. */
  readonly workspace: {
    readonly token: string;
    /** A token that no request has used. */
    readonly unusedToken: string;
    /** The right form and checksum, and no such key. */
    readonly madeUpToken: string;
    /** A real token of another workspace of as many organizations, which is not active any more. */
    readonly inactiveToken: string;
    readonly first: OrganizationId;
    readonly emails: readonly string[];
  };
  readonly instance: { readonly key: string; readonly home: OrganizationId; readonly userId: string };
};

export async function buildWorld(table: Table, sizes: Sizes): Promise<BenchWorld> {
  const world = new World(() => table);
  return {
    sizes,
    small: await buildOrganization(world, table, "7001001", sizes.small),
    large: await buildOrganization(world, table, "7001002", sizes.large),
    workspace: await buildWorkspace(world, table, sizes.workspaceOrganizations),
    instance: await buildInstance(world),
  };
}

async function buildOrganization(
  world: World,
  table: Table,
  name: string,
  amounts: Amounts,
): Promise<BenchOrganization> {
  const id = github(name);
  const uuid = await world.organization(name, { seats_purchased: 2_000 });
  await world.member(id, "boss", { role: "cr_admin" });
  const members = named(amounts.members, (index) => `developer-${index}`);
  await world.crowd(id, members);
  const repositoryIds = named(20, (index) => String(640_219_000 + index));
  for (const repositoryId of repositoryIds) await world.repository(id, repositoryId);
  await put(table, [
    ...itemsOf({
      tenant: `o#${uuid}`,
      organizations: [id],
      pullRequests: amounts.pullRequests,
      inMeasuredWeek: amounts.pullRequests,
      weeksBefore: 0,
      shuffled: false,
    }),
  ]);
  await world.scan(id, {
    repository_id: repositoryIds[0],
    scan_id: "scan-1",
    commit_sha: "0".repeat(40),
    completed_at: toTimestamp(systemClock.nowMs()),
    findings: named(amounts.findings, findingOf),
  });
  const learningIds = await buildLearnings(world, uuid, repositoryIds, amounts.learnings);
  const roleIds: string[] = [];
  for (let index = 0; index < amounts.customRoles; index++)
    roleIds.push(await world.role(uuid, `Role ${index}`));
  await put(table, auditEntries(world, id, uuid, amounts.auditEntries));
  return {
    id,
    uuid,
    members,
    repositoryIds,
    learningIds,
    roleIds,
    spareKeys: await buildKeys(world, uuid),
    webhookIds: [await world.webhook(uuid), await world.webhook(uuid)],
    keys: {
      organization: await world.adminKey(uuid, "boss"),
      user: (await world.key({ kind: "user", organization: uuid, owner: "boss" })).text,
      legacy: (await world.key({ kind: "legacy", organization: uuid })).text,
      unused: (await world.key({ kind: "user", organization: uuid, owner: "boss" })).text,
      madeUp: madeUpKeyText(
        { kind: "user", organization: uuid, tenant: organizationTenant(uuid), userId: "boss" },
        systemRandom,
      ),
    },
  };
}

const auditEntries = (world: World, id: OrganizationId, uuid: string, count: number): Item[] =>
  named(count, (index) =>
    auditWrites(world.deps, {
      ...operatorOrigin,
      action: "role.updated",
      resourceType: "role",
      resourceId: "cr_member",
      summary: `role updated: Role ${index}`,
      tenant: organizationTenant(uuid),
      organization: { uuid, provider: "github", provider_organization_id: id.provider_organization_id },
      metadata: { name: `Role ${index}`, before: { name: "Reviewer" }, after: { name: `Role ${index}` } },
    }),
  ).flatMap((writes) => writes.map((each) => each.put));

async function buildLearnings(
  world: World,
  uuid: string,
  repositoryIds: readonly string[],
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < count; start += 100) {
    const batch = named(Math.min(100, count - start), (index) => ({
      repository_id: repositoryIds[(start + index) % repositoryIds.length],
      learning: learningText(start + index),
      file: `services/billing/source/module-${index}.ts`,
    }));
    ids.push(...(await world.createLearnings(uuid, "boss", batch)));
  }
  return ids;
}

async function buildKeys(world: World, organization: string): Promise<BenchOrganization["spareKeys"]> {
  const role = "cr_member";
  const make = async () => {
    const { key, text } = await world.key({ kind: "organization", organization, owner: "boss", role });
    return { id: key.id, text };
  };
  return [await make(), await make()];
}

async function buildWorkspace(
  world: World,
  table: Table,
  organizations: number,
): Promise<BenchWorld["workspace"]> {
  const workspace = await world.workspace("bench-workspace", { seats_purchased: 2_000 });
  const ids = named(organizations, (index) => github(String(7_002_000 + index)));
  for (const { provider_organization_id } of ids)
    await world.organization(provider_organization_id, { workspace_id: workspace });
  const [first] = ids;
  if (!first) throw new RangeError("A workspace has organizations.");
  const people = named(100, (index) => `person-${index}`);
  await world.crowd(first, people);
  const tenant: TenantKey = `w#${workspace}`;
  // As on most days: nothing became visible within the last two minutes.
  await table.write({ update: itemKinds.scopeEpochs.key({ tenant }), change: { set: [["at_ms", 0]] } });
  await put(table, [
    ...itemsOf({
      tenant,
      organizations: ids,
      pullRequests: 200,
      inMeasuredWeek: 200,
      weeksBefore: 0,
      shuffled: false,
    }),
  ]);
  const emails = people.map((name) => `${name}@example.com`);
  const [token, unused] = [await world.token(workspace), await world.token(workspace)];
  const madeUpToken = madeUpKeyText({ kind: "workspace", workspaceId: workspace }, systemRandom);
  const inactiveToken = await buildInactiveWorkspace(world, organizations);
  return { token: token.text, unusedToken: unused.text, madeUpToken, inactiveToken, first, emails };
}

async function buildInactiveWorkspace(world: World, organizations: number): Promise<string> {
  const workspace = await world.workspace("bench-inactive");
  for (const name of named(organizations, (index) => String(7_003_000 + index)))
    await world.organization(name, { workspace_id: workspace });
  const { text } = await world.token(workspace);
  await world.workspace(workspace, { active: false });
  return text;
}

async function buildInstance(world: World): Promise<BenchWorld["instance"]> {
  const instance = await world.instance("bench-instance");
  const ids = named(instanceOrganizations, (index) => gitlab(instance, `group-${index}`));
  const uuids: string[] = [];
  for (const id of ids) {
    uuids.push(await world.organization(id.provider_organization_id, { instance_id: instance }));
    await world.member(id, "boss", { role: "cr_admin" });
    await world.member(id, "developer-0");
  }
  const [home] = ids;
  const [homeUuid] = uuids;
  if (!home || !homeUuid) throw new RangeError("An instance has a home.");
  const request = {
    kind: "instance",
    instanceId: instance,
    home: homeUuid,
    owner: "boss",
    role: "cr_admin",
  } as const;
  return { key: (await world.key(request)).text, home, userId: "developer-0" };
}

const findingOf = (index: number) =>
  finding(`finding-${index}`, {
    title: `Query built from request input in handler ${index}`,
    description: "A value of the request reaches a statement without being bound. ".repeat(4),
    file_path: `services/billing/source/handler-${index}.ts`,
    start_line: 10 + index,
    end_line: 14 + index,
    evidence: ['const rows = await query("select * from invoices where id = " + id)'],
  });

export const named = <Thing>(count: number, make: (index: number) => Thing): Thing[] =>
  Array.from({ length: count }, (_, index) => make(index));

const put = (table: Table, items: readonly Item[]): Promise<void> =>
  table.writeMany(items.map((item) => ({ put: item })));
