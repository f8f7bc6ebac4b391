import { parseKeyText } from "../../../../lib/access/key-text.ts";
import { keyLimits } from "../../../../lib/contract/limits.ts";
import { type ListedOperation, type OperationId, operationOf } from "../../../../lib/contract/operations.ts";
import { requestOf, usualKind } from "../../../../lib/contract/requests.ts";
import { required } from "../../../../lib/runtime/required.ts";
import { absent } from "../../../support/subject.ts";
import type { BenchRequest } from "../support/bench-api.ts";
import { measuredWeek, windowQuery } from "../support/history.ts";
import { learningText } from "../support/learnings.ts";
import { type BenchOrganization, type BenchWorld, named } from "./world.ts";

/** The allowed number of sequential round trips of a request. */
export type Budget =
  /** Two, and one for each page of data that DynamoDB returns; a legacy key's text has no hints: one more. */
  | { readonly kind: "read"; readonly dataPages: number; readonly legacy?: true }
  | { readonly kind: "write" }
  | { readonly kind: "batch"; readonly tripsMax: number };

export type Case = {
  readonly name: string;
  readonly size: "small" | "large";
  readonly budget: Budget;
  readonly request: BenchRequest;
  /** The first request with its key, or one that is refused: without a request before it. */
  readonly cold?: true;
  /** Measures the same request with the resume cursor of its last page. */
  readonly resumed?: true;
};

export function tripsMaxOf(budget: Budget): number {
  if (budget.kind === "batch") return budget.tripsMax;
  return budget.kind === "write" ? 3 : 2 + budget.dataPages + (budget.legacy ? 1 : 0);
}

const page = (dataPages: number) => ({ kind: "read", dataPages }) as const;
const legacyPage = { kind: "read", dataPages: 1, legacy: true } as const;
const write = { kind: "write" } as const;
const batch = (tripsMax: number) => ({ kind: "batch", tripsMax }) as const;

type Cases = Readonly<Partial<Record<OperationId, readonly Case[]>>>;

/** The requests of an operation in a small and in a large organization. */
export function casesOf(world: BenchWorld): (id: OperationId) => readonly Case[] {
  const special: Cases = {
    ...metricsCases(world),
    ...learningCases(world),
    ...peopleCases(world),
    ...otherCases(world),
  };
  return (id) => special[id] ?? usualCases(operationOf(id), world);
}

/** A key rotates only itself. */
const rotating = (name: string, size: Case["size"], key: string): Case =>
  send(name, size, write, key, "POST", `/v1/keys/${required(parseKeyText(key), "text of a key").id}/rotate`, {
    idempotency_key: absent.once,
  });

/** The contract's request, in both organizations; one page of data, or one write. */
function usualCases(operation: ListedOperation, { small, large, instance }: BenchWorld): Case[] {
  const budget = operation.method === "GET" ? page(1) : write;
  // What a request deletes is not what another one changes.
  const index = operation.method === "DELETE" ? 1 : 0;
  const callerOf = ({ keys, spareKeys }: BenchOrganization): string => {
    // A key rotates only itself.
    if (operation.id === "rotateKey") return spareKeys[index]?.text ?? "";
    return usualKind(operation) === "instance" ? instance.key : keys.organization;
  };
  const of = (size: Case["size"], place: BenchOrganization): Case => ({
    name: size === "small" ? "one" : "one of many",
    size,
    budget,
    request: {
      key: callerOf(place),
      ...requestOf(operation, {
        ...absent,
        organization_id: place.uuid,
        learning_id: place.learningIds[index] ?? "",
        role_id: place.roleIds[index] ?? "",
        key_id: place.spareKeys[index]?.id ?? "",
        webhook_id: place.webhookIds[index] ?? "",
        repository_id: place.repositoryIds[0] ?? "",
        user_id: place.members[0] ?? "",
        text: `Name what ${operation.id} measures.`,
      }),
    },
  });
  return [of("small", small), of("large", large)];
}

const get = (name: string, size: Case["size"], budget: Budget, key: string, target: string): Case => ({
  name,
  size,
  budget,
  request: { key, target },
});

const cold = (each: Case): Case => ({ ...each, cold: true });

/** All of it was read before, and nothing has changed since. */
const resume = (name: string, size: Case["size"], key: string, target: string): Case => ({
  ...get(`resumed, ${name}`, size, page(1), key, target),
  resumed: true,
});

const send = (
  name: string,
  size: Case["size"],
  budget: Budget,
  key: string,
  method: string,
  target: string,
  body?: object,
): Case => ({ name, size, budget, request: { key, method, target, ...(body && { body }) } });

function metricsCases({ sizes, small, large, workspace }: BenchWorld): Cases {
  const pages = (path: string): Case[] => {
    const target = `${path}?${windowQuery(measuredWeek)}`;
    return [
      get("3 pull requests", "small", page(1), small.keys.organization, target),
      get("3 pull requests, legacy key", "small", legacyPage, small.keys.legacy, target),
      get(`${sizes.large.pullRequests} pull requests`, "large", page(1), large.keys.user, target),
      get(`200 of ${sizes.workspaceOrganizations} organizations`, "large", page(1), workspace.token, target),
      resume("3 pull requests", "small", small.keys.organization, target),
      resume(`of ${sizes.workspaceOrganizations} organizations`, "large", workspace.token, target),
    ];
  };
  return {
    listReviewCommentMetrics: pages("/v1/metrics/review-comments"),
    listReviewMetrics: pages("/v1/metrics/reviews"),
    listMcpMetrics: pages("/v1/metrics/mcp"),
  };
}

function learningCases({ sizes, small, large, workspace }: BenchWorld): Cases {
  const path = "/v1/learnings";
  const item = ({ repositoryIds }: BenchOrganization, learning: string) => ({
    repository_id: repositoryIds[0],
    learning,
  });
  const of = ({ learningIds }: BenchOrganization, index: number) => `${path}/${learningIds[index]}`;
  const { user } = large.keys;
  const decide = (name: string, size: "small" | "large", { keys }: BenchOrganization, learning: string) =>
    send(name, size, batch(4), keys.organization, "POST", `${learning}/approval`, { decision: "approve" });
  return {
    listLearnings: [
      get("3", "small", page(1), small.keys.organization, path),
      get("3, legacy key", "small", legacyPage, small.keys.legacy, path),
      // 1,000 of them fill two pages of DynamoDB.
      get(String(sizes.large.learnings), "large", page(Math.ceil(sizes.large.learnings / 900)), user, path),
      get(`of ${sizes.workspaceOrganizations} organizations, none`, "large", page(1), workspace.token, path),
      resume(`of ${sizes.workspaceOrganizations} organizations`, "large", workspace.token, path),
    ],
    createLearnings: [
      send("one", "small", batch(6), small.keys.user, "POST", path, {
        data: [item(small, "Close what you open.")],
      }),
      send("100", "large", batch(6), user, "POST", path, {
        data: named(100, (index) => item(large, `New: ${learningText(index)}`)),
      }),
      send("100 duplicates", "large", batch(6), user, "POST", path, {
        data: named(100, (index) => item(large, `New: ${learningText(index)}`)),
      }),
    ],
    // The vectors, the records, then the names.
    searchLearnings: [
      send("a question", "small", page(3), small.keys.organization, "POST", `${path}/search`, {
        query: "Who closes what was opened?",
      }),
      send("a change, of a member", "large", page(3), user, "POST", `${path}/search`, {
        query: learningText(0).repeat(100).slice(0, 20_000),
        limit: 50,
      }),
    ],
    // A user key's member may not read every repository.
    getLearning: [
      get("one", "small", write, small.keys.user, of(small, 0)),
      get("one of many", "large", write, user, of(large, 0)),
    ],
    // The existing decision is read again, so that the answer shows what is stored.
    decideLearning: [
      decide("one that is approved already", "small", small, of(small, 0)),
      decide("one that is approved already, of many", "large", large, of(large, 0)),
    ],
    updateLearning: [
      send("one", "small", write, small.keys.user, "PATCH", of(small, 0), {
        learning: "Name what you measure.",
      }),
      send("10,000 characters", "large", write, user, "PATCH", of(large, 0), {
        learning: "Name what you measure. ".repeat(430),
      }),
    ],
    deleteLearning: [
      send("one", "small", write, small.keys.user, "DELETE", of(small, 1)),
      send("one of many", "large", write, user, "DELETE", of(large, 1)),
      send("one that is gone", "large", write, user, "DELETE", of(large, 1)),
    ],
  };
}

function peopleCases({ small, large, workspace, instance }: BenchWorld): Cases {
  const key = small.keys.organization;
  const bigKey = large.keys.organization;
  const [member] = small.members;
  const seats = "/v1/users/seats";
  const roles = "/v1/users/roles";
  const workspaceOrganization = workspace.first.provider_organization_id;
  return {
    listUsers: [
      get("4", "small", page(1), key, "/v1/users"),
      get("100 of 501", "large", page(1), bigKey, "/v1/users"),
      get("100 people of a workspace", "large", page(1), workspace.token, "/v1/users"),
    ],
    assignSeats: [
      send("one", "small", write, key, "POST", seats, { action: "assign", user_ids: [member] }),
      send("500", "large", batch(10), bigKey, "POST", seats, { action: "assign", user_ids: large.members }),
      send("100 by e-mail", "large", batch(10), workspace.token, "POST", seats, {
        action: "assign",
        emails: workspace.emails,
      }),
    ],
    setSeatAssignment: [
      send("one", "small", write, instance.key, "POST", `${seats}/assignment`, { mode: "automatic" }),
      send("instance of 10", "large", write, instance.key, "POST", `${seats}/assignment`, { mode: "manual" }),
    ],
    changeRoles: [
      send("one", "small", write, key, "POST", roles, { role: "cr_admin", user_ids: [member] }),
      send("500", "large", batch(10), bigKey, "POST", roles, { role: "cr_admin", user_ids: large.members }),
      send("one in a workspace", "large", write, workspace.token, "POST", roles, {
        role: "cr_admin",
        user_ids: ["person-0"],
        org_id: workspaceOrganization,
      }),
      // One organization after another, because changes in earlier ones stay: three trips would be all at once.
      send("one in all 10 of an instance", "large", batch(10), instance.key, "POST", roles, {
        role: "cr_admin",
        user_ids: [instance.userId],
        org_id: "ALL",
      }),
    ],
    listRoles: [
      get("2 custom", "small", page(1), key, "/v1/roles"),
      get(
        `${large.roleIds.length} custom, with permissions`,
        "large",
        page(1),
        bigKey,
        "/v1/roles?include_permissions=true",
      ),
    ],
    listPermissions: [
      get("all", "small", page(0), key, "/v1/roles/permissions"),
      get(
        "all, workspace",
        "large",
        page(0),
        workspace.token,
        `/v1/roles/permissions?org_id=${workspaceOrganization}`,
      ),
    ],
    giveRole: [
      send("one", "small", write, key, "POST", `/v1/roles/${small.roleIds[0]}/users`, { user_ids: [member] }),
      send("500", "large", batch(10), bigKey, "POST", `/v1/roles/${large.roleIds[0]}/users`, {
        user_ids: large.members,
        dry_run: true,
      }),
    ],
  };
}

function otherCases({ sizes, small, large, workspace, instance }: BenchWorld): Cases {
  const findings = "/v1/security/scans/code";
  return {
    listOrganizations: [
      get("one", "small", page(0), small.keys.organization, "/v1/organizations"),
      get(`of ${sizes.workspaceOrganizations}`, "large", page(0), workspace.token, "/v1/organizations"),
      get("10 of an instance", "large", page(0), instance.key, "/v1/organizations"),
    ],
    listAuditLogs: [
      get("a few", "small", page(1), small.keys.organization, "/v1/audit-logs"),
      get("100", "large", page(1), large.keys.organization, "/v1/audit-logs"),
      get("of a workspace", "large", page(1), workspace.token, "/v1/audit-logs"),
    ],
    listSecurityFindings: [
      get("2", "small", page(1), small.keys.user, findings),
      get(String(sizes.large.findings), "large", page(1), large.keys.user, `${findings}?limit=1000`),
      get(`${sizes.large.findings} as SARIF`, "large", page(1), large.keys.user, `${findings}?format=sarif`),
    ],
    // First the rows of the keys, then the keys.
    listKeys: [
      get("6", "small", page(2), small.keys.organization, "/v1/keys"),
      get(
        `of ${sizes.workspaceOrganizations} organizations`,
        "large",
        page(1 + Math.ceil((1 + sizes.workspaceOrganizations) / keyLimits.organizationsAtOnce)),
        workspace.token,
        "/v1/keys",
      ),
    ],
    rotateKey: [
      rotating("one", "small", small.keys.organization),
      rotating("one of many", "large", large.keys.organization),
    ],
    whoami: [
      get("user key", "small", page(0), small.keys.user, "/v1/whoami"),
      get(
        "legacy key",
        "small",
        { kind: "read", dataPages: 0, legacy: true },
        small.keys.legacy,
        "/v1/whoami",
      ),
      get(`workspace of ${sizes.workspaceOrganizations}`, "large", page(0), workspace.token, "/v1/whoami"),
      // The further rounds of authentication, and the write of the use.
      cold(get("first use of a user key", "small", page(2), small.keys.unused, "/v1/whoami")),
      cold(get("made-up user key, 401", "small", page(0), small.keys.madeUp, "/v1/whoami")),
      cold(get("first use of the token", "large", page(3), workspace.unusedToken, "/v1/whoami")),
      cold(get("made-up token, 401", "large", page(0), workspace.madeUpToken, "/v1/whoami")),
      // The key and its workspace; then its owner is read and the refusal recorded, at most once a minute.
      cold(
        get("token of an inactive workspace, 401", "large", page(3), workspace.inactiveToken, "/v1/whoami"),
      ),
    ],
  };
}
