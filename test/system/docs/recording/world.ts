import type { Permission } from "../../../../lib/contract/access.ts";
import * as kinds from "../../../../lib/contract/items.ts";
import { keyLimits, peopleLimits, webhookLimits } from "../../../../lib/contract/limits.ts";
import { localEmbedder } from "../../../../lib/index/local-embedder.ts";
import { reconcileAll } from "../../../../lib/index/reconcile.ts";
import { learningsOf } from "../../../support/stored.ts";
import { github, gitlab, type OrganizationId, type World } from "../../../support/world.ts";
import type { DeterministicRuntime } from "./deterministic-runtime.ts";

/** The data of the examples: a workspace in the cloud, a self-hosted instance, and organizations in every state. */
export type ExampleWorld = {
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly organization: string;
  readonly learnings: Readonly<
    Record<"kept" | "other" | "deleted" | "spoiled" | "spoiledToo" | "waiting", string>
  >;
  /** Ids of the key that rotates itself, and of one that no request uses. */
  readonly keyIds: Readonly<Record<"turned" | "ended", string>>;
  readonly roles: Readonly<Record<"reviewer" | "unused", string>>;
  readonly webhooks: Readonly<Record<"kept" | "deleted" | "local", string>>;
};

export type KeyName =
  | "organization"
  | "user"
  | "hostedUser"
  | "powerless"
  | "metricsOnly"
  | "auditOnly"
  | "rotated"
  | "turned"
  | "workspace"
  | "instance"
  | "homeless"
  | "legacy"
  | "agentic"
  | "formerAdmin"
  | "otherPlan"
  | "unsubscribed"
  | "preparing"
  | "unavailable"
  | "crowded";

const web = github("1001");
const mobile = github("1002");
const home = gitlab("north", "7001");
const branch = gitlab("north", "7002");

const admin = { owner: "501", role: "cr_admin" } as const;

export async function buildExampleWorld(world: World, steady: DeterministicRuntime): Promise<ExampleWorld> {
  const step = (name: string) => steady.begin(name, 1_000);
  step("tenants");
  await world.workspace("acme", { name: "Acme", admins: [{ user_id: "501", email: "ann@acme.example" }] });
  await world.instance("north", { name: "North", base_url: "https://git.north.example" });
  const organization = await world.organization("1001", { name: "Acme Web", workspace_id: "acme" });
  await world.organization("1002", { name: "Acme Mobile", workspace_id: "acme" });
  const hosted = await world.organization("7001", { ...home, name: "North Core", seats_purchased: 3 });
  const second = await world.organization("7002", { ...branch, name: "North Tools" });
  await world.organization("7003", { ...gitlab("north", "7003"), name: "North Labs" });
  for (const place of [web, mobile, home, branch, gitlab("north", "7003")])
    await seedOrganization(world, place, step);
  const role = (name: string, ...permissions: Permission[]) => {
    step(`role ${name}`);
    return world.role(organization, name, { permissions });
  };
  const reviewer = await role("Reviewer", "learning:read", "security:read");
  const nothing = await role("Guest");
  const unused = await role("Intern", "learning:read");
  await world.member(web, "504", { username: "dee", email: "dee@acme.example", role: reviewer });
  await world.member(web, "505", { username: "eve", email: "eve@acme.example", role: nothing });
  const keys = {
    ...(await makeKeys(world, { organization, hosted, second }, step)),
    ...(await keysOfOddPlaces(world, step)),
  };
  const { turned, ended } = await makeManagedKeys(world, organization, step);
  return {
    keys: { ...keys, turned: turned.text },
    organization,
    keyIds: { turned: turned.key.id, ended: ended.key.id },
    learnings: await captureLearnings(world, organization, step),
    roles: { reviewer, unused },
    webhooks: {
      kept: await webhookOf(world, organization, "https://hooks.acme.example/reviews", step),
      deleted: await webhookOf(world, organization, "https://old.acme.example/reviews", step),
      local: await webhookOf(world, organization, "http://127.0.0.1:9/rings", step),
    },
  };
}

async function webhookOf(world: World, organization: string, url: string, step: Step): Promise<string> {
  step(`webhook ${url}`);
  return await world.webhook(organization, { url, types: ["metrics.reviews", "learnings"] });
}

type Step = (name: string) => void;
const namesOf = {
  501: ["ann", "cr_admin"],
  502: ["ben", "cr_member"],
  503: ["cem", "cr_billing_admin"],
} as const;

const teams = [
  ["31", "Payments", "501", "502"],
  ["32", "Platform", "502", "503"],
] as const;

async function seedOrganization(world: World, place: OrganizationId, step: Step): Promise<void> {
  const id = place.provider_organization_id;
  step(`seed ${id}`);
  for (const [user, [username, role]] of Object.entries(namesOf))
    await world.member(place, user, { username, email: `${username}@acme.example`, role });
  const repository = {
    name: "billing",
    full_name: "acme/billing",
    url: "https://git.acme.example/acme/billing",
  };
  await world.repository(place, "9001", repository);
  await world.repository(place, "9002", {
    name: "checkout",
    full_name: "acme/checkout",
    url: "https://git.acme.example/acme/checkout",
    approval_delay_days: 7,
  });
  for (const number of [41, 42, 43]) {
    step(`pull request ${number} of ${id}`);
    await world.pullRequest(place, number, pullRequest(number));
  }
  step(`teams of ${id}`);
  for (const [team_id, name, ...user_ids] of teams)
    await world.sendEvent("team.saved", { ...place, team_id, name, user_ids, active: true });
  step(`scan of ${id}`);
  await world.scan(place, {
    scan_id: "scan-77",
    commit_sha: "9fceb02d0ae598e95dc970b74767f19372d61af8",
    completed_at: "2026-06-14T22:10:00.000Z",
    findings: [injection, weakHash],
  });
}

const injection = {
  id: "sql-injection-1",
  title: "SQL injection in the invoice search",
  description: "The search text becomes part of the statement.",
  severity: "high",
  cwe: "CWE-89",
  file_path: "src/invoices/search.ts",
  start_line: 41,
  end_line: 44,
  evidence: ["query(`select * from invoices where note like '%` + text + `%'`)"],
  state: "open",
};
const weakHash = {
  ...injection,
  id: "weak-hash-1",
  title: "MD5 used for a signature",
  description: "MD5 collides; use SHA-256.",
  severity: "medium",
  cwe: "CWE-328",
  file_path: "src/webhooks/sign.ts",
  start_line: 12,
  end_line: 12,
  evidence: ['createHash("md5")'],
};

function pullRequest(number: number) {
  const pr_url = `https://git.acme.example/acme/billing/pull/${number}`;
  const isMerged = number !== 43;
  return {
    pr_url,
    author_id: "502",
    author_username: "ben",
    created_at: "2026-06-10T08:00:00.000Z",
    ready_for_review_at: "2026-06-10T09:30:00.000Z",
    first_human_review_at: number === 41 ? "2026-06-10T11:00:00.000Z" : null,
    last_commit_at: "2026-06-11T15:20:00.000Z",
    merged_at: isMerged ? "2026-06-11T16:00:00.000Z" : null,
    closed_at: isMerged ? null : "2026-06-12T16:00:00.000Z",
    status: isMerged ? "merged" : "closed",
    comments: [
      { url: `${pr_url}#r1`, severity: "major", category: "functional_correctness", accepted: true },
      {
        url: `${pr_url}#r2`,
        severity: "minor",
        category: "maintainability_and_code_quality",
        accepted: null,
      },
    ],
    mcp_servers: [{ name: "tickets", tools: [{ name: "find_ticket", calls: 3, failures: 1 }] }],
  };
}

async function captureLearnings(world: World, organization: string, step: Step) {
  const texts = {
    kept: "Amounts are integers of the smallest unit; never use floating point for money.",
    other: "Every outgoing webhook is signed.",
    deleted: "Use the old date helper.",
    spoiled: "Log through the shared logger.",
    spoiledToo: "Name feature flags after the ticket.",
    waiting: "Translate error messages only at the edge.",
  };
  const ids: Record<keyof typeof texts, string> = {
    kept: "",
    other: "",
    deleted: "",
    spoiled: "",
    spoiledToo: "",
    waiting: "",
  };
  const known = new Set<string>();
  for (const name of ["kept", "other", "deleted", "spoiled", "spoiledToo", "waiting"] as const) {
    step(`Learning ${name}`);
    // Chat Learnings of the second repository wait for an admin.
    const repository_id = name === "waiting" ? "9002" : "9001";
    const file = name === "kept" ? { file: "src/money.ts" } : {};
    await world.learning(web, texts[name], { repository_id, author_id: "502", ...file });
    const learnings = await learningsOf(world.deps.table, organization);
    ids[name] = learnings.map(({ id }) => id).find((id) => !known.has(id)) ?? "";
    known.add(ids[name]);
  }
  step("Learnings indexed");
  await reconcileAll({ ...world.deps, embedder: localEmbedder });
  step("Learning used");
  await world.sendEvent("learning.used", {
    ...web,
    learning_id: ids.kept,
    used_at: "2026-06-15T08:00:00.000Z",
    count: 4,
  });
  return ids;
}

type Places = Readonly<Record<"organization" | "hosted" | "second", string>>;

async function makeKeys(world: World, { organization, hosted, second }: Places, step: Step) {
  const key = async (request: Parameters<World["key"]>[0]) => {
    step(`key ${JSON.stringify(request)}`);
    return (await world.key(request)).text;
  };
  const scope = { instanceId: "north", home: hosted, authorized: [hosted, second] };
  const keys = {
    organization: await key({ kind: "organization", organization, ...admin, name: "dashboards" }),
    user: await key({ kind: "user", organization, owner: "502", name: "ben's laptop" }),
    hostedUser: await key({ kind: "user", organization: hosted, owner: "502" }),
    powerless: await key({ kind: "user", organization, owner: "505" }),
    instance: await key({ kind: "instance", ...scope, ...admin, name: "nightly sync" }),
    legacy: await key({ kind: "legacy", organization }),
    agentic: await key({ kind: "agentic", organization, owner: "502" }),
    metricsOnly: await key({ kind: "organization", organization, ...admin, only: ["metrics:read"] }),
    auditOnly: await key({ kind: "organization", organization, ...admin, only: ["audit_logs:read"] }),
  };
  step("instance key that is not authorized for its home");
  const homeless = await world.key({ kind: "instance", ...scope, ...admin, name: "old sync" });
  const change = { set: [["authorized", [second]] as const] };
  await world.deps.table.write({ update: kinds.keyList.key({ keyId: homeless.key.id }), change });
  step("token");
  const workspace = (await world.token("acme", "501")).text;
  step("token of a former admin");
  await world.workspace("former", { name: "Former", admins: [{ user_id: "501", email: null }] });
  const formerAdmin = (await world.token("former", "501")).text;
  await world.workspace("former", { name: "Former", admins: [{ user_id: "502", email: null }] });
  step("key in its grace");
  const rotated = await world.key({ kind: "organization", organization, ...admin });
  await world.rotate(rotated, 30 * 86_400);
  return { ...keys, homeless: homeless.text, workspace, formerAdmin, rotated: rotated.text };
}

async function makeManagedKeys(world: World, organization: string, step: Step) {
  const make = async (name: string) => {
    step(`managed key ${name}`);
    return await world.key({ kind: "organization", organization, owner: "502", role: "cr_member", name });
  };
  const rotated = await make("chat bot");
  step("managed key rotated");
  await world.rotate(rotated, 3600);
  return { turned: await make("build server"), ended: await make("old build server") };
}

/** Self-hosted organizations that meet every requirement except one. */
async function keysOfOddPlaces(world: World, step: Step) {
  const keyOf = async (id: string, change: object) => {
    step(`odd place ${id}`);
    const place = gitlab("odd", id);
    const organization = await world.organization(id, { ...place, name: `Odd ${id}`, ...change });
    await world.member(place, "501", { role: "cr_admin" });
    const key = await world.key({ kind: "organization", organization, ...admin });
    return { key: key.text, id: key.key.id, organization };
  };
  await world.instance("odd", { name: "Odd" });
  const crowded = await keyOf("8005", {});
  for (let count = 0; count < peopleLimits.customRolesMax; count++) {
    step(`role Role ${count}`);
    await world.role(crowded.organization, `Role ${count}`, { permissions: [] });
  }
  // The same live key, as often as the list is long.
  const made = Array.from({ length: keyLimits.madeKeysMax }, () => ({
    id: crowded.id,
    expires_at_ms: 32_503_680_000_000,
  }));
  await world.deps.table.write({ put: { ...kinds.madeKeys.key({ keyId: crowded.id }), version: 1, made } });
  for (let count = 0; count < webhookLimits.perScopeMax; count++)
    await webhookOf(world, crowded.organization, `https://hooks.acme.example/${count}`, step);
  return {
    otherPlan: (await keyOf("8001", { plan: "pro" })).key,
    unsubscribed: (await keyOf("8002", { subscription_active: false })).key,
    preparing: (await keyOf("8003", { metrics: "preparing" })).key,
    unavailable: (await keyOf("8004", { metrics: "unavailable" })).key,
    crowded: crowded.key,
  };
}
