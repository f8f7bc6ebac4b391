import { createHash } from "node:crypto";
import * as kinds from "../../../lib/contract/items.ts";
import { requestLimits, securityLimits } from "../../../lib/contract/limits.ts";
import { organizationTenant } from "../../../lib/contract/tenants.ts";
import { vectorKey } from "../../../lib/store/layout.ts";
import { attemptPut } from "../../../lib/webhooks/deliveries.ts";
import { captured, comments, finding, scanned } from "../../support/event-data.ts";
import { learningsOf } from "../../support/stored.ts";
import { github, gitlab, type OrganizationId, type World } from "../../support/world.ts";
import { attemptOf } from "../../webhooks/support.ts";
import type { FaultEnvironment } from "./scenario.ts";

export type FaultFixture = {
  readonly keys: Readonly<
    Record<
      | "organization"
      | "ending"
      | "member"
      | "workspace"
      | "instance"
      | "limited"
      | "legacy"
      | "moved"
      | "revoked",
      string
    >
  >;
  readonly uuid: string;
  readonly roleId: string;
  readonly unusedRoleId: string;
  /** An organization key that no caller uses. */
  readonly spareKeyId: string;
  readonly webhookId: string;
  /** A Learning that is in the index, one that is not, and one that was deleted only partly. */
  readonly learningId: string;
  readonly unindexedId: string;
  readonly orphanId: string;
  /** A Learning that waits for approval. */
  readonly pendingId: string;
};

export const texts = {
  indexed: "Mind the gap.",
  unindexed: "Mind the other gap.",
  pending: "Mind the step.",
};
/** Over 32 KB as stored, so it spills; small enough for a message. */
export const manyComments = (count = 800) =>
  Array.from({ length: count }, (_, index) => ({
    url: `https://elsewhere.test/${createHash("sha512").update(String(index)).digest("base64url")}`,
  }));

/** A workspace and an instance, small enough to be restored after every fault. */
export async function buildFixture(environment: FaultEnvironment): Promise<FaultFixture> {
  const { world, api } = environment;
  await world.workspace("faults", { seats_purchased: 3 });
  await world.instance("faults");
  const cloud = github("one");
  const moving = await world.organization("mover");
  await world.member(github("mover"), "u-admin", { role: "cr_admin" });
  const moved = await world.key({
    kind: "organization",
    organization: moving,
    owner: "u-admin",
    role: "cr_admin",
  });
  await world.organization("mover", { workspace_id: "faults" });
  const uuid = await world.organization("one", { workspace_id: "faults", approval_delay_days: 9 });
  await world.organization("two", { workspace_id: "faults" });
  const home = await world.organization("home", { instance_id: "faults", seats_purchased: 2 });
  await world.organization("branch", { instance_id: "faults" });
  // On another plan, inactive, and inactive in the workspace: operations on many organizations meet these too.
  await world.organization("shed", { instance_id: "faults", plan: "pro" });
  const attic = await world.organization("attic", { instance_id: "faults" });
  await world.organization("cellar", { workspace_id: "faults" });
  await world.member(github("cellar"), "u1");
  await world.member(github("cellar"), "nameless", { email: null, seat_assigned: true });
  await world.member(gitlab("faults", "shed"), "u1");
  const hosted = gitlab("faults", "home");
  for (const name of [cloud, github("two"), hosted, gitlab("faults", "branch")]) {
    await world.member(name, "u-admin", { role: "cr_admin", email: null });
    // Members of the home follow below: the first event decides whether a member has a seat.
    if (name !== hosted) for (const user of ["u1", "u2"]) await world.member(name, user);
  }
  for (const user of ["u1", "u2", "u3"]) await world.member(hosted, user, { seat_assigned: user === "u1" });
  for (const repository of ["r1", "r2"]) await world.repository(cloud, repository);
  await sendData(world, cloud);
  const admin = { owner: "u-admin", role: "cr_admin" } as const;
  const keys = {
    organization: await world.key({ kind: "organization", organization: uuid, ...admin }),
    ending: await world.key({ kind: "organization", organization: uuid, ...admin, expiresInDays: 5 }),
    member: await world.key({ kind: "user", organization: uuid, owner: "u1" }),
    workspace: await world.token("faults"),
    instance: await world.key({ kind: "instance", instanceId: "faults", home, ...admin }),
    legacy: await world.key({ kind: "legacy", organization: uuid }),
    moved,
    revoked: await world.key({ kind: "user", organization: uuid, owner: "u2" }),
  };
  await world.revoke(keys.revoked);
  const limited = {
    kind: "instance",
    instanceId: "faults",
    home,
    authorized: [home, attic],
    ...admin,
  } as const;
  const limitedKey = await world.key(limited);
  await world.organization("attic", { instance_id: "faults", active: false });
  await world.organization("cellar", { workspace_id: "faults", active: false });
  const spare = await world.key({ kind: "organization", organization: uuid, owner: "u1", role: "cr_member" });
  // The first page creates the keys that sign cursors; then all pages use them.
  await api.call("/v1/organizations", { key: keys.workspace.text });
  const ids = await learn(environment, keys.organization.text);
  const [learningId = "", unindexedId = "", orphanId = ""] = ids;
  const { table } = api.store();
  await table.write({ delete: vectorKey(uuid, unindexedId) });
  const learnings = await learningsOf(table, uuid);
  const orphan = await table.get(vectorKey(uuid, orphanId));
  await api.call(`/v1/learnings/${orphanId}`, { method: "DELETE", key: keys.organization.text });
  if (orphan) await table.write({ put: orphan });
  if (learnings.length < 4) throw new Error("The fixture lacks Learnings.");
  const unusedRoleId = await world.role(uuid, "Unused");
  // A key had this role: deleting the role checks whether that key still works.
  await world.revoke(
    await world.key({ kind: "organization", organization: uuid, owner: "u1", role: unusedRoleId }),
  );
  const roleId = await world.role(uuid, "Reviewer");
  const custom = { kind: "organization", organization: uuid, owner: "u1", role: roleId } as const;
  await world.key(custom);
  const webhookId = await world.webhook(uuid);
  await table.writeMany(["one", "other"].map((id) => attemptPut({ id: webhookId }, attemptOf(id, 500))));
  return {
    keys: {
      organization: keys.organization.text,
      ending: keys.ending.text,
      member: keys.member.text,
      workspace: keys.workspace.text,
      instance: keys.instance.text,
      limited: limitedKey.text,
      legacy: keys.legacy.text,
      moved: moved.text,
      revoked: keys.revoked.text,
    },
    uuid,
    roleId,
    unusedRoleId,
    spareKeyId: spare.key.id,
    webhookId,
    learningId,
    unindexedId,
    orphanId,
    pendingId: learnings.find(({ state }) => state === "pending")?.id ?? "",
  };
}

/** Adds things of several items each: a member's repositories, a pull request's comments, the scans. */
export async function fillFixture({ world, api }: FaultEnvironment, { uuid }: FaultFixture): Promise<void> {
  const { table } = api.store();
  await world.member(github("one"), "u1", { readable_repository_ids: manyIds });
  const data = { repository_id: "r1", comments: manyComments() };
  await world.pullRequest(github("one"), 2, data);
  // A change of its text is moving to its new place in the export and is not visible there yet.
  const moved = { moved_to: "9999", moved_at: "9999-01-01T00:00:00.000Z" };
  await table.write({
    put: { ...kinds.listedLearning.key({ tenant: organizationTenant(uuid), place: "0000" }), ...moved },
  });
  const { items } = await table.queryPage({ pk: kinds.scans.partition({ organization: uuid }) });
  const [ledger] = items;
  if (!ledger) throw new Error("The fixture has a scan.");
  const more = Array.from({ length: securityLimits.ledgersPageItems }, (_, index) => ({
    put: { ...ledger, sk: `${ledger.sk}-${index}` },
  }));
  await table.writeMany(more);
}

/** The entries of large pull requests claim to be larger than an answer may be. */
export async function growEntries({ api }: FaultEnvironment): Promise<void> {
  const { table } = api.store();
  const { items } = await table.scanPage({});
  const large = items.filter(({ pk, b }) => /^S#.*#\w#\d+$/.test(pk) && Number(b) > 32_000);
  if (large.length === 0) throw new Error("The fixture has a large pull request.");
  await table.writeMany(large.map((item) => ({ put: { ...item, b: requestLimits.responseBytesMax + 1 } })));
}

/** More than one item can hold: the list has two parts. */
const manyIds = [
  "r1",
  ...Array.from({ length: 1_300 }, (_, index) => `repository-${index}`.padEnd(250, "-")),
];

async function learn({ api }: FaultEnvironment, key: string): Promise<string[]> {
  const data = [texts.indexed, texts.unindexed, "Soon gone."].map((learning) => ({
    repository_id: "r1",
    learning,
  }));
  const { json } = await api.call("/v1/learnings", { key, body: { data } });
  return [...JSON.stringify(json).matchAll(/"id":"([0-9a-f-]{36})"/g)].map(([, id = ""]) => id);
}

export const capturedData = (name: OrganizationId, learning: string, more: object = {}) =>
  captured(name, learning, { repository_id: "r1", ...more });

export const scanData = (name: OrganizationId, scanId: string, findings: readonly string[]) =>
  scanned(name, {
    repository_id: "r1",
    scan_id: scanId,
    completed_at: `2026-11-0${findings.length}T00:00:00Z`,
    findings: findings.map((id) => finding(id)),
  });

async function sendData(world: World, name: OrganizationId): Promise<void> {
  const mcp_servers = [{ name: "tickets", tools: [{ name: "find", calls: 1, failures: 0 }] }];
  for (const number of [1, 3]) {
    const pr_url = `https://git.example.com/pull/${number}`;
    const data = { repository_id: "r1", pr_url, comments: comments(pr_url, 2), mcp_servers };
    await world.pullRequest(name, number, data);
  }
  await world.learning(name, texts.pending, { repository_id: "r1" });
  await world.sendEvent("security_scan.completed", scanData(name, "s1", ["f1"]));
}
